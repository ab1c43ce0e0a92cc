import type { MarketRow, Ticker } from '../../generated/management-v1.d.ts';
import { compareDecimals } from '../format/decimal.ts';

/** Columns the board can be sorted by. */
const sortKeys = ['symbol', 'status', 'buy', 'sell', 'spread', 'change', 'age'] as const;
export type SortKey = (typeof sortKeys)[number];

/** What a market is chosen and sorted by. */
export interface Selectable extends Pick<MarketRow, 'symbol' | 'quote' | 'status' | 'spreadPercent' | 'ageMs'> {
  readonly ticker: Pick<Ticker, 'buyPrice' | 'sellPrice' | 'priceChangePercent24h'> | null;
}

/** Which markets are shown and in what order, as the page's address holds it. */
export interface Selection {
  /** Part of a symbol, or symbols with spaces between. */
  readonly text: string;
  /** Empty for all. */
  readonly status: string;
  /** Empty for all. */
  readonly quote: string;
  readonly withoutPrice: boolean;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

export function selectionOf(query: URLSearchParams): Selection {
  const sort = query.get('sort') ?? '';
  return {
    text: query.get('q') ?? '',
    status: query.get('status') ?? '',
    quote: query.get('quote') ?? '',
    withoutPrice: query.get('price') === 'none',
    sort: sortKeys.find((key) => key === sort) ?? 'symbol',
    isDescending: query.get('order') === 'down',
  };
}

export function queryOf({ text, status, quote, withoutPrice, sort, isDescending }: Selection): Record<string, string> {
  return {
    q: text,
    status,
    quote,
    price: withoutPrice ? 'none' : '',
    sort: sort === 'symbol' ? '' : sort,
    order: isDescending ? 'down' : '',
  };
}

/**
 * The markets of a selection in its order. Those without the value that is sorted by stand at the end, whichever way.
 */
export function selected<Row extends Selectable>(markets: readonly Row[], selection: Selection): readonly Row[] {
  const words = selection.text
    .toUpperCase()
    .split(/[\s,/]+/)
    .filter(Boolean);
  const shown = markets.filter((market) => isShown(market, words, selection));
  const [value, compare] = orders[selection.sort];
  const sign = selection.isDescending ? -1 : 1;
  return shown.sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    if (first === undefined || second === undefined) {
      return Number(first === undefined) - Number(second === undefined) || bySymbol(one, other);
    }
    return sign * compare(first, second) || bySymbol(one, other);
  });
}

function isShown(market: Selectable, words: readonly string[], { status, quote, withoutPrice }: Selection): boolean {
  if (status !== '' && market.status !== status) return false;
  if (quote !== '' && market.quote !== quote) return false;
  if (withoutPrice && (market.ticker !== null || market.status === 'delisted')) return false;
  return words.length === 0 || words.some((word) => market.symbol.includes(word));
}

type Compare = (one: string, other: string) => number;
type Value = (market: Selectable) => string | undefined;

const byText: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
const bySymbol = (one: Selectable, other: Selectable) => byText(one.symbol, other.symbol);

const orders: Readonly<Record<SortKey, readonly [Value, Compare]>> = {
  symbol: [({ symbol }) => symbol, byText],
  status: [({ status }) => status, byText],
  buy: [({ ticker }) => ticker?.buyPrice, compareDecimals],
  sell: [({ ticker }) => ticker?.sellPrice, compareDecimals],
  spread: [({ spreadPercent }) => spreadPercent ?? undefined, compareDecimals],
  change: [({ ticker }) => ticker?.priceChangePercent24h, compareDecimals],
  age: [({ ageMs }) => (ageMs === null ? undefined : String(Math.max(0, ageMs))), compareDecimals],
};
