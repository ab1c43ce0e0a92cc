import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PlannedFault } from './faults.ts';

/** A run that once found something, as a file. Its faults stay what they were, whatever a seed makes of other kinds of them. */
export interface KeptRun {
  readonly seed: number;
  readonly days: number;
  readonly processes: number;
  /** Where it is not the one that the seed gives. */
  readonly store?: 'postgres' | 'sqlite' | undefined;
  readonly found: string;
  readonly faults: readonly PlannedFault[];
}

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
  /** In the place of those that the seed gives. */
  readonly faults: readonly PlannedFault[] | undefined;
  /** The tree of another state of the service, which processes are upgraded from. */
  readonly former: string | undefined;
  readonly notes: boolean;
  readonly twice: boolean;
}

/** Those of one run, or of each that was kept. Throws on an option that there is not. */
export function optionsOf(args: readonly string[]): readonly [Options, ...Options[]] {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seed: text, seeds: text, days: text, processes: text, minutes: text, 'side-by-side': text, shrink: text },
      ...{ only: text, store: text, former: text, notes: flag, twice: flag },
      kept: { ...text, multiple: true },
    },
  });
  const number = (given: string | undefined, otherwise: number) => Number(given ?? otherwise);
  const optionsWith = (kept?: KeptRun): Options => {
    const { only, notes, twice, processes = kept?.processes, store = kept?.store, former } = values;
    if (store !== undefined && store !== 'postgres' && store !== 'sqlite')
      throw new Error('--store is postgres or sqlite');
    return {
      seed: number(values.seed, kept?.seed ?? 1),
      seeds: number(values.seeds, values.minutes === undefined ? 1 : 1e6),
      days: number(values.days, kept?.days ?? 1),
      processes: processes === undefined ? undefined : Number(processes),
      minutes: number(values.minutes, 1e6),
      sideBySide: number(values['side-by-side'], 2),
      shrink: number(values.shrink, 12),
      faults: kept?.faults,
      ...{ only, store, former, notes, twice },
    };
  };
  const [first, ...others] = values.kept?.map((file): KeptRun => JSON.parse(readFileSync(file, 'utf8'))) ?? [];
  return [optionsWith(first), ...others.map(optionsWith)];
}
