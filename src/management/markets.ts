import Big from 'big.js';
import Type, { type Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import * as contract from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import { type MarketSymbol, parseSymbol } from '../market/symbol.ts';
import { acceptRefusal, doubtsField, doubtsOf } from '../operator/doubt.ts';
import * as fields from '../operator/fields.ts';
import { catalogueMarkets, type MarketView, marketFields } from '../operator/market.ts';
import { explainPrice, PriceReportSchema, withheldField, withheldOf } from '../operator/price.ts';
import { sourceQuotes, sourcesField } from '../operator/source.ts';
import type { Store } from '../store/store.ts';
import { needsApproval, proposedInstead } from './approvals.ts';
import {
  type Asked,
  assertConfirmed,
  confirmation,
  type Described,
  noBody,
  operation,
  strictObject,
} from './operation.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';
import { sparkPointsMax } from './sparklines.ts';
import { tickerView } from './views.ts';

export const TickerSchema = { ...contract.TickerSchema, $id: 'Ticker' };

/** A market and its price now. */
const pricedFields = {
  ...marketFields,
  ticker: fields.nullable(TickerSchema, 'As clients get it; null while there is no price.'),
  unpriced: fields.nullableLine(
    'Why a market that is not delisted has no price: `no_ticker`, `held`, `no_rate`, `rounds_to_zero`; null otherwise. The set can grow.',
    'no_rate',
    64,
  ),
  held: withheldField,
  doubts: doubtsField,
  ageMs: fields.nullableCount('Age of the ticker by its own timestamp, in milliseconds.', 350),
  spread: fields.nullableDecimal('`buyPrice` minus `sellPrice`.', '842.3'),
  spreadPercent: fields.nullableDecimal('The spread in percent of the middle of the two, to two decimals.', '1.00'),
};

const MarketSchema = fields.named('Market', 'A market as the operator sees it.', pricedFields);

const MarketRowSchema = fields.named('MarketRow', 'A market in the list, with its price in the last hour.', {
  ...pricedFields,
  spark: Type.Array(fields.nullableDecimal('A price.', '84100.1'), {
    description:
      'The buy price of the last hour, oldest first, one a minute; null where there was no price or no feed.',
    maxItems: sparkPointsMax,
    examples: [['84100.1', '84210.5']],
  }),
});

const MarketListSchema = fields.named('MarketList', 'All markets.', {
  ...fields.instantFields('serverTime', 'The time of the server.'),
  markets: fields.listOf(
    MarketRowSchema,
    'Every market that clients see, by symbol, including those delisted less than 30 days ago.',
  ),
});

type MarketBody = Static<typeof MarketSchema>;

/** A market that is offered, and its price at `now`. */
function marketBody(symbol: MarketSymbol, management: Management, now: EpochMs): MarketBody {
  const views = catalogueMarkets(management.market.markets);
  return pricedBody(views.find((view) => view.symbol === symbol)!, management, now);
}

function pricedBody(view: MarketView, { market: { board, markets } }: Management, now: EpochMs): MarketBody {
  const { ticker = null, unpriced = null } = tickerView(board, view.symbol as MarketSymbol, now);
  return {
    ...view,
    ticker,
    unpriced,
    held: withheldOf(markets, view.symbol as MarketSymbol),
    doubts: view.delistedAtMs ? [] : doubtsOf(markets, (view.convertedFrom ?? view.symbol) as MarketSymbol, now),
    ageMs: ticker === null ? null : Math.max(0, now - ticker.timestampMs),
    ...spreadOf(ticker),
  };
}

/** Divides to six places: enough for a percentage of two. */
const SixPlaces = Big();
SixPlaces.DP = 6;

function spreadOf(ticker: contract.TickerBody | null): Pick<MarketBody, 'spread' | 'spreadPercent'> {
  if (ticker === null) return { spread: null, spreadPercent: null };
  const buy = SixPlaces(ticker.buyPrice);
  const spread = buy.minus(ticker.sellPrice);
  const both = buy.plus(ticker.sellPrice);
  return { spread: spread.toFixed(), spreadPercent: spread.times(200).div(both).toFixed(2, Big.roundHalfUp) };
}

/** The market of a symbol in any case. Throws `NOT_FOUND`. */
function marketOf({ market: { markets } }: Management, name: string): OfferedMarket {
  const symbol = parseSymbol(name);
  const market = symbol === undefined ? undefined : markets.catalogue.find(symbol);
  if (market !== undefined) return market;
  throw new Problem('NOT_FOUND', 'There is no market with this symbol. GET /api/markets lists the existing ones.', {
    said: { code: 'market_unknown', values: {} },
  });
}

const symbolParams = Type.Object({
  symbol: part.text('The symbol, in any case.', 'BTCCZK', {
    minLength: 2,
    maxLength: 32,
    pattern: part.anyCaseSymbolPattern,
  }),
});

const UpstreamQuoteSchema = fields.named('UpstreamQuote', 'The last good values from the exchange.', {
  bid: part.decimal('Best bid on the exchange.', '50000.0'),
  ask: part.decimal('Best ask on the exchange.', '50000.1'),
  ...fields.instantFields('timestamp', 'When they were captured.'),
});

const MarketDetailSchema = fields.named('MarketDetail', 'A market, and how its price is derived.', {
  market: fields.referenceTo(MarketSchema, 'As in the list.'),
  upstream: fields.nullable(UpstreamQuoteSchema, 'Null until the exchange sent one.'),
  price: fields.nullable(PriceReportSchema, 'Null while there is no price.'),
  sources: sourcesField,
});

type Change = (markets: Store['markets'], symbol: MarketSymbol, now: EpochMs) => Promise<unknown>;

/** A change of one market. */
const changing = { access: 'operator', params: symbolParams, answer: MarketSchema, problems: ['CONFLICT'] } as const;

function switching(described: Described, change: Change) {
  return operation({
    ...described,
    ...changing,
    body: noBody,
    async handle({ params, ...asked }, management) {
      const { symbol } = marketOf(management, params.symbol);
      return changed(change, symbol, asked, management);
    },
  });
}

function switchingAll(
  described: Described,
  id: string,
  change: (markets: Store['markets'], now: EpochMs) => Promise<number>,
) {
  return operation({
    ...described,
    access: 'operator',
    body: noBody,
    answer: fields.named(id, 'What was changed.', { changed: fields.count('How many markets were changed.', 26) }),
    async handle({ store, now }, management) {
      await management.market.snapshots.save();
      return { changed: await change(store.markets, now) };
    },
  });
}

export const marketOperations = {
  readMarkets: operation({
    path: '/api/markets',
    summary: 'All markets with their prices',
    description: 'What clients get of each market now, and what only operators see, by symbol.',
    answer: MarketListSchema,
    handle({ now }, management) {
      const { market, sparklines } = management;
      const views = new Map(catalogueMarkets(market.markets).map((view) => [view.symbol, view]));
      return {
        ...fields.instants('serverTime', now),
        markets: market.markets.catalogue.listed(now).map(({ symbol }) => ({
          ...pricedBody(views.get(symbol)!, management, now),
          spark: sparklines.of(symbol),
        })),
      };
    },
  }),

  readMarket: operation({
    path: '/api/markets/:symbol',
    summary: 'One market, and how its price is derived',
    description: 'The market, the exchange’s own values, and every step from them to the prices clients get.',
    params: symbolParams,
    answer: MarketDetailSchema,
    handle({ params, now }, management) {
      const market = marketOf(management, params.symbol);
      const quote = management.market.markets.contents().tickers.get(market.exchangeSymbol);
      const explained = explainPrice(management.market.markets, market.symbol, now);
      return {
        market: marketBody(market.symbol, management, now),
        upstream:
          quote === undefined
            ? null
            : { bid: quote.bid, ask: quote.ask, ...fields.instants('timestamp', quote.capturedAt) },
        price: explained.kind === 'priced' ? explained.report : null,
        sources: sourceQuotes(management.market.markets, market.exchangeSymbol, now),
      };
    },
  }),
  pauseMarket: switching(
    {
      path: '/api/markets/:symbol/pause',
      summary: 'Pause a market',
      description: 'Clients see `paused` at once; prices are still served. Repeating it changes nothing.',
    },
    (markets, symbol) => markets.setOperatorPaused(symbol, true),
  ),
  resumeMarket: switching(
    {
      path: '/api/markets/:symbol/resume',
      summary: 'Resume a market',
      description: 'It trades again as soon as the exchange trades it. Repeating it changes nothing.',
    },
    (markets, symbol) => markets.setOperatorPaused(symbol, false),
  ),
  holdMarket: switching(
    {
      path: '/api/markets/:symbol/hold',
      summary: 'Hold the prices of a market',
      description:
        'What its prices are made from stays as it is, and with it every market made from the same. After 5 minutes they have no price. Repeating it changes nothing.',
    },
    (markets, symbol, now) => markets.setHeld(symbol, now),
  ),
  releaseMarket: switching(
    {
      path: '/api/markets/:symbol/release',
      summary: 'Release the prices of a market',
      description: 'Ends the operator’s hold; what the guard holds stays held. Repeating it changes nothing.',
    },
    (markets, symbol) => markets.setHeld(symbol, undefined),
  ),
  acceptMarket: operation({
    path: '/api/markets/:symbol/accept',
    summary: 'Take what is doubted of a market',
    description:
      'The price is taken with the next tick at its level, a rate at once. Where other sources doubt several, `source` names the one that is right.',
    ...changing,
    body: strictObject('What is accepted.', {
      source: Type.Optional(fields.text('The one source that is right; without it whatever is doubted.', 'kraken', 32)),
    }),
    async handle({ params, body: { source }, ...asked }, management) {
      const { markets } = management.market;
      const { symbol, exchangeSymbol } = marketOf(management, params.symbol);
      const doubts = doubtsOf(markets, exchangeSymbol, asked.now);
      const held = withheldOf(markets, symbol);
      if (needsApproval('rates', management) && held.some(({ reason }) => reason === 'rate')) throw rateWaits(symbol);
      const refusal = acceptRefusal({ symbol, held, doubts }, source);
      if (refusal !== undefined) {
        const said = { code: 'nothing_doubted', values: { symbol } } as const;
        throw new Problem('CONFLICT', refusal, doubts.length === 0 && source === undefined ? { said } : {});
      }
      return changed((stored, _, now) => stored.acceptDoubted(symbol, now, source), symbol, asked, management);
    },
  }),
  pauseAllMarkets: switchingAll(
    {
      path: '/api/markets/pause',
      summary: 'Pause all markets',
      description: 'Clients see `paused`; prices are still served.',
    },
    'PausedMarkets',
    (markets) => markets.setAllPaused(true),
  ),
  resumeAllMarkets: switchingAll(
    { path: '/api/markets/resume', summary: 'Resume all markets', description: 'Ends every pause of an operator.' },
    'ResumedMarkets',
    (markets) => markets.setAllPaused(false),
  ),
  holdAllMarkets: switchingAll(
    {
      path: '/api/markets/hold',
      summary: 'Hold all prices',
      description: 'Every price and every rate stays as it is.',
    },
    'HeldMarkets',
    (markets, now) => markets.setAllHeld(now),
  ),
  releaseAllMarkets: switchingAll(
    { path: '/api/markets/release', summary: 'Release all prices', description: 'Ends every hold of an operator.' },
    'ReleasedMarkets',
    (markets) => markets.setAllHeld(undefined),
  ),
  delistMarket: operation({
    path: '/api/markets/:symbol/delist',
    summary: 'Delist a market for good',
    description:
      'Final: the symbol never comes back. It has no price from then on, and is listed as `delisted` for 30 days. `confirm` must repeat the symbol.',
    ...changing,
    canWait: true,
    body: confirmation('symbol', 'BTCCZK'),
    async handle({ params, body, ...asked }, management) {
      const { symbol } = marketOf(management, params.symbol);
      assertConfirmed(body.confirm, symbol, 'Delisting');
      const proposed = await proposedInstead({ action: 'market.delist', symbol }, asked, management);
      if (proposed !== undefined) return proposed;
      return changed((markets, _, now) => markets.delist(symbol, now), symbol, asked, management);
    },
  }),
};

/** With the price of a market its rate would be accepted, which is not for one person. */
function rateWaits(symbol: MarketSymbol): Problem {
  const detail = `The rate of ${symbol} is held: another person has to confirm its acceptance. Accept the rate itself.`;
  return new Problem('CONFLICT', detail, { said: { code: 'rate_needs_approval', values: { symbol } } });
}

/** Makes a change in the store, with all that the feed reported there before it. Gives the market as it is then. */
async function changed(
  change: Change,
  symbol: MarketSymbol,
  { store, now }: Pick<Asked, 'store' | 'now'>,
  management: Management,
): Promise<MarketBody> {
  await management.market.snapshots.save();
  await change(store.markets, symbol, now);
  await management.changes.look();
  return marketBody(symbol, management, now);
}
