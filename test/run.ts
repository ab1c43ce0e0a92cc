/**
 * `npm test`: what a change needs, in minutes, with nothing but what npm brings. `npm run test:system`: the files named
 * `*.system.test.ts`, which need other programs or take long. With `--all` both, as CI does. Options go to Node's test
 * runner, anything else picks files by a part of their path: `npm test -- src/market --test-name-pattern=fallback`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addCounts, noCounts, type Summary } from './support/summary-reporter.ts';

type Half = 'quick' | 'system';

interface Batch {
  readonly name: string;
  readonly half: Half;
  readonly files: readonly string[];
}

interface Finished {
  readonly summary: Summary;
  /** The part of the output that shows failures in full. */
  readonly failures: string;
}

/** Starting a process costs as much as many tests, so that the quick tests share some. */
const filesInBatchMax = { quick: 12, system: 1 };
/** Quick tests wait more than they work. The others start programs, which need the cores for themselves. */
const atATime = { quick: availableParallelism() + 2, system: availableParallelism() };
/** These wait for over half of their time, for faults and pages: two at a time beside the rest. */
const waiting =
  /\/(?:alerts|catalogue|cluster|console-conditions|feed-half-open|feed-network|feed-reconnect|feed-values|full-disk|guard|lying-source|monotonic-reads|outage|portal-status|postgres|prices-and-terms|process-restart|proxies|python-bot|record-processes|redis-faults|redis-lost|replication|roles|rolling-deploy|shared-limits|sources)\.system/;
const patientAtATime = 2;
const perTestMsMax = { quick: 120_000, system: 600_000 };
const slowFilesShown = 10;
const slowFileMs = 5_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const argv = process.argv.slice(2);
const halves: readonly Half[] = argv.includes('--all')
  ? ['system', 'quick']
  : [argv.includes('--system') ? 'system' : 'quick'];
const options = argv.filter((argument) => argument.startsWith('-') && !['--system', '--all'].includes(argument));
const parts = argv.filter((argument) => !argument.startsWith('-'));
const directory = mkdtempSync(join(tmpdir(), 'mdapi-tests-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const running = new Set<ReturnType<typeof spawn>>();
let isInterrupted = false;
// Ctrl-C reaches all processes: each ends in its own way, and this one after them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const child of running) child.kill(signal);
  });
}

const startedAt = process.hrtime.bigint();
const files = globSync('{src,exchange-simulator,test,client/test,tools/documents}/**/*.test.ts', { cwd: root })
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort()
  // The longest are the last by name: begun first, none of them is alone at the end.
  .reverse();
const batches = halves.flatMap(batchesOf);
if (batches.length === 0) {
  process.stderr.write(`no test file has ${parts.join(' or ')} in its path\n`);
  process.exit(1);
}
const finished: Finished[] = [];
for (const half of halves) {
  const own = batches.filter((batch) => batch.half === half);
  const isPatient = ({ files }: Batch) => files.every((file) => waiting.test(file));
  const others = own.filter((batch) => !isPatient(batch));
  const done = await Promise.all([runAll(others, atATime[half]), runAll(own.filter(isPatient), patientAtATime)]);
  finished.push(...done.flat());
}
process.exitCode = report(finished);

/** Neighbours are often alike, and long together: they are dealt out to different batches. */
function batchesOf(half: Half): Batch[] {
  const own = files.filter((file) => file.endsWith('.system.test.ts') === (half === 'system'));
  const count = Math.ceil(own.length / filesInBatchMax[half]);
  return Array.from({ length: count }, (_, index) => ({
    name: `${half}-${index + 1}`,
    half,
    files: own.filter((_, at) => at % count === index),
  }));
}

async function runAll(all: readonly Batch[], workers: number): Promise<Finished[]> {
  const waiting = [...all];
  const done: Finished[] = [];
  async function work(): Promise<void> {
    for (let batch = waiting.shift(); batch !== undefined && !isInterrupted; batch = waiting.shift()) {
      done.push(await run(batch));
    }
  }
  await Promise.all(Array.from({ length: workers }, work));
  return done;
}

/** Runs the files of a batch in one process, and prints what it said when it has ended. */
async function run(batch: Batch): Promise<Finished> {
  const summaryFile = join(directory, batch.name);
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      // A test that failed can leave behind what keeps its process alive, so that nobody learns of the failure.
      '--test-force-exit',
      `--test-timeout=${perTestMsMax[batch.half]}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/support/summary-reporter.ts',
      `--test-reporter-destination=${summaryFile}`,
      ...options,
      'test/support/batch.ts',
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        MDAPI_TEST_FILES: JSON.stringify(batch.files),
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.add(child);
  const closed = once(child, 'close');
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  const [code, signal] = await closed;
  running.delete(child);
  const output = Buffer.concat(chunks).toString();
  const summary = readSummary(summaryFile);
  const end = output.search(/^.*ℹ tests \d+/m);
  process.stdout.write(end === -1 ? output : output.slice(0, end));
  const details = /^.*✖ failing tests:\n([\s\S]*)/m.exec(output.slice(end))?.[1] ?? '';
  const hasCountedFailure = summary !== undefined && summary.counts.failed + summary.counts.cancelled > 0;
  if (summary !== undefined && (code === 0 || hasCountedFailure)) return { summary, failures: details };
  const counts = noCounts();
  if (summary !== undefined) addCounts(counts, summary.counts);
  const failures = `${details}\n✖ the process of ${batch.files.join(', ')} ended with ${signal ?? code}\n`;
  return { summary: { skippedFor: [], files: [], ...summary, counts: { ...counts, failed: 1 } }, failures };
}

function readSummary(file: string): Summary | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Prints the failures, the slowest files, the sums and what was skipped. Gives the exit code. */
function report(all: readonly Finished[]): number {
  const sum = noCounts();
  for (const { summary } of all) addCounts(sum, summary.counts);
  const failed = sum.failed + sum.cancelled;
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const failures = all.map(({ failures }) => failures).join('');
  if (failures !== '') print(`\n✖ failing tests:\n${failures}`);
  const slow = all.flatMap(({ summary }) => summary.files).filter(({ ms }) => ms > slowFileMs);
  slow.sort((a, b) => b.ms - a.ms);
  for (const { name, ms } of slow.slice(0, slowFilesShown)) print(`${(ms / 1_000).toFixed(1)} s ${name}`);
  const { tests, suites, passed, cancelled, skipped, todo } = sum;
  const duration_ms = Number(process.hrtime.bigint() - startedAt) / 1e6;
  const lines = { tests, suites, pass: passed, fail: sum.failed, cancelled, skipped, todo, duration_ms };
  for (const [name, value] of Object.entries(lines)) print(`ℹ ${name} ${value}`);
  const reasons = Map.groupBy(
    all.flatMap(({ summary }) => summary.skippedFor),
    (reason) => reason,
  );
  for (const [reason, times] of reasons) print(`skipped ${times.length}: ${reason}`);
  // Other reasons lie in the platform: a missing program comes with the command that gets it.
  const isAnyProgramMissing =
    process.env.CI === 'true' &&
    [...reasons.keys()].some((reason) => /apt-get install|npm (--prefix \S+ )?ci|tools\/\S+\.sh/.test(reason));
  print(`${passed} passed, ${failed} failed`);
  return failed > 0 || isInterrupted || isAnyProgramMissing ? 1 : 0;
}
