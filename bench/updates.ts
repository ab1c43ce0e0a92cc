import { setTimeout as pause } from 'node:timers/promises';
import { startProbedService } from './fixture/probed-service.ts';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import { percent, short, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { quantile } from './report/statistics.ts';
import { Scope } from './scope.ts';

const markets = 500;
const requestsPerSecond = 1_000;
/** The first is next to none: what serving the requests takes by itself. */
const steps = [10, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];
/** Later than this behind the exchange, and the service no longer keeps up. */
const lagMsMax = 1_000;
const deliveredShareMin = 0.9;
const takenShareMin = 0.97;

interface Step {
  readonly asked: number;
  /** Updates a second the exchange sent. */
  readonly sent: number;
  /** Updates a second the service put into its book. */
  readonly taken: number;
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly requestsPerSecond: number;
  readonly busy: number | undefined;
  readonly keptUp: boolean;
}

/** How many updates a second one core takes while it serves requests. */
export async function updates(scope: Scope): Promise<Section> {
  const seconds = scope.pick(10, 2);
  const done: Step[] = [];
  for (const asked of scope.quick ? [10, 1_000, 8_000] : steps) {
    scope.progress(`${whole(asked)} updates a second`);
    const step = await measure(scope, asked, seconds);
    done.push(step);
    if (!step.keptUp || step.sent < asked * deliveredShareMin) break;
  }
  const [base] = done;
  const best = done
    .filter(({ keptUp }) => keptUp)
    .reduce((most, step) => (step.taken > most.taken ? step : most), base!);
  const limit = done.at(-1)!.keptUp
    ? 'the exchange could send no more, or no more was asked for'
    : 'beyond it the service falls behind';
  return {
    title: 'Updates a second on one core',
    meaning: `${markets} markets, ${whole(requestsPerSecond)} requests a second meanwhile (half for one ticker, half for all). The service keeps up when it takes what the exchange sends and is never more than ${lagMsMax / 1000} s behind it (p99). Highest rate it kept up with: ${whole(best.taken)} a second; ${limit}.`,
    columns: [
      'updates/s asked for',
      'sent',
      'taken',
      'behind p50',
      'behind p99',
      'requests/s',
      'core busy',
      'µs of processor an update',
      'keeps up',
    ],
    rows: done.map((step) => rowOf(step, base!)),
    bars: [],
    figures: done,
  };
}

async function measure(outer: Scope, asked: number, seconds: number): Promise<Step> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  const probed = await startProbedService(scope, markets, asked);
  const { service, exchange, installation } = probed;
  await pause(scope.pick(2_000, 500));
  const paths = ['/v1/ticker?symbol=BTCEUR', '/v1/tickers'];
  const plan = { baseUrl: service.baseUrl, paths, keys: installation.keys, gzip: false, connections: 16, seconds };
  const sentBefore = await exchange.updates();
  const countedAtMs = performance.now();
  const usedBefore = service.process.processorSeconds();
  let requests = 0;
  const report = await probed.watch({ read: 'nothing', encoding: 'identity', every: 1 }, seconds, async () => {
    const result = await sendLoad({ ...plan, rate: requestsPerSecond });
    assertServed(result, `requests beside ${asked} updates a second`);
    requests = result.requests / result.seconds;
  });
  const usedAfter = service.process.processorSeconds();
  const sent = ((await exchange.updates()) - sentBefore) / ((performance.now() - countedAtMs) / 1000);
  const taken = report.taken / (report.elapsedMs / 1000);
  const lagP99Ms = quantile(report.stampToServableMs, 0.99);
  return {
    asked,
    sent,
    taken,
    lagP50Ms: quantile(report.stampToServableMs, 0.5),
    lagP99Ms,
    requestsPerSecond: requests,
    busy: usedAfter === undefined ? undefined : (usedAfter - usedBefore!) / (report.elapsedMs / 1000),
    keptUp: lagP99Ms < lagMsMax && taken >= sent * takenShareMin,
  };
}

function rowOf(step: Step, base: Step): string[] {
  const { asked, sent, taken, busy } = step;
  const perUpdate =
    busy === undefined || base.busy === undefined || step === base
      ? '-'
      : short(((busy - base.busy) / (taken - base.taken)) * 1e6);
  return [
    whole(asked),
    whole(sent),
    whole(taken),
    span(step.lagP50Ms),
    span(step.lagP99Ms),
    whole(step.requestsPerSecond),
    busy === undefined ? '-' : percent(busy),
    perUpdate,
    step.keptUp ? 'yes' : 'no',
  ];
}
