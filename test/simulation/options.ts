import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PlannedFault } from './faults.ts';

/**
 * A run that once found something, as a file. Its faults stay what they were, whatever a seed makes of other kinds of
 * them.
 */
export interface KeptRun {
  readonly seed: number;
  readonly days: number;
  readonly processes: number;
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
  /** In the place of those that the seed gives. */
  readonly faults: readonly PlannedFault[] | undefined;
  /** The tree of another state of the service, which processes are upgraded from. */
  readonly former: string | undefined;
  readonly notes: boolean;
  readonly twice: boolean;
}

const usage =
  '--seed N, --seeds N, --minutes M, --side-by-side N, --days D, --processes P, --only PATTERN, --shrink N, --kept FILE, --former DIR, --notes, --twice';

/** Those of one run, or of each that was kept. Throws one clear line where the command line is wrong. */
export function optionsOf(args: readonly string[]): readonly [Options, ...Options[]] {
  const values = valuesIn(args);
  const { minutes, only, former, notes, twice } = values;
  if (only !== undefined) checkPattern(only);
  const whole = (name: 'seed' | 'seeds' | 'processes' | 'side-by-side' | 'shrink', from: number) =>
    numberOf(name, values[name], `a whole number from ${from}`, (n) => Number.isSafeInteger(n) && n >= from);
  const positive = (name: 'days' | 'minutes') =>
    numberOf(name, values[name], 'a number above 0', (n) => Number.isFinite(n) && n > 0);
  const optionsWith = (kept?: KeptRun): Options => ({
    seed: whole('seed', 0) ?? kept?.seed ?? 1,
    seeds: whole('seeds', 1) ?? (minutes === undefined ? 1 : 1e6),
    days: positive('days') ?? kept?.days ?? 1,
    processes: whole('processes', 1) ?? kept?.processes,
    minutes: positive('minutes') ?? 1e6,
    sideBySide: whole('side-by-side', 1) ?? 2,
    shrink: whole('shrink', 0) ?? 12,
    faults: kept?.faults,
    only,
    former,
    notes,
    twice,
  });
  const [first, ...others] = values.kept?.map(keptIn) ?? [];
  return [optionsWith(first), ...others.map(optionsWith)];
}

function valuesIn(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: text,
        seeds: text,
        days: text,
        processes: text,
        minutes: text,
        'side-by-side': text,
        shrink: text,
        only: text,
        former: text,
        notes: flag,
        twice: flag,
        kept: { ...text, multiple: true },
      },
    }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message} (it takes ${usage})`);
  }
}

function numberOf(
  name: string,
  text: string | undefined,
  kind: string,
  isRight: (value: number) => boolean,
): number | undefined {
  if (text === undefined) return;
  if (text.trim() !== '' && isRight(Number(text))) return Number(text);
  throw new Error(`--${name} takes ${kind}, not "${text}"`);
}

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch {
    throw new Error(`--only takes a regular expression, not "${pattern}"`);
  }
}

function keptIn(file: string): KeptRun {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`--kept: ${file} cannot be read: ${(error as Error).message}`);
  }
}
