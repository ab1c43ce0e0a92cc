import type { TestContext } from 'node:test';
import pino from 'pino';
import { type ApiKey, digestOf, generateApiKey } from '../../src/access/api-key.ts';
import { BreachLog } from '../../src/access/breach-log.ts';
import { KeyDirectory } from '../../src/access/key-directory.ts';
import { MemoryLimits } from '../../src/access/limits.ts';
import { ServiceBoard } from '../../src/board/service-board.ts';
import { systemClock, systemRandomness } from '../../src/clock.ts';
import { loadConfiguration } from '../../src/configuration/load.ts';
import type { Certificate } from '../../src/http/public-listener.ts';
import type { MarketInputs } from '../../src/market/market-event.ts';
import { FeedStatus } from '../../src/market/service-status.ts';
import { bookFor } from '../../src/wiring/book.ts';
import { marketInputs, recorded } from '../../src/wiring/market-replication.ts';
import { WorkerPool } from '../../src/workers/pool.ts';
import { ApiClient } from './api-client.ts';
import { upstreamMarket, upstreamTicker } from './listener-harness.ts';

/** The real pool of threads on a free port; a test plays the feed, the operator and whoever changes keys. */
export class PoolHarness {
  readonly pool: WorkerPool;
  readonly directory: KeyDirectory;
  readonly limits: MemoryLimits;
  readonly breaches: BreachLog;
  /** Whatever goes in here reaches all threads. */
  readonly inputs: MarketInputs;
  readonly key: ApiKey;
  /** Lines of the log. */
  readonly logged: string[] = [];
  port = 0;
  #api: ApiClient | undefined;

  private constructor(settings: Readonly<Record<string, string>>, tls: Certificate | undefined) {
    const env = {
      MDAPI_SERVER_PORT: '0',
      MDAPI_EXCHANGE_QUOTES: 'EUR',
      MDAPI_LIMITS_ADDRESS: '1000000',
      MDAPI_SERVER_OVERLOAD_DELAY: '10s',
      ...settings,
    };
    const configuration = loadConfiguration({ flags: [], env, cwd: '/', readFile: () => '' });
    const feedStatus = new FeedStatus();
    const market = { book: bookFor(configuration), feedStatus, service: new ServiceBoard(feedStatus, systemClock) };
    this.limits = new MemoryLimits(systemRandomness, configuration.limits);
    this.directory = new KeyDirectory((slot) => {
      this.limits.forgetSlot(slot);
      this.breaches.forgetSlot(slot);
    });
    this.breaches = new BreachLog(this.directory);
    this.pool = new WorkerPool({
      configuration,
      tls,
      version: '1.0.0',
      access: this,
      market,
      clock: systemClock,
      randomness: systemRandomness,
      log: pino({ level: 'trace', base: null }, { write: (line: string) => this.logged.push(line) }),
    });
    this.inputs = recorded(marketInputs(market, systemClock), market.book, this.pool.record);
    this.key = this.addKey({ limitPerMinute: 1_000_000 });
  }

  /** @param settings of the environment: `MDAPI_SERVER_WORKERS` */
  static async start(
    t: Pick<TestContext, 'after'>,
    settings: Readonly<Record<string, string>> = {},
    tls?: Certificate,
  ): Promise<PoolHarness> {
    const harness = new PoolHarness({ MDAPI_SERVER_WORKERS: '3', ...settings }, tls);
    t.after(() => harness.pool.close(0));
    harness.port = (await harness.pool.listen()).port;
    if (tls === undefined) harness.#api = await ApiClient.of(`http://127.0.0.1:${harness.port}`, harness.key);
    return harness;
  }

  /** With the harness's own key, which hardly any limit holds. */
  get api(): ApiClient {
    if (this.#api === undefined) throw new Error('not started');
    return this.#api;
  }

  addKey(entry: { limitPerMinute?: number } = {}): ApiKey {
    const key = generateApiKey(systemRandomness);
    const common = { keyId: `key_${key.slice(4, 20)}`, usable: true, expiresAt: undefined, limitPerMinute: undefined };
    this.directory.upsert({ ...common, ...entry, digest: digestOf(key) });
    return key;
  }

  removeKey(key: ApiKey): void {
    this.directory.remove(digestOf(key));
  }

  /** Lists markets of these bases against EUR, all trading. */
  list(...bases: readonly string[]): void {
    this.inputs.catalogueLoaded(bases.map(upstreamMarket), systemClock.now());
  }

  /** A live ticker arrives, and the feed is current. */
  tick(base: string, bid: string, ask: string): void {
    const now = systemClock.now();
    this.inputs.tickerReceived(upstreamTicker(base, bid, ask, now));
    this.inputs.feedCurrent('live', now);
  }

  /** The request as it stands on the wire, on a connection that is kept. */
  requestText(target: string, key: string = this.key): string {
    return `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
  }
}
