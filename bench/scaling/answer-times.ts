import type { PacedPlan, PacedResult } from '../load/paced.ts';
import { startNode } from '../processes.ts';
import { span, whole } from '../report/format.ts';
import { median, quantile } from '../report/statistics.ts';
import type { Scope } from '../scope.ts';
import type { Finding } from './finding.ts';
import { inMemory, inRedis, type Variant } from './variants.ts';

const program = new URL('../load/paced.ts', import.meta.url).pathname;
const path = '/v1/ticker?symbol=BTCEUR';
/** Requests a second to each server: a few hundredths of what it can. */
const rate = 500;

/** Of each round. */
type Quantiles = readonly (readonly [p50: number, p99: number])[];

/** How long an answer takes: all servers at the same pace, asked in turn by one client, so that what differs is theirs. */
export async function answerTimes(
  scope: Scope,
  variants: readonly Variant[],
  keys: readonly string[],
): Promise<Finding[]> {
  const rounds: (readonly PacedResult[])[] = [];
  for (let round = 0; round < scope.pick(5, 1); round++) {
    scope.progress(`answers at ${whole(rate)} requests a second: round ${round + 1}`);
    rounds.push(await pace(variants, keys, scope.pick(20, 2)));
  }
  const resultsOf = (variant: Variant) => rounds.map((results) => results[variants.indexOf(variant)]!);
  const measured = `time of an answer at ${whole(rate)}/s, /v1/ticker`;
  const all = variants.map((variant) => {
    const results = resultsOf(variant);
    return findingOf(measured, variant.name, quantilesOf(results), results);
  });
  const [memory, redis] = [inMemory, inRedis].map((wanted) => variants.find(({ name }) => name === wanted));
  if (memory === undefined || redis === undefined) return all;
  const base = quantilesOf(resultsOf(memory));
  const added = quantilesOf(resultsOf(redis)).map(
    ([p50, p99], round) => [p50 - base[round]![0], p99 - base[round]![1]] as const,
  );
  return [...all, findingOf('added by Redis, round by round', inRedis, added, resultsOf(redis))];
}

async function pace(
  variants: readonly Variant[],
  keys: readonly string[],
  seconds: number,
): Promise<readonly PacedResult[]> {
  const baseUrls = variants.map(({ node }) => node.baseUrl);
  const plan: PacedPlan = { baseUrls, path, keys, connections: 16, rate, seconds: seconds + 1, warmUpSeconds: 1 };
  const client = startNode({ core: 'others', args: [program, JSON.stringify(plan)] });
  const results = JSON.parse(await client.output()) as readonly PacedResult[];
  results.forEach(({ failures, latenciesMs }, index) => {
    const { name } = variants[index]!;
    if (failures > 0 || latenciesMs.length === 0) throw new Error(`${name}: ${failures} answers were no 200`);
  });
  return results;
}

function quantilesOf(results: readonly PacedResult[]): Quantiles {
  return results.map(({ latenciesMs }) => [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)] as const);
}

function findingOf(measured: string, name: string, quantiles: Quantiles, results: readonly PacedResult[]): Finding {
  const [p50, p99] = [median(quantiles.map(([value]) => value)), median(quantiles.map(([, value]) => value))];
  const samples = results.reduce((total, { latenciesMs }) => total + latenciesMs.length, 0);
  const unsent = results.reduce((total, each) => total + each.unsent, 0);
  const tail = `p99 ${signedSpan(p99)}${unsent === 0 ? '' : `, ${whole(unsent)} not sent`}`;
  return { measured, with: name, median: signedSpan(p50), tail, samples, figures: quantiles };
}

/** A difference can be less than nothing where noise is greater than it. */
function signedSpan(milliseconds: number): string {
  return milliseconds < 0 ? `-${span(-milliseconds)}` : span(milliseconds);
}
