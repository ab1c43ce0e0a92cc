import { fileURLToPath } from 'node:url';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { Child, Installation } from '../support/mdapi-process.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import type { FaultySource } from './feed-faults.ts';
import { inspectorOptions } from './live-memory.ts';

const simulatorProgram = fileURLToPath(new URL('../../exchange-simulator/cli.ts', import.meta.url));

/** Changes of bid or ask a second, over all exchanges. */
const updatesPerSecond = 200;

/** Stand-in exchanges, a network in front of each and `mdapi serve`, each its own process but the network. */
export interface Stage {
  readonly installation: Installation;
  readonly server: Child;
  readonly baseUrl: string;
  readonly adminUrl: string;
  /** In order of preference. */
  readonly sources: readonly FaultySource[];
  readonly accountId: string;
  /** Adds a key past the command line, which would take a second for each. */
  addKey(limitPerMinute: number): Promise<string>;
}

/** What is to be done at the end, last first, as a test does it. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  after(step: () => unknown): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

interface SimulatorAddresses extends ExchangeSimulator {
  readonly dialects: Readonly<Record<string, Pick<ExchangeSimulator, 'restUrl' | 'wsUrl' | 'controlUrl'>>>;
}

export async function setStage(cleanup: Cleanup, seed: number, dialects: readonly DialectName[]): Promise<Stage> {
  const updates = Math.round(updatesPerSecond / dialects.length);
  const market = ['--quotes', 'EUR', '--updates', String(updates), '--seed', String(seed)];
  const argv = [simulatorProgram, 'run', '--json', '--dialect', dialects.join(','), ...market];
  const simulator = new Child(cleanup, process.execPath, argv, { cwd: process.cwd() });
  const addresses = JSON.parse(await simulator.firstLine()) as SimulatorAddresses;
  const behind = await Promise.all(Object.entries(addresses.dialects).map(([id, each]) => behindProxies(id, each)));
  const sources = behind.map(({ source }) => source);
  cleanup.after(() => Promise.all(sources.flatMap(({ live, rest }) => [live.close(), rest.close()])));
  const installation = Installation.for(cleanup, addresses, {
    server: { shutdownDeadline: '10s', overloadDelay: '200ms', writeTimeout: '10s' },
    sources: behind.map(({ configured }) => configured),
    markets: { symbols: 'all' },
    rates: { refresh: '10s' },
    limits: { key: 60, address: 30, failedAuthentication: 10 },
    // Quicker than by default, so that a fault every thirty seconds is found out and over before the next.
    feed: { staleAfter: '5s', pingEvery: '2s', transportTimeout: '5s', reconnectMax: '5s', healthyAfter: '5s' },
    pricing: { returnAfter: '5s' },
    logs: { level: 'info' },
  });
  const { accountId } = await installation.makeKey();
  installation.env.NODE_OPTIONS = inspectorOptions;
  const { server, baseUrl, adminUrl } = await installation.serve();
  return {
    installation,
    server,
    baseUrl,
    adminUrl,
    accountId,
    sources,
    addKey: (limitPerMinute) => addKey(`sqlite:${installation.directory}/mdapi.sqlite`, accountId, limitPerMinute),
  };
}

/**
 * An exchange with two ways to it, one for its live connection and one for REST, and its entry in the configuration.
 */
async function behindProxies(id: string, { restUrl, wsUrl, controlUrl }: SimulatorAddresses['dialects'][string]) {
  const targetPort = Number(new URL(restUrl).port);
  const [live, rest] = await Promise.all([TcpProxy.listen({ targetPort }), TcpProxy.listen({ targetPort })]);
  const through = (url: string, { port }: TcpProxy) => url.replace(/:\d+/, `:${port}`);
  return {
    source: { id, controlUrl, live, rest },
    configured: { id, urls: { rest: through(restUrl, rest), ws: through(wsUrl, live) } },
  };
}

async function addKey(url: string, accountId: string, limitPerMinute: number): Promise<string> {
  const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
  try {
    const key = generateApiKey(systemRandomness);
    const made = { accountId, digest: digestOf(key), lastFour: lastFourOf(key), label: 'soak', expiresAt: undefined };
    await store.keys.insert({ ...made, limitPerMinute });
    return key;
  } finally {
    await store.close();
  }
}
