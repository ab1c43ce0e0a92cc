import { setTimeout as pause } from 'node:timers/promises';
import { ask } from './fixture/ask.ts';
import type { ProbeRead } from './fixture/probe.ts';
import { type ProbedService, startProbedService } from './fixture/probed-service.ts';
import { type StillService, startStillService } from './fixture/still-service.ts';
import { bytes, short, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import { Scope } from './scope.ts';
import { tickerPaths } from './serving/answers.ts';
import { sample } from './serving/case.ts';

const sizes = [50, 500, 5_000];
/** So few that even the largest list can be compressed again after each. */
const updatesPerSecond = 100;

interface Size {
  readonly markets: number;
  readonly listBytes: number;
  readonly tickerPerSecond: number;
  readonly listPerSecond: number;
  readonly rebuildTickerMs: number;
  readonly rebuildListMs: number;
  readonly rebuildGzipMs: number;
  readonly residentBytes: number | undefined;
}

/** How serving, rebuilding and memory grow with the number of markets. */
export async function growth(scope: Scope): Promise<Section> {
  const found: Size[] = [];
  for (const markets of scope.quick ? sizes.slice(0, 2) : sizes) found.push(await measure(scope, markets));
  return {
    title: 'Growth with markets',
    meaning: `Served markets, half of them converted. Requests a second are per second of the service's processor time, at standing prices. Rebuilding is what the next request pays after one update, which changes a market and the one converted from it. Memory is the whole service's, fed with ${whole(updatesPerSecond)} updates a second.`,
    columns: [
      'markets',
      'all tickers',
      '/v1/ticker a second',
      '/v1/tickers a second',
      'rebuild one ticker',
      'rebuild the list',
      'rebuild and gzip it',
      'memory',
    ],
    rows: found.map(rowOf),
    bars: [],
    figures: found,
  };
}

async function measure(outer: Scope, markets: number): Promise<Size> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  scope.progress(`${whole(markets)} markets, live`);
  const probed = await startProbedService(scope, markets, updatesPerSecond);
  const rebuilt = await rebuilding(scope, probed);
  await probed.stop();
  scope.progress(`${whole(markets)} markets, standing still`);
  const still = await startStillService(scope, markets);
  return { markets, ...rebuilt, ...(await speeds(scope, still)) };
}

async function rebuilding(scope: Scope, probed: ProbedService) {
  const seconds = scope.pick(5, 2);
  const readMs = async (read: ProbeRead, encoding: 'identity' | 'gzip') => {
    const report = await probed.watch({ read, encoding, every: 1 }, seconds);
    return median(report.readMs);
  };
  await pause(scope.pick(3_000, 500));
  const rebuildTickerMs = await readMs('ticker', 'identity');
  const rebuildListMs = await readMs('tickers', 'identity');
  const residentBytes = probed.service.process.residentBytes();
  const rebuildGzipMs = await readMs('tickers', 'gzip');
  return { rebuildTickerMs, rebuildListMs, rebuildGzipMs, residentBytes };
}

async function speeds(scope: Scope, still: StillService) {
  const { process, baseUrl } = still.service;
  const { keys } = still.installation;
  const target = {
    name: 'service',
    process,
    identity: baseUrl,
    gzip: baseUrl,
    keys,
    still: true,
    pause() {},
    resume() {},
  } as const;
  const perSecond = async (name: string, paths: readonly string[]) => {
    await sample(target, { name, paths, gzip: false }, 1);
    const { requestsPerProcessorSecond, requestsPerSecond } = await sample(
      target,
      { name, paths, gzip: false },
      scope.pick(5, 1),
    );
    return requestsPerProcessorSecond ?? requestsPerSecond;
  };
  const { body } = await ask(`${baseUrl}/v1/tickers`, keys[0]!);
  return {
    listBytes: body.length,
    tickerPerSecond: await perSecond('/v1/ticker', tickerPaths(still)),
    listPerSecond: await perSecond('/v1/tickers', ['/v1/tickers']),
  };
}

function rowOf(size: Size): string[] {
  return [
    whole(size.markets),
    bytes(size.listBytes),
    whole(size.tickerPerSecond),
    short(size.listPerSecond),
    span(size.rebuildTickerMs),
    span(size.rebuildListMs),
    span(size.rebuildGzipMs),
    size.residentBytes === undefined ? '-' : bytes(size.residentBytes),
  ];
}
