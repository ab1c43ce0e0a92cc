import type { Feed } from '../../generated/management-v1.d.ts';
import { piecesOf } from '../feed/spans.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Badge, When } from '../parts/blocks.ts';
import { serverNowMs } from '../state.ts';

const shownMax = 6;
/** Shorter ones no client notices, as the first moments of a process; the list of the feed has them. */
const noticedMs = 10_000;
/** Clients saw `degraded` before, as the contract has it. */
const outageAfterMs = 300_000;
const effects = {
  fallback: say('Clients got prices over REST or from another source.'),
  silent: say('Nothing arrived: clients got the last known prices, after five minutes with status outage.'),
} as const;

/** When the feed was not live in the last day, latest first, and what clients noticed. */
export function Incidents({ timeline }: { timeline: Feed['timeline'] }) {
  const pieces = piecesOf(timeline, serverNowMs()).filter(
    ({ state, fromMs, toMs }) => state !== 'live' && toMs - fromMs >= noticedMs,
  );
  if (pieces.length === 0) return html`<p class="small">${say('No incident in the last 24 hours.')}</p>`;
  return html`<ul class="plain log">${pieces
    .toReversed()
    .slice(0, shownMax)
    .map(
      ({ state, fromMs, toMs, isOpen }) => html`<li key=${fromMs}>
        <${When} atMs=${fromMs} as="daySecond" />
        <${Badge} state=${state === 'silent' && toMs - fromMs > outageAfterMs ? 'outage' : 'degraded'} />
        <span>${isOpen ? say('for {span} so far.', { span: spanText(toMs - fromMs) }) : say('for {span}.', { span: spanText(toMs - fromMs) })} ${state === 'live' ? '' : effects[state]}</span>
      </li>`,
    )}</ul>`;
}
