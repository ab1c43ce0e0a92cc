import type { Randomness } from '../src/ground/clock.ts';

/**
 * Repeatable randomness: the same seed repeats the market, so that a failure can be reproduced. A
 * 32-bit state is advanced by a fixed odd step and mixed by two multiplications.
 */
export function randomnessFromSeed(seed: number): Randomness {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix32(state) / 2 ** 32;
  };
  return { fraction, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256)) };
}

/** Mixes 32 bits so that neighbouring values become unrelated. Returns 0 to 2^32 − 1. */
export function mix32(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
