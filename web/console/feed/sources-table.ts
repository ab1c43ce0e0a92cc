import type { Feed, SourceFeed } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { Badge, Missing } from '../parts/blocks.ts';
import { Trend } from '../parts/pictures.ts';
import { TableFrame } from '../parts/table.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const tones: Readonly<Record<Verdict, 'good' | 'warn' | 'bad' | 'quiet'>> = {
  'all right': 'good',
  paused: 'quiet',
  'in another process': 'quiet',
  'over REST': 'warn',
  'some over REST': 'warn',
  'some markets missing': 'warn',
  doubted: 'warn',
  'no data': 'bad',
};

/**
 * The sources beside each other: whether each is all right, since when its data is there, and what is wrong with it.
 */
export function SourcesTable({ sources, laterMs }: { sources: Feed['sources']; laterMs: number }) {
  return html`<${TableFrame} label=${say('Sources')}><table>
    <thead><tr><th scope="col">${say('Source')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Last hour')}</th><th scope="col" class="number">${say('Markets')}</th><th scope="col" class="number">${say('Prices made')}</th><th scope="col" class="number">${say('Oldest price')}</th><th scope="col" class="number">${say('Age')}</th><th scope="col" class="number">${say('Behind')}</th><th scope="col" class="number">${say('Refused')}</th><th scope="col" class="number">${say('Doubted')}</th></tr></thead>
    <tbody>${sources.map((source) => html`<${Row} key=${source.id} source=${source} laterMs=${laterMs} />`)}</tbody>
  </table><//>`;
}

function Row({ source, laterMs }: { source: SourceFeed; laterMs: number }) {
  const { id, health, served, doubts } = source;
  const { lastLiveDataAgeMs: ageMs, upstreamLagMs: lagMs, symbolsWanted } = health;
  const verdict = verdictOf(source);
  const none = html`<${Missing}>–<//>`;
  const refused = Object.values(health.tickersRejected).reduce((sum, count) => sum + count, 0);
  return html`<tr>
    <th scope="row">${id}</th>
    <td><${Badge} state=${verdict} tone=${tones[verdict]}>${word(verdict)}<//></td>
    <td><${Trend} values=${source.trend} /></td>
    <td class="number">${say('{count} of {all}', { count: countText(health.symbolsSubscribed), all: countText(symbolsWanted) })}</td>
    <td class="number">${countText(served.markets)} ${served.polled > 0 && html`<small>${say('{percent} % over REST', { percent: percentOf(served.polled, served.markets) })}</small>`}</td>
    <td class="number">${served.oldest === null ? none : html`${spanText(served.oldest.ageMs + laterMs)} <small>${served.oldest.market}</small>`}</td>
    <td class="number">${ageMs === null ? none : spanText(ageMs + laterMs)}</td>
    <td class="number">${lagMs === null ? none : `${countText(Math.round(lagMs))} ms`}</td>
    <td class="number">${countText(refused)}</td>
    <td class="number">${countText(doubts.length)}</td>
  </tr>`;
}

/** The share in whole percent, so that none is shown as 0 that is not. */
function percentOf(part: number, whole: number): string {
  return countText(Math.ceil((100 * part) / whole));
}
