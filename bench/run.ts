import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { alarms } from './alarms.ts';
import { believed } from './believed.ts';
import { commands } from './commands.ts';
import { crowd } from './crowd.ts';
import { flood } from './flood.ts';
import { growth } from './growth.ts';
import { history } from './history.ts';
import { latency } from './latency.ts';
import { liesTold } from './lies.ts';
import { describeMachine } from './machine.ts';
import { memory } from './memory.ts';
import { readOptions } from './options.ts';
import { proxies } from './proxies.ts';
import { rateAlarms } from './rate-alarms.ts';
import { rateDays } from './rate-days.ts';
import { reads } from './reads.ts';
import { recording } from './recording.ts';
import type { Section } from './report/section.ts';
import { machineText, sectionText } from './report/text.ts';
import { Scope } from './scope.ts';
import { serving } from './serving.ts';
import { sources } from './sources.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { updates } from './updates.ts';

const measurements = {
  serving,
  latency,
  updates,
  sources,
  start,
  commands,
  store,
  growth,
  reads,
  history,
  recording,
  crowd,
  memory,
  flood,
  proxies,
  alarms,
  believed,
  lies: liesTold,
  'rate-alarms': rateAlarms,
  'rate-days': rateDays,
} satisfies Record<string, (scope: Scope) => Promise<Section>>;
type Name = keyof typeof measurements;

const here = new URL('./', import.meta.url);

const options = read(process.argv.slice(2));
if (options !== undefined) await run();

function read(args: readonly string[]) {
  try {
    return readOptions(args, Object.keys(measurements) as Name[]);
  } catch (error) {
    say(`bench: ${(error as Error).message}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function run(): Promise<void> {
  const { names, quick } = options!;
  installPackages();
  const date = new Date().toISOString().slice(0, 10);
  const machine = describeMachine();
  process.stdout.write(`${machineText(machine)}\n${quick ? 'Shortened: the figures are not reliable.\n' : ''}\n`);
  const sections = new Map<Name, Section>();
  for (const name of names) {
    const section = await measure(name, quick);
    if (section === undefined) continue;
    sections.set(name, section);
    process.stdout.write(`${sectionText(section)}\n`);
  }
  mkdirSync(new URL('results', here), { recursive: true });
  const results = { date, quick, machine, measurements: Object.fromEntries(sections) };
  writeFileSync(new URL('results/latest.json', here), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** A measurement that fails leaves the others to be made, and the exit code says so. */
async function measure(name: Name, quick: boolean): Promise<Section | undefined> {
  const startedMs = performance.now();
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  await using scope = new Scope(quick, (text) => say(`${name}: ${text} (${elapsed()})`));
  try {
    return await measurements[name](scope);
  } catch (error) {
    say(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
    return undefined;
  }
}

/** What only the measurements need is no part of the service's own install. */
function installPackages(): void {
  if (existsSync(new URL('node_modules', here))) return;
  say('bench: installing what only the measurements need');
  execFileSync('npm', ['ci', '--no-audit', '--prefix', fileURLToPath(here)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** To stderr: stdout is for the tables. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
