import { generatorName } from './load/generator.ts';
import { bytes, percent, ratio, short, whole } from './report/format.ts';
import type { Bar, Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';
import { type RecordedAnswer, type Recording, tickerPathsOf } from './serving/answers.ts';
import { assertAnswers, type Case, type Sample, sample } from './serving/case.ts';
import { liveUpdatesPerSecond, startTargets, type Target, type TargetName } from './serving/targets.ts';

const markets = 500;
const bareShareMin = 0.85;
const usualTimesMin = 3;

const titles: Record<TargetName, string> = {
  bare: 'bare `node:http`',
  nginx: 'nginx, a file',
  service: 'this service',
  live: `this service, ${whole(liveUpdatesPerSecond)} updates/s`,
  usual: 'Fastify, JSON per request',
};

/** How one target did in one case, over all rounds. */
interface Comparison {
  readonly target: TargetName;
  readonly case: string;
  readonly requestsPerSecond: number;
  readonly requestsPerProcessorSecond: number | undefined;
  readonly busy: number | undefined;
  /** To the bare server, round by round; the median of these, with the extremes. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
  readonly samples: readonly Sample[];
}

/** How many requests one core serves, beside what could be served at most and what would be served otherwise. */
export async function serving(scope: Scope): Promise<Section> {
  const { targets, recording } = await startTargets(scope, markets);
  for (const target of targets) await assertAnswers(target, recording.answers);
  const comparisons: Comparison[] = [];
  for (const each of casesOf(recording)) comparisons.push(...(await compare(scope, targets, each)));
  for (const target of targets) await assertAnswers(target, recording.answers);
  return {
    title: 'Serving',
    meaning: meaning(recording),
    columns: [
      'asked for',
      'server',
      'requests/s',
      'core busy',
      'µs of processor a request',
      'ratio to bare',
      'lowest-highest',
    ],
    rows: comparisons.map(rowOf),
    bars: barsOf(comparisons),
    figures: comparisons,
  };
}

function casesOf({ answers }: Recording): Case[] {
  const tickers = tickerPathsOf(answers);
  return [false, true].flatMap((gzip) => {
    const coding = gzip ? 'gzip' : 'identity';
    return [
      { name: `/v1/ticker ${coding}`, paths: tickers, gzip },
      { name: `/v1/tickers ${coding}`, paths: ['/v1/tickers'], gzip },
    ];
  });
}

/** Measures all targets in turns, each round beginning with another one, after a warm-up that is not counted. */
async function compare(scope: Scope, targets: readonly Target[], each: Case): Promise<Comparison[]> {
  const rounds = scope.pick(7, 1);
  const seconds = scope.pick(3, 1);
  const samples = new Map<TargetName, Sample[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await sample(target, each, scope.pick(2, 1));
  for (let round = 0; round < rounds; round++) {
    scope.progress(`${each.name}: round ${round + 1} of ${rounds}`);
    for (let turn = 0; turn < targets.length; turn++) {
      const target = targets[(turn + round) % targets.length]!;
      samples.get(target.name)!.push(await sample(target, each, seconds));
    }
  }
  const bare = samples.get('bare')!;
  return targets.map(({ name }) => comparison(name, each.name, samples.get(name)!, bare));
}

function comparison(target: TargetName, name: string, samples: readonly Sample[], bare: readonly Sample[]): Comparison {
  const ratios = samples.map((each, round) => speedOf(each) / speedOf(bare[round]!));
  const known = (values: readonly (number | undefined)[]) => {
    const numbers = values.filter((value) => value !== undefined);
    return numbers.length === 0 ? undefined : median(numbers);
  };
  return {
    target,
    case: name,
    requestsPerSecond: median(samples.map((each) => each.requestsPerSecond)),
    requestsPerProcessorSecond: known(samples.map((each) => each.requestsPerProcessorSecond)),
    busy: known(samples.map((each) => each.busy)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    samples,
  };
}

/** What servers are compared by: a full core's requests a second, even where the load generator could not fill it. */
function speedOf({ requestsPerProcessorSecond, requestsPerSecond }: Sample): number {
  return requestsPerProcessorSecond ?? requestsPerSecond;
}

function rowOf({
  case: name,
  target,
  requestsPerSecond,
  requestsPerProcessorSecond,
  busy,
  ratio: to,
}: Comparison): string[] {
  return [
    name,
    titles[target],
    whole(requestsPerSecond),
    busy === undefined ? '-' : percent(busy),
    requestsPerProcessorSecond === undefined ? '-' : short(1e6 / requestsPerProcessorSecond),
    ratio(to.median),
    `${ratio(to.min)}-${ratio(to.max)}`,
  ];
}

function barsOf(comparisons: readonly Comparison[]): Bar[] {
  const find = (target: TargetName, name: string) =>
    comparisons.find((each) => each.target === target && each.case === name)!.ratio.median;
  const names = [...new Set(comparisons.map((each) => each.case))];
  const toBare = names.map((name) => {
    const share = find('service', name);
    return {
      promise: `${name}: at least ${bareShareMin} of the bare server`,
      measured: ratio(share),
      met: share >= bareShareMin,
    };
  });
  const toUsual = names
    .filter((name) => name.startsWith('/v1/tickers'))
    .map((name) => {
      const times = find('service', name) / find('usual', name);
      const promise = `${name}: at least ${usualTimesMin} times what one would write instead`;
      return { promise, measured: times.toFixed(1), met: times >= usualTimesMin };
    });
  return [...toBare, ...toUsual];
}

function meaning({ answers }: Recording): string {
  const size = ({ bodyBase64 }: RecordedAnswer) => Buffer.byteLength(bodyBase64, 'base64');
  const list = (gzip: boolean) =>
    bytes(size(answers.find((each) => each.path === '/v1/tickers' && each.gzip === gzip)!));
  const ticker = bytes(size(answers.find(({ path, gzip }) => path !== '/v1/tickers' && !gzip)!));
  return `Full load from ${generatorName} over 32 connections, ${markets} markets: a ticker of about ${ticker}, all tickers in ${list(false)} (gzip ${list(true)}). All servers take turns on one core; medians over the rounds. The bare server writes the same head and bytes with no logic: what this runtime can give at most. The ratio is of requests per second of the server's own processor time, so that it holds where the load generator cannot fill the core; with a busy core it is the ratio of requests a second. Every answer was a 200.`;
}
