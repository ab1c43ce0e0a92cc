import { startExchange } from './fixture/exchange.ts';
import { redisMissing, startRedis } from './fixture/redis.ts';
import { install, type Service, servedTickers, startService } from './fixture/service.ts';
import type { PacedPlan, PacedResult } from './load/paced.ts';
import { startNode } from './processes.ts';
import { span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median, quantile } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const program = new URL('./load/paced.ts', import.meta.url).pathname;
const markets = 500;
const updatesPerSecond = 500;
/** Requests a second of the one key, over all processes that it asks. */
const rate = 300;
const measured = `/v1/ticker of one key at ${rate}/s, ${updatesPerSecond} updates/s`;

/** One line of the section. */
interface Finding {
  readonly measured: string;
  readonly with: string;
  readonly median: string;
  readonly tail: string;
  /** The number of measurements; absent for what was not measured. */
  readonly samples?: number;
  /** Unrounded, for programs. */
  readonly figures?: unknown;
}

/** What it costs that a key never sees an older board than it has seen, whichever process answers. */
export async function reads(scope: Scope): Promise<Section> {
  const findings = await measure(scope);
  return {
    title: 'Monotonic reads',
    meaning: `One key asks one of three processes that share Redis, then all three in turn, ${rate} times a second in all, while ${updatesPerSecond} prices a second move in ${markets} markets. Asked in turn, an answer may have to wait until its process has the board that another one served. Time of an answer: from writing the request to the last byte.`,
    columns: ['measured', 'with', 'median', 'tail', 'samples'],
    rows: findings.map(({ measured: what, with: name, median: middle, tail, samples }) => [
      what,
      name,
      middle,
      tail,
      samples === undefined ? '-' : whole(samples),
    ]),
    bars: [],
    figures: findings,
  };
}

async function measure(scope: Scope): Promise<Finding[]> {
  const redis = await startRedis(scope);
  if (redis === undefined) return [{ measured, with: redisMissing!, median: '-', tail: '-' }];
  const exchange = await startExchange(scope, markets / 2, updatesPerSecond);
  const installation = await install(scope, 'reads', exchange);
  const [key] = installation.keys as readonly [string, ...string[]];
  const nodes: Service[] = [];
  for (let index = 0; index < 3; index++) {
    nodes.push(await startService(scope, installation, { core: 'all', env: { MDAPI_REDIS: redis.url } }));
    await servedTickers(nodes.at(-1)!, key, markets);
  }
  const found: { readonly one: number[][]; readonly three: number[][] } = { one: [], three: [] };
  for (let round = 0; round < scope.pick(7, 1); round++) {
    scope.progress(`reads of one key: round ${round + 1}`);
    found.one.push(await latencies([nodes[round % 3]!], key, scope.pick(10, 2)));
    found.three.push(await latencies(nodes, key, scope.pick(10, 2)));
  }
  return [findingOf('one of three processes', found.one), findingOf('three processes in turn', found.three)];
}

async function latencies(nodes: readonly Service[], key: string, seconds: number): Promise<number[]> {
  const plan: PacedPlan = {
    baseUrls: nodes.map(({ baseUrl }) => baseUrl),
    path: '/v1/ticker?symbol=BTCEUR',
    keys: [key],
    connections: 16,
    rate: rate / nodes.length,
    seconds: seconds + 1,
    warmUpSeconds: 1,
  };
  const client = startNode({ core: 'others', args: [program, JSON.stringify(plan)] });
  const results = JSON.parse(await client.output()) as readonly PacedResult[];
  const failures = results.reduce((sum, each) => sum + each.failures, 0);
  if (failures > 0) throw new Error(`${failures} answers were no 200`);
  return results.flatMap(({ latenciesMs }) => latenciesMs);
}

function findingOf(name: string, rounds: readonly (readonly number[])[]): Finding {
  const quantileOf = (share: number) => median(rounds.map((latenciesMs) => quantile([...latenciesMs], share)));
  const samples = rounds.reduce((sum, each) => sum + each.length, 0);
  const figures = rounds.map((each) => [quantile([...each], 0.5), quantile([...each], 0.99)]);
  return {
    measured,
    with: name,
    median: span(quantileOf(0.5)),
    tail: `p99 ${span(quantileOf(0.99))}`,
    samples,
    figures,
  };
}
