import Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { Counts, Metric, MetricGroup, Sample } from '../ground/metric.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { Markets } from './markets.ts';
import { pendingLists } from './pending-lists.ts';
import { servedMarkets } from './served-markets.ts';
import type { CurrencyCode } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/** The markets of a process as they are counted. */
export interface CountedMarkets {
  readonly markets: Markets;
  readonly now: EpochMs;
  /** How long a market is missing before it is delisted (`markets.delistAfter`). */
  readonly delistAfterMs: number;
  /** The converted quote currencies. */
  readonly quotes: Iterable<CurrencyCode>;
}

export const marketMetrics: MetricGroup<CountedMarkets> = {
  title: 'Data',
  metrics: [
    { name: 'markets', help: 'Listed markets by state.', labels: ['status'], read: byStatus },
    {
      name: 'markets_missing',
      help: 'Markets the exchange no longer lists, or lists as ended: paused, or due but held back.',
      labels: ['state'],
      read: missing,
    },
    {
      name: 'markets_waiting',
      help: 'Markets of a source’s list that wait, by why: growth, over_maximum, incomplete, or loss.',
      labels: ['source', 'reason'],
      read: ({ markets, delistAfterMs }) =>
        pendingLists(markets.catalogue, delistAfterMs).map(({ source, reason, count }) => [source, reason, count]),
    },
    {
      name: 'market_spread_ratio',
      help: 'Best ask minus best bid of the exchange, over the middle of the two, as last taken.',
      labels: ['market'],
      read: spreads,
    },
    {
      name: 'market_price_age_seconds',
      help:
        'Time since the price of a market of an exchange was last proved current, with how it is had now: over a ' +
        '`live` connection that would tell of a change, `polled`, or `silent`. Only markets that trade.',
      labels: ['market', 'reach'],
      read: ({ markets, now }) =>
        servedMarkets(markets, now)
          .filter(({ status }) => status === 'trading')
          .map(({ symbol, reach, ageMs }): Sample => [symbol, reach, ageMs / 1000]),
    },
    {
      name: 'rate_readings_total',
      help: 'Readings of conversion rates, by how they were judged: taken within the bound, by a witness, a fixing, an hour, as the first or by the operator; else held, older or awaiting.',
      labels: ['outcome'],
      read: ({ markets }) => markets.rates.counts,
    },
    {
      name: 'rate_value',
      help: 'Mid conversion rate, rounded to a float; absent while there is none.',
      labels: ['quote'],
      read: ofRates((known) => known && Number(known.rate.mid)),
    },
    {
      name: 'rate_age_seconds',
      help: 'Time since a conversion rate was last read from its source; absent while there is none.',
      labels: ['quote'],
      read: ofRates((known, now) => known && (now - known.rate.refreshedAt) / 1000),
    },
    {
      name: 'rate_valid',
      help: '1 while the conversion rate of a quote may be used.',
      labels: ['quote'],
      read: ofRates((known, now) => Number(known !== undefined && known.validUntil > now)),
    },
    {
      name: 'rate_validity_left_seconds',
      help: 'Time the conversion rate may still be used, negative once it may not; absent while there is none.',
      labels: ['quote'],
      read: ofRates((known, now) => known && (known.validUntil - now) / 1000),
    },
  ],
};

export const doubtMetrics: MetricGroup<CountedMarkets> = {
  title: 'Guard',
  metrics: [
    {
      name: 'doubted_markets',
      help: 'Exchange markets in which the prices of a source are doubted, or markets whose rate is, by source and reason.',
      labels: ['source', 'reason'],
      read: doubted,
    },
    {
      name: 'withheld_markets',
      formerly: 'guard_held_markets',
      help: 'Offered markets that keep their last good price or rate, by who withholds the new one.',
      labels: ['holder'],
      read: withheldByHolder,
    },
    {
      name: 'market_withheld',
      formerly: 'market_held',
      help: 'One series of 1 for each reason for which an offered market keeps its last good price or rate.',
      labels: ['market', 'reason'],
      read: (counted) =>
        withheldReasons(counted).flatMap(([symbol, reasons]) => reasons.map((reason): Sample => [symbol, reason, 1])),
    },
  ],
};

function byStatus({ markets, now }: CountedMarkets): Counts {
  const counts = { trading: 0, paused: 0, delisted: 0 };
  for (const { status } of markets.catalogue.listed(now)) counts[status]++;
  return counts;
}

function missing({ markets, delistAfterMs }: CountedMarkets): Counts {
  const { missing, due, isHeldBack } = markets.catalogue.absences(delistAfterMs);
  return { paused: missing.length, held_back: isHeldBack ? due.length : 0 };
}

function spreads(counted: CountedMarkets): Sample[] {
  const { tickers } = counted.markets.contents();
  return offered(counted).flatMap(({ symbol, isConverted }): Sample[] => {
    const ticker = isConverted ? undefined : tickers.get(symbol);
    return ticker === undefined ? [] : [[symbol, spreadShare(ticker)]];
  });
}

function spreadShare({ bid, ask }: AcceptedTicker): number {
  return Number(Big(ask).minus(bid).times(2).div(Big(ask).plus(bid)));
}

function offered({ markets, now }: CountedMarkets): readonly OfferedMarket[] {
  return markets.catalogue.listed(now).filter(({ status }) => status !== 'delisted');
}

function doubted(counted: CountedMarkets): Sample[] {
  const { markets } = counted;
  const all = offered(counted);
  const converted = all.filter(({ quote, isConverted }) => isConverted && markets.doubts().has(quote));
  const ofRates = converted.map(({ quote }) => `${markets.rate(quote)?.rate.source ?? quote} rate`);
  const ofSources = [...new Set(all.map(({ exchangeSymbol }) => exchangeSymbol))].flatMap((symbol) =>
    markets.sources.states(symbol).flatMap(({ id, doubt }) => (doubt === undefined ? [] : [`${id} ${doubt.reason}`])),
  );
  const labels = Map.groupBy([...ofSources, ...ofRates], (each) => each);
  return [...labels].map(([each, found]) => [...(each.split(' ') as [string, string]), found.length]);
}

function withheldReasons(counted: CountedMarkets): [string, string[]][] {
  return offered(counted).map((each) => [each.symbol, counted.markets.withheldFor(each).map(({ reason }) => reason)]);
}

function withheldByHolder(counted: CountedMarkets): Counts {
  const reasons = withheldReasons(counted);
  const count = (isCounted: (reason: string) => boolean) => reasons.filter(([, of]) => of.some(isCounted)).length;
  return { guard: count((reason) => reason !== 'operator'), operator: count((reason) => reason === 'operator') };
}

type KnownRate = ReturnType<Markets['rate']>;

function ofRates(read: (known: KnownRate, now: EpochMs) => number | undefined): Metric<CountedMarkets>['read'] {
  return ({ markets, quotes, now }) =>
    [...quotes].flatMap((quote): Sample[] => {
      const value = read(markets.rate(quote), now);
      return value === undefined ? [] : [[quote, value]];
    });
}
