import { setTimeout as pause } from 'node:timers/promises';
import { readMetrics } from '../test/support/metrics-text.ts';
import { type Exchange, startExchange } from './fixture/exchange.ts';
import { install, type Service, servedTickers, startService } from './fixture/service.ts';
import { bytes, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { Scope } from './scope.ts';

const euroMarkets = 200;
const updatesPerSecond = 500;
const inventedPairs = 20_000;
const memoryGrowthMax = 0.2;
/** The shortest that can be configured. */
const reload = '10s';
const loadsMs = 60_000;

interface Flooded {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly peak: number;
  readonly markets: number;
}

/** Resident memory while an exchange lists tens of thousands of pairs that do not exist. */
export async function flood(scope: Scope): Promise<Section> {
  const rows = [
    await measure(scope, 'the same ones at each load', { changing: false }),
    await measure(scope, 'others at each load', { changing: true }),
  ];
  return {
    title: 'A flood of markets',
    meaning: `Resident memory of \`mdapi serve\` as the shipped unit runs it, with SQLite, the record and ${whole(euroMarkets)} markets of the exchange, ${whole(updatesPerSecond)} updates a second: while all is well, and while its list holds ${whole(inventedPairs)} invented pairs besides, which is loaded every ${reload}.`,
    columns: [`${whole(inventedPairs)} invented pairs`, 'markets', 'before', 'after six loads', 'most meanwhile'],
    rows: rows.map(({ name, markets, before, after, peak }) => [
      name,
      whole(markets),
      bytes(before),
      bytes(after),
      bytes(peak),
    ]),
    bars: rows.map(({ name, before, after }) => ({
      promise: `${name}: at most a fifth more memory`,
      measured: `${Math.round((after / before - 1) * 100)} % more`,
      met: after <= before * (1 + memoryGrowthMax),
    })),
    figures: rows,
  };
}

async function measure(outer: Scope, name: string, { changing }: { readonly changing: boolean }): Promise<Flooded> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  scope.progress(`${whole(inventedPairs)} invented pairs, ${name}`);
  const exchange = await startExchange(scope, euroMarkets, updatesPerSecond);
  const installation = await install(scope, 'flood', exchange);
  const service = await startService(scope, installation, {
    env: { MDAPI_FEED_CATALOGUE_RELOAD: reload },
  });
  await servedTickers(service, installation.keys[0]!, 2 * euroMarkets);
  // With as many loads of the list as follow.
  await pause(scope.pick(loadsMs, 10_000));
  const before = resident(service);
  await setFlood(exchange, changing);
  while ((await waiting(service)) < inventedPairs) await pause(500);
  let peak = 0;
  for (const endAt = performance.now() + scope.pick(loadsMs, 10_000); performance.now() < endAt; ) {
    peak = Math.max(peak, resident(service));
    await pause(100);
  }
  const { length } = await servedTickers(service, installation.keys[0]!, 2 * euroMarkets);
  return { name, before, after: resident(service), peak, markets: length };
}

async function setFlood({ controlUrl }: Exchange, changing: boolean): Promise<void> {
  const body = JSON.stringify({ fault: 'pair-flood', count: inventedPairs, changing });
  const answer = await fetch(`${controlUrl}/faults`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`the exchange refuses the flood: ${await answer.text()}`);
}

async function waiting({ adminUrl }: Service): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return readMetrics(text).value('mdapi_markets_waiting', { reason: 'growth' });
}

function resident({ process }: Service): number {
  return process.residentBytes() ?? Number.NaN;
}
