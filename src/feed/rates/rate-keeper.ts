import { Backoff } from '../../backoff.ts';
import type { Clock, EpochMs, Randomness } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { type DecimalString, toBig } from '../../market/decimal.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { FeedSink } from '../../market/upstream.ts';
import { Loop } from '../timers.ts';
import { asDay, UpstreamError } from '../wire.ts';

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

interface RateKeeperOptions {
  readonly source: RateSource;
  /** The currency that one unit is of: `EUR`. */
  readonly base: CurrencyCode;
  /** The currency the rate is in: `CZK`. */
  readonly quote: CurrencyCode;
  readonly sink: Pick<FeedSink, 'rateRefreshed'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** 300,000 by default. */
  readonly refreshMs?: number;
}

/** The last answer of a rate source. Errors hold no URL. */
class RateRecord {
  lastSuccessAt: EpochMs | undefined;
  lastErrorAt: EpochMs | undefined;
  lastError: string | undefined;
  consecutiveFailures = 0;
  mid: DecimalString | undefined;
  fixingDate: string | undefined;
}

/** One rate source at one instant. Plain data. */
export interface RateHealth extends Readonly<RateRecord> {
  readonly source: string;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
}

const dayMs = 86_400_000;
const fixingAgeDaysMax = 10;
const retryMinMs = 5_000;
/** A rate that is held is read again this soon: it may be corrected, or the operator takes it. */
const heldRetryMs = 30_000;
/** Far beyond any pair of real currencies: outside, a source is broken or has changed its unit. */
const plausible = { min: '0.000001', max: '1000000' } as const;

/** Refreshes one conversion rate and validates each value. How long a rate stays valid is the market room's decision. */
export class RateKeeper extends Loop {
  readonly #options: RateKeeperOptions;
  readonly #refreshMs: number;
  readonly #backoff: Backoff;
  readonly #record = new RateRecord();

  constructor(options: RateKeeperOptions) {
    super(options.clock);
    this.#options = options;
    this.#refreshMs = options.refreshMs ?? 300_000;
    this.#backoff = new Backoff(options.randomness, {
      minMs: retryMinMs,
      maxMs: Math.max(retryMinMs, this.#refreshMs),
    });
  }

  health(): RateHealth {
    const { source, base, quote } = this.#options;
    return { source: source.id, base, quote, ...this.#record };
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const rate = await this.#options.source.load(signal);
    signal.throwIfAborted();
    const now = this.#options.clock.now();
    judgeRate(rate, now);
    return this.#read(rate, now) ? this.#refreshMs : Math.min(this.#refreshMs, heldRetryMs);
  }

  /** Returns whether the market room took it. */
  #read(rate: LoadedRate, now: EpochMs): boolean {
    const { source, base, quote, sink, log } = this.#options;
    if (this.#record.consecutiveFailures > 0) log.info({ source: source.id }, 'the rate source works again');
    Object.assign(this.#record, { ...rate, lastSuccessAt: now, consecutiveFailures: 0 });
    this.#backoff.reset();
    return sink.rateRefreshed({ ...rate, base, quote, source: source.id, refreshedAt: now });
  }

  protected override failed(error: UpstreamError): number {
    const { source, clock, log } = this.#options;
    this.#record.consecutiveFailures++;
    this.#record.lastErrorAt = clock.now();
    this.#record.lastError = `${error.kind}: ${error.message}`;
    log.warn({ source: source.id, kind: error.kind, detail: error.message }, 'the conversion rate was not refreshed');
    const delayMs = Math.min(this.#refreshMs, retryMinMs + this.#backoff.nextMs());
    return Math.max(delayMs, error.retryAfterMs ?? 0);
  }
}

/** Throws `UpstreamError` for an implausible rate, or a fixing over 10 days old (design, Converted markets). */
export function judgeRate(rate: LoadedRate, now: EpochMs): void {
  const mid = toBig(rate.mid);
  if (mid.lt(plausible.min) || mid.gt(plausible.max)) throw new UpstreamError('refused', 'the rate is not plausible');
  if (rate.fixingDate === undefined) return;
  const fixedAt = asDay(rate.fixingDate);
  if (fixedAt === undefined) throw new UpstreamError('malformed', 'the fixing has no readable date');
  const ageDays = Math.floor((now - fixedAt) / dayMs);
  if (ageDays > fixingAgeDaysMax) throw new UpstreamError('refused', 'the fixing is over 10 days old');
  if (fixedAt - now > dayMs) throw new UpstreamError('refused', 'the fixing is dated in the future');
}
