import type { Usage as UsageBody } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge, Empty, Loaded, Page, Section } from '../parts/blocks.ts';
import { Meter } from '../parts/pictures.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefTo } from '../router.ts';
import { keyName } from './keys.ts';
import { RequestSearch } from './request-search.ts';

const everyMs = 2_000;
const shownMax = 20;

type Usage = UsageBody['keys'][number];

/** Who uses the service most this minute, and who was refused most in the last day. */
export function UsagePage() {
  const polled = usePolled<UsageBody>('usage', everyMs);
  return html`<${Page} title=${say('Usage')}>
    <${Loaded} polled=${polled}>${(body: UsageBody) => html`<${Body} keys=${body.keys} />`}<//>
    <${RequestSearch} />
  <//>`;
}

function Body({ keys }: { keys: readonly Usage[] }) {
  const [busiest, mostRefused] = [busiestOf(keys), mostRefusedOf(keys)];
  return html`<div>
    <${Section} title=${say('Busiest this minute')}>
      ${busiest.length === 0 ? html`<${Empty} title=${say('No key was used this minute.')}>${say('Figures are of this process and start again each minute.')}<//>` : html`<${UsageTable} label=${say('Busiest keys this minute')} keys=${busiest.slice(0, shownMax)} isOfMinute />`}
    <//>
    <${Section} title=${say('Most refused, last 24 hours')}>
      ${mostRefused.length === 0 ? html`<${Empty} title=${say('No key went over its limit.')} />` : html`<${UsageTable} label=${say('Most refused keys')} keys=${mostRefused.slice(0, shownMax)} />`}
    <//>
  </div>`;
}

/** The keys with the most requests this minute above those refused most in the last day; the first few. */
export function TopOfKeys({ keys, max }: { keys: readonly Usage[]; max: number }) {
  const [busiest, refused] = [busiestOf(keys), mostRefusedOf(keys)];
  const none = (text: string) => html`<p class="small">${text}</p>`;
  return html`<div>
    <div>${busiest.length === 0 ? none(say('No key was used this minute.')) : html`<${UsageTable} label=${say('Busiest keys this minute')} keys=${busiest.slice(0, max)} isOfMinute />`}</div>
    <div>${refused.length === 0 ? none(say('No key went over its limit.')) : html`<${UsageTable} label=${say('Most refused keys')} keys=${refused.slice(0, max)} />`}</div>
  </div>`;
}

function busiestOf(keys: readonly Usage[]): readonly Usage[] {
  return keys
    .filter(({ used, refused }) => used + refused > 0)
    .sort((one, other) => other.used + other.refused - one.used - one.refused);
}

function mostRefusedOf(keys: readonly Usage[]): readonly Usage[] {
  return keys.filter(({ refused24h }) => refused24h > 0).sort((one, other) => other.refused24h - one.refused24h);
}

interface TableProps {
  readonly label: string;
  readonly keys: readonly Usage[];
  /** Shows the running minute, else the last day. */
  readonly isOfMinute?: boolean;
}

function UsageTable({ label, keys, isOfMinute = false }: TableProps) {
  const heads = isOfMinute
    ? html`<th scope="col">${say('This minute')}</th><th scope="col" class="number">${say('Refused')}</th>`
    : html`<th scope="col" class="number">${say('Refused')}</th><th scope="col" class="number">${say('Minutes over the limit')}</th>`;
  return html`<${TableFrame} label=${label}><table>
    <thead><tr><th scope="col">${say('Key')}</th><th scope="col">${say('Account')}</th><th scope="col">${say('State')}</th>${heads}</tr></thead>
    <tbody>${keys.map(
      ({ key, used, refused, limitPerMinute, breachedMinutes24h, refused24h }) => html`<tr key=${key.id}>
        <th scope="row"><a href=${hrefTo('keys', key.id)}>${keyName(key)}</a> ${key.label !== '' && html`<small>…${key.lastFour}</small>`}</th>
        <td><a href=${hrefTo('accounts', key.accountId)}>${key.accountEmail ?? key.accountId}</a></td>
        <td><${Badge} state=${key.state} /></td>
        ${isOfMinute && html`<td><${Meter} used=${used} limit=${limitPerMinute} label=${say('Used of the limit by {name}', { name: keyName(key) })} /></td>`}
        <td class="number">${countText(isOfMinute ? refused : refused24h)}</td>
        ${!isOfMinute && html`<td class="number">${countText(breachedMinutes24h)}</td>`}
      </tr>`,
    )}</tbody>
  </table><//>`;
}
