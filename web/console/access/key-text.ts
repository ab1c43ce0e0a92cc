import type { NewKey } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { CopyLine } from '../parts/copy.ts';
import { Dialog } from '../parts/dialog.ts';
import { useOverview } from '../shell/overview-data.ts';
import { keyName } from './key-table.ts';

/** The one time a key's text is seen. Escape does not close it: what is closed here is gone. */
export function KeyText({ made: { key, text }, onClose }: { made: NewKey; onClose: () => void }) {
  const baseUrl = useOverview().value?.baseUrl ?? '';
  const curl = `curl -H 'X-EXCHANGE-APIKEY: ${text}' '${baseUrl}/v1/tickers'`;
  return html`<${Dialog} title=${`The key “${keyName(key)}”`} wide onClose=${() => {}}>
    <p class="note warn"><strong>Copy it now: it is shown this once.</strong> Only its digest is stored, so nobody can look it up again. Give it to its holder over a channel you trust.</p>
    <h3>Key</h3>
    <${CopyLine} text=${text} label="Copy the key" />
    <h3>Try it</h3>
    <${CopyLine} text=${curl} label="Copy the curl line" />
    <p class="buttons"><button type="button" class="main" onClick=${onClose}>I have stored it</button></p>
  <//>`;
}
