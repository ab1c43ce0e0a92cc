import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { type DecimalString, inOneUnit, isAbove, isPositive, toBig } from './decimal.ts';
import { type Doubt, type DoubtReason, doubtedForMsMax } from './doubts.ts';
import { bandAround, isWithin, levelOf, type PriceBand, type Quote, reachOf } from './quote.ts';
import type { RateBounds } from './rate-law.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { FeedPath } from './upstream.ts';

/** Bounds beyond which a value is doubted. */
export interface GuardRules extends RateBounds {
  /** A middle price further than this from that of the last ten seconds is a jump. */
  readonly jumpPercent: DecimalString;
  /** Sources that quote one market further apart than this do not agree. */
  readonly disagreePercent: DecimalString;
  /**
   * A source that is alone is not taken at a price further than this above or below its last good one (100: double
   * and half).
   */
  readonly ceilingPercent: DecimalString;
  /** A spread below this share of the middle price is never held. */
  readonly spreadPercent: DecimalString;
  /** How long a level has to last, live and over REST, before it is taken. */
  readonly confirmAfterMs: number;
}

/** A ticker that passed the rules of acceptance, and how it came. */
export interface TickerOffer {
  readonly ticker: AcceptedTicker;
  readonly path: FeedPath;
  readonly at: EpochMs;
}

/** Both taken and held: this path has the good price while the other one repeats the held one. */
export interface Verdict {
  readonly isTaken: boolean;
  readonly doubt: Doubt | undefined;
}

/** Where nothing is judged. */
export const takeAll: Verdict = { isTaken: true, doubt: undefined };

/** Where a held value was seen. */
interface Observation {
  readonly path: FeedPath;
  readonly at: EpochMs;
  /** Bid plus ask. */
  readonly level: Big;
}

/** The level of the values that arrive instead of the good one. One that jumps again begins a new level. */
interface HeldLevel {
  readonly first: Observation;
  readonly last: Observation;
  /** Where this level was seen. */
  readonly paths: ReadonlySet<FeedPath>;
  readonly isAccepted: boolean;
}

/**
 * What the guard remembers of one source of a market to judge what comes next by: no price, and no doubt.
 */
export class Evidence {
  held: HeldLevel | undefined;
  spread: { readonly usual: bigint; readonly at: EpochMs } | undefined;
  /** Where no reason to doubt can be, and the last ticker there. */
  calm: { readonly band: PriceBand; last: AcceptedTicker } | undefined;

  /** The operator takes what is doubted now: the next value at its level is good. */
  accept(): void {
    if (this.held !== undefined) this.held = { ...this.held, isAccepted: true };
  }
}

/** A price may move further in a longer time: then only the 24-hour range says what is possible. */
const jumpWithinMs = 10_000;
/** A path that has not repeated its held price for this long no longer contradicts the good one of the other path. */
const contradictsForMs = 30_000;
const half = toBig('50' as DecimalString);
const hundred = toBig('100' as DecimalString);
const twoHundred = toBig('200' as DecimalString);
const unusualSpreadFactor = 5n;
/** Two sources agree within this part of what is a jump. */
const agreementShare = '0.25';
/** The usual spread moves towards the current one by this part a second. */
const spreadParts = 256n;
/**
 * Spreads are whole numbers of 10^-12: a division of decimals for each tick cost more than all the rest that the
 * guard does.
 */
const spreadUnits = 10n ** 12n;
const spreadEveryMs = 1_000;

function noCounts(): Record<DoubtReason, number> {
  return { jump: 0, range: 0, spread: 0, rate: 0, contradicted: 0, withdrawn: 0 };
}

/**
 * Holds values that are possible in form and improbable in fact until they prove themselves. Judges a source alone, in
 * the process that runs the feed, by what it is given, and never changes a digit. After a restart it compares with the
 * last good value.
 */
export class Guard {
  readonly #rules: GuardRules;
  readonly #jumpPercent: Big;
  readonly #spreadPercent: Big;
  readonly #bandReach: Big;
  readonly #counts = noCounts();

  constructor(rules: GuardRules) {
    this.#rules = rules;
    this.#jumpPercent = toBig(rules.jumpPercent);
    this.#spreadPercent = toBig(rules.spreadPercent);
    // At most double: then nothing within it is out of range either.
    const [narrowest] = [this.#jumpPercent, this.#spreadPercent, hundred].sort((one, other) => one.cmp(other));
    this.#bandReach = reachOf(narrowest!.toFixed() as DecimalString);
  }

  get rules(): GuardRules {
    return this.#rules;
  }

  /** Its peers began to contradict a source, it withdrew a price, or a rate began to be held. */
  began(reason: 'contradicted' | 'withdrawn' | 'rate'): void {
    this.#counts[reason]++;
  }

  /** How often something began to be held, by reason. */
  get counts(): Readonly<Record<DoubtReason, number>> {
    return this.#counts;
  }

  /**
   * @param evidence of this source of the market
   * @param previous the last good ticker
   * @param known what is held of this market so far, by another process too
   * @param elsewhere gives what other sources say now, held or not; one that agrees confirms it
   */
  judgeTicker(
    evidence: Evidence,
    { ticker, path, at }: TickerOffer,
    previous: AcceptedTicker | undefined,
    known: Doubt | undefined,
    elsewhere: () => Iterable<Quote> = () => [],
  ): Verdict {
    // A price that was withdrawn says nothing of the next one.
    if (known?.reason === 'withdrawn')
      return this.judgeTicker(evidence, { ticker, path, at }, undefined, undefined, elsewhere);
    const isComparable = known !== undefined || (previous && at - previous.capturedAt <= jumpWithinMs);
    const reason = this.#reasonToDoubt(evidence, ticker, previous, isComparable === true);
    if (reason === undefined) {
      noteSpread(evidence, ticker, at);
      return { isTaken: true, doubt: repeatedElsewhere(evidence, known, path, at) };
    }
    const begun = known ?? { reason, since: at, unpricedFrom: (at + doubtedForMsMax) as EpochMs };
    const doubt = { ...begun, values: [ticker.bid, ticker.ask] };
    const level = levelOf(ticker);
    const held = follow(evidence.held, { path, at, level }, this.#jumpPercent);
    const isLasting = held.paths.size === 2 && at - held.first.at >= this.#rules.confirmAfterMs;
    const isSettled = isLasting && !this.#isBeyondCeiling(level, previous);
    const isConfirmed =
      !isSpreadOver(toBig(ticker.bid), level, half) && (isSettled || this.#agrees(ticker, elsewhere()));
    if (!held.isAccepted && !isConfirmed) return this.#hold(evidence, held, doubt, known);
    evidence.spread = { usual: spreadOf(ticker), at };
    return release(evidence);
  }

  /** Time proves nothing this far from the last good price. */
  #isBeyondCeiling(level: Big, previous: AcceptedTicker | undefined): boolean {
    if (previous === undefined) return false;
    const before = levelOf(previous);
    const [low, high] = level.lt(before) ? [level, before] : [before, level];
    return high.minus(low).times(hundred).gt(low.times(this.#rules.ceilingPercent));
  }

  /** Whether one of them has about the same bid and the same ask. */
  #agrees({ bid, ask }: Quote, elsewhere: Iterable<Quote>): boolean {
    const percent = this.#jumpPercent.times(agreementShare);
    for (const other of elsewhere) {
      if (!isBeyond(toBig(bid), toBig(other.bid), percent) && !isBeyond(toBig(ask), toBig(other.ask), percent))
        return true;
    }
    return false;
  }

  #reasonToDoubt(
    evidence: Evidence,
    ticker: AcceptedTicker,
    previous: AcceptedTicker | undefined,
    isComparable: boolean,
  ): DoubtReason | undefined {
    const { calm } = evidence;
    if (calm !== undefined && calm.last === previous && isWithin(calm.band, ticker)) {
      calm.last = ticker;
      return undefined;
    }
    const bid = toBig(ticker.bid);
    const level = bid.plus(ticker.ask);
    if (previous !== undefined && isComparable) {
      const before = levelOf(previous);
      if (isBeyond(level, before, this.#jumpPercent)) return 'jump';
    }
    if (isOutOfRange(ticker, previous)) return 'range';
    if (!isSpreadOver(bid, level, this.#spreadPercent)) {
      evidence.calm = { band: bandAround(level, this.#bandReach), last: ticker };
      return undefined;
    }
    const usual = evidence.spread?.usual ?? (previous && spreadOf(previous));
    return usual !== undefined && spreadOf(ticker) > usual * unusualSpreadFactor ? 'spread' : undefined;
  }

  #hold(evidence: Evidence, held: HeldLevel, doubt: Doubt, known: Doubt | undefined): Verdict {
    if (known === undefined) this.#counts[doubt.reason]++;
    evidence.held = held;
    return { isTaken: false, doubt };
  }
}

/** The same level goes on, or a new one begins. */
function follow(before: HeldLevel | undefined, last: Observation, percent: Big): HeldLevel {
  // A clock that was set back would make the wait endless.
  const isLater = before !== undefined && last.at >= before.last.at;
  if (!isLater || isBeyond(last.level, before.last.level, percent))
    return { first: last, last, paths: new Set([last.path]), isAccepted: false };
  return { ...before, last, paths: new Set([...before.paths, last.path]) };
}

function release(evidence: Evidence): Verdict {
  evidence.held = undefined;
  return { isTaken: true, doubt: undefined };
}

/**
 * A good price ends the doubt, unless the other path repeats the held one: its level starts over, and the good price
 * is fresh.
 */
function repeatedElsewhere(
  evidence: Evidence,
  known: Doubt | undefined,
  path: FeedPath,
  at: EpochMs,
): Doubt | undefined {
  const { held } = evidence;
  if (held === undefined || known === undefined || held.last.path === path || at - held.last.at > contradictsForMs)
    return release(evidence).doubt;
  const first = { ...held.last, at };
  evidence.held = { ...held, first, paths: new Set([first.path]) };
  return { ...known, unpricedFrom: (at + doubtedForMsMax) as EpochMs };
}

function noteSpread(evidence: Evidence, ticker: AcceptedTicker, at: EpochMs): void {
  const before = evidence.spread;
  if (before !== undefined && at - before.at < spreadEveryMs && at >= before.at) return;
  const now = spreadOf(ticker);
  const usual = before === undefined ? now : before.usual + (now - before.usual) / spreadParts;
  evidence.spread = { usual, at };
}

/** The spread as a share of bid plus ask: half of what it is of the middle price. */
function spreadOf({ bid, ask }: Quote): bigint {
  const [low, high] = inOneUnit(bid, ask);
  return ((high - low) * spreadUnits) / (high + low);
}

/** Whether the spread is at least `percent` of the middle price. @param level bid plus ask */
function isSpreadOver(bid: Big, level: Big, percent: Big): boolean {
  return level.minus(bid.plus(bid)).times(twoHundred).gte(level.times(percent));
}

function isBeyond(value: Big, reference: Big, percent: Big): boolean {
  return value.minus(reference).abs().times(hundred).gt(reference.times(percent));
}

/**
 * Bid or ask outside half to double the range of 24 hours: that of the last good ticker, which its own prices widen.
 * The first ticker of a market is judged by its own range; a market without trades has none.
 */
function isOutOfRange(ticker: AcceptedTicker, previous: AcceptedTicker | undefined): boolean {
  const { low24h, high24h, bid, ask } = previous ?? ticker;
  if (!isPositive(low24h) || !isPositive(high24h)) return false;
  const lowest = previous !== undefined && isAbove(low24h, bid) ? bid : low24h;
  const highest = previous !== undefined && isAbove(ask, high24h) ? ask : high24h;
  const isInside = !isAbove(lowest, ticker.bid) && !isAbove(ticker.ask, highest);
  return !isInside && (toBig(ticker.bid).times(2).lt(lowest) || toBig(highest).times(2).lt(ticker.ask));
}

export const guardMetrics: MetricGroup<Pick<Guard, 'counts'>> = {
  title: 'Guard',
  metrics: [
    {
      name: 'doubts_total',
      formerly: 'guard_held_total',
      help: 'Times a price or a rate began to be doubted, by reason.',
      labels: ['reason'],
      read: ({ counts }) => counts,
    },
  ],
};
