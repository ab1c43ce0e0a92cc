import { startExchange } from './fixture/exchange.ts';
import { install, type Service, servedTickers, startService } from './fixture/service.ts';
import { sendLoad } from './load/generator.ts';
import { assertServed } from './load/load.ts';
import { startNode } from './processes.ts';
import { bytes, percent, ratio, span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';
import type { SharingReport } from './workers/sharing-process.ts';

const markets = 500;
const updatesPerSecond = 500;
const connections = 64;
const counts = [1, 2] as const;
const sharing = new URL('./workers/sharing-process.ts', import.meta.url).pathname;

interface Sample {
  readonly requestsPerSecond: number;
  readonly p99Ms: number | undefined;
  /** Cores used by the service. */
  readonly cores: number | undefined;
  readonly microsecondsPerRequest: number | undefined;
}

interface Standing {
  readonly workers: number;
  readonly path: string;
  readonly samples: readonly Sample[];
  readonly residentBytes: number | undefined;
}

/** What several serving threads bring on this machine, what they cost, and what sharing costs one thread. */
export async function workers(scope: Scope): Promise<Section> {
  const exchange = await startExchange(scope, markets / 2, updatesPerSecond);
  const services = new Map<number, { service: Service; keys: readonly string[] }>();
  for (const count of counts) {
    const installation = await install(scope, `workers-${count}`, exchange);
    const env = { MDAPI_SERVER_WORKERS: String(count) };
    const service = await startService(scope, installation, { core: 'all', env });
    await servedTickers(service, installation.keys[0]!, markets);
    services.set(count, { service, keys: installation.keys });
  }
  const standings: Standing[] = [];
  for (const path of ['/v1/ticker?symbol=BTCEUR', '/v1/tickers'])
    standings.push(...(await compare(scope, services, path)));
  const shared = JSON.parse(await startNode({ core: 'measured', args: [sharing] }).output()) as SharingReport;
  return {
    title: 'Serving threads',
    meaning: `\`server.workers\` 1 and 2 in turns, with ${whole(updatesPerSecond)} updates a second. Neither the service nor the load generator is bound to a core here: on a machine of two cores they share both, so that the second worker gets what the generator leaves. What tells of the code is the processor time a request takes. One thread alone: a look-up in the directory takes ${whole(shared.findNs)} ns, in the directory of another thread ${whole(shared.readNs)} ns; counting a key ${whole(shared.keyNs)} ns, counting an address ${whole(shared.addressNs)} ns.`,
    columns: [
      'asked for',
      'workers',
      'requests/s',
      'to one worker',
      'p99',
      'cores used',
      'µs of processor a request',
      'memory',
    ],
    rows: standings.map((each) => rowOf(each, standings)),
    bars: [],
    figures: { standings, shared },
  };
}

async function compare(
  scope: Scope,
  services: ReadonlyMap<number, { service: Service; keys: readonly string[] }>,
  path: string,
): Promise<Standing[]> {
  const rounds = scope.pick(7, 3);
  const samples = new Map<number, Sample[]>(counts.map((count) => [count, []]));
  for (let round = 0; round <= rounds; round++) {
    scope.progress(`${path}: round ${round} of ${rounds}`);
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      const { service, keys } = services.get(count)!;
      const taken = await sample(service, keys, path, scope.pick(4, 2));
      // The first is for warming up.
      if (round > 0) samples.get(count)!.push(taken);
    }
  }
  return counts.map((count) => ({
    workers: count,
    path,
    samples: samples.get(count)!,
    residentBytes: services.get(count)!.service.process.residentBytes(),
  }));
}

async function sample(service: Service, keys: readonly string[], path: string, seconds: number): Promise<Sample> {
  const before = service.process.processorSeconds();
  const plan = { baseUrl: service.baseUrl, paths: [path], keys, gzip: false, connections, seconds };
  const result = await sendLoad({ ...plan, core: 'all' });
  assertServed(result, path);
  const after = service.process.processorSeconds();
  const used = before === undefined || after === undefined ? undefined : after - before;
  return {
    requestsPerSecond: result.requests / result.seconds,
    p99Ms: result.p99Ms,
    cores: used && used / result.seconds,
    microsecondsPerRequest: used && (used * 1e6) / result.requests,
  };
}

function rowOf(each: Standing, all: readonly Standing[]): string[] {
  const one = all.find(({ path, workers: count }) => path === each.path && count === 1)!;
  const middle = (standing: Standing, member: keyof Sample) => {
    const known = standing.samples.map((sampled) => sampled[member]).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : median(known);
  };
  const [p99Ms, cores, microseconds] = [
    middle(each, 'p99Ms'),
    middle(each, 'cores'),
    middle(each, 'microsecondsPerRequest'),
  ];
  return [
    each.path,
    String(each.workers),
    whole(middle(each, 'requestsPerSecond')!),
    ratio(middle(each, 'requestsPerSecond')! / middle(one, 'requestsPerSecond')!),
    p99Ms === undefined ? '-' : span(p99Ms),
    cores === undefined ? '-' : percent(cores),
    microseconds === undefined ? '-' : microseconds.toFixed(1),
    each.residentBytes === undefined ? '-' : bytes(each.residentBytes),
  ];
}
