import type { MarketRow } from '../../generated/management-v1.d.ts';
import { directionOf, grouped, signedPercent } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { unpricedText } from '../format/words.ts';
import { classes, html } from '../html.ts';
import { Sparkline } from '../parts/pictures.ts';
import { Badge, Missing } from '../parts/words.ts';
import { hrefTo } from '../router.ts';
import type { Look, Move } from './moves.ts';

const oldAfterMs = 60_000;

export interface RowProps {
  readonly market: MarketRow;
  readonly look: Look;
  /** Milliseconds since the board was read. */
  readonly laterMs: number;
  /** Counted from 2: the heading is row 1. */
  readonly index: number;
}

/** One market of the board. */
export function BoardRow({ market, look, laterMs, index }: RowProps) {
  const { symbol, base, quote, status, operatorPaused, ticker, spreadPercent, spark } = market;
  const moves = look.moves.get(symbol);
  const isFresh = (lookNumber: number | undefined) => lookNumber === look.number && look.number > 1;
  const age = market.ageMs === null ? undefined : market.ageMs + laterMs;
  return html`<tr role="row" aria-rowindex=${index} data-symbol=${symbol} class=${classes(status !== 'trading' && 'off')}>
    <th role="rowheader" scope="row" class="c-symbol"><a href=${hrefTo('markets', symbol)}><b>${base}</b><span class="quote">${quote}</span></a></th>
    <td role="cell" class="c-status"><${Badge} state=${status} />${operatorPaused && status === 'paused' && html`<small class="by">by hand</small>`}</td>
    ${
      ticker === null
        ? html`<td role="cell" class="c-unpriced" colspan="2">${status === 'delisted' ? 'Delisted: no price any more' : unpricedText(market.unpriced ?? 'no_ticker')}</td>`
        : [
            html`<td role="cell" key="buy" class="c-buy"><${Price} price=${ticker.buyPrice} move=${moves?.buy} isFresh=${isFresh(moves?.buyLook)} look=${moves?.buyLook} /></td>`,
            html`<td role="cell" key="sell" class="c-sell"><${Price} price=${ticker.sellPrice} move=${moves?.sell} isFresh=${isFresh(moves?.sellLook)} look=${moves?.sellLook} /></td>`,
          ]
    }
    <td role="cell" class="c-spread">${spreadPercent === null ? html`<${Missing}>–<//>` : `${grouped(spreadPercent)} %`}</td>
    <td role="cell" class="c-change"><${Change} percent=${ticker?.priceChangePercent24h} /></td>
    <td role="cell" class=${classes('c-age', age !== undefined && age > oldAfterMs && 'old')}>${age === undefined ? html`<${Missing}>–<//>` : spanText(age)}</td>
    <td role="cell" class="c-spark"><${Sparkline} prices=${spark} /></td>
  </tr>`;
}

const signs: Readonly<Record<Move, string>> = { up: '▲', down: '▼' };

interface PriceProps {
  readonly price: string;
  readonly move: Move | undefined;
  readonly isFresh: boolean;
  readonly look: number | undefined;
}

/** A price with the way it went last. The key makes a new element of each change, so that each flashes. */
function Price({ price, move, isFresh, look }: PriceProps) {
  return html`<span key=${look} class=${classes('price', move, isFresh && 'fresh')}>
    <span class="sign" aria-hidden="true">${move === undefined ? '' : signs[move]}</span>${move && html`<span class="visually-hidden">${move} </span>`}${grouped(price)}
  </span>`;
}

function Change({ percent }: { percent: string | undefined }) {
  if (percent === undefined) return html`<${Missing}>–<//>`;
  return html`<span class=${`change ${directionOf(percent)}`}>${signedPercent(percent)}</span>`;
}
