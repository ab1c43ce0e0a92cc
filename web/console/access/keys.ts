import type { Key, NewKey } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { Badge, Missing, When } from '../parts/blocks.ts';
import { CopyLine } from '../parts/copy.ts';
import { Dialog } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefTo } from '../router.ts';
import { useOverview } from '../shell/status.ts';

/** A key's label, or its last four characters where it has none. */
export function keyName({ label, lastFour }: Pick<Key, 'label' | 'lastFour'>): string {
  return label === '' ? `Key …${lastFour}` : label;
}

/** The state of a key: why an active one is refused, if it is. */
export function KeyBadge({ entry: { state } }: { entry: Key }) {
  return html`<${Badge} state=${state} />`;
}

export function KeyTable({ keys }: { keys: readonly Key[] }) {
  return html`<${TableFrame} label="Keys"><table>
    <thead><tr><th scope="col">Key</th><th scope="col">Ends in</th><th scope="col">State</th><th scope="col">Limit</th><th scope="col">Expires</th><th scope="col">Created</th></tr></thead>
    <tbody>${keys.map(
      (key) => html`<tr key=${key.id}>
        <th scope="row"><a href=${hrefTo('keys', key.id)}>${keyName(key)}</a></th>
        <td><code>…${key.lastFour}</code></td>
        <td><${KeyBadge} entry=${key} /></td>
        <td>${key.limitPerMinute === null ? 'standard' : `${key.limitPerMinute} a minute`}</td>
        <td>${key.expiresAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${key.expiresAtMs} as="full" />`}</td>
        <td><${When} atMs=${key.createdAtMs} as="day" /></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** The only time a key's text is shown. Escape does not close it: once closed, the text is gone. */
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
