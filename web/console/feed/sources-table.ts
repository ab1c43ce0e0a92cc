import type { Feed, SourceFeed } from '../../generated/management-v1.d.ts';
import { counted, countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { Badge, Missing } from '../parts/blocks.ts';
import { useNarrow } from '../parts/narrow.ts';
import { Trend } from '../parts/pictures.ts';
import { TableFrame } from '../parts/table.ts';
import { percentOf, verdictOf, verdictTones } from './verdict.ts';

/**
 * The sources beside each other: whether each is all right, since when its data is there, and what is wrong with it. A
 * phone has a line for each with the half of it.
 */
export function SourcesTable({ sources, laterMs }: { sources: Feed['sources']; laterMs: number }) {
  if (useNarrow())
    return html`<ul class="source-lines">${sources.map((source) => html`<${Line} key=${source.id} source=${source} laterMs=${laterMs} />`)}</ul>`;
  return html`<${TableFrame} label=${say('Sources')}><table>
    <thead><tr><th scope="col">${say('Source')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Last hour')}</th><th scope="col" class="number">${say('Markets')}</th><th scope="col" class="number">${say('Prices made')}</th><th scope="col" class="number">${say('Oldest price')}</th><th scope="col" class="number">${say('Age')}</th><th scope="col" class="number">${say('Behind')}</th><th scope="col" class="number">${say('Refused')}</th><th scope="col" class="number">${say('Doubted')}</th></tr></thead>
    <tbody>${sources.map((source) => html`<${Row} key=${source.id} source=${source} laterMs=${laterMs} />`)}</tbody>
  </table><//>`;
}

interface SourceProps {
  readonly source: SourceFeed;
  readonly laterMs: number;
}

function Line({ source, laterMs }: SourceProps) {
  const verdict = verdictOf(source);
  const ageMs = source.health.lastLiveDataAgeMs;
  return html`<li><strong>${source.id}</strong> <${Badge} state=${verdict} tone=${verdictTones[verdict]}>${word(verdict)}<//> <span>${counted(source.served.markets, 'price')}</span> <span class="figure">${ageMs === null ? html`<${Missing}>–<//>` : spanText(ageMs + laterMs)}</span></li>`;
}

function Row({ source, laterMs }: SourceProps) {
  const { id, health, served, doubts } = source;
  const { lastLiveDataAgeMs: ageMs, upstreamLagMs: lagMs, symbolsWanted } = health;
  const verdict = verdictOf(source);
  const none = html`<${Missing}>–<//>`;
  const refused = Object.values(health.tickersRejected).reduce((sum, count) => sum + count, 0);
  return html`<tr>
    <th scope="row">${id}</th>
    <td><${Badge} state=${verdict} tone=${verdictTones[verdict]}>${word(verdict)}<//></td>
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
