import { parseArgs } from 'node:util';
import { Simulation } from './simulation.ts';

const dayMs = 86_400_000;

/** Runs a seed as the command line says. @returns the exit code */
export async function simulate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seed: { type: 'string' }, days: { type: 'string' }, processes: { type: 'string' } },
      ...{ notes: { type: 'boolean' }, twice: { type: 'boolean' } },
    } as const,
  });
  const { seed = '1', days = '2', processes = '3', notes = false, twice = false } = values;
  const options = { seed: Number(seed), processes: Number(processes), forMs: Number(days) * dayMs };
  const first = await runSeed(options, notes);
  if (!twice) return first.isWell ? 0 : 1;
  const second = await runSeed(options, notes);
  const isSame = first.trace === second.trace;
  say(isSame ? 'both runs are the same' : 'the runs differ');
  return isSame && first.isWell ? 0 : 1;
}

async function runSeed(
  { forMs, ...options }: { readonly seed: number; readonly processes: number; readonly forMs: number },
  notes: boolean,
) {
  const startedMs = process.hrtime.bigint();
  const simulation = new Simulation(options);
  await simulation.begin();
  await simulation.run(forMs);
  const trace = await simulation.end();
  const seconds = Number(process.hrtime.bigint() - startedMs) / 1e9;
  const { world } = simulation;
  if (notes) for (const { atMs, who, text } of world.notes) say(`${(atMs / 1000).toFixed(3)} ${who} ${text}`);
  for (const failure of world.failures) say(failure);
  const rate = (forMs / dayMs / seconds) * 3_600;
  const count = `${world.scheduler.events} events, ${simulation.answers} answers`;
  say(`seed ${options.seed}: ${forMs / dayMs} days at ${rate.toFixed(0)} an hour, ${count}, trace ${trace}`);
  return { trace, isWell: world.failures.length === 0 };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
