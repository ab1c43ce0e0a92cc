import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { MarketSource } from './market-source.ts';
import { areClose } from './quote.ts';

/** Pairs of sources of a market that agreed, by their ids, and when they last did. */
export type AgreedPairs = readonly (readonly [one: string, other: string, at: EpochMs])[];

/** Sources that agreed within this time are not two assets of one name. */
const agreedForMs = 86_400_000;
/** The level of a close agreement says where a slow drift began, for this time. */
const closeForMs = 3_600_000;

/**
 * Notes which sources agree now, and where they do so closely.
 *
 * @param reach how far sources that agree are apart at most
 * @param closeReach the same of those that agree closely
 */
export function noteAgreements(sources: readonly MarketSource[], reach: Big, closeReach: Big, now: EpochMs): void {
  for (const [index, one] of sources.entries()) {
    for (const other of sources.slice(index + 1)) {
      const [level, otherLevel] = [one.quote?.level, other.quote?.level];
      if (level === undefined || otherLevel === undefined || !areClose(level, otherLevel, reach)) continue;
      remember(one, other, now);
      if (!areClose(level, otherLevel, closeReach)) continue;
      for (const { comparison, quote } of [one, other]) {
        comparison.closeLevel = quote!.level;
        comparison.closeAt = now;
      }
    }
  }
}

function remember(one: MarketSource, other: MarketSource, at: EpochMs): void {
  one.comparison.agreedAt.set(other, at);
  other.comparison.agreedAt.set(one, at);
}

/** Whether two sources agreed within the last day. */
export function hasAgreed(one: MarketSource, other: MarketSource, now: EpochMs): boolean {
  const at = one.comparison.agreedAt.get(other);
  return at !== undefined && now - at <= agreedForMs;
}

/** Gives where a source was when it last agreed closely, as long as that says anything. */
export function closeLevelOf({ comparison }: MarketSource, now: EpochMs): Big | undefined {
  const { closeLevel, closeAt } = comparison;
  return closeAt !== undefined && now - closeAt <= closeForMs ? closeLevel : undefined;
}

/** Gives all pairs that ever agreed, for a restart. */
export function agreedPairs(sources: readonly MarketSource[]): AgreedPairs {
  return sources.flatMap((one, index) =>
    sources.slice(index + 1).flatMap((other): AgreedPairs => {
      const at = one.comparison.agreedAt.get(other);
      return at === undefined ? [] : [[one.id, other.id, at]];
    }),
  );
}

/** Takes over pairs that agreed before a restart, or in another process, unless they did so later here. */
export function restoreAgreedPairs(sources: readonly MarketSource[], pairs: AgreedPairs): void {
  for (const [id, otherId, at] of pairs) {
    const [one, other] = [id, otherId].map((each) => sources.find((source) => source.id === each));
    if (one === undefined || other === undefined || one === other) continue;
    if (at > (one.comparison.agreedAt.get(other) ?? 0)) remember(one, other, at);
  }
}
