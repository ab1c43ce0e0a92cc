import { setTimeout as pause } from 'node:timers/promises';
import { startExchange } from './fixture/exchange.ts';
import { install, type Service, servedTickers, startService } from './fixture/service.ts';
import { sendLoad } from './load/generator.ts';
import type { HeldConnections } from './load/held-connections.ts';
import { assertServed } from './load/load.ts';
import { startNode } from './processes.ts';
import { bytes, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import { Scope } from './scope.ts';

const program = new URL('./load/held-connections.ts', import.meta.url).pathname;
const updatesPerSecond = 500;
const connections = 3_000;
const idleBytesMax = 200e6;
const fullBytesMax = 330e6;

/** Resident memory of one service, in the order in which it was looked at. */
interface Memory {
  readonly idle: number;
  readonly connected: number;
  readonly loaded: number;
  readonly processorMs: number;
}

/** Settings that have the launcher leave Node and the C library at their defaults. */
const defaults = {
  NODE_OPTIONS: '--max-semi-space-size=16',
  MALLOC_ARENA_MAX: '16',
  MALLOC_TRIM_THRESHOLD_: '33554432',
};

/** Resident memory as the service starts by itself, and with the defaults of Node and the C library. */
export async function memory(scope: Scope): Promise<Section> {
  const settings = { 'as it starts': {}, 'defaults of Node': defaults };
  const rows: string[][] = [];
  const figures: Record<string, readonly Memory[]> = {};
  for (const markets of [56, 1_400]) {
    const samples = Object.values(settings).map((): Memory[] => []);
    for (let round = 0; round < scope.pick(2, 1); round++) {
      for (const [index, env] of Object.values(settings).entries()) {
        scope.progress(`${whole(markets)} markets, round ${round + 1}`);
        samples[index]!.push(await measure(scope, markets, env));
      }
    }
    for (const [index, name] of Object.keys(settings).entries()) {
      figures[`${markets} ${name}`] = samples[index]!;
      rows.push(rowOf(markets, name, samples[index]!));
    }
  }
  const of = (name: string, figure: keyof Memory) => median(figures[name]!.map((each) => each[figure]));
  const bar = (promise: string, measured: number, max: number) => ({
    promise: `${promise} at most ${bytes(max)}`,
    measured: bytes(measured),
    met: measured <= max,
  });
  return {
    title: 'Memory',
    meaning: `Resident memory of \`mdapi serve\` with SQLite, ${whole(updatesPerSecond)} updates a second and the record: 15 s after all prices are there; with ${whole(connections)} connections more, each of which has had an answer; and after five seconds of full load each of /v1/ticker and of /v1/tickers in gzip.`,
    columns: ['markets', 'started', 'idle', `${whole(connections)} connections`, 'after load', 'processor a request'],
    rows,
    bars: [
      bar('56 markets idle, as it starts:', of('56 as it starts', 'idle'), idleBytesMax),
      bar('1,400 markets and 3,000 connections, as it starts:', of('1400 as it starts', 'connected'), fullBytesMax),
    ],
    figures,
  };
}

async function measure(outer: Scope, markets: number, env: Readonly<Record<string, string>>): Promise<Memory> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const exchange = await startExchange(scope, markets / 2, updatesPerSecond);
  const server = { trustedProxies: ['127.0.0.1'] };
  const installation = await install(scope, 'memory', exchange, undefined, server);
  const service = await startService(scope, installation, { env });
  await servedTickers(service, installation.keys[0]!, markets);
  await pause(scope.pick(15_000, 2_000));
  const idle = residentBytes(service);
  const { keys } = installation;
  const plan: HeldConnections = { port: Number(new URL(service.baseUrl).port), count: connections, key: keys[0]! };
  const client = scope.own(startNode({ core: 'others', args: [program, JSON.stringify(plan)] }));
  await client.firstLine();
  await pause(scope.pick(5_000, 1_000));
  const connected = residentBytes(service);
  await client.stop();
  const before = service.process.servingSeconds() ?? Number.NaN;
  let requests = 0;
  for (const path of ['/v1/ticker?symbol=BTCEUR', '/v1/tickers']) {
    const seconds = scope.pick(5, 1);
    const gzip = path === '/v1/tickers';
    const result = await sendLoad({ baseUrl: service.baseUrl, paths: [path], keys, gzip, connections: 32, seconds });
    assertServed(result, path);
    requests += result.requests;
  }
  const usedMs = ((service.process.servingSeconds() ?? Number.NaN) - before) * 1000;
  return { idle, connected, loaded: residentBytes(service), processorMs: usedMs / requests };
}

function residentBytes({ process }: Service): number {
  return process.residentBytes() ?? Number.NaN;
}

function rowOf(markets: number, name: string, samples: readonly Memory[]): string[] {
  const of = (figure: keyof Memory) => median(samples.map((each) => each[figure]));
  return [
    whole(markets),
    name,
    ...(['idle', 'connected', 'loaded'] as const).map((figure) => bytes(of(figure))),
    span(of('processorMs')),
  ];
}
