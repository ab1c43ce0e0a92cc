import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pino from 'pino';
import {
  type ExchangeSimulator,
  type ExchangeSimulatorOptions,
  startExchangeSimulator,
} from '../../exchange-simulator/simulator.ts';
import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { type LoadedConfiguration, loadConfiguration } from '../../src/configuration/load.ts';
import { reloadedConfiguration } from '../../src/configuration/reload.ts';
import type { FeedTiming } from '../../src/feed/parts.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { type Service, startService } from '../../src/main.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { krakenAt } from './kraken-at.ts';
import { type Metrics, readMetrics } from './metrics-text.ts';
import { ShiftedClock } from './shifted-clock.ts';

export interface ServiceHarnessOptions {
  /** Settings as in `mdapi.yaml`, by their dotted key, over those of the harness. */
  readonly settings?: Readonly<Record<string, string>>;
  /** As `settings`, for what is known only once the exchange runs, or changes later: a reload asks again. */
  readonly settingsFrom?: (simulator: ExchangeSimulator) => Readonly<Record<string, string>>;
  /** Intervals of the feed, over the quick ones of the harness. */
  readonly timing?: Partial<FeedTiming>;
  readonly simulator?: ExchangeSimulatorOptions;
  /** What to do to the exchange before the service starts. */
  readonly before?: (simulator: ExchangeSimulator) => unknown;
  /** Whether to wait until every market has a live price; `true` unless given. */
  readonly untilLive?: boolean;
}

/** The exchange markets on offer; each has one in CZK beside it. */
export const offered = ['ADAEUR', 'BTCEUR', 'ETHEUR', 'XRPEUR'] as const;

/** All of them and those made from them, in the order of `/v1/markets`. */
export const allSymbols = offered.flatMap((symbol) => [symbol.replace('EUR', 'CZK'), symbol]);

/** What tests do to prices, they mean: only the 24-hour range still bounds them. */
export const laxGuard = { jumpPercent: '1000', spreadPercent: '1000', ratePercent: '1000' };

/** Long enough for a machine with other work, short enough for a test. */
const quick: Partial<FeedTiming> = {
  liveGraceMs: 1_000,
  staleAfterMs: 2_000,
  pingEveryMs: 300,
  transportTimeoutMs: 2_000,
  reconnectMinMs: 20,
  reconnectMaxMs: 100,
  connectsPerMinuteMax: 1_000,
  fallbackPollMs: 500,
  fallbackRetryMaxMs: 500,
  quietCheckMs: 300,
  doubtGraceMs: 200,
  resubscribeEveryMs: 1_000,
  rejectedRetryMs: 1_000,
  catalogueRecheckMs: 200,
  catalogueSpacingMs: 200,
  catalogueRetryMaxMs: 200,
};

/**
 * The whole service in this process: a stand-in exchange, the feed, a database in a file, both listeners,
 * over real sockets. All of it ends with the test, however the test ends.
 */
export class ServiceHarness {
  readonly clock: ShiftedClock;
  readonly simulator: ExchangeSimulator;
  readonly directory: string;
  /** Everything the service logged, a line each. */
  readonly logged: string[] = [];
  readonly #options: ServiceHarnessOptions;
  #service: Service | undefined;
  #api: ApiClient | undefined;
  #credentials: Credentials | undefined;

  private constructor(clock: ShiftedClock, simulator: ExchangeSimulator, options: ServiceHarnessOptions) {
    this.clock = clock;
    this.simulator = simulator;
    this.directory = mkdtempSync(join(tmpdir(), 'mdapi-service-'));
    this.#options = options;
  }

  static async start(t: Pick<TestContext, 'after'>, options: ServiceHarnessOptions = {}): Promise<ServiceHarness> {
    const clock = new ShiftedClock();
    const simulator = await startExchangeSimulator({
      clock,
      quotes: ['EUR'],
      updatesPerSecond: 200,
      port: await fixedPort(),
      ...options.simulator,
    });
    const harness = new ServiceHarness(clock, simulator, options);
    t.after(() => harness.#end());
    await options.before?.(simulator);
    await harness.startService();
    if (options.untilLive !== false) await harness.untilLive();
    return harness;
  }

  get service(): Service {
    assert.ok(this.#service !== undefined, 'the service runs');
    return this.#service;
  }

  /** A client with the harness's key. */
  get api(): ApiClient {
    assert.ok(this.#api !== undefined, 'the service was started');
    return this.#api;
  }

  get credentials(): Credentials {
    assert.ok(this.#credentials !== undefined, 'the service was started');
    return this.#credentials;
  }

  /** The key of one more client, which has asked for nothing yet. */
  newKey(email: string): Promise<Credentials> {
    return this.#makeKey(this.#configuration().store.url, email);
  }

  /** Starts the service on the database it left behind, if it ran before. */
  async startService(): Promise<void> {
    const { clock } = this;
    const started = this.#loaded();
    const configuration = this.#timed(started.configuration);
    const reread = async () => this.#timed(reloadedConfiguration(started, this.#loaded()));
    const log = pino({ level: 'trace', base: null }, { write: (line: string) => this.logged.push(line) });
    const randomness = systemRandomness;
    this.#credentials ??= await this.#makeKey(configuration.store.url);
    this.#service = await startService({ configuration, reread, clock, randomness, log, version: '1.0.0' });
    this.#api = await ApiClient.of(this.#service.baseUrl, this.#credentials.key);
  }

  async stopService(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.stop();
  }

  /** Waits until every market has a price and the feed is live. */
  async untilLive(): Promise<void> {
    await eventually('every market has a live price', async () => {
      const status = await this.api.status();
      if (status.status !== 'operational') return false;
      return (await this.api.tickers()).size === allSymbols.length;
    });
  }

  /** Waits until `/v1/status` says so of the market data. */
  async untilTicker(state: string): Promise<void> {
    await eventually(`market data: ${state}`, async () => (await this.api.status()).components.ticker === state);
  }

  /** Waits until a market has any price. */
  async untilPriced(symbol: string): Promise<void> {
    await eventually(
      `${symbol} has a price`,
      async () => (await this.api.get(`/v1/ticker?symbol=${symbol}`)).status === 200,
    );
  }

  /** Waits until a client can buy at this price. */
  async untilBuyPrice(symbol: string, price: string): Promise<void> {
    await eventually(
      `${symbol} costs ${price}`,
      async () => (await this.api.tickers()).get(symbol)?.buyPrice === price,
    );
  }

  /** Asks the private listener. */
  admin(path: string): Promise<Response> {
    return fetch(`${this.service.adminUrl}${path}`, { headers: { Connection: 'close' } });
  }

  async metrics(): Promise<Metrics> {
    return readMetrics(await (await this.admin('/metrics')).text());
  }

  /** Works on the service's database, as another process does. */
  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    return openedStore(this.#configuration().store.url, this.clock, use);
  }

  #configuration(): Configuration {
    return this.#timed(this.#loaded().configuration);
  }

  #timed(configuration: Configuration): Configuration {
    return { ...configuration, feed: { ...configuration.feed, ...quick, ...this.#options.timing } };
  }

  #loaded(): LoadedConfiguration {
    const { restUrl, wsUrl, cnbUrl, ecbUrl } = this.simulator;
    const settings: Record<string, string> = {
      'server.port': '0',
      'admin.port': '0',
      sources: JSON.stringify([krakenAt(restUrl, wsUrl)]),
      'markets.symbols': offered.join(','),
      'rates.url': cnbUrl,
      'rates.refresh': '1s',
      'history.url': 'off',
      // The tests share the thread with the service: they would be taken for overload.
      'server.overloadDelay': '10s',
      ...Object.fromEntries(Object.entries(laxGuard).map(([name, percent]) => [`guard.${name}`, percent])),
      'limits.key': '1000000',
      'limits.address': '1000000',
      'limits.failedAuthentication': '1000000',
      ...this.#options.settings,
      ...this.#options.settingsFrom?.(this.simulator),
    };
    if (settings['rates.source'] === 'exchange') delete settings['rates.url'];
    const other = settings['rates.source'] === 'ecb' ? { source: 'cnb', url: cnbUrl } : { source: 'ecb', url: ecbUrl };
    settings['rates.compare'] ??= JSON.stringify(other);
    const environment = Object.entries(settings).map(([key, value]) => [variableOf(key), value]);
    return loadConfiguration({
      flags: [],
      env: Object.fromEntries(environment) as Record<string, string>,
      cwd: this.directory,
      readFile: (path) => readFileSync(path, 'utf8'),
    });
  }

  #makeKey(url: string, email = 'client@example.com'): Promise<Credentials> {
    return openedStore(url, this.clock, async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create({ email });
      const key = generateApiKey(systemRandomness);
      const { id: keyId } = await keys.insert({
        accountId,
        digest: digestOf(key),
        lastFour: lastFourOf(key),
        label: '',
        expiresAt: undefined,
        limitPerMinute: undefined,
      });
      return { key, keyId, accountId };
    });
  }

  async #end(): Promise<void> {
    await this.stopService();
    await this.simulator.stop();
    rmSync(this.directory, { recursive: true, force: true });
    const { key } = this.credentials;
    assert.ok(!this.logged.some((line) => line.includes(key)), 'no log line holds a key');
    assert.deepEqual(
      this.logged.filter((line) => /"level":(50|60)/.test(line)),
      [],
      'nothing went wrong in the service itself',
    );
  }
}

export interface Credentials {
  readonly key: ApiKey;
  readonly keyId: string;
  readonly accountId: string;
}

/** `MDAPI_SERVER_BASE_URL` for `server.baseUrl`. */
function variableOf(key: string): string {
  const words = key.replaceAll(/([A-Z])/g, '_$1').replaceAll('.', '_');
  return `MDAPI_${words.toUpperCase()}`;
}

async function openedStore<T>(url: string, clock: ShiftedClock, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ url, clock, randomness: systemRandomness });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
