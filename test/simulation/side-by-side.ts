import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Options } from './options.ts';
import type { Print, Tally } from './tally.ts';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

/** What a process sends of each seed that it was sent. */
interface Answer {
  readonly tally: Tally;
  readonly printed: string;
}

/** A process ends after so many days: what its worlds loaded stays loaded. */
const daysOfProcess = 0.5;

/** Runs the seeds that the process above sends, until that sends none. */
export async function answerSeeds(run: (seed: number, print: Print) => Promise<Tally>): Promise<void> {
  const ended = once(process, 'disconnect');
  process.on('message', async (seed: number) => {
    let printed = '';
    const tally = await run(seed, (text) => {
      printed += text;
    });
    process.send!({ tally, printed } satisfies Answer);
  });
  await ended;
}

/** Runs seeds side by side, and prints each as it ends, and what all came to. @returns the exit code */
export async function runSideBySide(options: Options, print: Print): Promise<number> {
  const startedNs = process.hrtime.bigint();
  const passedS = () => Number(process.hrtime.bigint() - startedNs) / 1e9;
  const tallies: Tally[] = [];
  const died: number[] = [];
  let next = options.seed;
  const work = async () => {
    let runner: Runner | undefined;
    while (next < options.seed + options.seeds && passedS() < options.minutes * 60) {
      const seed = next++;
      runner ??= new Runner(options);
      const answer = await runner.run(seed);
      print(answer?.printed ?? (await runner.words));
      if (answer === undefined) died.push(seed);
      else tallies.push(answer.tally);
      if (answer !== undefined && runner.days < daysOfProcess) continue;
      runner.end();
      runner = undefined;
    }
    runner?.end();
  };
  await Promise.all(Array.from({ length: options.sideBySide }, work));
  sum(tallies, died, passedS(), print);
  return died.length === 0 && tallies.every(({ isWell }) => isWell) ? 0 : 1;
}

/** A process that runs seeds, one after the other. */
class Runner {
  readonly #child: ChildProcess;
  /** What it wrote itself, once it has ended. */
  readonly words: Promise<string>;
  days = 0;

  constructor({ days, processes, shrink, only, former, notes, twice }: Options) {
    const args = ['--days', String(days), '--shrink', String(shrink)];
    if (processes !== undefined) args.push('--processes', String(processes));
    if (only !== undefined) args.push('--only', only);
    if (former !== undefined) args.push('--former', former);
    if (notes) args.push('--notes');
    if (twice) args.push('--twice');
    // Room for short-lived objects saves a tenth of the time.
    this.#child = fork(program, args, {
      execArgv: ['--max-semi-space-size=64'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const { stdout, stderr } = this.#child;
    this.words = Promise.all([text(stdout!), text(stderr!)]).then((words) => words.join(''));
  }

  /** @returns `undefined` where the process ended meanwhile */
  async run(seed: number): Promise<Answer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const died = () => resolve(undefined);
    this.#child.once('message', resolve);
    this.#child.once('exit', died);
    this.#child.send(seed);
    const answer = await promise;
    this.#child.off('message', resolve);
    this.#child.off('exit', died);
    this.days += answer?.tally.days ?? 0;
    return answer;
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** Prints what all seeds came to. */
function sum(tallies: readonly Tally[], died: readonly number[], passedS: number, print: Print): void {
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
  print(
    `${tallies.length} seeds, ${days.toFixed(2)} days at ${perHour} an hour, ${ofProcessor} in an hour of one processor; failed: ${failed.join(', ') || 'none'}\nfaults: ${list(faults)}\nchecks: ${list(checks)}\n`,
  );
}
