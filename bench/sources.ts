import { setTimeout as pause } from 'node:timers/promises';
import type { ProbeReport } from './fixture/probe.ts';
import { type ProbedService, startProbedService, startPushedService } from './fixture/probed-service.ts';
import { bytes, percent, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median, quantile } from './report/statistics.ts';
import { Scope } from './scope.ts';

/** Half of them in EUR, half made from those. */
const markets = 1_000;
const pushedPerSecond = 5_000;
/** Of each exchange. */
const costPerSecond = 500;

interface Found {
  readonly name: string;
  readonly asked: number;
  readonly taken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longest: ProbeReport['longest'];
  readonly busy: number | undefined;
  readonly residentBytes: number | undefined;
}

/** What an engine of the operator costs beside an exchange, and what one more exchange does. */
export async function sources(scope: Scope): Promise<Section> {
  const found = [
    await watch(scope, 'Kraken', pushedPerSecond, (inner) => startProbedService(inner, markets, pushedPerSecond)),
    await watch(scope, 'an engine', pushedPerSecond, (inner) => startPushedService(inner, markets, pushedPerSecond)),
  ];
  for (const dialects of ['kraken', 'kraken,bitvavo', 'kraken,bitvavo,coinbase']) {
    const start = (inner: Scope) => startProbedService(inner, markets, costPerSecond, dialects);
    found.push(await watch(scope, dialects.replaceAll(',', ', '), costPerSecond, start));
  }
  return {
    title: 'Sources',
    meaning: `${markets / 2} markets in EUR and as many converted ones, no requests. From the socket's data event in the service's process until the bytes of the market's ticker are ready, read after every update that makes a price. Several exchanges: ${whole(costPerSecond)} changes a second on each, the first of which makes the prices; Bitvavo sends all markets that changed in one frame, once a second. The longest pause is the time that one piece of data from a socket takes, until all its tickers are ready.`,
    columns: ['source', 'updates/s of each', 'taken', 'p50', 'p99', 'longest pause', 'core busy', 'resident'],
    rows: found.map(({ name, asked, taken, p50Ms, p99Ms, longest, busy, residentBytes }) => [
      name,
      whole(asked),
      whole(taken),
      span(p50Ms),
      span(p99Ms),
      `${span(longest.ms)} (${whole(longest.tickers)} tickers)`,
      busy === undefined ? '-' : percent(busy),
      residentBytes === undefined ? '-' : bytes(residentBytes),
    ]),
    bars: [],
    figures: found,
  };
}

async function watch(
  outer: Scope,
  name: string,
  asked: number,
  start: (scope: Scope) => Promise<ProbedService>,
): Promise<Found> {
  outer.progress(name);
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const probed = await start(scope);
  const { process: measured } = probed.service;
  const seconds = scope.pick(20, 3);
  // Past the start: candles are asked for, code is compiled.
  await pause(scope.pick(10_000, 1_000));
  const usedBefore = measured.processorSeconds();
  const resident: number[] = [];
  const report = await probed.watch({ read: 'ticker', encoding: 'identity', every: 1 }, seconds, async () => {
    for (let second = 0; second < seconds; second++) {
      await pause(1_000);
      resident.push(measured.residentBytes() ?? Number.NaN);
    }
  });
  const usedAfter = measured.processorSeconds();
  return {
    name,
    asked,
    taken: report.taken / (report.elapsedMs / 1000),
    p50Ms: quantile(report.frameToServableMs, 0.5),
    p99Ms: quantile(report.frameToServableMs, 0.99),
    longest: report.longest,
    busy: usedAfter === undefined ? undefined : (usedAfter - usedBefore!) / (report.elapsedMs / 1000),
    residentBytes: usedAfter === undefined ? undefined : median(resident),
  };
}
