import { readFileSync } from 'node:fs';

/** The states of a pair as the upstream names them (`instrument` channel; REST leaves out `delisted`). */
export const pairStatuses = [
  'online',
  'cancel_only',
  'delisted',
  'limit_only',
  'maintenance',
  'post_only',
  'reduce_only',
  'work_in_progress',
] as const;

export type PairStatus = (typeof pairStatuses)[number];

/** The state of a market: `ended` is listed under the dialect's own word, without a price (`Dialect.endedState`). */
export type MarketState = PairStatus | 'ended';

/** One pair as the recorded answer lists it. Dark pools have no `wsname`, `fees_maker` or `ordermin`. */
export interface RecordedPair {
  readonly altname: string;
  readonly wsname?: string;
  readonly base: string;
  readonly quote: string;
  readonly pair_decimals: number;
  readonly lot_decimals: number;
  readonly ordermin?: string;
  readonly [field: string]: unknown;
}

/** One pair that can be traded, under all its names. */
export interface Pair {
  /** `XXBTZEUR` */
  readonly id: string;
  /** `XBTEUR` */
  readonly altname: string;
  /** `XBT/EUR` */
  readonly wsname: string;
  /** The name WebSocket version 2 uses: `BTC/EUR`. */
  readonly symbol: string;
  /** The two halves of `symbol`. */
  readonly base: string;
  readonly quote: string;
  readonly priceDecimals: number;
  readonly lotDecimals: number;
  readonly costDecimals: number;
  /** The smallest price step in units of the last decimal of a price: 1 where the tick is a power of ten. */
  readonly tickUnits: number;
  readonly orderMin: string;
  readonly costMin: string;
  readonly recorded: RecordedPair;
}

/** One line of the catalogue. A dark pool has no tradable pair behind it and is served as recorded. */
export interface CatalogueEntry {
  readonly id: string;
  readonly pair: Pair | undefined;
  readonly recorded: RecordedPair;
}

export interface CatalogueOptions {
  /**
   * How many tradable pairs, EUR/CZK and dark pools not counted; recorded ones first, synthesised ones after.
   * `undefined`: all recorded.
   */
  readonly markets: number | undefined;
  /** Common codes of the quote currencies to keep; `undefined`: all. */
  readonly quotes: readonly string[] | undefined;
}

const recordedAnswer = new URL('./recordings/asset-pairs-2021-04-17.json', import.meta.url);

/** Pairs whose tick is not a power of ten, as on the real exchange: a tick cannot be derived from the decimals. */
const oddTickUnits: Readonly<Record<string, number>> = { XXMRZEUR: 5, KSMEUR: 25, LSKEUR: 5, SNXUSD: 5 };

const costMinimums: Readonly<Record<string, string>> = {
  EUR: '0.45',
  GBP: '0.4',
  BTC: '0.00002',
  ETH: '0.0002',
  JPY: '50',
  CZK: '10',
};

/** The pairs kept first when fewer than the recorded ones are asked for. */
const wellKnown = [
  'BTC/EUR',
  'ETH/EUR',
  'XRP/EUR',
  'LTC/EUR',
  'DOGE/EUR',
  'ADA/EUR',
  'DOT/EUR',
  'BCH/EUR',
  'XLM/EUR',
  'USDT/EUR',
];

/** The catalogue to serve: the pairs of the recorded answer in its order, added pairs last. */
export function loadCatalogue({ quotes, markets }: CatalogueOptions): readonly CatalogueEntry[] {
  const answer: { result: Record<string, RecordedPair> } = JSON.parse(readFileSync(recordedAnswer, 'utf8'));
  const all = Object.entries(answer.result).map(([id, recorded]) => entryOf(id, recorded));
  const offered = quotes === undefined ? all : all.filter((entry) => quotes.includes(quoteOf(entry)));
  const kept = markets === undefined ? offered : takeMarkets(offered, markets, quotes?.[0] ?? 'EUR');
  return [...kept, czechCrown()];
}

/** A pair that was never recorded, with the rules of a common EUR pair. */
export function newPair(base: string, quote: string, priceDecimals: number): CatalogueEntry {
  const baseId = base === 'BTC' ? 'XXBT' : base === 'DOGE' ? 'XXDG' : base;
  const quoteId = quote === 'EUR' || quote === 'USD' || quote === 'GBP' ? `Z${quote}` : quote;
  return entryOf(`${base}${quote}`, {
    altname: `${base}${quote}`,
    wsname: `${base}/${quote}`,
    aclass_base: 'currency',
    base: baseId,
    aclass_quote: 'currency',
    quote: quoteId,
    lot: 'unit',
    pair_decimals: priceDecimals,
    lot_decimals: 8,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [[0, 0.26]],
    fees_maker: [[0, 0.16]],
    fee_volume_currency: 'ZUSD',
    margin_call: 80,
    margin_stop: 40,
    ordermin: '0.5',
  });
}

/** Decimals of a price in CZK. */
const czechBookDecimals = { BTC: 0, ETH: 0, LTC: 2, XRP: 3, ADA: 3, DASH: 2 };

/** The books in CZK that Coinmate has and Kraken has not. */
export function czechBooks(): readonly CatalogueEntry[] {
  return Object.entries(czechBookDecimals).map(([base, decimals]) => newPair(base, 'CZK', decimals));
}

/** The common spelling of the upstream's code of an asset: `XBT` is `BTC`, `XDG` is `DOGE`. */
export function commonCode(altname: string): string {
  if (altname === 'XBT') return 'BTC';
  return altname === 'XDG' ? 'DOGE' : altname;
}

/** 10^−decimals times `units` in plain notation: `0.00005` for 5 and 5. */
export function tickText(pair: Pair): string {
  if (pair.priceDecimals === 0) return String(pair.tickUnits);
  const digits = String(pair.tickUnits).padStart(pair.priceDecimals + 1, '0');
  const split = digits.length - pair.priceDecimals;
  return `${digits.slice(0, split)}.${digits.slice(split)}`.replace(/\.?0+$/, '');
}

function entryOf(id: string, recorded: RecordedPair): CatalogueEntry {
  const { wsname } = recorded;
  if (wsname === undefined) return { id, pair: undefined, recorded };
  const [base = '', quote = ''] = wsname.split('/').map(commonCode);
  const pair: Pair = {
    id,
    altname: recorded.altname,
    wsname,
    symbol: `${base}/${quote}`,
    base,
    quote,
    priceDecimals: recorded.pair_decimals,
    lotDecimals: recorded.lot_decimals,
    costDecimals: quote === 'BTC' || quote === 'ETH' ? 10 : 5,
    tickUnits: oddTickUnits[id] ?? 1,
    orderMin: recorded.ordermin ?? '1',
    costMin: costMinimums[quote] ?? '0.5',
    recorded,
  };
  return { id, pair, recorded };
}

function quoteOf(entry: CatalogueEntry): string {
  return entry.pair?.quote ?? commonCode(entry.recorded.quote.replace(/^[XZ](?=...$)/, ''));
}

function takeMarkets(offered: readonly CatalogueEntry[], count: number, quote: string): readonly CatalogueEntry[] {
  const tradable = offered.filter((entry) => entry.pair !== undefined);
  if (count < tradable.length) {
    const rank = ({ pair }: CatalogueEntry) =>
      (wellKnown.indexOf(pair!.symbol) + wellKnown.length + 1) % (wellKnown.length + 1);
    const chosen = new Set(tradable.toSorted((a, b) => rank(a) - rank(b)).slice(0, count));
    return offered.filter((entry) => chosen.has(entry));
  }
  const synthesised = Array.from({ length: count - tradable.length }, (_, index) =>
    newPair(`SIM${String(index + 1).padStart(4, '0')}`, quote, 2 + (index % 4)),
  );
  return [...offered, ...synthesised];
}

/** The exchange does not list this pair; a rate source of the kind `exchange` can read it. */
function czechCrown(): CatalogueEntry {
  const { recorded } = newPair('EUR', 'CZK', 4);
  return entryOf('EURCZK', { ...recorded, base: 'ZEUR', quote: 'CZK', ordermin: '5' });
}
