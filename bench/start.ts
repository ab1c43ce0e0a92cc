import { performance } from 'node:perf_hooks';
import { eventually } from '../test/support/eventually.ts';
import { ask } from './fixture/ask.ts';
import { startExchange } from './fixture/exchange.ts';
import { install, startService } from './fixture/service.ts';
import { span } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import { Scope } from './scope.ts';

const markets = 1_400;
const firstPriceBarMs = 800;
const allPricesBarMs = 2_000;

interface Start {
  readonly listeningMs: number;
  readonly firstPriceMs: number;
  readonly allPricesMs: number;
}

/** How long a new process takes until it serves prices, with an empty database and a running exchange. */
export async function start(scope: Scope): Promise<Section> {
  const runs = scope.pick(7, 2);
  const cached: Start[] = [];
  const uncached: Start[] = [];
  await once(scope, {});
  for (let run = 0; run < runs; run++) {
    scope.progress(`start ${run + 1} of ${runs}`);
    cached.push(await once(scope, {}));
    uncached.push(await once(scope, { NODE_DISABLE_COMPILE_CACHE: '1' }));
  }
  const firstPriceMs = median(cached.map((each) => each.firstPriceMs));
  const allPricesMs = median(cached.map((each) => each.allPricesMs));
  return {
    title: 'Start to first price',
    meaning: `\`mdapi serve\` with an empty database on a running exchange with ${markets / 2} markets, from the start of the process to the first 200 of /v1/tickers, asked every few milliseconds. The first start ever has no cache of compiled code yet.`,
    columns: ['start', 'listening', 'first price', 'first price after listening', `all ${markets} prices`],
    rows: [rowOf('with the cache of compiled code', cached), rowOf('without', uncached)],
    bars: [
      { promise: 'first price within 0.8 s', measured: span(firstPriceMs), met: firstPriceMs < firstPriceBarMs },
      {
        promise: `all ${markets} prices within 2 s`,
        measured: span(allPricesMs),
        met: allPricesMs < allPricesBarMs,
      },
    ],
    figures: { cached, uncached },
  };
}

async function once(outer: Scope, env: Readonly<Record<string, string>>): Promise<Start> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const exchange = await startExchange(scope, markets / 2, markets);
  const installation = await install(scope, 'start', exchange);
  const startedMs = performance.now();
  const { baseUrl } = await startService(scope, installation, { env });
  const listeningMs = performance.now() - startedMs;
  const served = (count: number) => async () => {
    const { status, body } = await ask(`${baseUrl}/v1/tickers`, installation.keys[0]!);
    return status === 200 && body.toString().split('"symbol"').length > count && performance.now() - startedMs;
  };
  const firstPriceMs = await eventually('a first price', served(1));
  const allPricesMs = await eventually('all prices', served(markets), 60_000);
  return { listeningMs, firstPriceMs, allPricesMs };
}

function rowOf(name: string, starts: readonly Start[]): string[] {
  return [
    name,
    span(median(starts.map(({ listeningMs }) => listeningMs))),
    span(median(starts.map(({ firstPriceMs }) => firstPriceMs))),
    span(median(starts.map(({ firstPriceMs, listeningMs }) => firstPriceMs - listeningMs))),
    span(median(starts.map(({ allPricesMs }) => allPricesMs))),
  ];
}
