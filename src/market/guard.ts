import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { type DecimalString, inOneUnit, isAbove, isPositive, toBig } from './decimal.ts';
import { bandAround, isWithin, levelOf, type PriceBand, type Quote } from './quote.ts';
import { reachOf } from './source-standing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, FeedPath } from './upstream.ts';

/** Bounds beyond which a value is doubted. */
export interface GuardRules {
  /** A middle price further than this from that of the last ten seconds is a jump. */
  readonly jumpPercent: DecimalString;
  /** Sources that quote one market further apart than this do not agree. */
  readonly disagreePercent: DecimalString;
  /** A source that is alone is not taken at a price further than this above or below its last good one (100: double and half). */
  readonly ceilingPercent: DecimalString;
  /** A spread below this share of the middle price is never held. */
  readonly spreadPercent: DecimalString;
  /** How far a rate may move under one fixing date. */
  readonly ratePercent: DecimalString;
  /** How long a level has to last, live and over REST, before it is taken. */
  readonly confirmAfterMs: number;
}

export const doubtReasons = ['jump', 'range', 'spread', 'rate', 'contradicted', 'withdrawn'] as const;

/** Why a value is held. The names are metric labels. */
export type DoubtReason = (typeof doubtReasons)[number];

/** An exchange market, or the quote currency of a rate. */
export type DoubtSubject = MarketSymbol | CurrencyCode;

/** A value that is possible in form and held all the same. Plain data. */
export interface Doubt {
  readonly reason: DoubtReason;
  readonly since: EpochMs;
  /** Bid and ask, or the rate, as they last arrived. */
  readonly values: readonly DecimalString[];
  /** When the last good price is too old to be served; `undefined` for a rate, which has its own validity. */
  readonly unpricedFrom: EpochMs | undefined;
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

/** Where a held value was seen. */
interface Observation {
  readonly path: FeedPath;
  readonly at: EpochMs;
  /** Bid plus ask, or the rate. */
  readonly level: Big;
  readonly fixing?: string;
}

/** The values that arrive instead of the good one. One that jumps again begins a new level. */
interface Suspect {
  readonly doubt: Doubt;
  readonly first: Observation;
  readonly last: Observation;
  /** Where this level was seen. */
  readonly paths: ReadonlySet<FeedPath>;
  readonly isAccepted: boolean;
}

/** A market that is held for longer has no price. */
export const doubtedForMsMax = 300_000;
/** A price may move further in a longer time: then only the 24-hour range says what is possible. */
const jumpWithinMs = 10_000;
/** A path that has not repeated its held price for this long no longer contradicts the good one of the other path. */
const contradictsForMs = 30_000;
const betweenFixingsPercent = toBig('10' as DecimalString);
const half = toBig('50' as DecimalString);
const hundred = toBig('100' as DecimalString);
const twoHundred = toBig('200' as DecimalString);
const unusualSpreadFactor = 5n;
/** Two sources agree within this part of what is a jump. */
const agreementShare = '0.25';
/** The usual spread moves towards the current one by this part a second. */
const spreadParts = 256n;
/** Spreads are whole numbers of 10^-12: a division of decimals for each tick cost more than all the rest that the guard does. */
const spreadUnits = 10n ** 12n;
const spreadEveryMs = 1_000;

function noCounts(): Record<DoubtReason, number> {
  return { jump: 0, range: 0, spread: 0, rate: 0, contradicted: 0, withdrawn: 0 };
}

/**
 * Holds values that are possible in form and improbable in fact until they prove themselves. Judges the source alone, in the
 * process that runs the feed, and never changes a digit. After a restart it compares with the last good value.
 */
export class Guard {
  readonly #rules: GuardRules;
  readonly #jumpPercent: Big;
  readonly #spreadPercent: Big;
  readonly #ratePercent: Big;
  readonly #suspects = new Map<DoubtSubject, Suspect>();
  readonly #spreads = new Map<MarketSymbol, { readonly usual: bigint; readonly at: EpochMs }>();
  /** Where no reason to doubt can be, and the last ticker there. */
  readonly #calm = new Map<MarketSymbol, { readonly band: PriceBand; last: AcceptedTicker }>();
  readonly #bandReach: Big;
  readonly #counts: Record<DoubtReason, number>;

  constructor(rules: GuardRules, counts = noCounts()) {
    this.#rules = rules;
    this.#jumpPercent = toBig(rules.jumpPercent);
    this.#spreadPercent = toBig(rules.spreadPercent);
    this.#ratePercent = toBig(rules.ratePercent);
    // At most double: then nothing within it is out of range either.
    const [narrowest] = [this.#jumpPercent, this.#spreadPercent, hundred].sort((one, other) => one.cmp(other));
    this.#bandReach = reachOf(narrowest!.toFixed() as DecimalString);
    this.#counts = counts;
  }

  /** A guard without anything held, which shares the counters. */
  forSource(): Guard {
    return new Guard(this.#rules, this.#counts);
  }

  get rules(): GuardRules {
    return this.#rules;
  }

  /** Others began to contradict a source, or it withdrew a price. */
  began(reason: 'contradicted' | 'withdrawn'): void {
    this.#counts[reason]++;
  }

  /** How often something began to be held, by reason. */
  get counts(): Readonly<Record<DoubtReason, number>> {
    return this.#counts;
  }

  /**
   * @param previous the last good ticker
   * @param known what is held of this market so far, by another process too
   * @param elsewhere gives what other sources say now, held or not; one that agrees confirms it
   */
  judgeTicker(
    symbol: MarketSymbol,
    { ticker, path, at }: TickerOffer,
    previous: AcceptedTicker | undefined,
    known: Doubt | undefined,
    elsewhere: () => Iterable<Quote> = () => [],
  ): Verdict {
    // A price that was withdrawn says nothing of the next one.
    if (known?.reason === 'withdrawn')
      return this.judgeTicker(symbol, { ticker, path, at }, undefined, undefined, elsewhere);
    const isComparable = known !== undefined || (previous && at - previous.capturedAt <= jumpWithinMs);
    const reason = this.#reasonToDoubt(symbol, ticker, previous, isComparable === true);
    if (reason === undefined) {
      this.#noteSpread(symbol, ticker, at);
      return { isTaken: true, doubt: this.#contradicted(symbol, path, at) };
    }
    const begun = known ?? { reason, since: at, unpricedFrom: (at + doubtedForMsMax) as EpochMs };
    const held = { ...begun, values: [ticker.bid, ticker.ask] };
    const level = levelOf(ticker);
    const suspect = this.#follow(symbol, held, { path, at, level }, this.#jumpPercent);
    const isLasting = suspect.paths.size === 2 && at - suspect.first.at >= this.#rules.confirmAfterMs;
    const isSettled = isLasting && !this.#isBeyondCeiling(level, previous);
    const isConfirmed =
      !isSpreadOver(toBig(ticker.bid), level, half) && (isSettled || this.#agrees(ticker, elsewhere()));
    if (!suspect.isAccepted && !isConfirmed) return this.#doubt(symbol, suspect, known);
    this.#spreads.set(symbol, { usual: spreadOf(ticker), at });
    return this.#release(symbol);
  }

  /** @param previous the last good rate, if it may still be used */
  judgeRate(rate: ConversionRate, previous: ConversionRate | undefined, known: Doubt | undefined): Verdict {
    const { quote, refreshedAt: at } = rate;
    const ratePercent = this.#ratePercent;
    const fixing = fixingOf(rate);
    const isWithinFixing = previous !== undefined && fixingOf(previous) === fixing;
    const limit = isWithinFixing || ratePercent.gt(betweenFixingsPercent) ? ratePercent : betweenFixingsPercent;
    const level = toBig(rate.mid);
    if (previous === undefined || !isBeyond(level, toBig(previous.mid), limit)) return this.#release(quote);
    const begun = known ?? { reason: 'rate' as const, since: at, unpricedFrom: undefined };
    const held = { ...begun, values: [rate.mid] };
    const suspect = this.#follow(quote, held, { path: 'fallback', at, level, fixing }, ratePercent);
    const isConfirmed = suspect.first.fixing !== fixing && !isWithinFixing;
    return suspect.isAccepted || isConfirmed ? this.#release(quote) : this.#doubt(quote, suspect, known);
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

  /** The operator takes what is doubted now: the next value at its level is good. */
  accept(subject: DoubtSubject): void {
    const suspect = this.#suspects.get(subject);
    if (suspect !== undefined) this.#suspects.set(subject, { ...suspect, isAccepted: true });
  }

  #reasonToDoubt(
    symbol: MarketSymbol,
    ticker: AcceptedTicker,
    previous: AcceptedTicker | undefined,
    isComparable: boolean,
  ): DoubtReason | undefined {
    const calm = this.#calm.get(symbol);
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
      this.#calm.set(symbol, { band: bandAround(level, this.#bandReach), last: ticker });
      return undefined;
    }
    const usual = this.#spreads.get(symbol)?.usual ?? (previous && spreadOf(previous));
    return usual !== undefined && spreadOf(ticker) > usual * unusualSpreadFactor ? 'spread' : undefined;
  }

  /** The same level goes on, or a new one begins. */
  #follow(subject: DoubtSubject, doubt: Doubt, last: Observation, percent: Big): Suspect {
    const before = this.#suspects.get(subject);
    // A clock that was set back would make the wait endless.
    const isLater = before !== undefined && last.at >= before.last.at;
    if (!isLater || isBeyond(last.level, before.last.level, percent))
      return { doubt, first: last, last, paths: new Set([last.path]), isAccepted: false };
    return { ...before, doubt, last, paths: new Set([...before.paths, last.path]) };
  }

  #doubt(subject: DoubtSubject, suspect: Suspect, known: Doubt | undefined): Verdict {
    if (known === undefined) this.#counts[suspect.doubt.reason]++;
    this.#suspects.set(subject, suspect);
    return { isTaken: false, doubt: suspect.doubt };
  }

  #release(subject: DoubtSubject): Verdict {
    this.#suspects.delete(subject);
    return { isTaken: true, doubt: undefined };
  }

  /** A good price ends the hold, unless the other path repeats the held one: its level starts over, and the good price is fresh. */
  #contradicted(symbol: MarketSymbol, path: FeedPath, at: EpochMs): Doubt | undefined {
    const suspect = this.#suspects.get(symbol);
    if (suspect === undefined || suspect.last.path === path || at - suspect.last.at > contradictsForMs) {
      return this.#release(symbol).doubt;
    }
    const held = { ...suspect.doubt, unpricedFrom: (at + doubtedForMsMax) as EpochMs };
    const first = { ...suspect.last, at };
    this.#suspects.set(symbol, { ...suspect, doubt: held, first, paths: new Set([first.path]) });
    return held;
  }

  #noteSpread(symbol: MarketSymbol, ticker: AcceptedTicker, at: EpochMs): void {
    const before = this.#spreads.get(symbol);
    if (before !== undefined && at - before.at < spreadEveryMs && at >= before.at) return;
    const now = spreadOf(ticker);
    const usual = before === undefined ? now : before.usual + (now - before.usual) / spreadParts;
    this.#spreads.set(symbol, { usual, at });
  }
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
 * Bid or ask outside half to double the range of 24 hours: that of the last good ticker, which its own prices widen. The
 * first ticker of a market is judged by its own range; a market without trades has none.
 */
function isOutOfRange(ticker: AcceptedTicker, previous: AcceptedTicker | undefined): boolean {
  const { low24h, high24h, bid, ask } = previous ?? ticker;
  if (!isPositive(low24h) || !isPositive(high24h)) return false;
  const lowest = previous !== undefined && isAbove(low24h, bid) ? bid : low24h;
  const highest = previous !== undefined && isAbove(ask, high24h) ? ask : high24h;
  const isInside = !isAbove(lowest, ticker.bid) && !isAbove(ticker.ask, highest);
  return !isInside && (toBig(ticker.bid).times(2).lt(lowest) || toBig(highest).times(2).lt(ticker.ask));
}

/** A rate without a fixing date counts as fixed on the day it was read. */
function fixingOf({ fixingDate, refreshedAt }: ConversionRate): string {
  return fixingDate ?? new Date(refreshedAt).toISOString().slice(0, 10);
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
