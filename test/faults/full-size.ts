/** True in `npm run test:faults`: the sizes of the fault table itself, which take minutes. */
export const isFull = process.env.MDAPI_FAULTS === 'full';

/** The size to run at: a small one that takes about a second, or the full one. */
export function sized(small: number, full: number): number {
  return isFull ? full : small;
}

/** Seeds of random tests: fixed, so that a failure can be seen again, unless another one is asked for. */
export const seed = Number(process.env.TEST_SEED ?? 20_261_121);
