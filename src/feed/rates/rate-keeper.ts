import { Backoff } from '../../ground/backoff.ts';
import type { Clock, EpochMs, Randomness } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import type { RateSink } from '../../market/conversion-rates.ts';
import { type DecimalString, toBig } from '../../market/decimal.ts';
import { rateAwaitsMs } from '../../market/rate-law.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { ConversionRate } from '../../market/upstream.ts';
import { Loop } from '../timers.ts';
import { asDay, type UpstreamError } from '../wire.ts';
import { faultOf, type RateFault, rateFault } from './rate-fault.ts';

/** Units of the quote currency for one unit of the base currency. */
export interface LoadedRate {
  readonly mid: DecimalString;
  /** The calendar day a daily fixing is for, `YYYY-MM-DD`; `undefined` for a source that gives none. */
  readonly fixingDate: string | undefined;
}

/** Where a conversion rate comes from. */
export interface RateSource {
  /** `cnb`, `ecb`, `json` or `exchange`. */
  readonly id: string;
  /** Throws `UpstreamError`. */
  load(signal: AbortSignal): Promise<LoadedRate>;
}

interface RateReaderOptions {
  readonly source: RateSource;
  /** The currency that one unit is of: `EUR`. */
  readonly base: CurrencyCode;
  /** The currency the rate is in: `CZK`. */
  readonly quote: CurrencyCode;
  readonly sink: RateSink;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly refreshMs: number;
}

/** One source of a rate at one instant. Plain data. */
export interface RateSourceHealth {
  readonly source: string;
  /** How the last attempt to read it ended: `ok`, or what was wrong, without a URL; `undefined` before the first. */
  readonly lastOutcome: string | undefined;
  /** The same by its code; `undefined` where it gave a rate, and before the first. */
  readonly lastFault: RateFault | undefined;
  /** Since when every attempt has failed. */
  readonly failingSince: EpochMs | undefined;
}

/** The sources of one rate at one instant. Plain data. */
export interface RateHealth extends RateSourceHealth {
  readonly quote: CurrencyCode;
  /** The one that it is compared with; `undefined` where it is compared with none. */
  readonly second: RateSourceHealth | undefined;
}

const dayMs = 86_400_000;
const fixingAgeDaysMax = 10;
const retryMinMs = 5_000;
/** A rate that is held is read again this soon: it may be corrected. */
const heldRetryMs = 30_000;
/** Nothing is served of the second source, so that it can be read at a calm pace, and sooner while a rate is held. */
const comparedEveryMsMin = 15 * 60_000;
const comparedWhileHeldMs = 60_000;
/** Far beyond any pair of real currencies: outside, a source is broken or has changed its unit. */
const plausible = { min: '0.000001', max: '1000000' } as const;

/** Reads a rate from one source again and again, and refuses what cannot be one. */
abstract class RateReader extends Loop {
  protected readonly options: RateReaderOptions;
  readonly #backoff: Backoff;
  #lastOutcome: string | undefined;
  #lastFault: RateFault | undefined;
  #failingSince: EpochMs | undefined;

  constructor(options: RateReaderOptions) {
    super(options.clock);
    this.options = options;
    const maxMs = Math.max(retryMinMs, options.refreshMs);
    this.#backoff = new Backoff(options.randomness, { minMs: retryMinMs, maxMs });
  }

  /** How it is called in the log. */
  protected abstract readonly name: string;
  /** Says what a failure means. */
  protected abstract readonly consequence: string;

  /** Hands over what was read. Returns the milliseconds until it is read again. Throws `UpstreamError`. */
  protected abstract take(rate: ConversionRate): number;

  sourceHealth(): RateSourceHealth {
    return {
      source: this.options.source.id,
      lastOutcome: this.#lastOutcome,
      lastFault: this.#lastFault,
      failingSince: this.#failingSince,
    };
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const { source, base, quote, log } = this.options;
    const rate = await source.load(signal);
    signal.throwIfAborted();
    const now = this.clock.now();
    judgeRate(rate, now);
    const nextMs = this.take({ ...rate, base, quote, source: source.id, refreshedAt: now });
    if (this.#failingSince !== undefined) log.info({ source: source.id }, `${this.name} works again`);
    this.#lastOutcome = 'ok';
    this.#lastFault = undefined;
    this.#failingSince = undefined;
    this.#backoff.reset();
    return nextMs;
  }

  protected override failed(error: UpstreamError): number {
    const { kind, message: detail, retryAfterMs = 0 } = error;
    const { source, log, refreshMs } = this.options;
    this.#failingSince ??= this.clock.now();
    this.#lastOutcome = `${kind}: ${detail}`;
    this.#lastFault = faultOf(error);
    log.warn({ source: source.id, kind, detail }, `${this.name} was not read: ${this.consequence}`);
    return Math.max(Math.min(refreshMs, retryMinMs + this.#backoff.nextMs()), retryAfterMs);
  }
}

/** Refreshes one conversion rate. What is believed of it, and for how long, is the market room's decision. */
export class RateKeeper extends RateReader {
  protected readonly name = 'the rate source';
  protected readonly consequence = 'the conversion rate was not refreshed';
  readonly #witness: RateWitness | undefined;

  /** @param witness reads the source that the rate is compared with, and runs with this one */
  constructor(options: RateReaderOptions, witness?: RateWitness) {
    super(options);
    this.#witness = witness;
  }

  health(): RateHealth {
    return { ...this.sourceHealth(), quote: this.options.quote, second: this.#witness?.sourceHealth() };
  }

  override start(): void {
    this.#witness?.start();
    super.start();
  }

  override stop(): void {
    this.#witness?.stop();
    super.stop();
  }

  protected take(rate: ConversionRate): number {
    const { sink, refreshMs } = this.options;
    const outcome = sink.rateRefreshed(rate, this.#witness?.isExpected ?? false);
    if (outcome === 'older') throw rateFault('fixing_older', { fixing: rate.fixingDate ?? '-' });
    if (outcome === 'awaiting') return rateAwaitsMs;
    if (outcome !== undefined && outcome !== 'held') return refreshMs;
    this.#witness?.wakeWithin(comparedWhileHeldMs);
    return Math.min(refreshMs, heldRetryMs);
  }
}

/** Reads the source that a rate is compared with. Its failure stops nothing. */
export class RateWitness extends RateReader {
  protected readonly name = 'the second rate source';
  protected readonly consequence = 'the conversion rate is compared with nothing new';

  constructor(options: RateReaderOptions) {
    super({ ...options, refreshMs: Math.max(options.refreshMs, comparedEveryMsMin) });
  }

  /** Neither read nor tried in vain yet. */
  get isExpected(): boolean {
    return this.sourceHealth().lastOutcome === undefined;
  }

  protected take(rate: ConversionRate): number {
    this.options.sink.rateCompared(rate);
    return this.options.refreshMs;
  }

  protected override failed(error: UpstreamError): number {
    const nextMs = super.failed(error);
    this.options.sink.rateUnwitnessed(this.options.quote);
    return nextMs;
  }
}

/** Throws `UpstreamError` for an implausible rate, or a fixing over 10 days old (design, Converted markets). */
export function judgeRate(rate: LoadedRate, now: EpochMs): void {
  const mid = toBig(rate.mid);
  if (mid.lt(plausible.min) || mid.gt(plausible.max)) throw rateFault('implausible', {});
  if (rate.fixingDate === undefined) return;
  const fixedAt = asDay(rate.fixingDate);
  if (fixedAt === undefined) throw rateFault('fixing_undated', {});
  const ageDays = Math.floor((now - fixedAt) / dayMs);
  if (ageDays > fixingAgeDaysMax) throw rateFault('fixing_too_old', { daysMax: fixingAgeDaysMax });
  if (fixedAt - now > dayMs) throw rateFault('fixing_in_future', {});
}
