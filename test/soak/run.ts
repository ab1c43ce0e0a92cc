import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import type { ServiceStatusBody } from '../../src/contract/schemas.ts';
import { sleep, systemClock } from '../../src/ground/clock.ts';
import { createResponseValidator } from '../contract/response-validator.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { Asker } from './asker.ts';
import type { ServerEnd } from './bars.ts';
import { clientKinds, runClient } from './clients.ts';
import { faultPlan, runFaults } from './feed-faults.ts';
import { followKnownPrices } from './known-prices.ts';
import { watchLiveMemory } from './live-memory.ts';
import { announceMaintenance, churnKeys } from './operator.ts';
import { readOptions, type SoakOptions } from './options.ts';
import { type Sample, SoakRecord } from './record.ts';
import { reportOf } from './report.ts';
import { isDelivering, takeSamples } from './sampler.ts';
import { Cleanup, type Stage, setStage } from './stage.ts';

const plenty = 100_000;
const documents = new URL('../../docs/contributors/', import.meta.url);

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const cleanup = new Cleanup();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  process.once('SIGINT', () => stopping.abort());
  try {
    say(
      `Soak of ${options.minutes} minutes, ${options.sources.join(', ')}, ${options.clients} clients, seed ${options.seed}`,
    );
    const stage = await setStage(cleanup, options.seed, options.sources);
    const record = new SoakRecord();
    const startedMs = performance.now();
    await soak(stage, options, record, stopping);
    const minutes = (performance.now() - startedMs) / 60_000;
    record.history.finish();
    const { markdown, svg, isMet } = reportOf(record, options, minutes, await endOf(stage));
    say(`\n${markdown}`);
    if (options.writeDocs) {
      writeFileSync(new URL('soak.md', documents), markdown);
      writeFileSync(new URL('soak.svg', documents), svg);
    }
    return isMet ? 0 : 1;
  } finally {
    stopping.abort();
    await cleanup.run();
  }
}

/** Everything at once until the time is up. */
async function soak(stage: Stage, options: SoakOptions, record: SoakRecord, stopping: AbortController): Promise<void> {
  const { signal } = stopping;
  const { baseUrl, adminUrl, installation, accountId, sources } = stage;
  const key = await stage.addKey(plenty);
  await keyTaken(baseUrl, key);
  const asker = new Asker(baseUrl, true);
  const recoveredSince = async (ms: number) => {
    const lost = (code: string) => record.lostAnswer(`operator: ${code}`);
    const { body } = await asker.getAgain('/v1/status', { 'X-EXCHANGE-APIKEY': key }, lost);
    const { components, lastUpdatedAtMs } = JSON.parse(body.toString('utf8')) as ServiceStatusBody;
    if (components?.ticker !== 'operational' || (lastUpdatedAtMs ?? 0) <= ms) return false;
    return isDelivering(adminUrl, options.sources);
  };
  await eventually('the feed is operational', () => recoveredSince(0), 30_000);
  const plan = faultPlan(sources, seededRandomness(options.seed));
  const operator = { installation, accountId, baseUrl, record, signal };
  const timer = systemClock.after(options.minutes * 60_000, () => stopping.abort());
  const endsAtMs = Date.now() + options.minutes * 60_000;
  await Promise.all([
    ...(await clients(stage, options, record, signal)),
    takeSamples(adminUrl, record, signal, progress(record, endsAtMs)),
    watchLiveMemory(stage.server, record, signal),
    runFaults(plan, record, recoveredSince, signal),
    followKnownPrices({ sources, baseUrl, adminUrl, key, record, signal }),
    churnKeys(operator),
    announceMaintenance({ ...operator, key }),
  ]);
  timer.cancel();
  asker.close();
}

async function clients(stage: Stage, options: SoakOptions, record: SoakRecord, signal: AbortSignal) {
  const { baseUrl } = stage;
  const response = await eventually('the served document', async () => {
    const answer = await fetch(`${baseUrl}/openapi/v1.json`, { headers: { Connection: 'close' } });
    // The requests of this kind that are not counted with the others.
    record.history.noteUnanswered('no key', Date.now(), Date.now());
    return answer.ok && answer;
  });
  const validate = createResponseValidator((await response.json()) as OpenApiDocument);
  const pauseMs = (options.clients / options.requests) * 1000;
  const all = Array.from({ length: options.clients }, (_, index) => clientKinds[index % clientKinds.length]!);
  const keys: string[] = [];
  for (const kind of all) {
    keys.push(kind === 'wrong key' ? 'mdk_wrong' : await stage.addKey(kind === 'limited' ? 60 : plenty));
  }
  await keyTaken(baseUrl, await stage.addKey(plenty));
  return all.map((kind, index) => {
    const randomness = seededRandomness(options.seed * 1_000 + index);
    const name = `client-${index}`;
    return runClient({ name, kind, baseUrl, key: keys[index]!, pauseMs, validate, record, randomness, signal });
  });
}

/** Waits until the server knows this key, and so all that were made before it. */
async function keyTaken(baseUrl: string, key: string): Promise<void> {
  // Asked too early, it would use up what the clients with a wrong key are counted on.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const asker = new Asker(baseUrl, false);
  await eventually('the keys are taken', async () => {
    return (await asker.getAgain('/v1/status', { 'X-EXCHANGE-APIKEY': key }, () => {})).status === 200;
  });
}

/** Tells the server to stop, as an operator does. */
async function endOf({ server }: Stage): Promise<ServerEnd> {
  server.kill('SIGTERM');
  const waiting = new AbortController();
  const late = sleep(systemClock, 20_000, waiting.signal).then(() => ({ code: null }));
  const { code } = await Promise.race([server.ended, late]);
  waiting.abort();
  return { code, failures: server.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line)) };
}

/** One line that is written over in a terminal, and a line each half minute elsewhere. */
function progress(record: SoakRecord, endsAtMs: number): (sample: Sample) => void {
  let looks = 0;
  const said = new Set<string>();
  return ({ residentMb, answers, latencyP99Ms = 0, dataAgeS = 0, connections }) => {
    const left = Math.max(0, Math.round((endsAtMs - Date.now()) / 1000));
    const now = record.bands.filter(({ toMs }) => toMs === undefined).map(({ what }) => what);
    const state = `${answers}/s  p99 ${latencyP99Ms.toFixed(0)} ms  ${residentMb.toFixed(0)} MB  data ${dataAgeS.toFixed(1)} s old`;
    const line = `${left} s left  ${state}  ${connections} connections  ${record.wrongs.length} wrong  ${now.join(', ')}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    else if (looks++ % 30 === 0) say(line);
    for (const wrong of record.wrongs) if (!said.has(wrong)) say(`\n${wrong}`);
    for (const wrong of record.wrongs) said.add(wrong);
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
