import type Big from 'big.js';
import { areClose } from './quote.ts';

/**
 * How what a source quotes compares with what its peers do. `alone`: there is no peer. `agrees`: with all of them, or
 * with most.
 * `outvoted`: peers that agree with one another, and are more than those that agree with it, are elsewhere. `split`:
 * no peer agrees
 * with it, or as many are elsewhere.
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
 * Why the quotes of its peers keep a source from making a price. `contradicted`: they are elsewhere, or it left its
 * own level and the
 * other did not. `not_comparable`: it and the one in use never agreed; often two assets of one name.
 */
export type PeerDoubtReason = (typeof peerDoubtReasons)[number];

/** One source of a market, for {@link judgeDeviations}. */
export interface Deviating {
  readonly agreement: Agreement;
  readonly level: Big;
  /** Where it was when it last agreed with a peer, or was taken while none agreed with it. */
  readonly ownLevel: Big | undefined;
  /** The doubt of it so far. */
  readonly reason: PeerDoubtReason | undefined;
}

/** Found by the comparison; without a reason nothing speaks against it. */
export interface PeerVerdict {
  readonly agreement: Agreement;
  readonly reason: PeerDoubtReason | undefined;
}

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
 * deviates from its own
 * level; or nobody alone does, and it is not the one that keeps the price.
 *
 * @param sources `undefined` for one that says nothing
 * @param used the index of the source that makes the price
 * @param reference the level of the market's price, for a source that has none of its own; asked for only where it
 * matters
 */
export function judgeDeviations(
  sources: readonly (Deviating | undefined)[],
  used: number | undefined,
  reference: () => Big | undefined,
  reach: Big,
): readonly (PeerVerdict | undefined)[] {
  const reasons = reasonsOf(sources, used, reference, reach);
  return sources.map((source, index) => {
    if (source === undefined) return undefined;
    const { agreement, reason: before } = source;
    const deviates = reasons?.get(index);
    // It left its level and went on: it is not comparable only to those that it never agreed with.
    const isStillContradicted = deviates !== undefined && before === 'contradicted';
    const reason = agreement === 'outvoted' || isStillContradicted ? 'contradicted' : deviates;
    return { agreement, reason };
  });
}

/**
 * The reasons against sources that are split. A source without a live peer is one side of a split too: peers that are
 * only polled
 * cannot speak against it. One that is not comparable is no side: it says nothing of the one in use, which is judged
 * as if it were alone.
 */
function reasonsOf(
  sources: readonly (Deviating | undefined)[],
  used: number | undefined,
  reference: () => Big | undefined,
  reach: Big,
): ReadonlyMap<number, PeerDoubtReason> | undefined {
  const split = [...sources.keys()].filter((index) => sources[index]?.agreement === 'split');
  if (split.length === 0) return undefined;
  const sides = [...sources.keys()].filter((index) => isSide(sources[index]));
  const deviating = sides.filter((index) => deviates(sources[index]!, reference, reach));
  if (deviating.length > 0 && deviating.length < sides.length) {
    const reasonOf = (index: number) => (sources[index]!.ownLevel === undefined ? 'not_comparable' : 'contradicted');
    return new Map(split.filter((index) => deviating.includes(index)).map((index) => [index, reasonOf(index)]));
  }
  const keepsPrice = used !== undefined && sides.includes(used) ? used : sides[0];
  return new Map(split.filter((index) => index !== keepsPrice).map((index) => [index, 'not_comparable']));
}

function isSide(source: Deviating | undefined): boolean {
  if (source === undefined || source.reason === 'not_comparable') return false;
  return source.agreement === 'split' || source.agreement === 'alone';
}

function deviates({ level, ownLevel }: Deviating, reference: () => Big | undefined, reach: Big): boolean {
  const before = ownLevel ?? reference();
  return before !== undefined && !areClose(level, before, reach);
}
