import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, toBig } from './decimal.ts';
import { areClose, reachOf } from './quote.ts';
import type { ConversionRate } from './upstream.ts';

/** Bounds beyond which a rate is doubted, in percent of the lower of two rates. */
export interface RateBounds {
  /** A rate within this of the one in force is taken, and two sources within it of each other agree. */
  readonly ratePercent: DecimalString;
  /** Beyond this neither time nor another fixing confirms a rate: only a second source or the operator does. */
  readonly rateCeilingPercent: DecimalString;
}

/**
 * Why a rate is held. `bound`: its next dated fixing confirms it, or an hour of equal readings where its source gives
 * no dates. `ceiling`: only a second source or the operator. `contradicted`: the same, where there is no rate yet and
 * the second source says another one.
 */
export const heldRateReasons = ['bound', 'ceiling', 'contradicted'] as const;
export type HeldRateReason = (typeof heldRateReasons)[number];

/** The readings that came instead of the rate in force. One that is not near the first begins a new level. */
export interface HeldRate {
  readonly reason: HeldRateReason;
  /** When something began to be held, whatever its level. */
  readonly since: EpochMs;
  readonly first: ConversionRate;
  readonly last: ConversionRate;
  /** The rate in force was never confirmed either: neither of the two may be used until one is. */
  readonly isContest?: boolean | undefined;
}

/** All that is believed of one rate. Plain data: it survives JSON, a restart and the way to other processes. */
export interface RateBelief {
  /** The one in force; it may have run out, and stays what others are compared with. */
  readonly inForce?: ConversionRate | undefined;
  /** Its source alone has said the one in force, and nothing was there to compare it with. */
  readonly isUnconfirmed?: boolean | undefined;
  /** The start of many small steps: a day's worth of them stays within the ceiling. */
  readonly anchor?: Pick<ConversionRate, 'mid' | 'refreshedAt'> | undefined;
  readonly held?: HeldRate | undefined;
  /** The first reading ever, and when it came first, while the second source has yet to be heard. */
  readonly awaiting?: { readonly rate: ConversionRate; readonly since: EpochMs } | undefined;
  /** The last reading of the second source. */
  readonly witness?: ConversionRate | undefined;
}

/**
 * How a reading was judged. Taken: `within` the bound of the one in force, by a `witness`, by its next `fixing`, after
 * an `hour`, as the `first`, or by the `operator`. Else `held`, refused as `older` than the one in force, or `awaiting`
 * the second source.
 */
export const rateOutcomes = [
  'within',
  'witness',
  'fixing',
  'hour',
  'first',
  'operator',
  'held',
  'older',
  'awaiting',
] as const;
export type RateOutcome = (typeof rateOutcomes)[number];

export interface RateJudgement {
  readonly belief: RateBelief;
  /** `undefined`: no reading of the source was judged. */
  readonly outcome: RateOutcome | undefined;
}

/** How a rate and the second source compare. */
export interface RateComparison {
  /** They may be compared: both are of one day, or the one without a date is recent enough. */
  readonly isOfOneTime: boolean;
  readonly isAgreed: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How long the first reading ever waits for the second source. */
export const rateAwaitsMs = 2_000;
/** How long readings of a source without dates must be equal. */
const confirmedAfterMs = hourMs;
/** Readings further apart than this are no hour of readings: that between them was not seen. */
const unseenMsMax = 5 * 60_000;
/** The banks have closed for longer at no Easter. */
const fixingAgeDaysMax = 5;

/**
 * What is believed of a rate. Pure: each call gives the next belief, and every instant is that of a reading. Never
 * changes a digit.
 */
export class RateLaw {
  readonly #bound: Big;
  readonly #ceiling: Big;

  constructor({ ratePercent, rateCeilingPercent }: RateBounds) {
    this.#bound = reachOf(ratePercent);
    this.#ceiling = reachOf(rateCeilingPercent);
  }

  /**
   * Judges a reading of the source.
   *
   * @param isWitnessExpected the second source was neither read nor tried in vain since the start
   */
  read(belief: RateBelief, reading: ConversionRate, isWitnessExpected = false): RateJudgement {
    const { inForce, held } = belief;
    if (inForce === undefined) return this.#readFirst(belief, reading, isWitnessExpected);
    if (isOlder(reading, inForce)) return { belief, outcome: 'older' };
    if (this.#isWitnessed(belief, reading)) return take(belief, reading, 'witness');
    const isWithin = areNear(reading, inForce, this.#bound) && !this.#hasDrifted(belief, reading);
    // Neither of two that contradict each other is confirmed by coming again.
    if (held?.isContest) return isWithin ? { belief, outcome: 'held' } : this.#hold(belief, reading, 'ceiling');
    if (isWithin) return take(belief, reading, 'within');
    if (held !== undefined && isOlder(reading, held.last)) return { belief, outcome: 'older' };
    const isBeyondCeiling = !areNear(reading, inForce, this.#ceiling) || this.#hasDrifted(belief, reading);
    if (isBeyondCeiling) return this.#hold(belief, reading, 'ceiling');
    const first = this.#firstOf(held, reading);
    const by = lastsBy(first, reading);
    if (by !== undefined && !contradicts(belief.witness, first, reading)) return take(belief, reading, by);
    return this.#hold(belief, reading, 'bound');
  }

  /** Takes a reading of the second source: what is held, or was never confirmed, is judged anew. */
  compared(belief: RateBelief, witness: ConversionRate): RateJudgement {
    const noted = this.noted(belief, witness);
    const { belief: next } = noted;
    if (next === belief) return noted;
    const { awaiting, held, inForce } = belief;
    const candidate = awaiting?.rate ?? held?.last;
    if (candidate !== undefined && this.#isWitnessed(next, candidate)) return take(next, candidate, 'witness');
    if (awaiting !== undefined) return this.read(next, awaiting.rate);
    if (inForce === undefined || !belief.isUnconfirmed) return noted;
    if (this.#isWitnessed(next, inForce)) return { belief: confirmed(next), outcome: undefined };
    if (!speaks(witness, inForce) || areNear(witness, inForce, this.#ceiling)) return noted;
    // It would not have been taken, had the second source been heard first.
    const nothing = { ...next, inForce: undefined, isUnconfirmed: undefined, anchor: undefined, held: undefined };
    return this.#hold(nothing, held?.last ?? inForce, 'contradicted');
  }

  /** Notes a reading of the second source, and judges nothing by it. */
  noted(belief: RateBelief, witness: ConversionRate): RateJudgement {
    const isNews = !isOlder(witness, belief.witness);
    return { belief: isNews ? { ...belief, witness } : belief, outcome: undefined };
  }

  /** The second source could not be read: what waited for it waits no longer. */
  unwitnessed(belief: RateBelief): RateJudgement {
    if (belief.awaiting === undefined) return { belief, outcome: undefined };
    return this.read(belief, belief.awaiting.rate);
  }

  /**
   * The operator takes what is held, or says that the one in force is right where nothing is.
   *
   * @param mid what the operator saw: another level than that is not taken
   */
  accepted(belief: RateBelief, mid?: DecimalString): RateJudgement {
    const { held, inForce, isUnconfirmed } = belief;
    const isMeant = (rate: ConversionRate) => mid === undefined || areNear(rate, { mid }, this.#bound);
    if (held !== undefined && isMeant(held.last)) return take(belief, held.last, 'operator');
    const isRight = held === undefined && inForce !== undefined && isUnconfirmed && isMeant(inForce);
    return { belief: isRight ? confirmed(belief) : belief, outcome: undefined };
  }

  /** The operator keeps the one in force: it is right, and what contradicts it is not. */
  kept(belief: RateBelief): RateJudgement {
    const { inForce, held, isUnconfirmed } = belief;
    const isKept = inForce === undefined || (held === undefined && !isUnconfirmed);
    return { belief: isKept ? belief : { ...confirmed(belief), held: undefined }, outcome: undefined };
  }

  /** Compares a rate with what the second source says; `undefined` where that says nothing. */
  comparison({ witness }: RateBelief, rate: ConversionRate, now: EpochMs): RateComparison | undefined {
    if (witness === undefined || !speaks(witness, { ...rate, refreshedAt: now })) return undefined;
    const isOfOneTime =
      witness.fixingDate === undefined || rate.fixingDate === undefined || witness.fixingDate === rate.fixingDate;
    return { isOfOneTime, isAgreed: areNear(witness, rate, this.#bound) };
  }

  #readFirst(belief: RateBelief, rate: ConversionRate, isWitnessExpected: boolean): RateJudgement {
    const { witness, held, awaiting } = belief;
    if (this.#isWitnessed(belief, rate)) return take(belief, rate, 'witness');
    // The silence of the second source later does not make it right.
    if (held !== undefined || speaks(witness, rate)) return this.#hold(belief, rate, 'contradicted');
    const { since } = awaiting ?? { since: rate.refreshedAt };
    const waitedMs = rate.refreshedAt - since;
    if (isWitnessExpected && waitedMs >= 0 && waitedMs < rateAwaitsMs)
      return { belief: { ...belief, awaiting: { rate, since } }, outcome: 'awaiting' };
    return take(belief, rate, 'first');
  }

  #isWitnessed({ witness }: RateBelief, rate: ConversionRate): boolean {
    return witness !== undefined && speaks(witness, rate) && areNear(witness, rate, this.#bound);
  }

  #hasDrifted({ anchor }: RateBelief, rate: ConversionRate): boolean {
    return anchor !== undefined && isOfDay(anchor, rate) && !areNear(anchor, rate, this.#ceiling);
  }

  /** The first reading of the level that this one is of: itself, where another level began. */
  #firstOf(held: HeldRate | undefined, rate: ConversionRate): ConversionRate {
    if (held === undefined || held.last.source !== rate.source) return rate;
    const sinceLastMs = rate.refreshedAt - held.last.refreshedAt;
    // A clock that was set back would make the wait endless.
    const isSeen = sinceLastMs >= 0 && (rate.fixingDate !== undefined || sinceLastMs <= unseenMsMax);
    return isSeen && areNear(rate, held.first, this.#bound) ? held.first : rate;
  }

  #hold(belief: RateBelief, last: ConversionRate, reason: HeldRateReason): RateJudgement {
    const before = belief.held;
    const first = this.#firstOf(before, last);
    const isContest = before?.isContest || (reason === 'ceiling' && belief.isUnconfirmed) || undefined;
    const held: HeldRate = { reason, since: before?.since ?? last.refreshedAt, first, last, isContest };
    return { belief: { ...belief, held, awaiting: undefined }, outcome: 'held' };
  }
}

function take(belief: RateBelief, inForce: ConversionRate, outcome: RateOutcome): RateJudgement {
  const { anchor, witness } = belief;
  const isProven = outcome === 'witness' || outcome === 'operator';
  const isUnconfirmed = outcome === 'first' || (!isProven && belief.isUnconfirmed) || undefined;
  const isOneOfMany = outcome === 'within' && anchor !== undefined && isOfDay(anchor, inForce);
  return { belief: { inForce, isUnconfirmed, anchor: isOneOfMany ? anchor : inForce, witness }, outcome };
}

/** The one in force is right. What is held against it stays held. */
function confirmed(belief: RateBelief): RateBelief {
  const held = belief.held && { ...belief.held, isContest: undefined };
  return { ...belief, isUnconfirmed: undefined, held };
}

function isOfDay(anchor: Pick<ConversionRate, 'refreshedAt'>, { refreshedAt }: ConversionRate): boolean {
  return refreshedAt >= anchor.refreshedAt && refreshedAt - anchor.refreshedAt < dayMs;
}

/** A document of an earlier fixing of the same source: from a cache, say. */
function isOlder(rate: ConversionRate, known: ConversionRate | undefined): boolean {
  if (rate.fixingDate === undefined || known?.fixingDate === undefined) return false;
  return rate.source === known.source && rate.fixingDate < known.fixingDate;
}

type Level = Pick<ConversionRate, 'mid'>;

function areNear(one: Level, other: Level, reach: Big): boolean {
  return areClose(toBig(one.mid), toBig(other.mid), reach);
}

/** By what the readings since the first of their level prove that it lasts. */
function lastsBy(first: ConversionRate, last: ConversionRate): 'fixing' | 'hour' | undefined {
  const isDated = first.fixingDate !== undefined && last.fixingDate !== undefined;
  if (isDated) return last.fixingDate! > first.fixingDate! ? 'fixing' : undefined;
  return last.refreshedAt - first.refreshedAt >= confirmedAfterMs ? 'hour' : undefined;
}

/** Whether a second source that does not agree has spoken since the level began. */
function contradicts(witness: ConversionRate | undefined, first: ConversionRate, last: ConversionRate): boolean {
  if (witness === undefined || !speaks(witness, last)) return false;
  if (witness.fixingDate !== undefined) return witness.fixingDate >= dayOf(first);
  return witness.refreshedAt >= first.refreshedAt;
}

/** Whether what the second source said last is still of the time of a reading. */
function speaks(witness: ConversionRate | undefined, rate: ConversionRate): boolean {
  if (witness === undefined) return false;
  const unreadMs = rate.refreshedAt - witness.refreshedAt;
  if (witness.fixingDate === undefined) return unreadMs <= hourMs;
  return unreadMs <= dayMs && Date.parse(dayOf(rate)) - Date.parse(witness.fixingDate) <= fixingAgeDaysMax * dayMs;
}

function dayOf({ fixingDate, refreshedAt }: ConversionRate): string {
  return fixingDate ?? new Date(refreshedAt).toISOString().slice(0, 10);
}
