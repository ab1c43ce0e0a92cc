import { copyFileSync } from 'node:fs';
import { readMetrics } from '../test/support/metrics-text.ts';
import { startExchange } from './fixture/exchange.ts';
import { type Installation, install, type Service, servedTickers, startService } from './fixture/service.ts';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import type { PacedPlan, PacedResult } from './load/paced.ts';
import { startNode } from './processes.ts';
import { percent, short, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median, quantile } from './report/statistics.ts';
import { Scope } from './scope.ts';

const program = new URL('./load/paced.ts', import.meta.url).pathname;
const markets = 500;
/** Each changes a market in EUR and the one in CZK beside it. */
const updatesPerSecond = 1_000;
const requestsPerSecond = 500;
const addedP99MaxMs = 0.2;
const pricesPerSecond = 10_000;
/** The exchange sends what its timers allow. */
const takenShareMin = 0.95;

/** One service in one round. */
interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the serving thread, and of all threads. */
  readonly servingBusy: number;
  readonly busy: number;
}

/** What keeping the record costs a service: answers, processor, and how much it takes. */
export async function recording(scope: Scope): Promise<Section> {
  const compared = await compare(scope);
  const taken = await take(scope);
  const [without, withRecord] = compared;
  const added = median(withRecord!.map(({ p99Ms }, round) => p99Ms - without![round]!.p99Ms));
  const rows = compared.map((rounds, index) => {
    const each = (name: keyof Round) => median(rounds.map((round) => round[name]));
    const busy = [percent(each('servingBusy')), percent(each('busy'))];
    return [index === 0 ? 'off' : 'on', span(each('p50Ms')), span(each('p99Ms')), ...busy];
  });
  const { prices, gaps, backlogBytes } = taken;
  const isTaken = gaps === 0 && prices >= pricesPerSecond * takenShareMin;
  return {
    title: 'What the record costs',
    meaning: `Two services, one without a record, follow the same exchange (${markets} markets, ${whole(2 * updatesPerSecond)} prices a second) on one core and answer ${whole(requestsPerSecond)} requests a second each for /v1/ticker, asked in turn; medians over the rounds. Then one with a record takes what is asked for below, and answers ${whole(2 * requestsPerSecond)} requests a second: ${whole(prices)} prices a second recorded, ${whole(gaps)} gaps, ${short(backlogBytes / 1e6)} MB not yet in the journal at its end, p99 ${span(taken.p99Ms)}.`,
    columns: ['record', 'answer p50', 'p99', 'serving thread busy', 'all threads'],
    rows,
    bars: [
      {
        promise: `p99 of /v1/ticker changed by less than ${addedP99MaxMs} ms`,
        measured: `${added < 0 ? '-' : ''}${span(Math.abs(added))}`,
        met: Math.abs(added) < addedP99MaxMs,
      },
      { promise: `${whole(pricesPerSecond)} prices a second taken`, measured: whole(prices), met: isTaken },
    ],
    figures: { compared, taken },
  };
}

/** Rounds of both services, the one without a record first. */
async function compare(outer: Scope): Promise<readonly (readonly Round[])[]> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const exchange = await startExchange(scope, markets / 2, updatesPerSecond);
  const [off, on] = [await install(scope, 'off', exchange), await install(scope, 'on', exchange)];
  copyFileSync(off.databasePath, on.databasePath);
  const installations = [off, { ...on, keys: off.keys }];
  const env = [{ MDAPI_HISTORY_URL: 'off' }, {}];
  const services: Service[] = [];
  for (const [index, installation] of installations.entries()) {
    services.push(await startService(scope, installation, { env: env[index]! }));
    await servedTickers(services[index]!, installation.keys[0]!, markets);
  }
  const rounds: Round[][] = [[], []];
  // The first warms up.
  for (let round = 0; round <= scope.pick(5, 1); round++) {
    scope.progress(`answers with and without a record: round ${round}`);
    const found = await oneRound(services, installations, scope.pick(20, 3));
    if (round > 0) for (const [index, each] of found.entries()) rounds[index]!.push(each);
  }
  return rounds;
}

async function oneRound(
  services: readonly Service[],
  installations: readonly Installation[],
  seconds: number,
): Promise<Round[]> {
  const { keys } = installations[0]!;
  const baseUrls = services.map(({ baseUrl }) => baseUrl);
  const path = '/v1/ticker?symbol=BTCEUR';
  const plan: PacedPlan = { baseUrls, path, keys, connections: 16, rate: requestsPerSecond, seconds, warmUpSeconds: 0 };
  const usedOf = ({ process }: Service) => [process.servingSeconds() ?? 0, process.processorSeconds() ?? 0] as const;
  const before = services.map(usedOf);
  const startedMs = performance.now();
  const client = startNode({ core: 'others', args: [program, JSON.stringify(plan)] });
  const results = JSON.parse(await client.output()) as readonly PacedResult[];
  const elapsed = (performance.now() - startedMs) / 1_000;
  return results.map(({ failures, latenciesMs }, index) => {
    if (failures > 0 || latenciesMs.length === 0) throw new Error(`${failures} answers were no 200`);
    const [serving, all] = usedOf(services[index]!);
    const [servingBefore, allBefore] = before[index]!;
    return {
      p50Ms: quantile(latenciesMs, 0.5),
      p99Ms: quantile(latenciesMs, 0.99),
      servingBusy: (serving - servingBefore) / elapsed,
      busy: (all - allBefore) / elapsed,
    };
  });
}

/** How many prices a second are recorded while requests are answered. */
async function take(outer: Scope) {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const exchange = await startExchange(scope, markets / 2, pricesPerSecond / 2);
  const installation = await install(scope, 'flooded', exchange);
  const service = await startService(scope, installation, { core: 'all' });
  await servedTickers(service, installation.keys[0]!, markets);
  const metrics = async () => readMetrics(await (await fetch(`${service.adminUrl}/metrics`)).text());
  const seconds = scope.pick(60, 5);
  scope.progress(`${whole(pricesPerSecond)} prices a second`);
  const before = (await metrics()).value('mdapi_record_quotes_total');
  const startedMs = performance.now();
  const paths = ['/v1/ticker?symbol=BTCEUR', '/v1/tickers'];
  const plan = { baseUrl: service.baseUrl, paths, keys: installation.keys, gzip: false, connections: 16, seconds };
  const load = await sendLoad({ ...plan, rate: 2 * requestsPerSecond });
  assertServed(load, 'requests beside the prices');
  const after = await metrics();
  const elapsed = (performance.now() - startedMs) / 1_000;
  return {
    prices: (after.value('mdapi_record_quotes_total') - before) / elapsed,
    gaps: after.value('mdapi_record_gaps_total'),
    backlogBytes: after.value('mdapi_record_backlog_bytes'),
    p99Ms: load.p99Ms ?? Number.NaN,
  };
}
