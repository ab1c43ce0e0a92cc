import type { ProbeReading } from './fixture/probe.ts';
import { type ProbedService, startProbedService } from './fixture/probed-service.ts';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import { span, whole } from './report/format.ts';
import type { Bar, Section } from './report/section.ts';
import { quantile } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const markets = 500;
const updatesPerSecond = 1_000;
const requestsPerSecond = 1_000;
const p99BarMs = 2;

interface Reading extends ProbeReading {
  readonly name: string;
}

const readings: readonly Reading[] = [
  { name: '/v1/ticker identity', read: 'ticker', encoding: 'identity', every: 1 },
  { name: '/v1/tickers identity', read: 'tickers', encoding: 'identity', every: 1 },
  // Compressing after every update would take the whole core, which no poller can bring about without being served.
  { name: '/v1/tickers gzip', read: 'tickers', encoding: 'gzip', every: 10 },
];

interface Latency {
  readonly name: string;
  readonly underLoad: boolean;
  readonly updates: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly fromStampP50Ms: number;
  readonly fromStampP99Ms: number;
}

/** How soon a price is servable after its frame came in. */
export async function latency(scope: Scope): Promise<Section> {
  const probed = await startProbedService(scope, markets, updatesPerSecond);
  const seconds = scope.pick(20, 3);
  scope.progress('warming up');
  await probed.watch(readings[1]!, scope.pick(5, 1));
  const found: Latency[] = [];
  for (const underLoad of [false, true]) {
    for (const reading of readings) {
      scope.progress(`${reading.name}${underLoad ? ' under load' : ''}: ${seconds} s`);
      found.push(await watch(probed, reading, underLoad, seconds));
    }
  }
  return {
    title: 'Frame to servable',
    meaning: `${whole(updatesPerSecond)} updates a second over ${markets} served markets (each update changes the EUR market and the CZK market made from it). From the socket's data event in the service's process until the bytes a client would get are ready, read after every single update (gzip: after every tenth), which is the hardest case: normally they are made when somebody asks. "From the exchange's stamp" begins when the exchange made the frame and so holds its sending, the kernel and the wait for the event loop; the stamp is cut to milliseconds, so it is up to 1 ms too long. Under load: ${whole(requestsPerSecond)} requests a second meanwhile, half of them for all tickers.`,
    columns: [
      'bytes',
      'requests/s',
      'updates read',
      'p50',
      'p99',
      'longest',
      "p50 from the exchange's stamp",
      'p99 from it',
    ],
    rows: found.map(rowOf),
    bars: found.filter(({ underLoad }) => !underLoad).map(barOf),
    figures: found,
  };
}

async function watch(probed: ProbedService, reading: Reading, underLoad: boolean, seconds: number): Promise<Latency> {
  const load = underLoad ? () => loadFor(probed, seconds) : undefined;
  const report = await probed.watch(reading, seconds, load);
  const { frameToServableMs, stampToServableMs } = report;
  return {
    name: reading.name,
    underLoad,
    updates: frameToServableMs.length,
    p50Ms: quantile(frameToServableMs, 0.5),
    p99Ms: quantile(frameToServableMs, 0.99),
    maxMs: quantile(frameToServableMs, 1),
    fromStampP50Ms: quantile(stampToServableMs, 0.5),
    fromStampP99Ms: quantile(stampToServableMs, 0.99),
  };
}

async function loadFor({ service, installation }: ProbedService, seconds: number): Promise<void> {
  const paths = ['/v1/ticker?symbol=BTCEUR', '/v1/tickers'];
  const plan = { baseUrl: service.baseUrl, paths, keys: installation.keys, gzip: false, connections: 16, seconds };
  assertServed(await sendLoad({ ...plan, rate: requestsPerSecond }), 'requests beside the updates');
}

function rowOf(found: Latency): string[] {
  return [
    found.name,
    found.underLoad ? whole(requestsPerSecond) : '0',
    whole(found.updates),
    span(found.p50Ms),
    span(found.p99Ms),
    span(found.maxMs),
    span(found.fromStampP50Ms),
    span(found.fromStampP99Ms),
  ];
}

function barOf({ name, p99Ms }: Latency): Bar {
  return { promise: `${name}: p99 under ${p99BarMs} ms`, measured: span(p99Ms), met: p99Ms < p99BarMs };
}
