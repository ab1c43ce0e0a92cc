import { fork } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Options } from './options.ts';

/** What is added up of each seed. */
export interface Tally {
  readonly seed: number;
  readonly days: number;
  /** Of the processor. */
  readonly seconds: number;
  readonly isWell: boolean;
  readonly faults: readonly string[];
  readonly checks: readonly (readonly [name: string, times: number])[];
}

const program = fileURLToPath(new URL('run.ts', import.meta.url));

/** Runs seeds in processes of their own, and prints each as it ends, and what all came to. @returns the exit code */
export async function runSideBySide(options: Options): Promise<number> {
  const startedNs = process.hrtime.bigint();
  const passedS = () => Number(process.hrtime.bigint() - startedNs) / 1e9;
  const tallies: Tally[] = [];
  const died: number[] = [];
  let next = options.seed;
  const work = async () => {
    while (next < options.seed + options.seeds && passedS() < options.minutes * 60) {
      const seed = next++;
      const { tally, printed } = await runOne(seed, options);
      process.stdout.write(printed);
      if (tally === undefined) died.push(seed);
      else tallies.push(tally);
    }
  };
  await Promise.all(Array.from({ length: options.sideBySide }, work));
  sum(tallies, died, passedS());
  return died.length === 0 && tallies.every(({ isWell }) => isWell) ? 0 : 1;
}

async function runOne(seed: number, { days, processes, shrink, only, former, notes, twice }: Options) {
  const args = [...['--seed', String(seed)], ...['--days', String(days)], ...['--shrink', String(shrink)]];
  if (processes !== undefined) args.push('--processes', String(processes));
  if (only !== undefined) args.push('--only', only);
  if (former !== undefined) args.push('--former', former);
  if (notes) args.push('--notes');
  if (twice) args.push('--twice');
  // Room for short-lived objects saves a tenth of the time.
  const child = fork(program, args, {
    execArgv: ['--max-semi-space-size=64'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let tally: Tally | undefined;
  child.on('message', (message) => {
    tally = message as Tally;
  });
  const printed = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { tally, printed: printed.join('') };
}

/** Prints what all seeds came to. */
function sum(tallies: readonly Tally[], died: readonly number[], passedS: number): void {
  const add = (counts: Map<string, number>, name: string, count: number) =>
    counts.set(name, (counts.get(name) ?? 0) + count);
  const [faults, checks] = [new Map<string, number>(), new Map<string, number>()];
  for (const tally of tallies) {
    for (const kind of tally.faults) add(faults, kind, 1);
    for (const [rule, count] of tally.checks) add(checks, rule, count);
  }
  const total = (of: (tally: Tally) => number) => tallies.reduce((sum, tally) => sum + of(tally), 0);
  const days = total((tally) => tally.days);
  const failed = [...died, ...tallies.filter(({ isWell }) => !isWell).map(({ seed }) => seed)];
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const perHour = ((days / passedS) * 3_600).toFixed(0);
  const ofProcessor = ((days / total((tally) => tally.seconds)) * 3_600).toFixed(0);
  process.stdout.write(
    `${tallies.length} seeds, ${days.toFixed(2)} days at ${perHour} an hour, ${ofProcessor} in an hour of one processor; failed: ${failed.join(', ') || 'none'}\nfaults: ${list(faults)}\nchecks: ${list(checks)}\n`,
  );
}
