import Big from 'big.js';
import Type, { type Static } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import { publicMarketStatuses } from '../../contract/enumerations.ts';
import * as part from '../../contract/schema-parts.ts';
import { type TickerBody, TickerSchema } from '../../contract/schemas.ts';
import type { MarketRecord, OfferedMarket } from '../../market/market-catalogue.ts';
import { parseSymbol } from '../../market/symbol.ts';
import { explainPrice, type PriceReport } from '../prices.ts';
import type { Management } from '../sources.ts';
import { operation } from './operation.ts';
import {
  component,
  instants,
  nullableComponent,
  nullableCount,
  nullableInstants,
  nullableLine,
  nullablePair,
  pair,
  words,
} from './parts.ts';
import { Problem } from './problems.ts';

export { TickerSchema };

const unpricedReason = (description: string) => nullableLine(description, 'no_rate', 64);
const nullableDecimal = (description: string, example: string) =>
  Type.Unsafe<string | null>({
    description,
    type: ['string', 'null'],
    maxLength: 64,
    pattern: part.decimalPattern,
    examples: [example, null],
  });

export const marketFields = {
  symbol: part.symbol('Base and quote currency joined without a separator.', 'BTCCZK'),
  base: part.currency('Code of the base currency.', 'BTC'),
  quote: part.currency('Code of the quote currency.', 'CZK'),
  status: words(publicMarketStatuses, 'What clients are told of it.'),
  operatorPaused: Type.Boolean({ description: 'Whether an operator paused it, whatever the exchange says.' }),
  ...nullablePair('delistedAt', 'When it was delisted, which is final.'),
  convertedFrom: nullableLine(
    'The exchange market its prices are made from; null for one of the exchange.',
    'BTCEUR',
    32,
  ),
  pricePrecision: part.places('Decimal places of its prices.', 0),
  ticker: nullableComponent<typeof TickerSchema>('Ticker', 'As clients get it; null while there is no price.'),
  unpriced: unpricedReason(
    'Why a market that is not delisted has no price: `no_ticker`, `no_rate`, `rounds_to_zero`; null otherwise. The set can grow.',
  ),
  ageMs: nullableCount('Age of the ticker by its own timestamp, in milliseconds.', 350),
  spread: nullableDecimal('`buyPrice` minus `sellPrice`.', '842.3'),
  spreadPercent: nullableDecimal('The spread in percent of the middle of the two, to two decimals.', '1.00'),
};

export const MarketSchema = Type.Object(marketFields, { description: 'A market as the operator sees it.' });

export const MarketRowSchema = Type.Object(
  {
    ...marketFields,
    spark: Type.Array(Type.Number(), {
      description: 'The buy price of the last hour, oldest first, at most 60 numbers; for drawing only.',
      maxItems: 60,
      examples: [[84_100.1, 84_210.5]],
    }),
  },
  { description: 'A market in the list, with a small line of its price.' },
);

export const MarketListSchema = Type.Object(
  {
    ...pair('serverTime', 'The time of the server.'),
    markets: Type.Array(component<typeof MarketRowSchema>('MarketRow'), {
      description: 'Every market clients are shown, by symbol; those delisted less than 30 days ago too.',
    }),
  },
  { description: 'All markets.' },
);

type MarketBody = Static<typeof MarketSchema>;

export const readMarkets = operation({
  method: 'GET',
  path: '/api/markets',
  operationId: 'readMarkets',
  tag: 'Markets',
  summary: 'All markets with their prices',
  description:
    'What clients get of each market now, and what only an operator may know. The order is that of the symbols.',
  answer: { status: 200, description: 'The markets.', schema: component<typeof MarketListSchema>('MarketList') },
  handle({ now }, management) {
    const { market, history } = management;
    const records = recordsOf(management);
    return {
      ...instants('serverTime', now),
      markets: market.book.catalogue.listed(now).map((listed) => ({
        ...marketBody(listed, records.get(listed.symbol), management, now),
        spark: history.spark(listed.symbol),
      })),
    };
  },
});

export function recordsOf({ market: { book } }: Management): ReadonlyMap<string, MarketRecord> {
  return new Map(book.catalogue.records().map((record) => [record.symbol, record]));
}

/** A market as it is served at `now`: the ticker is the very body that clients get. */
export function marketBody(
  market: OfferedMarket,
  record: MarketRecord | undefined,
  { market: { board } }: Management,
  now: EpochMs,
): MarketBody {
  const reading = board.ticker(market.symbol, now);
  const ticker = reading.kind === 'page' ? (JSON.parse(textOf(reading.page.as('identity').body)) as TickerBody) : null;
  return {
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    status: market.status,
    operatorPaused: record?.operatorPaused ?? false,
    ...nullableInstants('delistedAt', market.status === 'delisted' ? delistedAt(market, record) : undefined),
    convertedFrom: market.isConverted ? market.exchangeSymbol : null,
    pricePrecision: market.pricePrecision,
    ticker,
    unpriced: reading.kind === 'unpriced' ? reading.reason : null,
    ageMs: ticker === null ? null : Math.max(0, now - ticker.timestampMs),
    ...spreadOf(ticker),
  };
}

/** A converted market is delisted with the market it is made from; only the end of its listing tells when. */
function delistedAt({ listedUntil }: OfferedMarket, record: MarketRecord | undefined): number | undefined {
  return record?.delistedAt ?? (listedUntil === undefined ? undefined : listedUntil - delistedListedForMs);
}

const delistedListedForMs = 30 * 24 * 3_600_000;

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

/** Divides to six places: enough for a percentage of two. */
const SixPlaces = Big();
SixPlaces.DP = 6;

function spreadOf(ticker: TickerBody | null): Pick<MarketBody, 'spread' | 'spreadPercent'> {
  if (ticker === null) return { spread: null, spreadPercent: null };
  const buy = SixPlaces(ticker.buyPrice);
  const spread = buy.minus(ticker.sellPrice);
  const both = buy.plus(ticker.sellPrice);
  return { spread: spread.toFixed(), spreadPercent: spread.times(200).div(both).toFixed(2, Big.roundHalfUp) };
}

/** The market of a symbol in any case. Throws `NOT_FOUND`. */
export function marketOf({ market: { book } }: Management, text: string): OfferedMarket {
  const symbol = parseSymbol(text);
  const market = symbol === undefined ? undefined : book.catalogue.find(symbol);
  if (market !== undefined) return market;
  throw new Problem('NOT_FOUND', 'There is no market with this symbol. GET /api/markets lists those there are.');
}

export const symbolParams = Type.Object({
  symbol: Type.String({
    description: 'The symbol, in any case.',
    minLength: 2,
    maxLength: 32,
    pattern: part.anyCaseSymbolPattern,
    examples: ['BTCCZK'],
  }),
});

const StepSchema = Type.Object(
  {
    step: Type.String({ description: 'What was done.', examples: ['× (1 + fee 0.5 %)'] }),
    value: part.decimal('What came of it, exact.', '50250.1005'),
  },
  { description: 'A step from the exchange’s price to the client’s.' },
);

export const PriceReportSchema = Type.Unsafe<PriceReport>(
  Type.Object(
    {
      symbol: part.symbol('The market.', 'BTCCZK'),
      exchangeSymbol: part.symbol('The exchange market its prices come from.', 'BTCEUR'),
      pricePrecision: part.places('Decimal places of its prices.', 0),
      bid: part.decimal('Best bid on the exchange.', '50000.0'),
      ask: part.decimal('Best ask on the exchange.', '50000.1'),
      ...pair('timestamp', 'When they were captured.'),
      rate: Type.Optional(
        Type.Object(
          {
            mid: part.decimal('Middle rate.', '24.500'),
            source: Type.String({ description: 'Where it comes from.', examples: ['cnb'] }),
            fixingDate: Type.Optional(
              Type.String({ description: 'The day of a daily fixing.', examples: ['2026-11-20'] }),
            ),
            ...pair('refreshedAt', 'When it was last read.'),
            ...pair('validUntil', 'The first instant at which it may no longer be used.'),
            marginPercent: part.decimal('The currency margin in percent.', '1'),
          },
          { description: 'The conversion rate; absent for a market that is not converted.' },
        ),
      ),
      buy: Type.Array(StepSchema, { description: 'How the buy price came about.' }),
      sell: Type.Array(StepSchema, { description: 'How the sell price came about.' }),
    },
    { description: 'How the prices of a market came about, step by step.' },
  ),
);

export const UpstreamQuoteSchema = Type.Object(
  {
    bid: part.decimal('Best bid on the exchange.', '50000.0'),
    ask: part.decimal('Best ask on the exchange.', '50000.1'),
    ...pair('timestamp', 'When they were captured.'),
  },
  { description: 'The last good values of the exchange.' },
);

export const MarketDetailSchema = Type.Object(
  {
    market: component<typeof MarketSchema>('Market', 'As in the list.'),
    upstream: nullableComponent<typeof UpstreamQuoteSchema>('UpstreamQuote', 'Null while the exchange gave none.'),
    price: nullableComponent<typeof PriceReportSchema>('PriceReport', 'Null while there is no price.'),
    unpriced: unpricedReason('As in `market`.'),
    tickSize: part.decimal('Smallest step of a price.', '1'),
    minOrderSize: part.decimal('Smallest size of an order, in the base currency.', '0.00005'),
    minOrderValue: nullableDecimal('Smallest value of an order, in the quote currency.', '0.5'),
    amountPrecision: part.places('Decimal places of amounts.', 8),
  },
  { description: 'Everything there is to say about a market.' },
);

export const readMarket = operation({
  method: 'GET',
  path: '/api/markets/:symbol',
  operationId: 'readMarket',
  tag: 'Markets',
  summary: 'One market, and how its price came about',
  description: 'The market, the exchange’s own values, and every step from them to the prices clients get.',
  params: symbolParams,
  answer: { status: 200, description: 'The market.', schema: component<typeof MarketDetailSchema>('MarketDetail') },
  problems: ['NOT_FOUND'],
  handle({ params, now }, management) {
    const market = marketOf(management, params.symbol);
    const body = marketBody(market, recordsOf(management).get(market.symbol), management, now);
    const quote = management.market.book.contents().tickers.get(market.exchangeSymbol);
    const explained = explainPrice({ ...management, ...management.market }, market.symbol);
    return {
      market: body,
      upstream:
        quote === undefined ? null : { bid: quote.bid, ask: quote.ask, ...instants('timestamp', quote.capturedAt) },
      price: explained.kind === 'priced' ? explained.report : null,
      unpriced: body.unpriced,
      tickSize: market.tickSize,
      minOrderSize: market.minOrderSize,
      minOrderValue: market.minOrderValue ?? null,
      amountPrecision: market.amountPrecision,
    };
  },
});
