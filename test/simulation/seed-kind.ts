import type { DialectName } from '../../exchange-simulator/dialects.ts';

/** What a seed, and the number of its processes, says about its world. */
export interface SeedKind {
  readonly seed: number;
  readonly processes: number;
  /** Every other seed has one, which takes a third of its time. */
  readonly hasRecord: boolean;
  /** Some of the seeds that have Redis. */
  readonly hasEngine: boolean;
  readonly hasMail: boolean;
  /** Some seeds have their store on PostgreSQL, the others on SQLite. */
  readonly hasPostgres: boolean;
  /** One process has the feed, and the others nothing else to turn to. */
  readonly isSplit: boolean;
  /** So many that one of them can be missing and is believed to be gone, on exchanges that are asked for their markets every minute. */
  readonly hasManyMarkets: boolean;
}

/** Not over a tenth of them is missing when one is. */
const manyMarkets = 12;
const fewMarkets = 2;

/** Those before it, which include what was kept, were there before the model of PostgreSQL. */
const firstWithPostgres = 1_000;

/** @param store in the place of the one that the seed gives */
export function kindOf(seed: number, processes: number, store?: 'postgres' | 'sqlite'): SeedKind {
  const hasManyMarkets = seed % 6 === 0;
  return {
    seed,
    processes,
    hasManyMarkets,
    hasRecord: seed % 2 === 1,
    hasEngine: processes > 1 && seed % 5 < 2,
    hasMail: seed % 4 === 1,
    hasPostgres: store === undefined ? seed >= firstWithPostgres && seed % 5 === 3 : store === 'postgres',
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
  { processes, hasRecord, hasMail, hasPostgres }: SeedKind,
  given: Readonly<Record<'directory' | 'sources' | 'symbols' | 'ratesUrl', string>>,
): Record<string, string> {
  const { directory, sources, symbols, ratesUrl } = given;
  return {
    sources,
    'markets.symbols': symbols,
    'rates.url': ratesUrl,
    store: storeUrlOf(directory, hasPostgres),
    'history.url': hasRecord ? `sqlite:${recordIn(directory)}` : 'off',
    'markets.delistAfter': `${delistAfterMs / 3_600_000}h`,
    // A rate that is gone for minutes is gone for good.
    'rates.refresh': '30s',
    'rates.validFor': '2m',
    ...(hasMail ? { 'mail.smtp': 'smtp://mail:25', 'mail.from': 'api@example.com' } : {}),
    ...(processes > 1 ? { redis: 'redis://redis:6379' } : {}),
  };
}

/** Of the store in a directory, or on the world's PostgreSQL. */
export function storeUrlOf(directory: string, isPostgres: boolean): string {
  return isPostgres ? 'postgres://mdapi@postgres/mdapi?sslmode=disable' : `sqlite:${storeIn(directory)}`;
}

export const storeIn = (directory: string) => `${directory}/store.sqlite`;
export const recordIn = (directory: string) => `${directory}/history.sqlite`;
