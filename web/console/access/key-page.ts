import type { Key, KeyUsage, Notice } from '../../generated/management-v1.d.ts';
import { counted } from '../format/decimal.ts';
import { localText, spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { usePolled } from '../live/polled.ts';
import { Empty, Loaded, Section } from '../parts/blocks.ts';
import { Page } from '../parts/page.ts';
import { Bars, Meter } from '../parts/pictures.ts';
import { TableFrame } from '../parts/table-frame.ts';
import { Badge, Facts, Missing, When } from '../parts/words.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { KeyActions } from './key-actions.ts';
import { KeyBadge, keyName } from './key-table.ts';

const everyMs = 2_000;
const listed = 12;

/** One key: how much it is used, where it went over its limit, and what can be done with it. */
export function KeyPage({ id }: { id: string }) {
  const polled = usePolled<KeyUsage>(`keys/${encodeURIComponent(id)}/usage`, everyMs);
  const { value, refresh } = polled;
  const up = value
    ? { href: hrefTo('accounts', value.key.accountId), text: value.key.accountEmail ?? 'Its account' }
    : { href: hrefTo('accounts'), text: 'All accounts' };
  const actions = value && html`<${KeyActions} entry=${value.key} onChanged=${refresh} />`;
  return html`<${Page} title=${value ? keyName(value.key) : 'Key'} actions=${actions} up=${up}>
    <${Loaded} polled=${polled}>${(usage: KeyUsage) => html`<${Body} usage=${usage} />`}<//>
  <//>`;
}

function Body({ usage }: { usage: KeyUsage }) {
  const { key, limitPerMinute, currentMinute, breaches, notices } = usage;
  return html`<div>
    <${KeyFacts} entry=${key} limitPerMinute=${limitPerMinute} />
    <div class="pair"><${Section} title="This minute">
      <${Meter} used=${currentMinute.used} limit=${limitPerMinute} label="Requests used this minute" />
      <p class="small">${currentMinute.refused === 0 ? 'No request was refused.' : html`<strong>${counted(currentMinute.refused, 'request')} refused</strong> with 429.`} The minute ends in ${spanText(Math.max(0, currentMinute.startedAtMs + 60_000 - serverNowMs()))}.</p>
    <//>
    <${Section} title="Minutes over the limit"><${Breaches} breaches=${breaches} /><//></div>
    <${Section} title="Notices to the holder"><${Notices} notices=${notices} /><//>
  </div>`;
}

function KeyFacts({ entry, limitPerMinute }: { entry: Key; limitPerMinute: number }) {
  return html`<${Facts}
    rows=${[
      ['State', html`<${KeyBadge} entry=${entry} />`],
      ['Ends in', html`<code>…${entry.lastFour}</code>`],
      ['Limit', `${limitPerMinute} a minute${entry.limitPerMinute === null ? ', the standard' : ', its own'}`],
      ['Expires', entry.expiresAtMs === null ? 'never' : html`<${When} atMs=${entry.expiresAtMs} as="full" />`],
      ['Created', html`<${When} atMs=${entry.createdAtMs} as="full" />`],
      [
        'Replaced by',
        entry.replacedBy === null ? undefined : html`<a href=${hrefTo('keys', entry.replacedBy)}>the newer key</a>`,
      ],
      ['Id', html`<code>${entry.id}</code>`],
      ['History', html`<a href=${hrefWith(['audit'], { subject: entry.id })}>in the audit log</a>`],
    ]}
  />`;
}

function Breaches({ breaches }: { breaches: KeyUsage['breaches'] }) {
  if (breaches.length === 0)
    return html`<${Empty} title="None noted.">Every request of this key was within its limit.<//>`;
  const oldestFirst = [...breaches].reverse().slice(-60);
  const refused = breaches.reduce((sum, breach) => sum + breach.refused, 0);
  const label = `${counted(breaches.length, 'minute')} over the limit, ${counted(refused, 'request')} refused`;
  const bars = oldestFirst.map((breach) => ({
    key: breach.minuteMs,
    value: breach.refused,
    title: `${localText(breach.minuteMs)}: ${breach.refused} refused`,
  }));
  return html`<div>
    <p>${label}, the latest at <${When} atMs=${breaches[0]!.minuteMs} />.</p>
    <${Bars} bars=${bars} label=${label} />
    <details><summary>As a list</summary>
      <${TableFrame} label="Minutes over the limit"><table>
        <thead><tr><th scope="col">Minute</th><th scope="col" class="number">Refused</th><th scope="col" class="number">Limit</th></tr></thead>
        <tbody>${breaches.slice(0, listed).map((breach) => html`<tr key=${breach.minuteMs}><td><${When} atMs=${breach.minuteMs} as="full" /></td><td class="number">${breach.refused}</td><td class="number">${breach.limitPerMinute}</td></tr>`)}</tbody>
      </table><//>
    </details>
  </div>`;
}

function Notices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0)
    return html`<${Empty} title="None written.">The holder gets an e-mail once the limit is breached again and again.<//>`;
  return html`<ul class="plain">${notices.map(
    ({ id, status, createdAtMs, lastError, requestsRefused, breachedMinutes }) =>
      html`<li key=${id}><${Badge} state=${status} /> <${When} atMs=${createdAtMs} as="full" />: ${counted(requestsRefused, 'request')} refused in ${counted(breachedMinutes, 'minute')} ${lastError === null ? '' : html`<${Missing}>${lastError}<//>`}</li>`,
  )}</ul>`;
}
