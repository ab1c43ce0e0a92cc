import type Big from 'big.js';
import { type DecimalString, toBig } from './decimal.ts';

/**
 * How the level of one source compares with those of the others. `alone`: no other speaks. `outvoted`: others that agree with one
 * another, and are more than those that agree with it, are elsewhere. `divided`: nobody agrees with it, or as many are elsewhere.
 */
export type Standing = 'alone' | 'agrees' | 'outvoted' | 'divided';

/** A source that speaks: what it says, and whether others are measured by it. */
export interface Voice {
  /** Bid plus ask. */
  readonly level: Big;
  /** Live: a price that is only polled is judged and is no witness. */
  readonly isWitness: boolean;
}

/** Two sources that differ by this many times less than a third one from both do not agree well enough to contradict it. */
const agreementFactor = 3;

/** Whether two levels lie within `percent` of the smaller one. */
export function areClose(one: Big, other: Big, percent: Big | DecimalString): boolean {
  const smaller = one.lt(other) ? one : other;
  return one.minus(other).abs().times(100).lte(smaller.times(percent));
}

/**
 * @param voices `undefined` for a source that does not speak
 * @param percent how far sources that agree are apart at most
 */
export function standingsOf(
  voices: readonly (Voice | undefined)[],
  percent: DecimalString,
): readonly (Standing | undefined)[] {
  const limit = toBig(percent);
  const witnesses = voices.filter((voice) => voice?.isWitness === true) as readonly Voice[];
  return voices.map((voice) => voice && standingOf(voice, witnesses, limit));
}

function standingOf(voice: Voice, witnesses: readonly Voice[], limit: Big): Standing {
  const others = witnesses.filter((witness) => witness !== voice);
  if (others.length === 0) return 'alone';
  const far = others.filter(({ level }) => !areClose(voice.level, level, limit));
  const supporters = 1 + others.length - far.length;
  if (far.length === 0) return 'agrees';
  const opponents = opponentsOf(voice, far, limit);
  if (opponents > supporters) return 'outvoted';
  return supporters === 1 || opponents === supporters ? 'divided' : 'agrees';
}

/** How many of `far` agree with another of them, closely enough to contradict `voice`. */
function opponentsOf(voice: Voice, far: readonly Voice[], limit: Big): number {
  return far.filter((one) => far.some((two) => one !== two && contradict(one.level, two.level, voice.level, limit)))
    .length;
}

function contradict(one: Big, two: Big, level: Big, limit: Big): boolean {
  if (!areClose(one, two, limit)) return false;
  const [low, high] = one.lt(two) ? [one, two] : [two, one];
  const nearest = level.lt(low) ? low.minus(level) : level.minus(high);
  return nearest.gte(high.minus(low).times(agreementFactor));
}
