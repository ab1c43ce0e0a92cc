/**
 * `full` in `npm run test:faults`: the sizes of the fault table itself, about 20 minutes. `tenth` in CI. Else small.
 */
const size = process.env.MDAPI_FAULTS;

/** True at the sizes of the fault table itself. */
export const isFull = size === 'full';

/** The size to run at: a small one that takes about a second, the full one, or for CI a tenth of that. */
export function sized(small: number, full: number): number {
  if (isFull) return full;
  return size === 'tenth' ? Math.max(small, Math.ceil(full / 10)) : small;
}

/** Seeds of random tests: fixed, so that a failure can be seen again, unless another one is asked for. */
export const seed = Number(process.env.TEST_SEED ?? 20_261_121);
