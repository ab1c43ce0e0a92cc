import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExchangeAddresses, startExchange } from './fixture/exchange.ts';
import { type Installation, install, servedTickers, startService } from './fixture/service.ts';
import type { DirectoryReport } from './keys/directory-process.ts';
import { fillDatabase } from './keys/fill.ts';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import { startNode } from './processes.ts';
import { bytes, ratio, span, whole } from './report/format.ts';
import type { Bar, Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const program = new URL('./keys/directory-process.ts', import.meta.url).pathname;
const fewKeys = 10_000;
const manyKeys = 1_000_000;
const markets = 50;
const memoryBarBytes = 120e6;
/** A hundred times the keys no longer fit the processor's caches, which alone costs something; a search that grows with them would cost a hundred. */
const flatTimes = 2;

interface Measured extends DirectoryReport {
  /** Of the whole service, after serving for some seconds. */
  readonly serviceBytes: number | undefined;
}

/** What keys cost: memory, time to look one up, time to load them all. */
export async function keys(scope: Scope): Promise<Section> {
  const exchange = await startExchange(scope, markets / 2, markets);
  const found: Measured[] = [];
  for (const count of [0, fewKeys, scope.pick(manyKeys, 100_000)]) found.push(await measure(scope, exchange, count));
  const [none, few, many] = found as [Measured, Measured, Measured];
  return {
    title: 'Keys',
    meaning:
      'Memory is what the whole service holds in RAM after some seconds of full load, which brings its heap to the size it keeps. Loading and look-ups are of the directory alone, in a process of its own, from SQLite as the service loads it. A look-up holds the check of the form and checksum, the SHA-256 and the search; the keys are asked for in random order.',
    columns: [
      'keys',
      'memory',
      'above the empty service',
      'loaded in',
      'look-up of a known key',
      'of an unknown one',
      'counting for a key',
      'for an address',
    ],
    rows: found.map((each) => rowOf(each, none)),
    bars: barsOf(none, few, many),
    figures: found,
  };
}

async function measure(scope: Scope, exchange: ExchangeAddresses, count: number): Promise<Measured> {
  scope.progress(`${whole(count)} keys are made`);
  const installation = await install(scope, `keys-${count}`, exchange);
  const sample = [...installation.keys, ...(await fillDatabase(installation.databasePath, count))];
  const sampleFile = join(scope.directory, `keys-${count}.txt`);
  writeFileSync(sampleFile, sample.join('\n'));
  const reports: DirectoryReport[] = [];
  const serviceBytes: (number | undefined)[] = [];
  const runs = scope.pick(5, 1);
  for (let run = 0; run < runs; run++) {
    scope.progress(`${whole(count)} keys: run ${run + 1} of ${runs}`);
    const args = [program, installation.databasePath, sampleFile, String(scope.pick(21, 3))];
    const report = JSON.parse(await startNode({ core: 'measured', args }).output()) as DirectoryReport;
    const expected = count + installation.keys.length;
    if (report.held !== expected) throw new Error(`${report.held} keys are held, not ${expected}`);
    reports.push(report);
    serviceBytes.push(await serviceMemory(scope, installation));
  }
  const middle = (member: keyof DirectoryReport) => median(reports.map((report) => report[member]));
  return {
    held: middle('held'),
    loadMs: middle('loadMs'),
    knownNs: middle('knownNs'),
    unknownNs: middle('unknownNs'),
    keyCountNs: middle('keyCountNs'),
    addressCountNs: middle('addressCountNs'),
    serviceBytes: serviceBytes.includes(undefined) ? undefined : median(serviceBytes as number[]),
  };
}

async function serviceMemory(scope: Scope, installation: Installation): Promise<number | undefined> {
  const service = await startService(scope, installation);
  const { keys } = installation;
  await servedTickers(service, keys[0]!, markets);
  const plan = { baseUrl: service.baseUrl, paths: ['/v1/ticker?symbol=BTCEUR'], keys, gzip: false, connections: 32 };
  assertServed(await sendLoad({ ...plan, seconds: scope.pick(5, 1) }), 'requests to a service with many keys');
  const bytesHeld = service.process.residentBytes();
  await service.stop();
  return bytesHeld;
}

function rowOf(each: Measured, none: Measured): string[] {
  const above = aboveEmpty(each, none);
  return [
    whole(each.held),
    each.serviceBytes === undefined ? '-' : bytes(each.serviceBytes),
    above === undefined || each === none ? '-' : bytes(above),
    span(each.loadMs),
    `${whole(each.knownNs)} ns`,
    `${whole(each.unknownNs)} ns`,
    `${whole(each.keyCountNs)} ns`,
    `${whole(each.addressCountNs)} ns`,
  ];
}

function aboveEmpty(each: Measured, none: Measured): number | undefined {
  return each.serviceBytes && none.serviceBytes && each.serviceBytes - none.serviceBytes;
}

function barsOf(none: Measured, few: Measured, many: Measured): Bar[] {
  const above = aboveEmpty(many, none);
  const times = many.knownNs / few.knownNs;
  const memory = {
    promise: `${whole(many.held)} keys: under ${bytes(memoryBarBytes)} above the empty service`,
    measured: above === undefined ? 'unknown on this system' : bytes(above),
    met: above !== undefined && above < memoryBarBytes,
  };
  const promise = `look-up flat: at most ${flatTimes} times that among ${whole(few.held)}`;
  return [memory, { promise, measured: ratio(times), met: times <= flatTimes }];
}
