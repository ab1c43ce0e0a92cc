import { limitTable } from '../../src/contract/limits.ts';
import { startStillService } from '../fixture/still-service.ts';
import { sendLoad } from '../load/generator.ts';
import { assertServed } from '../load/load.ts';
import { pinned } from '../processes.ts';
import { short, whole } from '../report/format.ts';
import { median } from '../report/statistics.ts';
import type { Scope } from '../scope.ts';
import { answerTimes } from './answer-times.ts';
import type { Finding } from './finding.ts';
import { inRedis, onePort, startVariants, type Variant } from './variants.ts';

const markets = 500;
const connections = 32;
const counted = 'mdapi_redis_limits_requests_total';

interface Case {
  readonly name: string;
  readonly paths: readonly string[];
  readonly gzip: boolean;
}

const cases: readonly Case[] = [
  { name: '/v1/ticker', paths: ['/v1/ticker?symbol=BTCEUR'], gzip: false },
  { name: '/v1/tickers gzip', paths: ['/v1/tickers'], gzip: true },
];

/** What full load gave in each round. */
interface Samples {
  readonly rates: number[];
  /** Of processor, a request. */
  readonly microseconds: number[];
}

/** What counting limits costs: in memory, in Redis, and in Redis by two processes that share a port. */
export async function limits(scope: Scope): Promise<Finding[]> {
  scope.progress(`a service learns ${markets} markets`);
  const still = await startStillService(scope, markets);
  const { variants, missing } = await startVariants(scope, still, markets);
  const { keys } = still.installation;
  const findings: Finding[] = [];
  for (const each of cases) findings.push(...(await fullLoad(scope, variants, each, keys)));
  findings.push(...(await answerTimes(scope, variants, keys)), ...(await shareInRedis(variants)));
  findings.push(...(await exactness(scope, variants)), ...missing);
  return findings;
}

/** All in turns, each round beginning with another one, after a round that is not counted. */
async function fullLoad(
  scope: Scope,
  variants: readonly Variant[],
  each: Case,
  keys: readonly string[],
): Promise<Finding[]> {
  const samples: readonly Samples[] = variants.map(() => ({ rates: [], microseconds: [] }));
  const rounds = scope.pick(7, 1);
  for (let round = 0; round <= rounds; round++) {
    scope.progress(`${each.name}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (let turn = 0; turn < variants.length; turn++) {
      const index = (turn + round) % variants.length;
      const { rate, microseconds } = await load(variants[index]!, each, keys, scope.pick(3, 1));
      if (round === 0) continue;
      samples[index]!.rates.push(rate);
      if (microseconds !== undefined) samples[index]!.microseconds.push(microseconds);
    }
  }
  return variants.flatMap(({ name }, index) => findingsOf(each.name, name, samples[index]!));
}

async function load(variant: Variant, { name, paths, gzip }: Case, keys: readonly string[], seconds: number) {
  const before = variant.processorSeconds();
  const result = await sendLoad({ baseUrl: variant.node.baseUrl, paths, keys, gzip, connections, seconds });
  const after = variant.processorSeconds();
  assertServed(result, `${name}, ${variant.name}`);
  const used = before === undefined || after === undefined ? undefined : after - before;
  return { rate: result.requests / result.seconds, microseconds: used && (1e6 * used) / result.requests };
}

function findingsOf(path: string, name: string, { rates, microseconds }: Samples): Finding[] {
  const rate: Finding = {
    measured: `requests/s, ${path}`,
    with: name,
    median: whole(median(rates)),
    tail: `${whole(Math.min(...rates))}-${whole(Math.max(...rates))}`,
    samples: rates.length,
    figures: rates,
  };
  if (microseconds.length === 0) return [rate];
  const cost: Finding = {
    measured: `processor a request, ${path}`,
    with: name,
    median: `${short(median(microseconds))} µs`,
    tail: `${short(Math.min(...microseconds))}-${short(Math.max(...microseconds))} µs`,
    samples: microseconds.length,
    figures: microseconds,
  };
  return [rate, cost];
}

/** Keyless requests over many connections, so that both processes of a port get their part: the limit must hold over both. */
async function exactness(scope: Scope, variants: readonly Variant[]): Promise<Finding[]> {
  const pair = variants.find(({ name }) => name === onePort);
  if (pair === undefined) return [];
  const admitted = new Map<string, number>();
  let sent = 0;
  for (let round = 0; round < scope.pick(10, 2); round++) {
    const answers = Array.from({ length: 50 }, () =>
      fetch(`${pair.node.baseUrl}/openapi/v1.json`, { headers: { Connection: 'close' } }),
    );
    for (const { status, headers } of await Promise.all(answers)) {
      const minute = headers.get('X-RateLimit-Reset') ?? '';
      admitted.set(minute, (admitted.get(minute) ?? 0) + (status === 200 ? 1 : 0));
      sent++;
    }
  }
  const counts = [...admitted.values()];
  return [
    {
      measured: `admitted a minute at a limit of ${limitTable.address.requestsPerMinute}, over both processes`,
      with: onePort,
      median: counts.map(whole).join(', '),
      tail: `${whole(sent)} sent`,
      samples: sent,
      figures: counts,
    },
  ];
}

/** Figures of counting in Redis are of no use where a process counted by itself meanwhile. */
async function shareInRedis(variants: readonly Variant[]): Promise<Finding[]> {
  const node = variants.find(({ name }) => name === inRedis)?.node;
  if (node === undefined) return [];
  const [shared, alone] = [
    await node.metric(counted, { where: 'redis' }),
    await node.metric(counted, { where: 'alone' }),
  ];
  return [
    {
      measured: 'requests counted in Redis',
      with: pinned ? 'Redis beside the load generator on a core' : 'cores not bound',
      median: `${((100 * shared) / (shared + alone)).toFixed(2)} %`,
      tail: `${whole(alone)} alone`,
      samples: shared + alone,
    },
  ];
}
