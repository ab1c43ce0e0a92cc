import type { Clock, EpochMs } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DecimalString } from '../market/decimal.ts';
import {
  minuteOf,
  noReferences,
  type OfReferences,
  ofReferences,
  referenceInstants,
  referenceNames,
} from '../market/reference-prices.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ReferencePrices } from '../market/upstream.ts';

/** The middle of bid and ask of each market whose price a source made at an instant. */
type Middles = ReadonlyMap<MarketSymbol, DecimalString>;

/** Asks the record for them; `undefined` where there is none to read. */
export type AskRecord = (source: string, at: EpochMs) => Promise<Middles | undefined>;

interface RecordedReferencesParts {
  readonly source: string;
  readonly ask: AskRecord;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the record said, and of which instant; `undefined` where it could not be asked. */
interface Answer {
  readonly at: EpochMs | undefined;
  readonly middles: Middles;
}

interface Known {
  readonly minute: EpochMs;
  readonly answers: OfReferences<Answer>;
}

/** Answers of an earlier minute than this are not said any more. */
const lagMaxMs = 2 * 60_000;
/** A record that takes longer is not waited for. */
const waitMaxMs = 30_000;

/**
 * The prices of 1 hour, 24 hours and 7 days ago of a source without candles, from the record. Each minute it asks for all
 * markets at once: one question for the hour, and once an hour one each for the others, one after the other.
 */
export class RecordedReferences {
  readonly #parts: RecordedReferencesParts;
  #known: Known | undefined;
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
    if (this.#known === undefined) return undefined;
    const { minute, answers } = this.#known;
    if (Math.abs(now - minute) > lagMaxMs) return noReferences;
    const prices = ofReferences((name) => answers[name].middles.get(symbol));
    const isAny = Object.values(prices).some((price) => price !== undefined);
    return isAny ? { ...prices, recordedFor: minute } : noReferences;
  }

  async #ask(minute: EpochMs): Promise<void> {
    const instants = referenceInstants(minute);
    const answers = new Map<string, Answer | undefined>();
    for (const name of referenceNames) {
      const known = this.#known?.answers[name];
      answers.set(name, known?.at === instants[name] ? known : await this.#answer(instants[name]));
    }
    const isRead = [...answers.values()].every((answer) => answer !== undefined);
    this.#known = isRead ? { minute, answers: ofReferences((name) => answers.get(name)!) } : undefined;
    this.#askedAtMs = undefined;
  }

  /** Never rejects: what cannot be read is asked for again in the next minute, and not said until then. */
  async #answer(at: EpochMs): Promise<Answer | undefined> {
    const { ask, source, log } = this.#parts;
    try {
      const middles = await ask(source, at);
      this.#hasFailed = false;
      return middles && { at, middles };
    } catch (error) {
      if (!this.#hasFailed) log.warn({ err: error }, 'the record cannot be asked for the prices of the past');
      this.#hasFailed = true;
      return { at: undefined, middles: new Map() };
    }
  }
}
