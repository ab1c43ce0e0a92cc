import { fileURLToPath } from 'node:url';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { systemClock, systemRandomness } from '../../src/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { Child, Installation } from '../support/mdapi-process.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import type { Proxies } from './feed-faults.ts';
import { inspectorOptions } from './live-memory.ts';

const simulatorProgram = fileURLToPath(new URL('../../exchange-simulator/cli.ts', import.meta.url));

/** A stand-in exchange, a network in front of it and `mdapi serve`, each its own process but the network. */
export interface Stage {
  readonly installation: Installation;
  readonly server: Child;
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly controlUrl: string;
  readonly proxies: Proxies;
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

export async function setStage(cleanup: Cleanup, seed: number): Promise<Stage> {
  const argv = [simulatorProgram, 'run', '--json', '--quotes', 'EUR', '--updates', '200', '--seed', String(seed)];
  const simulator = new Child(cleanup as never, process.execPath, argv, { cwd: process.cwd() });
  const addresses = JSON.parse(await simulator.firstLine()) as ExchangeSimulator;
  const targetPort = Number(new URL(addresses.restUrl).port);
  const [live, rest] = await Promise.all([TcpProxy.listen({ targetPort }), TcpProxy.listen({ targetPort })]);
  cleanup.after(() => Promise.all([live.close(), rest.close()]));
  const installation = Installation.for(cleanup as never, addresses, {
    server: { shutdownDeadline: '10s', overloadDelay: '200ms', writeTimeout: '10s' },
    sources: [krakenAt(`http://127.0.0.1:${rest.port}`, `ws://127.0.0.1:${live.port}/v2`)],
    markets: { symbols: 'all' },
    rates: { refresh: '10s' },
    limits: { key: 60, address: 30, failedAuthentication: 10 },
    // Quicker than by default, so that a fault every thirty seconds is found out and over before the next.
    feed: { staleAfter: '5s', pingEvery: '2s', transportTimeout: '5s', reconnectMax: '5s', healthyAfter: '5s' },
    logs: { level: 'info' },
  });
  const { accountId } = await installation.makeKey();
  installation.env.NODE_OPTIONS = inspectorOptions;
  const { server, baseUrl, adminUrl } = await installation.serve();
  return {
    ...{ installation, server, baseUrl, adminUrl, accountId },
    controlUrl: addresses.controlUrl,
    proxies: { live, rest },
    addKey: (limitPerMinute) => addKey(`sqlite:${installation.directory}/mdapi.sqlite`, accountId, limitPerMinute),
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
