import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { type Child, type End, Installation } from '../support/mdapi-process.ts';
import { type Metrics, readMetrics } from '../support/metrics-text.ts';

/** Sections of `mdapi.yaml`. */
export type Settings = Readonly<Record<string, object>>;

/** `mdapi serve` as an operator's service manager runs it: it is known by its addresses, its log and its end. */
export class ServingProcess {
  readonly baseUrl: string;
  readonly port: number;
  readonly ended: Promise<End>;
  readonly #child: Child;
  readonly #adminUrl: string;

  constructor(child: Child, { baseUrl, adminUrl }: { baseUrl: string; adminUrl: string }) {
    this.baseUrl = baseUrl;
    this.port = Number(new URL(baseUrl).port);
    this.ended = child.ended;
    this.#child = child;
    this.#adminUrl = adminUrl;
  }

  /** Log entries at level error or above. */
  get failures(): readonly string[] {
    return this.#child.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks the private listener. */
  admin(path: string): Promise<Response> {
    return fetch(`${this.#adminUrl}${path}`, { headers: { Connection: 'close' } });
  }

  async metrics(): Promise<Metrics> {
    return readMetrics(await (await this.admin('/metrics')).text());
  }
}

/** An installation with a key, on which a process can be started again and again. */
export async function installed(
  t: Pick<TestContext, 'after'>,
  exchange: Pick<ExchangeSimulator, 'restUrl' | 'wsUrl' | 'cnbUrl' | 'ecbUrl'>,
  settings: Settings = {},
) {
  const installation = Installation.for(t, exchange as ExchangeSimulator, settings);
  const { key, accountId } = await installation.makeKey();
  return {
    installation,
    key,
    /** Makes one more key of the account, without the process that a command takes. */
    async addKey(): Promise<string> {
      const url = `sqlite:${join(installation.directory, 'mdapi.sqlite')}`;
      const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
      const added = generateApiKey(systemRandomness);
      await store.keys.insert({
        accountId,
        digest: digestOf(added),
        lastFour: lastFourOf(added),
        label: '',
        expiresAt: undefined,
        limitPerMinute: undefined,
      });
      await store.close();
      return added;
    },
    async start(): Promise<ServingProcess> {
      const { server, ...addresses } = await installation.serve();
      return new ServingProcess(server, addresses);
    },
  };
}
