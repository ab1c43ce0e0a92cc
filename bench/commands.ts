import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeKeys } from './fixture/keys.ts';
import { span } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const barMs = 150;

/** Of each kind one: without a database, with it, with terms and snapshots, with the record. */
const measured = [
  '--version',
  'help keys',
  'accounts list',
  'keys list',
  'markets list',
  'alerts list',
  'rates show',
  'terms show',
  'sources list',
  'history verify',
] as const;

const here = fileURLToPath(new URL('../', import.meta.url));
const reporter = new URL('fixture/report-processor.mjs', import.meta.url).href;

/** What a command costs from its start to its end, on a database with keys and a configuration file. */
export async function commands(scope: Scope): Promise<Section> {
  const configFile = join(scope.directory, 'mdapi.yaml');
  mkdirSync(join(scope.directory, 'data'));
  await makeKeys(join(scope.directory, 'data/mdapi.sqlite'));
  writeFileSync(configFile, 'dataDir: data\nstore: sqlite:./mdapi.sqlite\nhistory:\n  url: sqlite:./history\n');
  // Another checkout, such as of the commit before, is measured in turn with this one.
  const besides = process.env.BENCH_BESIDE;
  const checkouts = besides === undefined ? [here] : [here, besides];
  const times = new Map<string, number[]>();
  const runs = scope.pick(15, 2);
  for (let run = 0; run <= runs; run++) {
    scope.progress(`run ${run} of ${runs}`);
    for (const command of measured)
      for (const checkout of checkouts) {
        const timeMs = processorMs(scope, checkout, command, configFile);
        // The first writes the cache of compiled code.
        if (run > 0) times.set(`${checkout} ${command}`, [...(times.get(`${checkout} ${command}`) ?? []), timeMs]);
      }
  }
  const timesOf = (checkout: string, command: string) => times.get(`${checkout} ${command}`)!;
  const slowestMs = Math.max(...measured.map((command) => Math.min(...timesOf(here, command))));
  return {
    title: 'Commands',
    meaning:
      'Processor time of a command, user and system, from its start to its end: other work on the machine adds to it, so that the least of the runs is the one to compare.',
    columns: ['command', ...checkouts.flatMap((checkout) => [`least${nameOf(checkout)}`, `median${nameOf(checkout)}`])],
    rows: measured.map((command) => [
      command,
      ...checkouts.flatMap((checkout) => {
        const all = timesOf(checkout, command);
        return [span(Math.min(...all)), span(median(all))];
      }),
    ]),
    bars: [{ promise: 'each within 150 ms', measured: span(slowestMs), met: slowestMs < barMs }],
    figures: Object.fromEntries(times),
  };
}

function nameOf(checkout: string): string {
  return checkout === here ? '' : ' beside';
}

function processorMs(scope: Scope, checkout: string, command: string, configFile: string): number {
  const file = join(scope.directory, 'processor-ms');
  const program = join(checkout, 'bin/mdapi.js');
  const args = ['--import', reporter, program, ...command.split(' '), '--config', configFile];
  const env = { ...process.env, BENCH_PROCESSOR_FILE: file };
  const { stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, '');
  if (text === '') throw new Error(`mdapi ${command}: ${stderr}`);
  return Number(text);
}
