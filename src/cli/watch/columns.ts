import type { Paint } from '../style.ts';
import type { Move, Row } from './watched.ts';
import { spanText, unpricedText } from './wording.ts';

/** A cell: its text, and how it is painted once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly heading: string;
  readonly isLeft?: boolean;
  cell(row: Row, look: Look): Cell;
}

/** How things are shown. */
export interface Look {
  readonly paint: Paint;
  readonly arrows: Readonly<Record<'up' | 'down', string>>;
  /** The server's time now. */
  readonly nowMs: number;
}

const oldAfterMs = 300_000;

const price = (heading: string, value: (row: Row) => string | undefined, move: (row: Row) => Move): Column => ({
  // Two more for the arrow that follows the price.
  heading: `${heading}  `,
  cell(row, { paint, arrows }) {
    const text = value(row);
    if (text === undefined) return { text: '-  ', paint: paint.faint };
    const way = move(row);
    if (way === undefined) return { text: `${text}  ` };
    const colour = way === 'up' ? paint.good : paint.bad;
    const emphasis = row.isChanged ? paint.heading : (same: string) => same;
    return { text: `${text} ${arrows[way]}`, paint: (padded) => emphasis(colour(padded)) };
  },
});

const change = (heading: string, value: (row: Row) => string | undefined): Column => ({
  heading,
  cell(row, { paint }) {
    const text = value(row);
    if (text === undefined) return { text: '-', paint: paint.faint };
    if (!/[1-9]/.test(text)) return { text };
    return text.startsWith('-') ? { text, paint: paint.bad } : { text: `+${text}`, paint: paint.good };
  },
});

const plain = (heading: string, value: (row: Row) => string | undefined): Column => ({
  heading,
  cell(row, { paint }) {
    const text = value(row);
    return text === undefined ? { text: '-', paint: paint.faint } : { text };
  },
});

const symbol: Column = {
  heading: 'SYMBOL',
  isLeft: true,
  cell: ({ market }, { paint }) => ({ text: market.symbol, paint: paint.heading }),
};

const age: Column = {
  heading: 'AGE',
  cell({ market: { ticker } }, { paint, nowMs }) {
    if (ticker === undefined) return { text: '-', paint: paint.faint };
    const ageMs = nowMs - ticker.timestampMs;
    return { text: spanText(ageMs), paint: ageMs > oldAfterMs ? paint.attention : paint.faint };
  },
};

const note: Column = {
  heading: '',
  isLeft: true,
  cell({ market: { status, unpriced } }, { paint }) {
    const why = unpriced === undefined ? [] : [unpricedText[unpriced] ?? unpriced];
    const words = status === 'trading' ? why : [status, ...why];
    return { text: words.join(', '), paint: paint.attention };
  },
};

const columns = {
  symbol,
  buy: price(
    'BUY',
    (row) => row.market.ticker?.buyPrice,
    (row) => row.buyMove,
  ),
  sell: price(
    'SELL',
    (row) => row.market.ticker?.sellPrice,
    (row) => row.sellMove,
  ),
  spread: plain('SPREAD %', (row) => row.spreadPercent),
  change1h: change('1H %', (row) => row.market.ticker?.priceChangePercent1h),
  change24h: change('24H %', (row) => row.market.ticker?.priceChangePercent24h),
  change7d: change('7D %', (row) => row.market.ticker?.priceChangePercent7d),
  low: plain('LOW 24H', (row) => row.market.ticker?.low24h),
  high: plain('HIGH 24H', (row) => row.market.ticker?.high24h),
  volume: plain('VOLUME 24H', (row) => row.market.ticker?.volume24h),
  age,
  note,
} satisfies Record<string, Column>;

/** From left to right. */
export const allColumns: readonly Column[] = Object.values(columns);

/** What goes first where there is no room, together where one says little without the other; the rest stays. */
export const dispensable: readonly (readonly Column[])[] = [
  [columns.volume],
  [columns.low, columns.high],
  [columns.change7d],
  [columns.change1h],
  [columns.age],
  [columns.spread],
  [columns.change24h],
];
