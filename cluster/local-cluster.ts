import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StandInExchange, startStandInExchange } from '../src/cli/stand-in-exchange.ts';
import { eventually } from '../test/support/eventually.ts';
import { fixedPort } from '../test/support/fixed-port.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import type { RedisServer } from '../test/support/redis.ts';
import { NodeProcess, type Role } from './node-process.ts';
import type { Programs } from './programs.ts';
import { makeSecrets, type Secrets } from './secrets.ts';

const roles: readonly (readonly [name: string, role: Role])[] = [
  ['feed-1', 'feed'],
  ['feed-2', 'feed'],
  ['api-1', 'api'],
  ['api-2', 'api'],
  ['api-3', 'api'],
];

/** A machine that has much else to do takes its time for five processes. */
const pricesWithinMs = 120_000;

/** A server that can be killed and started again on its data and its port. */
export class Outage {
  readonly name: string;
  readonly #kill: () => Promise<void>;
  readonly #start: () => Promise<void>;
  #isUp = true;

  constructor(name: string, kill: () => Promise<void>, start: () => Promise<void>) {
    this.name = name;
    this.#kill = kill;
    this.#start = start;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  async toggle(): Promise<void> {
    if (this.#isUp) {
      this.#isUp = false;
      await this.#kill();
    } else {
      await this.#start();
      this.#isUp = true;
    }
  }
}

interface Servers {
  readonly exchange: StandInExchange;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
}

/** PostgreSQL, Redis, a stand-in exchange, two feeds, three nodes for clients, and nginx, all on this machine. */
export class LocalCluster {
  readonly baseUrl: string;
  readonly nodes: readonly NodeProcess[];
  readonly redis: Outage;
  readonly postgres: Outage;
  readonly redisPort: number;
  readonly exchangeControlUrl: string;
  /** Where everything lies that is written: configuration, data and logs. */
  readonly directory: string;
  readonly secrets: Secrets;

  private constructor(
    baseUrl: string,
    directory: string,
    servers: Servers,
    nodes: readonly NodeProcess[],
    secrets: Secrets,
  ) {
    const { exchange, postgres, redis } = servers;
    this.baseUrl = baseUrl;
    this.directory = directory;
    this.nodes = nodes;
    this.secrets = secrets;
    this.redisPort = redis.port;
    this.exchangeControlUrl = exchange.controlUrl;
    this.redis = new Outage(
      'Redis',
      () => redis.kill(),
      () => redis.restart(),
    );
    this.postgres = new Outage(
      'PostgreSQL',
      () => postgres.kill(),
      () => postgres.start(),
    );
  }

  /**
   * Starts everything and resolves once prices are served, or `ended` aborts. What was started is ended by `undo`, also
   * when this rejects.
   */
  static async start(
    programs: Programs,
    undo: Undo,
    ended: AbortSignal,
    progress: (text: string) => void,
  ): Promise<LocalCluster> {
    const directory = ownDirectory(undo);
    const publicPort = await fixedPort();
    const baseUrl = `http://127.0.0.1:${publicPort}`;
    progress('PostgreSQL, Redis and the stand-in exchange start');
    const servers = await startServers(programs, undo);
    const storeUrl = await servers.postgres.newDatabase();
    const secrets = await makeSecrets(storeUrl);
    writeConfiguration(directory, baseUrl, storeUrl, servers);
    progress('two feeds and three nodes for clients start');
    const nodes: NodeProcess[] = [];
    for (const [name, role] of roles) {
      const plan = { name, role, directory, port: await fixedPort(), adminPort: await fixedPort() };
      const node = new NodeProcess(plan);
      nodes.push(node);
      undo.after(() => node.end());
      await node.start();
    }
    const { Nginx } = await import('../test/support/nginx.ts');
    const apis = nodes.filter(({ role }) => role === 'api').map(({ port }) => port);
    await Nginx.start(undo, publicPort, apis);
    const served = () => ended.aborted || servesPrices(baseUrl, secrets.watching.key, nodes);
    await eventually(`prices on ${baseUrl} (logs: ${directory})`, served, pricesWithinMs);
    return new LocalCluster(baseUrl, directory, servers, nodes, secrets);
  }
}

/** What is to be ended, the last first. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  after(step: () => unknown): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

/** Removes the directory once its own input ends, which it does however this process ends; what still lies in it may be in use for a moment. */
const sweeper = `read -r end
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  rm -rf "$1" 2>/dev/null && exit
  sleep 0.3
done`;

/** One directory for all, those of the servers included: it is one to remove, and one to look into. */
function ownDirectory(undo: Undo): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-cluster-'));
  const options: SpawnOptions = { stdio: ['pipe', 'ignore', 'ignore'], detached: true };
  const child = spawn('/bin/sh', ['-c', sweeper, 'sweeper', directory], options);
  const swept = once(child, 'exit');
  undo.after(async () => {
    child.stdin?.end();
    await swept;
  });
  // PostgreSQL and nginx run as nobody where this runs as root: they get to their own here, as in any directory for all.
  if (process.geteuid?.() === 0) chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return directory;
}

async function startServers(programs: Programs, undo: Undo): Promise<Servers> {
  const postgres = await startPostgres();
  undo.after(() => postgres.stop());
  // Looked for when it is loaded, and installed in a container: it is told where the program is.
  process.env.MDAPI_REDIS_BIN = programs.redis;
  const { RedisServer } = await import('../test/support/redis.ts');
  const redis = await RedisServer.start(undo);
  const exchange = await startStandInExchange({ write: (text) => process.stderr.write(text), isTerminal: false });
  undo.after(() => exchange.stop());
  // It is for this program alone, and no setting of the nodes.
  delete process.env.MDAPI_REDIS_BIN;
  return { exchange, postgres, redis };
}

/** All processes are ready, and every node for clients has prices, as nginx asks them in turn. */
async function servesPrices(baseUrl: string, key: string, nodes: readonly NodeProcess[]): Promise<boolean> {
  const is200 = async (url: string) => {
    const answer = await fetch(url, { headers: { 'X-EXCHANGE-APIKEY': key } }).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.ok === true;
  };
  for (const { adminUrl, role, port } of nodes) {
    if (!(await is200(`${adminUrl}/readyz`))) return false;
    if (role === 'api' && !(await is200(`http://127.0.0.1:${port}/v1/tickers`))) return false;
  }
  return is200(`${baseUrl}/v1/tickers`);
}

function writeConfiguration(directory: string, baseUrl: string, store: string, { exchange, redis }: Servers): void {
  const configuration = {
    // Everything here shares the few cores of one machine: a late turn is no overload.
    server: { baseUrl, trustedProxies: ['127.0.0.1'], overloadDelay: '10s' },
    store,
    redis: redis.url,
    exchange: { urls: { rest: exchange.restUrl, ws: exchange.wsUrl } },
    rates: { source: 'cnb', url: exchange.cnbUrl },
  };
  // JSON is YAML.
  writeFileSync(join(directory, 'mdapi.yaml'), `${JSON.stringify(configuration, undefined, 2)}\n`, { mode: 0o600 });
}
