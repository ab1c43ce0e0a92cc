import { Backoff } from '../../ground/backoff.ts';
import type { Clock, EpochMs, Randomness } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
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
  readonly refreshMs: number;
}

/** One rate source at one instant. Plain data. */
export interface RateHealth {
  readonly source: string;
  readonly quote: CurrencyCode;
  /** How the last attempt to read it ended: `ok`, or what was wrong, without a URL; `undefined` before the first. */
  readonly lastOutcome: string | undefined;
}

const dayMs = 86_400_000;
const fixingAgeDaysMax = 10;
const retryMinMs = 5_000;
/** A rate that is held is read again this soon: it may be corrected, or the operator takes it. */
const heldRetryMs = 30_000;
/** Far beyond any pair of real currencies: outside, a source is broken or has changed its unit. */
const plausible = { min: '0.000001', max: '1000000' } as const;

/**
 * Refreshes one conversion rate and validates each value. How long a rate stays valid is the market room's decision.
 */
export class RateKeeper extends Loop {
  readonly #options: RateKeeperOptions;
  readonly #backoff: Backoff;
  #lastOutcome: string | undefined;

  constructor(options: RateKeeperOptions) {
    super(options.clock);
    this.#options = options;
    const maxMs = Math.max(retryMinMs, options.refreshMs);
    this.#backoff = new Backoff(options.randomness, { minMs: retryMinMs, maxMs });
  }

  health(): RateHealth {
    const { source, quote } = this.#options;
    return { source: source.id, quote, lastOutcome: this.#lastOutcome };
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const { source, base, quote, sink, log, refreshMs } = this.#options;
    const rate = await source.load(signal);
    signal.throwIfAborted();
    const now = this.clock.now();
    judgeRate(rate, now);
    if ((this.#lastOutcome ?? 'ok') !== 'ok') log.info({ source: source.id }, 'the rate source works again');
    this.#lastOutcome = 'ok';
    this.#backoff.reset();
    const isTaken = sink.rateRefreshed({ ...rate, base, quote, source: source.id, refreshedAt: now });
    return isTaken ? refreshMs : Math.min(refreshMs, heldRetryMs);
  }

  protected override failed({ kind, message: detail, retryAfterMs = 0 }: UpstreamError): number {
    const { source, log, refreshMs } = this.#options;
    this.#lastOutcome = `${kind}: ${detail}`;
    log.warn({ source: source.id, kind, detail }, 'the conversion rate was not refreshed');
    return Math.max(Math.min(refreshMs, retryMinMs + this.#backoff.nextMs()), retryAfterMs);
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
