import type { Key, NewKey } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { Badge, Missing, When } from '../parts/blocks.ts';
import { CopyLine, SecretDialog } from '../parts/copy.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefTo } from '../router.ts';
import { useOverview } from '../shell/status.ts';

/** A key's label, or its last four characters where it has none. */
export function keyName({ label, lastFour }: Pick<Key, 'label' | 'lastFour'>): string {
  return label === '' ? `Key …${lastFour}` : label;
}

export function KeyTable({ keys }: { keys: readonly Key[] }) {
  return html`<${TableFrame} label="Keys"><table>
    <thead><tr><th scope="col">Key</th><th scope="col">Ends in</th><th scope="col">State</th><th scope="col">Limit</th><th scope="col">Expires</th><th scope="col">Created</th></tr></thead>
    <tbody>${keys.map(
      (key) => html`<tr key=${key.id}>
        <th scope="row"><a href=${hrefTo('keys', key.id)}>${keyName(key)}</a></th>
        <td><code>…${key.lastFour}</code></td>
        <td><${Badge} state=${key.state} /></td>
        <td>${key.limitPerMinute === null ? 'standard' : `${key.limitPerMinute} a minute`}</td>
        <td>${key.expiresAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${key.expiresAtMs} as="full" />`}</td>
        <td><${When} atMs=${key.createdAtMs} as="day" /></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** A new key, and how it is tried. */
export function KeyText({ made: { key, text }, onClose }: { made: NewKey; onClose: () => void }) {
  const baseUrl = useOverview().value?.baseUrl ?? '';
  const curl = `curl -H 'X-EXCHANGE-APIKEY: ${text}' '${baseUrl}/v1/tickers'`;
  return html`<${SecretDialog} name=${`key “${keyName(key)}”`} text=${text} onClose=${onClose}>
    <h3>Try it</h3>
    <${CopyLine} text=${curl} label="Copy the curl line" />
  <//>`;
}
