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

const hundred = toBig('100' as DecimalString);

/** Whether two levels lie within `percent` of the smaller one. */
export function areClose(one: Big, other: Big, percent: Big): boolean {
  const [low, high] = one.lt(other) ? [one, other] : [other, one];
  return high.minus(low).times(hundred).lte(low.times(percent));
}

/**
 * @param voices `undefined` for a source that does not speak
 * @param percent how far sources that agree are apart at most
 */
export function standingsOf(voices: readonly (Voice | undefined)[], percent: Big): readonly (Standing | undefined)[] {
  const said = voices.filter((voice) => voice !== undefined);
  const witnesses = said.filter(({ isWitness }) => isWitness);
  const levels = said.map(({ level }) => level);
  const low = levels.reduce((one, other) => (other.lt(one) ? other : one), levels[0]!);
  const high = levels.reduce((one, other) => (other.gt(one) ? other : one), levels[0]!);
  // Where the two furthest are close all are, which is nearly always, and one comparison instead of many.
  const areAllClose = said.length > 0 && areClose(low, high, percent);
  return voices.map((voice) => {
    if (voice === undefined) return undefined;
    const others = witnesses.filter((witness) => witness !== voice);
    if (others.length === 0) return 'alone';
    return areAllClose ? 'agrees' : standingAmong(others, voice, percent);
  });
}

function standingAmong(others: readonly Voice[], voice: Voice, limit: Big): Standing {
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
