import type { DialectName } from '../../exchange-simulator/dialects.ts';
import type { Banks } from './banks.ts';
import type { RateSourceName } from './rates-model.ts';

/** What a seed, and the number of its processes, says about its world. */
export interface SeedKind {
  readonly seed: number;
  readonly processes: number;
  /** Every other seed has one, which takes a third of its time. */
  readonly hasRecord: boolean;
  /** Some of the seeds that have Redis. */
  readonly hasEngine: boolean;
  readonly hasMail: boolean;
  /** Where the rate is from: the document without dates in some, the bank in the others. */
  readonly rateSource: RateSourceName;
  /** Most compare it with a second source. */
  readonly comparesRates: boolean;
  /** One process has the feed, and the others nothing else to turn to. */
  readonly isSplit: boolean;
  /**
   * So many that one of them can be missing and is believed to be gone, on exchanges that are asked for their markets
   * every minute.
   */
  readonly hasManyMarkets: boolean;
  /** Some of those that have many: whatever exchanges list is offered, and they list what is dead. */
  readonly offersAll: boolean;
}

/** Not over a tenth of them is missing when one is. */
const manyMarkets = 12;
const fewMarkets = 2;

export function kindOf(seed: number, processes: number): SeedKind {
  const hasManyMarkets = seed % 6 === 0;
  return {
    seed,
    processes,
    hasManyMarkets,
    offersAll: seed % 12 === 0,
    hasRecord: seed % 2 === 1,
    hasEngine: processes > 1 && seed % 5 < 2,
    hasMail: seed % 4 === 1,
    rateSource: Math.floor(seed / 2) % 3 === 0 ? 'json' : 'cnb',
    comparesRates: seed % 5 !== 4,
    isSplit: processes === 3 && seed % 2 === 0,
  };
}

export function marketsOf({ hasManyMarkets }: SeedKind): number {
  return hasManyMarkets ? manyMarkets : fewMarkets;
}

export function dialectsOf({ hasManyMarkets }: SeedKind): readonly DialectName[] {
  return hasManyMarkets ? ['bitstamp', 'bitvavo', 'binance'] : ['kraken', 'bitvavo', 'coinbase'];
}

/** A market that is missing is delisted after it. */
export const delistAfterMs = 3_600_000;

/** The configuration of each process, as in its environment. */
export function settingsOf(
  { processes, hasRecord, hasMail, comparesRates }: SeedKind,
  given: {
    readonly directory: string;
    readonly sources: string;
    readonly symbols: string;
    readonly banks: Banks;
  },
): Record<string, string> {
  const { directory, sources, symbols, banks } = given;
  const { first: rates, second } = banks;
  return {
    sources,
    'markets.symbols': symbols,
    'rates.source': rates.source,
    'rates.url': rates.url,
    ...(rates.isDated ? {} : { 'rates.pointer': '/data/EURCZK' }),
    'rates.compare': comparesRates ? JSON.stringify({ source: second.source, url: second.url }) : 'off',
    store: storeUrlOf(directory),
    'history.url': hasRecord ? `sqlite:${recordIn(directory)}` : 'off',
    'markets.delistAfter': `${delistAfterMs / 3_600_000}h`,
    // A rate that is gone for minutes is gone for good.
    'rates.refresh': '30s',
    'rates.validFor': '2m',
    ...(hasMail ? { 'mail.smtp': 'smtp://mail:25', 'mail.from': 'api@example.com' } : {}),
    ...(processes > 1 ? { redis: 'redis://redis:6379' } : {}),
  };
}

export const storeIn = (directory: string) => `${directory}/store.sqlite`;
export const storeUrlOf = (directory: string) => `sqlite:${storeIn(directory)}`;
export const recordIn = (directory: string) => `${directory}/history.sqlite`;
