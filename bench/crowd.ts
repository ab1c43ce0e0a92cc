import { execFileSync } from 'node:child_process';
import { startExchange } from './fixture/exchange.ts';
import { type Installation, install, type Service, servedTickers, startService } from './fixture/service.ts';
import type { CrowdPlan, CrowdResult } from './load/crowd.ts';
import { startNode } from './processes.ts';
import { bytes, percent, span, whole } from './report/format.ts';
import type { Bar, Section } from './report/section.ts';
import { quantile } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const markets = 500;
const updatesPerSecond = 500;
const openFilesMin = 8_000;
const program = new URL('./load/crowd.ts', import.meta.url).pathname;

/** Who comes, and what the machine does meanwhile. */
interface Scene extends Omit<CrowdPlan, 'baseUrl' | 'keys' | 'seconds'> {
  readonly name: string;
  /** The machine gives the service no time for 300 ms of every 450. */
  readonly isStopped?: boolean;
}

interface Outcome extends CrowdResult {
  readonly name: string;
  readonly residentBytes: number;
  /** Of one core, by the thread that serves. */
  readonly busy: number;
  /** What the service says it did to connections. */
  readonly ended: readonly string[];
}

const alone = { newcomersPerSecond: 20, drippingAddresses: 0, drippersPerAddress: 0 };
const few = { ...alone, clients: 200, path: '/v1/tickers', gzip: false, everyMs: 1_000 };

function scenes(scope: Scope): Scene[] {
  const dripping = [1, 2, 5].map((addresses) => ({
    ...few,
    drippingAddresses: addresses,
    drippersPerAddress: 200,
    name: `keyless drippers, ${addresses} ${addresses === 1 ? 'address' : 'addresses'} of 200`,
  }));
  const many = { ...alone, path: '/v1/tickers' };
  return [
    { ...many, name: 'gzip, each 5 s', clients: scope.pick(3_000, 1_000), gzip: true, everyMs: 5_000 },
    { ...many, name: 'identity, each 1.5 s', clients: scope.pick(1_500, 500), gzip: false, everyMs: 1_500 },
    ...dripping,
    { ...few, name: 'stopped 300 ms of 450', isStopped: true },
  ];
}

/**
 * Whether clients who behave are served in company: of many others, of some who do not, on a machine that gives no
 * time.
 */
export async function crowd(scope: Scope): Promise<Section> {
  assertOpenFiles();
  const exchange = await startExchange(scope, markets / 2, updatesPerSecond);
  const installation = await install(scope, 'crowd', exchange, undefined, { overloadDelay: '200ms' });
  const outcomes: Outcome[] = [];
  for (const scene of scenes(scope)) {
    scope.progress(scene.name);
    // A process each: what one scene leaves behind is not the next one's.
    const service = await startService(scope, installation);
    await servedTickers(service, installation.keys[0]!, markets);
    outcomes.push(await play(scope, service, installation, scene));
    await service.stop();
  }
  return {
    title: 'Crowd',
    meaning: `Clients with a key who keep their connection, read at once and ask for all ${markets} markets again in time, beside newcomers (10 a second with a key, 10 without, a connection each) and, where it says so, sockets without a key that have read a page and then send a byte a second. ${updatesPerSecond} updates a second; every limit of connections and overload as by default. Refused: an answer to a key that is not 200. Cut: a connection of one who behaves. Age: of the newest price in an answer.`,
    columns: [
      'clients',
      'answers',
      'refused',
      'new',
      'new refused',
      'cut',
      'p50',
      'p99',
      'age p99',
      'resident',
      'busy',
    ],
    rows: outcomes.map(rowOf),
    bars: outcomes.map(barOf),
    figures: outcomes,
  };
}

async function play(scope: Scope, service: Service, { keys }: Installation, scene: Scene): Promise<Outcome> {
  const { name, isStopped, ...rest } = scene;
  const plan: CrowdPlan = { ...rest, baseUrl: service.baseUrl, keys, seconds: scope.pick(30, 8) };
  const before = service.process.servingSeconds() ?? 0;
  const load = scope.own(startNode({ core: 'others', args: [program, JSON.stringify(plan)] }));
  const stopping = isStopped && setInterval(() => stopFor(service, 300), 450);
  let residentBytes = 0;
  const sampling = setInterval(() => {
    residentBytes = Math.max(residentBytes, service.process.residentBytes() ?? 0);
  }, 200);
  const result = JSON.parse(await load.output()) as CrowdResult;
  clearInterval(sampling);
  if (stopping) clearInterval(stopping);
  service.process.resume();
  const ended = await endedBy(service);
  return {
    ...result,
    ended,
    name,
    residentBytes,
    busy: ((service.process.servingSeconds() ?? 0) - before) / plan.seconds,
  };
}

/** A connection that ended and is not among these was ended by the system, as when a queue of it was full. */
async function endedBy({ adminUrl }: Service): Promise<string[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return text.split('\n').filter((line) => /^mdapi_(connections_|requests_shed|limited)\S* [^0]/.test(line));
}

function stopFor(service: Service, durationMs: number): void {
  service.process.pause();
  setTimeout(() => service.process.resume(), durationMs);
}

/** Every client is an open file, in the service and in what loads it. */
function assertOpenFiles(): void {
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  if (limit !== 'unlimited' && Number(limit) < openFilesMin)
    throw new Error(`needs ${openFilesMin} open files, and this shell allows ${limit}: ulimit -n ${openFilesMin}`);
}

function refusedOf(answers: Readonly<Record<string, number>>, served = '200'): number {
  return totalOf(answers) - (answers[served] ?? 0);
}

function totalOf(answers: Readonly<Record<string, number>>): number {
  return Object.values(answers).reduce((total, each) => total + each, 0);
}

function rowOf({
  name,
  answers,
  newcomers,
  keyless,
  cut,
  p50Ms,
  p99Ms,
  agesMs,
  residentBytes,
  busy,
}: Outcome): string[] {
  return [
    name,
    whole(totalOf(answers)),
    percent(refusedOf(answers) / totalOf(answers)),
    whole(totalOf(newcomers) + totalOf(keyless)),
    whole(refusedOf(newcomers) + refusedOf(keyless, '401')),
    whole(cut),
    span(p50Ms),
    span(p99Ms),
    agesMs.length === 0 ? '-' : span(quantile(agesMs, 0.99)),
    bytes(residentBytes),
    percent(busy),
  ];
}

function barOf({ name, answers, newcomers, keyless, cut }: Outcome): Bar {
  const refused = refusedOf(answers) + refusedOf(newcomers) + refusedOf(keyless, '401');
  return { promise: `${name}: nobody refused, nobody cut`, measured: `${refused}, ${cut}`, met: refused + cut === 0 };
}
