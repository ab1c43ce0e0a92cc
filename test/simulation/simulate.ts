import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandomness } from '../support/fake-clock.ts';
import { end } from './ending.ts';
import { type PlannedFault, planOf, quietOf, schedule } from './faults.ts';
import type { KeptRun, Options } from './options.ts';
import type { Release } from './release.ts';
import { type Rule, rules, type Violation } from './rules.ts';
import { kindOf } from './seed-kind.ts';
import { shrink as shrinkPlan } from './shrink.ts';
import { Simulation } from './simulation.ts';
import type { Print, Tally } from './tally.ts';
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
  /** Of the processor. */
  readonly seconds: number;
}

export interface SeedOptions {
  readonly seed: number;
  readonly days: number;
  readonly processes: number;
  /** A pattern: faults of no other kind. */
  readonly only?: string | undefined;
  /** Processes run it at first. */
  readonly former?: Release | undefined;
  /** In the place of the one that the seed gives. */
  readonly plan?: readonly PlannedFault[] | undefined;
}

/** Runs a seed as the command line says, and prints what came of it. */
export async function simulate(
  { seed, days, processes, only, faults: plan, notes, twice, shrink }: Options,
  print: Print,
  former?: Release,
): Promise<Tally> {
  const say = (line: string) => print(`${line}\n`);
  const options = { seed, days, processes: processes ?? 1 + (seed % 3), only, former, plan };
  const outcome = await runSeed(options);
  report(outcome, notes, say);
  let isWell = outcome.violations.length === 0;
  if (!isWell) await explain(outcome, options, shrink, say);
  if (twice) {
    const isSame = (await runSeed(options)).trace === outcome.trace;
    say(isSame ? 'both runs are the same' : 'the runs differ');
    isWell &&= isSame;
  }
  const faults = outcome.plan.map(({ kind }) => kind);
  return {
    seed,
    days: outcome.days,
    seconds: outcome.seconds,
    isWell,
    faults,
    checks: [...outcome.checked],
  };
}

/** Leaves out the faults that a failure does not need, and shows the rest of it. */
async function explain(outcome: Outcome, options: SeedOptions, runsMax: number, say: Print): Promise<void> {
  const { rule } = outcome.violations[0]!;
  let smallest = outcome;
  await shrinkPlan(
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
  const path = join(directory, `seed-${outcome.seed}`);
  writeFileSync(`${path}.svg`, picture(smallest));
  const { seed, days, processes } = options;
  const kept: KeptRun = { seed, days, processes, found: outcome.violations[0]!.text, faults: smallest.plan };
  writeFileSync(`${path}.json`, `${JSON.stringify(kept, undefined, 2)}\n`);
  say(`the picture is ${path}.svg; again: npm run simulate -- --kept ${path}.json`);
}

export async function runSeed({ seed, days, processes, only, former, plan }: SeedOptions): Promise<Outcome> {
  const before = process.cpuUsage();
  const forMs = days * dayMs;
  const kind = kindOf(seed, processes);
  const planned = plan ?? planOf(seededRandomness(seed), forMs, kind, new RegExp(only ?? '.'));
  const begun = (simulation: Simulation) => planned.forEach((fault) => void schedule(simulation, fault));
  const simulation = new Simulation({ kind, former, forMs, begun, ended: end, quiet: quietOf(planned, forMs) });
  const trace = await simulation.run();
  const { findings, world } = simulation;
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const ran = { seed, plan: planned, notes: world.notes, trace, seconds, days: world.nowMs / dayMs };
  return { ...ran, violations: findings.violations, checked: findings.checked };
}

function report(
  { seed, plan, violations, checked, notes, trace, days, seconds }: Outcome,
  withNotes: boolean,
  say: Print,
): void {
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
