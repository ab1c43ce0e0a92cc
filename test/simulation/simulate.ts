import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandomness } from '../support/fake-clock.ts';
import { type PlannedFault, planOf, schedule } from './faults.ts';
import { type Rule, rules, type Violation } from './rules.ts';
import { shrink } from './shrink.ts';
import { Simulation } from './simulation.ts';
import { picture, timeLine } from './time-line.ts';
import type { Note } from './world.ts';

const dayMs = 86_400_000;

/** A run and what came of it. */
export interface Outcome {
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly violations: readonly Violation[];
  readonly checked: ReadonlyMap<Rule, number>;
  readonly notes: readonly Note[];
  readonly trace: string;
  readonly days: number;
  readonly seconds: number;
}

export interface SeedOptions {
  readonly seed: number;
  readonly days: number;
  readonly processes: number;
  /** A pattern: faults of no other kind. */
  readonly only?: string | undefined;
  /** In the place of the one that the seed gives. */
  readonly plan?: readonly PlannedFault[];
}

/** Runs a seed as the command line says. @returns the exit code */
export async function simulate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seed: { type: 'string' }, days: { type: 'string' }, processes: { type: 'string' } },
      ...{
        seeds: { type: 'string' },
        minutes: { type: 'string' },
        shrink: { type: 'string' },
        only: { type: 'string' },
      },
      ...{ notes: { type: 'boolean' }, twice: { type: 'boolean' } },
    } as const,
  });
  const { seed = '1', days = '2', processes = '3', seeds = '1', notes = false, twice = false } = values;
  const endsAtNs = process.hrtime.bigint() + BigInt(Math.round(Number(values.minutes ?? 1e6) * 6e10));
  const outcomes: Outcome[] = [];
  let isWell = true;
  for (let index = 0; index < Number(seeds) && process.hrtime.bigint() < endsAtNs; index++) {
    const options = { seed: Number(seed) + index, processes: Number(processes), days: Number(days), only: values.only };
    const outcome = await runSeed(options);
    outcomes.push({ ...outcome, notes: [] });
    report(outcome, notes);
    if (outcome.violations.length > 0) {
      isWell = false;
      await explain(outcome, options, Number(values.shrink ?? 12));
    }
    if (!twice) continue;
    const isSame = (await runSeed(options)).trace === outcome.trace;
    say(isSame ? 'both runs are the same' : 'the runs differ');
    isWell &&= isSame;
  }
  sum(outcomes);
  return isWell ? 0 : 1;
}

/** Leaves out the faults that a failure does not need, and shows the rest of it. */
async function explain(outcome: Outcome, options: SeedOptions, runsMax: number): Promise<void> {
  const { rule } = outcome.violations[0]!;
  let smallest = outcome;
  await shrink(
    outcome.plan,
    async (plan) => {
      const tried = await runSeed({ ...options, plan });
      const isSame = tried.violations.some((violation) => violation.rule === rule);
      if (isSame) smallest = tried;
      return isSame;
    },
    runsMax,
  );
  say(timeLine(smallest));
  const directory = join(tmpdir(), 'mdapi-simulation');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `seed-${outcome.seed}.svg`);
  writeFileSync(path, picture(smallest));
  say(
    `the picture is ${path}; again: npm run simulate -- --seed ${options.seed} --days ${options.days} --processes ${options.processes}`,
  );
}

/** Prints what all runs came to. */
function sum(outcomes: readonly Outcome[]): void {
  const add = (counts: Map<string, number>, name: string, count: number) =>
    counts.set(name, (counts.get(name) ?? 0) + count);
  const [faults, checks] = [new Map<string, number>(), new Map<string, number>()];
  for (const { plan, checked } of outcomes) {
    for (const { kind } of plan) add(faults, kind, 1);
    for (const [rule, count] of checked) add(checks, rule, count);
  }
  const days = outcomes.reduce((total, outcome) => total + outcome.days, 0);
  const seconds = outcomes.reduce((total, outcome) => total + outcome.seconds, 0);
  const failed = outcomes.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  say(
    `${outcomes.length} seeds, ${days.toFixed(2)} days at ${((days / seconds) * 3_600).toFixed(0)} an hour; failed: ${failed.join(', ') || 'none'}`,
  );
  say(`faults: ${list(faults)}`);
  say(`checks: ${list(checks)}`);
}

export async function runSeed({ seed, days, processes, only, plan }: SeedOptions): Promise<Outcome> {
  const startedNs = process.hrtime.bigint();
  const forMs = days * dayMs;
  const planned = plan ?? planOf(seededRandomness(seed), forMs, processes, new RegExp(only ?? '.'));
  const begun = (simulation: Simulation) => planned.forEach((fault) => void schedule(simulation, fault));
  const simulation = new Simulation({ seed, processes, forMs, begun });
  const trace = await simulation.run();
  const { findings, world } = simulation;
  const seconds = Number(process.hrtime.bigint() - startedNs) / 1e9;
  const ran = { seed, plan: planned, notes: world.notes, trace, seconds, days: world.nowMs / dayMs };
  return { ...ran, violations: findings.violations, checked: findings.checked };
}

function report({ seed, plan, violations, checked, notes, trace, days, seconds }: Outcome, withNotes: boolean): void {
  if (withNotes) for (const { atMs, who, text } of notes) say(`${(atMs / 1_000).toFixed(3)} ${who} ${text}`);
  for (const { rule, atMs, text } of violations.slice(0, 10)) {
    say(`${(atMs / 1_000).toFixed(3)} against "${rules[rule]}"`);
    say(`  ${rule}: ${text}`);
  }
  const rate = ((days / seconds) * 3_600).toFixed(0);
  const checks = [...checked].map(([rule, times]) => `${rule} ${times}`).join(', ');
  say(
    `seed ${seed}: ${days.toFixed(3)} days at ${rate} an hour, ${plan.length} faults, ${violations.length} violations; checked ${checks}`,
  );
  say(`trace ${trace}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
