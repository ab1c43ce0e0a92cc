import Big from 'big.js';
import Type, { type Static } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import * as part from '../../contract/schema-parts.ts';
import { type TickerBody, TickerSchema } from '../../contract/schemas.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import { type MarketSymbol, parseSymbol } from '../../market/symbol.ts';
import {
  component,
  instants,
  nullableComponent,
  nullableCount,
  nullableDecimal,
  nullableLine,
  pair,
} from '../../operator/fields.ts';
import { catalogueMarkets, type MarketView, marketFields } from '../../operator/market.ts';
import { explainPrice, type PriceReportSchema } from '../../operator/price.ts';
import type { Management } from '../sources.ts';
import { operation } from './operation.ts';
import { Problem } from './problems.ts';

export { TickerSchema };

const unpricedReason = (description: string) => nullableLine(description, 'no_rate', 64);

/** A market and its price now. */
const pricedFields = {
  ...marketFields,
  ticker: nullableComponent<typeof TickerSchema>('Ticker', 'As clients get it; null while there is no price.'),
  unpriced: unpricedReason(
    'Why a market that is not delisted has no price: `no_ticker`, `no_rate`, `rounds_to_zero`; null otherwise. The set can grow.',
  ),
  ageMs: nullableCount('Age of the ticker by its own timestamp, in milliseconds.', 350),
  spread: nullableDecimal('`buyPrice` minus `sellPrice`.', '842.3'),
  spreadPercent: nullableDecimal('The spread in percent of the middle of the two, to two decimals.', '1.00'),
};

export const MarketSchema = Type.Object(pricedFields, { description: 'A market as the operator sees it.' });

export const MarketRowSchema = Type.Object(
  {
    ...pricedFields,
    spark: Type.Array(part.decimal('A price.', '84100.1'), {
      description: 'The buy price of the last hour, oldest first, in at most 60 values.',
      maxItems: 60,
      examples: [['84100.1', '84210.5']],
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
    const views = viewsBySymbol(management);
    return {
      ...instants('serverTime', now),
      markets: market.book.catalogue.listed(now).map(({ symbol }) => ({
        ...pricedBody(views.get(symbol)!, management, now),
        spark: history.spark(symbol),
      })),
    };
  },
});

function viewsBySymbol({ market: { book } }: Management): ReadonlyMap<string, MarketView> {
  return new Map(catalogueMarkets(book.catalogue.records()).map((view) => [view.symbol, view]));
}

/** A market that is offered, and its price at `now`. */
export function marketBody({ symbol }: OfferedMarket, management: Management, now: EpochMs): MarketBody {
  return pricedBody(viewsBySymbol(management).get(symbol)!, management, now);
}

/** The ticker is the very body that clients get. */
function pricedBody(view: MarketView, { market: { board } }: Management, now: EpochMs): MarketBody {
  const reading = board.ticker(view.symbol as MarketSymbol, now);
  const ticker = reading.kind === 'page' ? (JSON.parse(textOf(reading.page.as('identity').body)) as TickerBody) : null;
  return {
    ...view,
    ticker,
    unpriced: reading.kind === 'unpriced' ? reading.reason : null,
    ageMs: ticker === null ? null : Math.max(0, now - ticker.timestampMs),
    ...spreadOf(ticker),
  };
}

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
    const quote = management.market.book.contents().tickers.get(market.exchangeSymbol);
    const explained = explainPrice(management.market.book, market.symbol, now);
    return {
      market: marketBody(market, management, now),
      upstream:
        quote === undefined ? null : { bid: quote.bid, ask: quote.ask, ...instants('timestamp', quote.capturedAt) },
      price: explained.kind === 'priced' ? explained.report : null,
    };
  },
});
