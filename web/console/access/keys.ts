import type { Key, NewKey } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Badge, Missing, When } from '../parts/blocks.ts';
import { CopyLine, SecretDialog } from '../parts/copy.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefTo } from '../router.ts';
import { useOverview } from '../shell/status.ts';

/** A key's label, or its last four characters where it has none. */
export function keyName({ label, lastFour }: Pick<Key, 'label' | 'lastFour'>): string {
  return label === '' ? say('Key …{ending}', { ending: lastFour }) : label;
}

/** @param hasAccounts names the account of each, too */
export function KeyTable({ keys, hasAccounts = false }: { keys: readonly Key[]; hasAccounts?: boolean }) {
  return html`<${TableFrame} label=${say('Keys')}><table>
    <thead><tr><th scope="col">${say('Key')}</th>${hasAccounts && html`<th scope="col">${say('Account')}</th>`}<th scope="col">${say('Ends in')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Limit')}</th><th scope="col">${say('Expires')}</th><th scope="col">${say('Created')}</th></tr></thead>
    <tbody>${keys.map(
      (key) => html`<tr key=${key.id}>
        <th scope="row"><a href=${hrefTo('keys', key.id)}>${keyName(key)}</a></th>
        ${hasAccounts && html`<td><a href=${hrefTo('accounts', key.accountId)}>${key.accountEmail ?? key.accountId}</a></td>`}
        <td><code>…${key.lastFour}</code></td>
        <td><${Badge} state=${key.state} /></td>
        <td>${key.limitPerMinute === null ? say('standard') : say('{count} a minute', { count: countText(key.limitPerMinute) })}</td>
        <td>${key.expiresAtMs === null ? html`<${Missing}>${say('never')}<//>` : html`<${When} atMs=${key.expiresAtMs} as="full" />`}</td>
        <td><${When} atMs=${key.createdAtMs} as="day" /></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** A new key, and how it is tried. */
export function KeyText({ made: { key, text }, onClose }: { made: NewKey; onClose: () => void }) {
  const baseUrl = useOverview().value?.baseUrl ?? '';
  const curl = `curl -H 'X-EXCHANGE-APIKEY: ${text}' '${baseUrl}/v1/tickers'`;
  return html`<${SecretDialog} title=${say('The key “{name}”', { name: keyName(key) })} copyLabel=${say('Copy the key “{name}”', { name: keyName(key) })} text=${text} onClose=${onClose}>
    <h3>${say('Try it')}</h3>
    <${CopyLine} text=${curl} label=${say('Copy the curl line')} />
  <//>`;
}
