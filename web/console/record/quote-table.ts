import type { RecordedQuote } from '../../generated/management-v1.d.ts';
import { isoText } from '../clock.ts';
import { grouped } from '../format/decimal.ts';
import { unpricedText } from '../format/words.ts';
import { classes, html } from '../html.ts';
import { say } from '../language.ts';
import { Missing } from '../parts/blocks.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefWith } from '../router.ts';

interface TableProps {
  readonly label: string;
  readonly symbol: string;
  readonly quotes: readonly RecordedQuote[];
  /** The instant asked for: what held then is marked. */
  readonly atMs?: number;
}

/** Prices as they were published, in UTC to the millisecond as answers have it. */
export function QuoteTable({ label, symbol, quotes, atMs }: TableProps) {
  const held = atMs === undefined ? undefined : quotes.findLast((quote) => quote.atMs <= atMs);
  return html`<${TableFrame} label=${label}><table>
    <thead><tr><th scope="col">${say('Published, UTC')}</th><th scope="col" class="number">${say('Client buys')}</th><th scope="col" class="number">${say('Client sells')}</th><th scope="col" class="number">${say('Bid')}</th><th scope="col" class="number">${say('Ask')}</th><th scope="col">${say('Source')}</th><th scope="col" class="number">${say('Rate')}</th></tr></thead>
    <tbody>${quotes.map((quote) => html`<${Row} key=${quote.position} quote=${quote} symbol=${symbol} isHeld=${quote === held} />`)}</tbody>
  </table><//>`;
}

function Row({ quote, symbol, isHeld }: { quote: RecordedQuote; symbol: string; isHeld: boolean }) {
  const { atMs, unpriced, buyPrice, sellPrice, bid, ask, source, rate } = quote;
  const value = (text: string | null) =>
    text === null ? html`<${Missing}>–<//>` : html`<span class="exact">${grouped(text)}</span>`;
  const at = isoText(atMs);
  return html`<tr class=${classes(isHeld && 'held-then')}>
    <th scope="row"><a href=${hrefWith(['record'], { by: 'instant', symbol, at })}>${at.slice(0, 23).replace('T', ' ')}</a>${isHeld && html` <small>${say('held then')}</small>`}</th>
    <td class="number">${unpriced === null ? value(buyPrice) : unpricedText(unpriced)}</td>
    <td class="number">${value(sellPrice)}</td>
    <td class="number">${value(bid)}</td>
    <td class="number">${value(ask)}</td>
    <td>${source ?? html`<${Missing}>–<//>`}</td>
    <td class="number">${value(rate)}</td>
  </tr>`;
}
