import type { TestContext } from 'node:test';
import fc from 'fast-check';

/** The seed of every random test. Another one comes from the environment, to search further or to repeat a failure. */
export const seed = Number(process.env.TEST_SEED ?? 20261121);

/** Checks a property over `numRuns` random cases, `examples` first (cases that failed once), and prints the seed. */
export function check<Case>(
  t: TestContext,
  property: fc.IRawProperty<Case, false>,
  { numRuns, examples = [] }: { readonly numRuns: number; readonly examples?: Case[] },
): void {
  t.diagnostic(`TEST_SEED=${seed}, ${numRuns} cases`);
  fc.assert(property as fc.IRawProperty<[Case], false>, { seed, numRuns, examples: examples as unknown as [Case][] });
}
