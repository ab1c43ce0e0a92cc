import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MarketRow } from '../../generated/management-v1.d.ts';
import { directionOf, grouped, signedPercent } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { unpricedText } from '../format/words.ts';
import { classes, html } from '../html.ts';
import { say, word } from '../language.ts';
import { Badge, Missing } from '../parts/blocks.ts';
import { Sparkline } from '../parts/pictures.ts';
import { hrefTo } from '../router.ts';
import type { Move, Poll } from './moves.ts';
import type { Selection, SortKey } from './selection.ts';

/** The columns with their headings; those without a key cannot be sorted by. */
export const columns: readonly { readonly key: SortKey | undefined; readonly name: string; readonly text: string }[] = [
  { key: 'symbol', name: 'symbol', text: say('Market') },
  { key: 'status', name: 'status', text: say('Status') },
  { key: 'buy', name: 'buy', text: say('Buy') },
  { key: 'sell', name: 'sell', text: say('Sell') },
  { key: 'spread', name: 'spread', text: say('Spread') },
  { key: 'change', name: 'change', text: '24 h' },
  { key: 'age', name: 'age', text: say('Age') },
  { key: undefined, name: 'spark', text: say('Last hour') },
];

interface TableProps {
  readonly markets: readonly MarketRow[];
  readonly poll: Poll;
  readonly laterMs: number;
  readonly selection: Selection;
  readonly onSort: (key: SortKey) => void;
}

/**
 * The board. Only the rows in the window are made; `aria-rowcount` tells how many there are. The roles are written
 * out because a narrow screen lays the rows out as cards, which takes them from the elements.
 */
export function BoardTable({ markets, poll, laterMs, selection, onSort }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, above, below } = useVisibleRows(body, markets.length);
  const rows = useRows(markets.slice(from, to).map((market, at) => ({ market, poll, laterMs, index: from + at + 2 })));
  return html`<table role="table" class="board" aria-label=${say('Markets')} aria-rowcount=${markets.length + 1} onKeyDown=${moveBetweenRows}>
    <thead role="rowgroup"><tr role="row" aria-rowindex="1">${columns.map((column) => html`<${Heading} key=${column.name} column=${column} selection=${selection} onSort=${onSort} />`)}</tr></thead>
    <tbody role="rowgroup" ref=${body}>
      ${above > 0 && html`<${Gap} key="above" height=${above} />`}
      ${rows}
      ${below > 0 && html`<${Gap} key="below" height=${below} />`}
    </tbody>
  </table>`;
}

/**
 * The rows as elements: those whose market reads as before are the very same, so that scrolling makes only what is new.
 */
function useRows(all: readonly RowProps[]): readonly VNode[] {
  const kept = useRef(new Map<string, { readonly props: RowProps; readonly row: VNode }>());
  const next = new Map<string, { readonly props: RowProps; readonly row: VNode }>();
  for (const props of all) {
    const before = kept.current.get(props.market.symbol);
    const isSame = before !== undefined && isSameRow(before.props, props);
    next.set(props.market.symbol, isSame ? before : { props, row: rowOf(props) });
  }
  kept.current = next;
  return [...next.values()].map(({ row }) => row);
}

function isSameRow(one: RowProps, other: RowProps): boolean {
  return (
    one.market === other.market && one.poll === other.poll && one.laterMs === other.laterMs && one.index === other.index
  );
}

function rowOf(props: RowProps): VNode {
  return html`<${BoardRow} key=${props.market.symbol} ...${props} />`;
}

/**
 * Takes the place of the rows left out. Its height is set through the object model, which the policy on styles allows.
 */
function Gap({ height }: { height: number }) {
  return html`<tr role="presentation" class="gap"><td role="presentation" colspan=${columns.length} style=${{ height: `${height}px` }}></td></tr>`;
}

interface HeadingProps {
  readonly column: (typeof columns)[number];
  readonly selection: Selection;
  readonly onSort: (key: SortKey) => void;
}

function Heading({ column: { key, name, text }, selection, onSort }: HeadingProps) {
  const isSorted = selection.sort === key;
  const order = isSorted ? (selection.isDescending ? 'descending' : 'ascending') : undefined;
  return html`<th role="columnheader" scope="col" class=${`c-${name}`} aria-sort=${order}>
    ${key === undefined ? text : html`<button type="button" class="sort" onClick=${() => onSort(key)}>${text}<span aria-hidden="true">${isSorted ? (selection.isDescending ? ' ↓' : ' ↑') : ''}</span></button>`}
  </th>`;
}

/** The arrow keys go from market to market. */
function moveBetweenRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  const link = next?.querySelector<HTMLElement>('th a');
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}

const oldAfterMs = 60_000;

interface RowProps {
  readonly market: MarketRow;
  readonly poll: Poll;
  /** Milliseconds since the board was read. */
  readonly laterMs: number;
  /** Counted from 2: the heading is row 1. */
  readonly index: number;
}

/** One market of the board. */
function BoardRow({ market, poll, laterMs, index }: RowProps) {
  const { symbol, base, quote, status, operatorPaused, ticker, spreadPercent, spark } = market;
  const moves = poll.moves.get(symbol);
  const isFresh = (pollNumber: number | undefined) => pollNumber === poll.number && poll.number > 1;
  const age = market.ageMs === null ? undefined : market.ageMs + laterMs;
  return html`<tr role="row" aria-rowindex=${index} data-symbol=${symbol} class=${classes(status !== 'trading' && 'off')}>
    <th role="rowheader" scope="row" class="c-symbol"><a href=${hrefTo('markets', symbol)}><b>${base}</b><span class="quote">${quote}</span></a></th>
    <td role="cell" class="c-status"><${Status} market=${market} />${operatorPaused && status === 'paused' && html`<small class="by">${say('by hand')}</small>`}</td>
    ${
      ticker === null
        ? html`<td role="cell" class="c-unpriced" colspan="2">${status === 'delisted' ? say('Delisted: no price any more') : unpricedText(market.unpriced ?? 'no_ticker')}</td>`
        : [
            html`<td role="cell" key="buy" class="c-buy"><${Price} price=${ticker.buyPrice} move=${moves?.buy} isFresh=${isFresh(moves?.buyPoll)} poll=${moves?.buyPoll} /></td>`,
            html`<td role="cell" key="sell" class="c-sell"><${Price} price=${ticker.sellPrice} move=${moves?.sell} isFresh=${isFresh(moves?.sellPoll)} poll=${moves?.sellPoll} /></td>`,
          ]
    }
    <td role="cell" class="c-spread">${spreadPercent === null ? html`<${Missing}>–<//>` : `${grouped(spreadPercent)} %`}</td>
    <td role="cell" class="c-change"><${Change} percent=${ticker?.priceChangePercent24h} /></td>
    <td role="cell" class=${classes('c-age', age !== undefined && age > oldAfterMs && 'old')}>${age === undefined ? html`<${Missing}>–<//>` : spanText(age)}</td>
    <td role="cell" class="c-spark"><${Sparkline} prices=${[...spark, ticker?.buyPrice ?? null]} /></td>
  </tr>`;
}

/** A trading market with a doubted source says so instead: its name is on the page of the market. */
function Status({ market: { status, doubts } }: { market: MarketRow }) {
  if (status !== 'trading' || doubts.length === 0) return html`<${Badge} state=${status} />`;
  const what = doubts.map(({ source, reason }) => `${source}: ${word(reason)}`).join(', ');
  return html`<span class="visually-hidden">${word('trading')},  </span><span title=${what}><${Badge} state="doubted" tone="warn" /><span class="visually-hidden"> ${what}</span></span>`;
}

const signs: Readonly<Record<Move, string>> = { up: '▲', down: '▼' };

interface PriceProps {
  readonly price: string;
  readonly move: Move | undefined;
  readonly isFresh: boolean;
  readonly poll: number | undefined;
}

/** A price with the way it went last. The key makes a new element of each change, so that each flashes. */
function Price({ price, move, isFresh, poll }: PriceProps) {
  return html`<span key=${poll} class=${classes('price', move, isFresh && 'fresh')}>
    <span class="sign" aria-hidden="true">${move === undefined ? '' : signs[move]}</span>${move && html`<span class="visually-hidden">${word(move)} </span>`}${grouped(price)}
  </span>`;
}

function Change({ percent }: { percent: string | undefined }) {
  if (percent === undefined) return html`<${Missing}>–<//>`;
  return html`<span class=${`change ${directionOf(percent)}`}>${signedPercent(percent)}</span>`;
}

/** Rows made beyond what can be seen, so that scrolling and the arrow keys find them there. */
const spareRows = 12;
const usualRowHeight = 37;

interface VisibleRows {
  readonly from: number;
  readonly to: number;
  /** Height in pixels of all rows left out above and below. */
  readonly above: number;
  readonly below: number;
}

/**
 * Which of `count` equally high rows of a table body lie in the window. Only these are made: a thousand markets
 * are as quick as thirty.
 */
function useVisibleRows(body: { readonly current: HTMLElement | null }, count: number): VisibleRows {
  const [{ from, to, height }, setRange] = useState({ from: 0, to: 2 * spareRows, height: usualRowHeight });
  const measure = () => {
    if (body.current === null) return;
    const rowHeight = body.current.querySelector<HTMLElement>('tr[aria-rowindex]')?.offsetHeight || height;
    const top = body.current.getBoundingClientRect().top;
    const next = {
      from: Math.max(0, Math.floor(-top / rowHeight) - spareRows),
      to: Math.ceil((innerHeight - top) / rowHeight) + spareRows,
      height: rowHeight,
    };
    setRange((before) => (isSame(before, next) ? before : next));
  };
  useLayoutEffect(measure, [count]);
  useEffect(() => {
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure, { passive: true });
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, []);
  const last = Math.min(count, Math.max(to, from));
  const first = Math.min(from, Math.max(0, last - 1));
  return { from: first, to: last, above: first * height, below: (count - last) * height };
}

type Range = { readonly from: number; readonly to: number; readonly height: number };

function isSame(one: Range, other: Range): boolean {
  return one.from === other.from && one.to === other.to && one.height === other.height;
}
