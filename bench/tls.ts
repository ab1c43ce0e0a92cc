import { setTimeout as pause } from 'node:timers/promises';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import { bytes, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';
import type { ClientStep } from './tls/client.ts';
import { startClient } from './tls/connections.ts';
import { startWays, type Way } from './tls/targets.ts';

const markets = 500;

/** One way under full load for some seconds. */
interface Load {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the service and what is in front of it. */
  readonly processorMs: number;
}

/** What TLS costs: in the service, and in nginx in front of it. */
export async function tls(scope: Scope): Promise<Section> {
  scope.progress(`the services learn ${markets} markets`);
  const ways = await startWays(scope, markets);
  const rows: string[][] = [];
  const figures: Record<string, unknown> = {};
  const add = <Value>(name: string, values: readonly Value[], show: (value: Value) => string) => {
    rows.push([name, ...values.map(show)]);
    figures[name] = values;
  };
  for (const path of ['/v1/ticker?symbol=BTCEUR', '/v1/tickers']) {
    const loads = await compare(scope, ways, path);
    const resource = path.replace(/\?.*/, '');
    add(`${resource}, requests/s`, loads, (load) => whole(load.requestsPerSecond));
    add(`${resource}, p50`, loads, (load) => span(load.p50Ms));
    add(`${resource}, p99`, loads, (load) => span(load.p99Ms));
    add(`${resource}, processor a request`, loads, (load) => span(load.processorMs));
  }
  for (const kind of ['full', 'resumed'] as const) {
    const costs = await rounds(scope, ways, `${kind} handshakes`, (way) => connections(scope, way, kind));
    add(`connection, ${kind} handshake, processor`, costs, span);
    add(`connections/s of one core, ${kind} handshake`, costs, (cost) => whole(1000 / cost));
  }
  add('memory of an idle connection', await eachInTurn(ways, (way) => idleBytes(scope, way)), bytes);
  return {
    title: 'TLS',
    meaning: `${markets} markets over 32 kept connections, all tickers in gzip; service and nginx share one core, the load generator has another. Ways take turns; medians over the rounds. nginx has the shipped configuration and one worker. Processor times and memory are of the service and nginx together.`,
    columns: ['', ...ways.map(({ name }) => name)],
    rows,
    bars: [],
    figures,
  };
}

async function compare(scope: Scope, ways: readonly Way[], path: string): Promise<Load[]> {
  const seconds = scope.pick(3, 1);
  const samples = new Map(ways.map((way) => [way, [] as Load[]]));
  for (const way of ways) await load(way, path, 1);
  for (let round = 0; round < scope.pick(5, 1); round++) {
    scope.progress(`${path}: round ${round + 1}`);
    for (const way of ways) samples.get(way)!.push(await load(way, path, seconds));
  }
  return ways.map((way) => {
    const of = (figure: keyof Load) => median(samples.get(way)!.map((each) => each[figure]));
    return {
      requestsPerSecond: of('requestsPerSecond'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      processorMs: of('processorMs'),
    };
  });
}

async function load(way: Way, path: string, seconds: number): Promise<Load> {
  const before = processorSeconds(way);
  const gzip = path === '/v1/tickers';
  const result = await sendLoad({ baseUrl: way.url, paths: [path], keys: way.keys, gzip, connections: 32, seconds });
  assertServed(result, `${way.name}, ${path}`);
  const { requests, p50Ms = 0, p99Ms = 0 } = result;
  const processorMs = ((processorSeconds(way) - before) * 1000) / requests;
  return { requestsPerSecond: requests / result.seconds, p50Ms, p99Ms, processorMs };
}

/** The median for each way, measured in turns. */
async function rounds(scope: Scope, ways: readonly Way[], what: string, measure: (way: Way) => Promise<number>) {
  const samples: number[][] = ways.map(() => []);
  for (let round = 0; round < scope.pick(3, 1); round++) {
    scope.progress(`${what}: round ${round + 1}`);
    for (const [index, way] of ways.entries()) samples[index]!.push(await measure(way));
  }
  return samples.map(median);
}

async function eachInTurn(ways: readonly Way[], measure: (way: Way) => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (const way of ways) found.push(await measure(way));
  return found;
}

/** Processor time in milliseconds that a connection costs from its first byte to its end, without a request. */
async function connections(scope: Scope, way: Way, kind: 'full' | 'resumed'): Promise<number> {
  const count = scope.pick(1_000, 200);
  const child = await startClient(scope, way, kind, count);
  const before = processorSeconds(way);
  await child.ask({ step: 'connect' } satisfies ClientStep);
  const usedMs = (processorSeconds(way) - before) * 1000;
  await child.kill();
  return usedMs / count;
}

/** Resident memory that each of many connections takes, each of which has had an answer. */
async function idleBytes(scope: Scope, way: Way): Promise<number> {
  const count = scope.pick(2_000, 200);
  scope.progress(`${whole(count)} idle connections, ${way.name}`);
  const child = await startClient(scope, way, 'hold', count);
  const before = residentBytes(way);
  await child.ask({ step: 'connect' } satisfies ClientStep);
  await pause(3_000);
  const held = residentBytes(way) - before;
  await child.kill();
  return held / count;
}

function processorSeconds({ processes }: Way): number {
  return processes.reduce((sum, each) => sum + (each.processorSeconds() ?? Number.NaN), 0);
}

function residentBytes({ processes }: Way): number {
  return processes.reduce((sum, each) => sum + (each.residentBytes() ?? Number.NaN), 0);
}
