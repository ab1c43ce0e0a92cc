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

/** Gives the most that the higher of two levels is of the lower where they lie within `percent` of each other: 1.02 for 2. */
export function reachOf(percent: DecimalString): Big {
  return toBig(percent).times('0.01').plus(1);
}

/** Whether the higher of two levels, above zero, is at most `reach` times the lower. */
export function areClose(one: Big, other: Big, reach: Big): boolean {
  return one.lt(other) ? other.lte(one.times(reach)) : one.lte(other.times(reach));
}

/**
 * @param voices `undefined` for a source that does not speak
 * @param reach how far sources that agree are apart at most
 */
export function standingsOf(voices: readonly (Voice | undefined)[], reach: Big): readonly (Standing | undefined)[] {
  let witnesses = 0;
  let low: Big | undefined;
  let high: Big | undefined;
  for (const voice of voices) {
    if (voice === undefined) continue;
    const { level } = voice;
    if (voice.isWitness) witnesses++;
    if (low === undefined || level.lt(low)) low = level;
    if (high === undefined || level.gt(high)) high = level;
  }
  // Where the two furthest are close all are, which is nearly always, and one comparison instead of many.
  const areAllClose = low !== undefined && high !== undefined && areClose(low, high, reach);
  return voices.map((voice) => {
    if (voice === undefined) return undefined;
    if (witnesses === (voice.isWitness ? 1 : 0)) return 'alone';
    if (areAllClose) return 'agrees';
    const others = voices.filter((other) => other?.isWitness === true && other !== voice) as Voice[];
    return standingAmong(others, voice, reach);
  });
}

function standingAmong(others: readonly Voice[], voice: Voice, reach: Big): Standing {
  const far = others.filter(({ level }) => !areClose(voice.level, level, reach));
  const supporters = 1 + others.length - far.length;
  if (far.length === 0) return 'agrees';
  const opponents = opponentsOf(voice, far, reach);
  if (opponents > supporters) return 'outvoted';
  return supporters === 1 || opponents === supporters ? 'divided' : 'agrees';
}

/** How many of `far` agree with another of them, closely enough to contradict `voice`. */
function opponentsOf(voice: Voice, far: readonly Voice[], reach: Big): number {
  return far.filter((one) => far.some((two) => one !== two && contradict(one.level, two.level, voice.level, reach)))
    .length;
}

function contradict(one: Big, two: Big, level: Big, reach: Big): boolean {
  if (!areClose(one, two, reach)) return false;
  const [low, high] = one.lt(two) ? [one, two] : [two, one];
  const nearest = level.lt(low) ? low.minus(level) : level.minus(high);
  return nearest.gte(high.minus(low).times(agreementFactor));
}
