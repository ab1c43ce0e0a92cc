import type { Clock, EpochMs } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { DecimalString } from '../market/decimal.ts';
import { minuteOf, noReferences, ofReferences, referenceInstants } from '../market/reference-prices.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ReferencePrices } from '../market/upstream.ts';

/** The middle of bid and ask of each market whose price a source made at an instant. */
type Middles = ReadonlyMap<MarketSymbol, DecimalString>;

/** Asks the record for them; `undefined` where there is none to read. */
export type RecordLookup = (source: string, at: EpochMs) => Promise<Middles | undefined>;

interface RecordedReferencesParts {
  readonly source: string;
  readonly ask: RecordLookup;
  readonly clock: Clock;
  readonly log: Log;
}

/** In place of the answer when asking failed. */
const unanswered: Middles = new Map();
/** Older answers are not used. */
const lagMaxMs = 2 * 60_000;
/** A record that takes longer is not waited for. */
const waitMaxMs = 30_000;

/**
 * The prices of 1 hour, 24 hours and 7 days ago of a source without candles, from the record. Each minute it asks for
 * all markets at once: one question for the hour, and once an hour one each for the others, one after the other.
 */
export class RecordedReferences {
  readonly #parts: RecordedReferencesParts;
  /** By the instant asked about. */
  #answers: ReadonlyMap<EpochMs, Middles> = new Map();
  /** The minute that they are for; `undefined` where there is no record to read. */
  #minute: EpochMs | undefined;
  #askedMinute: EpochMs | undefined;
  /** Since when an answer is awaited, by the monotonic clock. */
  #askedAtMs: number | undefined;
  #hasFailed = false;

  constructor(parts: RecordedReferencesParts) {
    this.#parts = parts;
  }

  /** Asks for what the current minute needs, once. Returns whether there is nothing to wait for. */
  update(now: EpochMs): boolean {
    const minute = minuteOf(now);
    if (this.#askedAtMs === undefined && this.#askedMinute !== minute) {
      this.#askedMinute = minute;
      this.#askedAtMs = this.#parts.clock.monotonicMs();
      void this.#ask(minute);
    }
    return this.#askedAtMs === undefined || this.#parts.clock.monotonicMs() - this.#askedAtMs > waitMaxMs;
  }

  /** `undefined` where there is no record to read. */
  of(symbol: MarketSymbol, now: EpochMs): ReferencePrices | undefined {
    const minute = this.#minute;
    if (minute === undefined) return undefined;
    if (Math.abs(now - minute) > lagMaxMs) return noReferences;
    const instants = referenceInstants(minute);
    const prices = ofReferences((name) => this.#answers.get(instants[name])?.get(symbol));
    const isAny = Object.values(prices).some((price) => price !== undefined);
    return isAny ? { ...prices, recordedFor: minute } : noReferences;
  }

  async #ask(minute: EpochMs): Promise<void> {
    const answers = new Map<EpochMs, Middles>();
    let hasRecord = true;
    for (const at of Object.values(referenceInstants(minute))) {
      const middles = this.#answers.get(at) ?? (await this.#answer(at));
      hasRecord &&= middles !== undefined;
      if (middles !== undefined && middles !== unanswered) answers.set(at, middles);
    }
    this.#answers = answers;
    this.#minute = hasRecord ? minute : undefined;
    this.#askedAtMs = undefined;
  }

  /** Never rejects: what cannot be read is asked for again in the next minute. */
  async #answer(at: EpochMs): Promise<Middles | undefined> {
    const { ask, source, log } = this.#parts;
    try {
      const middles = await ask(source, at);
      this.#hasFailed = false;
      return middles;
    } catch (error) {
      if (!this.#hasFailed) log.warn({ err: error }, 'the record cannot be asked for the prices of the past');
      this.#hasFailed = true;
      return unanswered;
    }
  }
}
