import { parseArgs } from 'node:util';

export interface Options {
  readonly seed: number;
  readonly seeds: number;
  readonly days: number;
  /** As the seed says where it is absent. */
  readonly processes: number | undefined;
  /** No seed begins after them. */
  readonly minutes: number;
  /** Seeds that run at once. */
  readonly sideBySide: number;
  /** Runs that make a failure smaller. */
  readonly shrink: number;
  /** A pattern: faults of no other kind. */
  readonly only: string | undefined;
  /** In the place of the one that the seed gives. */
  readonly store: 'postgres' | 'sqlite' | undefined;
  /** The tree of another state of the service, which processes are upgraded from. */
  readonly former: string | undefined;
  readonly notes: boolean;
  readonly twice: boolean;
}

/** Throws on an option that there is not. */
export function optionsOf(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seed: text, seeds: text, days: text, processes: text, minutes: text, 'side-by-side': text, shrink: text },
      ...{ only: text, store: text, former: text, notes: flag, twice: flag },
    },
  });
  const number = (given: string | undefined, otherwise: number) => Number(given ?? otherwise);
  const { only, notes, twice, processes, store, former } = values;
  if (store !== undefined && store !== 'postgres' && store !== 'sqlite')
    throw new Error('--store is postgres or sqlite');
  return {
    seed: number(values.seed, 1),
    seeds: number(values.seeds, values.minutes === undefined ? 1 : 1e6),
    days: number(values.days, 1),
    processes: processes === undefined ? undefined : Number(processes),
    minutes: number(values.minutes, 1e6),
    sideBySide: number(values['side-by-side'], 2),
    shrink: number(values.shrink, 12),
    ...{ only, store, former, notes, twice },
  };
}
