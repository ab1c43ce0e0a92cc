import type Big from 'big.js';
import { areClose } from './quote.ts';

/**
 * How what a source quotes compares with what its peers do. `alone`: there is no peer. `agrees`: with all of them, or
 * with most. `outvoted`: peers that agree with one another, and are more than those that agree with it, are elsewhere.
 * `split`: no peer agrees with it, or as many are elsewhere.
 */
export type Agreement = 'alone' | 'agrees' | 'outvoted' | 'split';

/** The quote of a source, as it is compared with those of others. */
export interface Compared {
  /** Bid plus ask. */
  readonly level: Big;
  /**
   * It is a peer of the others: it delivers live. A price that is only polled is compared, and nothing is compared
   * with it.
   */
  readonly isPeer: boolean;
}

export const peerDoubtReasons = ['contradicted', 'not_comparable'] as const;

/**
 * Why the quotes of its peers keep a source from making a price. `contradicted`: they are elsewhere, or it left its own
 * level and the other did not. `not_comparable`: it and the one in use never agreed; often two assets of one name.
 */
export type PeerDoubtReason = (typeof peerDoubtReasons)[number];

/** One source of a market, for {@link judgeDeviations}. */
export interface Deviating {
  readonly agreement: Agreement;
  readonly level: Big;
  /** Where it was when it last agreed with a peer, or was taken while none agreed with it. */
  readonly ownLevel: Big | undefined;
  /** Where it was when it last agreed closely: before a slow drift began, and not where that left the band. */
  readonly closeLevel: Big | undefined;
  /** It was contradicted before whoever did that went away. */
  readonly wasContradicted: boolean;
  /** The doubt of it so far. */
  readonly reason: PeerDoubtReason | undefined;
  /** Several others contradicted it. */
  readonly isOutvoted: boolean;
  /** It repeats itself. */
  readonly isStill: boolean;
  /** It changes all the time. */
  readonly isBusy: boolean;
}

/** The circumstances of a judgement. */
export interface Judging {
  /** The index of the source that makes the price. */
  readonly used: number | undefined;
  /** The level of the market's price, for a source that has none of its own; asked for only where it matters. */
  readonly reference: () => Big | undefined;
  /** Whether two sources, by their indexes, agreed within the last day. */
  readonly hasAgreed: (one: number, other: number) => boolean;
  /** How far sources that agree are apart at most, see `reachOf`. */
  readonly reach: Big;
}

/** Found by the comparison; without a reason nothing speaks against the source. */
export interface PeerVerdict {
  readonly agreement: Agreement;
  readonly reason: PeerDoubtReason | undefined;
  /** The one that contradicted it is found to be wrong. */
  readonly isCleared: boolean;
}

type Finding = PeerDoubtReason | 'cleared';

const none: ReadonlyMap<number, Finding> = new Map();

/**
 * Two sources that differ by this many times less than a third one from both do not agree well enough to contradict
 * it.
 */
const agreementFactor = 3;

/**
 * @param quotes `undefined` for a source that says nothing
 * @param reach how far sources that agree are apart at most, see `reachOf`
 */
export function agreementsOf(
  quotes: readonly (Compared | undefined)[],
  reach: Big,
): readonly (Agreement | undefined)[] {
  let peers = 0;
  let low: Big | undefined;
  let high: Big | undefined;
  for (const quote of quotes) {
    if (quote === undefined) continue;
    const { level } = quote;
    if (quote.isPeer) peers++;
    if (low === undefined || level.lt(low)) low = level;
    if (high === undefined || level.gt(high)) high = level;
  }
  // Where the two furthest are close all are, which is nearly always, and one comparison instead of many.
  const areAllClose = low !== undefined && high !== undefined && areClose(low, high, reach);
  return quotes.map((quote) => {
    if (quote === undefined) return undefined;
    if (peers === (quote.isPeer ? 1 : 0)) return 'alone';
    if (areAllClose) return 'agrees';
    const others = quotes.filter((other) => other?.isPeer === true && other !== quote) as Compared[];
    return agreementWith(others, quote, reach);
  });
}

function agreementWith(peers: readonly Compared[], quote: Compared, reach: Big): Agreement {
  const far = peers.filter(({ level }) => !areClose(quote.level, level, reach));
  const supporters = 1 + peers.length - far.length;
  if (far.length === 0) return 'agrees';
  const opponents = opponentsOf(quote, far, reach);
  if (opponents > supporters) return 'outvoted';
  return supporters === 1 || opponents === supporters ? 'split' : 'agrees';
}

/** How many of `far` agree with another of them, closely enough to contradict the quote. */
function opponentsOf({ level }: Compared, far: readonly Compared[], reach: Big): number {
  return far.filter((one) => far.some((two) => one !== two && contradict(one.level, two.level, level, reach))).length;
}

function contradict(one: Big, two: Big, level: Big, reach: Big): boolean {
  if (!areClose(one, two, reach)) return false;
  const [low, high] = one.lt(two) ? [one, two] : [two, one];
  const nearest = level.lt(low) ? low.minus(level) : level.minus(high);
  return nearest.gte(high.minus(low).times(agreementFactor));
}

/**
 * Finds what speaks against each source: its peers outvote it; or it is split from them and it is the one that
 * deviates from its own level, or stands still while they move; or they never agreed, and it is not the one that keeps
 * the price. A source that is contradicted stays so while it is apart.
 *
 * @param sources `undefined` for one that says nothing
 */
export function judgeDeviations(
  sources: readonly (Deviating | undefined)[],
  judging: Judging,
): readonly (PeerVerdict | undefined)[] {
  const isAnySplit = sources.some((source) => source?.agreement === 'split');
  const findings = isAnySplit ? findingsOf(new Split(sources, judging)) : none;
  return sources.map((source, index) => {
    if (source === undefined) return undefined;
    const { agreement, reason: before } = source;
    const finding = findings.get(index);
    if (finding === 'cleared') return { agreement, reason: undefined, isCleared: true };
    const staysContradicted = before === 'contradicted' && agreement === 'split';
    const reason = agreement === 'outvoted' || staysContradicted ? 'contradicted' : finding;
    return { agreement, reason, isCleared: false };
  });
}

/** The sources of a market where some may be split from their peers. */
class Split {
  readonly sources: readonly (Deviating | undefined)[];
  readonly judging: Judging;
  /**
   * The indexes of those that it is between. A source without a live peer is one side too: peers that are only polled
   * cannot speak against it. One that is contradicted is none, nor is one that is not comparable: the one in use is
   * judged as if those were not there.
   */
  readonly sides: readonly number[];

  constructor(sources: readonly (Deviating | undefined)[], judging: Judging) {
    this.sources = sources;
    this.judging = judging;
    const isApart = (agreement: Agreement) => agreement === 'split' || agreement === 'alone';
    this.sides = this.where(({ reason, agreement }) => reason === undefined && isApart(agreement));
  }

  where(holds: (source: Deviating, index: number) => boolean): readonly number[] {
    return [...this.sources.keys()].filter((index) => {
      const source = this.sources[index];
      return source !== undefined && holds(source, index);
    });
  }
}

function findingsOf(split: Split): ReadonlyMap<number, Finding> {
  const frozen = frozenIn(split);
  if (frozen.size > 0) return frozen;
  const apart = split.where(({ agreement, reason }) => agreement === 'split' && reason !== 'contradicted');
  if (apart.length === 0) return none;
  const { sources, judging, sides } = split;
  const deviating = deviatingIn(split);
  if (deviating !== undefined) {
    const isKnown = (index: number) =>
      sources[index]!.ownLevel !== undefined || sides.some((other) => judging.hasAgreed(index, other));
    const reasonOf = (index: number) => (isKnown(index) ? 'contradicted' : 'not_comparable');
    return new Map(apart.filter((index) => deviating.includes(index)).map((index) => [index, reasonOf(index)]));
  }
  const { used } = judging;
  const keepsPrice = used !== undefined && sides.includes(used) ? used : sides[0];
  const isStrange = (index: number) =>
    index !== keepsPrice && (keepsPrice === undefined || !judging.hasAgreed(index, keepsPrice));
  return new Map(apart.filter(isStrange).map((index) => [index, 'not_comparable']));
}

/**
 * Finds those that are still, and not steady: one that repeats itself, while another that it once agreed with, or
 * others that agree with one another, moved out of the band and go on moving. One against one the mover may have been
 * taken for the deviating one first.
 */
function frozenIn(split: Split): ReadonlyMap<number, Finding> {
  const { sources, judging, sides } = split;
  const { reach, hasAgreed } = judging;
  const findings = new Map<number, Finding>();
  for (const index of sides.filter((side) => sources[side]!.isStill)) {
    const isAway = (mover: number, from = index) => !areClose(sources[from]!.level, sources[mover]!.level, reach);
    const movers = split.where(isMover).filter((mover) => hasAgreed(index, mover) && isAway(mover));
    const isOneOfTwo = sides.every((side) => side === index || movers.includes(side));
    const areTogether = split.where(({ isBusy }) => isBusy).every((busy) => !isAway(busy, movers[0]));
    if (movers.length === 0 || !areTogether || (movers.length === 1 && !isOneOfTwo)) continue;
    findings.set(index, 'contradicted');
    for (const mover of movers) if (sources[mover]!.reason === 'contradicted') findings.set(mover, 'cleared');
  }
  return findings;
}

function isMover({ isBusy, agreement, reason, isOutvoted }: Deviating): boolean {
  if (!isBusy || agreement === 'outvoted' || isOutvoted) return false;
  return reason === undefined || (reason === 'contradicted' && agreement === 'split');
}

/**
 * Finds those sides that left their own level while the others stayed; `undefined` where that cannot be told. Where a
 * pair came apart slowly, each of them is near its own level: then it is the one that moved clearly further since the
 * two agreed closely.
 */
function deviatingIn({ sources, judging, sides }: Split): readonly number[] | undefined {
  const known = sides.filter((index) => sources[index]!.wasContradicted);
  if (known.length > 0 && known.length < sides.length) return known;
  const left = sides.filter((index) => hasLeft(sources[index]!, judging));
  if (left.length > 0 && left.length < sides.length) return left;
  const [one, other] = sides;
  if (sides.length !== 2 || !judging.hasAgreed(one!, other!)) return undefined;
  const [moved, otherMoved] = [moveOf(sources[one!]!), moveOf(sources[other!]!)];
  if (moved === undefined || otherMoved === undefined) return undefined;
  const leastMove = judging.reach.minus(1).times('0.5');
  const isFurther = (move: Big, than: Big) => move.gte(leastMove) && move.gte(than.times(agreementFactor));
  if (isFurther(moved, otherMoved)) return [one!];
  return isFurther(otherMoved, moved) ? [other!] : undefined;
}

function hasLeft({ level, ownLevel }: Deviating, { reference, reach }: Judging): boolean {
  const before = ownLevel ?? reference();
  return before !== undefined && !areClose(level, before, reach);
}

/** How far it is from where it last agreed closely, as a share. */
function moveOf({ level, closeLevel }: Deviating): Big | undefined {
  if (closeLevel === undefined) return undefined;
  const [low, high] = level.lt(closeLevel) ? [level, closeLevel] : [closeLevel, level];
  return high.div(low).minus(1);
}
