import type { Configuration } from '../configuration/configuration.ts';
import type { ExchangeConnector } from '../feed/connector.ts';
import { judgeRate } from '../feed/rates/rate-keeper.ts';
import { type RateOrigin, secondOrigin } from '../feed/rates/rate-origins.ts';
import { rateSource } from '../feed/rates/rate-sources.ts';
import { type Clock, withTimeout } from '../ground/clock.ts';
import { percentChange } from '../market/decimal.ts';
import { readState } from '../market/market-state.ts';
import { RateLaw } from '../market/rate-law.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { ConversionRate } from '../market/upstream.ts';
import { inverseOf } from '../operator/rate.ts';
import { marketSnapshotName } from '../persistence/market-snapshots.ts';
import { readSnapshot } from '../store/open-database.ts';

/** A rate as it was read, and what it is compared with. */
export interface CheckedRate {
  readonly mid: string;
  readonly inverse: string;
  readonly fixingDate: string | null;
  readonly lastStored: string | null;
  readonly changePercent: string | null;
  readonly second: { readonly source: string; readonly mid: string; readonly differencePercent: string } | null;
}

/** One configured rate, read from both of its sources. */
export interface RateReading {
  readonly pair: string;
  readonly origin: RateOrigin;
  readonly rate: ConversionRate | Error;
  readonly secondOrigin: RateOrigin | undefined;
  readonly second: ConversionRate | Error | undefined;
  readonly lastStored: ConversionRate | undefined;
}

const timeoutMs = 20_000;

/** Reads every configured rate, what it is compared with, and the last stored one. */
export async function readRates(
  { rates, pricing, store }: Configuration,
  connectors: readonly ExchangeConnector[],
  clock: Clock,
): Promise<readonly RateReading[]> {
  const stored = await storedRates(store.url, clock);
  return Promise.all(
    [...pricing.converted].map(async ([quote, { via }]) => {
      const read = async (origin: RateOrigin, key?: 'rates.compare'): Promise<ConversionRate | Error> => {
        const source = rateSource(origin, connectors, clock, via, quote, key);
        try {
          const loaded = await withTimeout(clock, timeoutMs, (signal) => source.load(signal));
          judgeRate(loaded, clock.now());
          return { ...loaded, base: via, quote, source: source.id, refreshedAt: clock.now() };
        } catch (error) {
          return error instanceof Error ? error : new Error('failed');
        }
      };
      const other = secondOrigin(rates, via, quote);
      const [rate, second] = await Promise.all([read(rates), other && read(other, 'rates.compare')]);
      const lastStored = stored.get(quote);
      return { pair: `${via}/${quote}`, origin: rates, rate, secondOrigin: other, second, lastStored };
    }),
  );
}

/** The rates that were last in force, where the database has any. */
async function storedRates(url: string, clock: Clock): Promise<ReadonlyMap<CurrencyCode, ConversionRate>> {
  try {
    return new Map(readState((await readSnapshot(url, clock, marketSnapshotName)) ?? '')?.rates);
  } catch {
    // The check of the database says why.
    return new Map();
  }
}

/** Says in one line what was read: rate, fixing, inverse, the last stored one and the second source's. */
export function rateDetail(reading: RateReading, guard: Configuration['guard']): string {
  const { rate, lastStored } = reading;
  if (rate instanceof Error) throw rate;
  const { mid, fixingDate } = rate;
  const change = lastStored && `${percentChange(lastStored.mid, mid)} %`;
  const stored = lastStored === undefined ? 'none stored yet' : `last stored ${lastStored.mid}, change ${change}`;
  const fixing = fixingDate === undefined ? '' : `, fixing of ${fixingDate}`;
  return [`${mid}${fixing}`, `inverse ${inverseOf(mid)}`, stored, compareRate(reading, guard).text].join('; ');
}

/** The same as data. */
export function checkedRate({ rate, second, lastStored }: RateReading): CheckedRate | undefined {
  if (rate instanceof Error) return undefined;
  const { mid, fixingDate = null } = rate;
  return {
    mid,
    inverse: inverseOf(mid),
    fixingDate,
    lastStored: lastStored?.mid ?? null,
    changePercent: lastStored === undefined ? null : percentChange(lastStored.mid, mid),
    second:
      second === undefined || second instanceof Error
        ? null
        : { source: second.source, mid: second.mid, differencePercent: percentChange(second.mid, mid) },
  };
}

/** Compares a rate with the second source's. Its failure is none of the check: prices go on without it. */
export function compareRate(
  { rate, second, secondOrigin: other, lastStored }: RateReading,
  guard: Configuration['guard'],
) {
  if (other === undefined || second === undefined) {
    const first = lastStored === undefined ? 'nothing confirms the first rate, and ' : '';
    return {
      text: `second source: none (rates.compare), ${first}only an operator confirms one that moves far`,
      isWarning: true,
    };
  }
  const name = `second source ${other.source}`;
  if (second instanceof Error)
    return {
      text: `${name}: ${second.message}, so that the rate is compared with nothing: check rates.compare`,
      isWarning: true,
    };
  const fixing = second.fixingDate === undefined ? '' : `, fixing of ${second.fixingDate}`;
  const said = `${name}: ${second.mid}${fixing}`;
  if (rate instanceof Error) return { text: said, isWarning: false };
  const difference = `difference ${percentChange(second.mid, rate.mid)} %`;
  const comparison = new RateLaw(guard).comparison({ witness: second }, rate, rate.refreshedAt);
  const isWarning = comparison?.isOfOneTime === true && !comparison.isAgreed;
  const remedy = isWarning ? `, over guard.ratePercent (${guard.ratePercent} %): one of the two is wrong` : '';
  return { text: `${said}, ${difference}${remedy}`, isWarning };
}
