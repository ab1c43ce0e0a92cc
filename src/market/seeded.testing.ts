import type { TestContext } from 'node:test';
import fc from 'fast-check';

/** The seed of every random test. `TEST_SEED` sets another one, to search further or to repeat a failure. */
export const seed = Number(process.env.TEST_SEED ?? 20261121);

/** How many cases to run of `full`: all with `MDAPI_TEST_RUNS=full`, a fifth in the quick run. */
export function runsOf(full: number): number {
  return process.env.MDAPI_TEST_RUNS === 'full' ? full : Math.ceil(full / 5);
}

/** Checks a property over random cases, `numRuns` of them in a full run, `examples` (cases that failed once) first. */
export function check<Case>(
  t: TestContext,
  property: fc.IRawProperty<Case, false>,
  { numRuns: full, examples = [] }: { readonly numRuns: number; readonly examples?: Case[] },
): void {
  const numRuns = runsOf(full);
  t.diagnostic(`TEST_SEED=${seed}, ${numRuns} cases`);
  fc.assert(property as fc.IRawProperty<[Case], false>, { seed, numRuns, examples: examples as unknown as [Case][] });
}
