import { type ApiKey, digestOf, generateApiKey } from '../../src/access/api-key.ts';
import { BreachLog } from '../../src/access/breach-log.ts';
import { ClientAddresses } from '../../src/access/client-address.ts';
import { KeyDirectory } from '../../src/access/key-directory.ts';
import { type Limits, MemoryLimits } from '../../src/access/limits.ts';
import { Board } from '../../src/board/board.ts';
import { ServiceBoard } from '../../src/board/service-board.ts';
import { contractLimits, type LimitFigures } from '../../src/contract/limits.ts';
import { type OpenApiDocument, openApiDocument } from '../../src/contract/openapi.ts';
import type { Clock, EpochMs, Timer } from '../../src/ground/clock.ts';
import { silentLog } from '../../src/ground/log.ts';
import type { Certificate, ConnectionLimits } from '../../src/http/http-server.ts';
import type { Pressure } from '../../src/http/overload.ts';
import { PublicListener } from '../../src/http/public-listener.ts';
import { requestIds } from '../../src/http/request-ids.ts';
import type { Resource } from '../../src/http/resource.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import { Markets } from '../../src/market/markets.ts';
import { everyEuroMarket, pricingPolicy } from '../../src/market/samples.testing.ts';
import { FeedStatus } from '../../src/market/service-status.ts';
import { type CurrencyCode, type MarketSymbol, symbolOf } from '../../src/market/symbol.ts';
import type { UpstreamMarket, UpstreamTicker } from '../../src/market/upstream.ts';
import type { ClientPackages } from '../../src/portal/client-packages.ts';
import { publicRoutes } from '../../src/wiring/public-listener.ts';
import { createResponseValidator, type ResponseValidator } from '../contract/response-validator.ts';
import { FakeClock, seededRandomness } from './fake-clock.ts';
import { exchange, type WireResponse } from './http-client.ts';

export interface HarnessOptions {
  readonly clock?: Clock;
  /** 0, any free one, when left out. */
  readonly port?: number;
  readonly limits?: Partial<LimitFigures>;
  /** Counts in the place of the memory's limits, as several nodes together do. Every harness has the same keys. */
  readonly sharedLimits?: (memory: MemoryLimits, keys: KeyDirectory, figures: LimitFigures) => Limits;
  /** Before a key is refused. */
  readonly look?: () => Promise<void> | undefined;
  readonly trustedProxies?: readonly string[];
  readonly connections?: Partial<ConnectionLimits>;
  readonly tls?: Certificate;
  /** Further resources under `/v1`, for faults that no real one has. */
  readonly extra?: readonly Resource[];
  /** None when left out. */
  readonly clientPackages?: ClientPackages;
  /** The pressure reported; zero where left out. */
  readonly pressure?: () => Partial<Pressure>;
  /** What the process may use of the machine's memory; 512 MiB when left out. */
  readonly memoryBytes?: number;
}

export interface RequestOptions {
  readonly method?: string;
  /** `undefined` uses the harness's key; `null` sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const defaultConnections: ConnectionLimits = {
  maxConnections: 5000,
  maxConnectionsPerAddress: 5000,
  maxHeaderBytes: 8192,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  connectionsCheckIntervalMs: 1000,
  keepAliveTimeoutMs: 75_000,
  writeTimeoutMs: 30_000,
  overloadDelayMs: 200,
  overloadHeapShare: 0.9,
};

/**
 * The real public listener on a free port, over a real book, board, directory and limits; a test
 * plays the feed, the operator and the clock. Every answer read through `get` is validated against
 * the document the listener serves.
 */
export class ListenerHarness {
  readonly clock: Clock;
  readonly markets: Markets;
  readonly feed = new FeedStatus();
  readonly service: ServiceBoard;
  readonly listener: PublicListener;
  readonly directory: KeyDirectory;
  readonly limits: MemoryLimits;
  readonly breaches: BreachLog;
  readonly logged: { fields: object; message: string }[] = [];
  readonly key: ApiKey;
  document!: OpenApiDocument;
  port = 0;
  readonly #randomness = seededRandomness(7);
  #validator: ResponseValidator | undefined;
  /** The connection of the feed lives, whether or not data comes. */
  readonly #living: Timer;

  private constructor(options: HarnessOptions) {
    this.clock = options.clock ?? new FakeClock();
    this.markets = new Markets(pricingPolicy(), everyEuroMarket);
    this.service = new ServiceBoard(this.feed, this.clock);
    const figures = { ...contractLimits, ...options.limits };
    this.limits = new MemoryLimits(this.#randomness, figures);
    this.directory = new KeyDirectory((slot) => this.limits.forgetSlot(slot));
    this.breaches = new BreachLog(this.directory);
    this.listener = new PublicListener(
      {
        host: '127.0.0.1',
        port: options.port ?? 0,
        reusePort: false,
        tls: options.tls,
        limits: { ...defaultConnections, ...options.connections },
      },
      {
        offerAt: (port) => this.#offer(port, options, figures),
        gate: {
          keys: this.directory,
          limits: options.sharedLimits?.(this.limits, this.directory, figures) ?? this.limits,
          breaches: this.breaches,
          refreshKeys: options.look,
        },
        addresses: new ClientAddresses(options.trustedProxies ?? []),
        readModel: { board: new Board(this.markets), service: this.service },
        clock: this.clock,
        ids: requestIds(this.#randomness),
        log: {
          ...silentLog,
          warn: (fields, message) => this.logged.push({ fields, message }),
          error: (fields, message) => this.logged.push({ fields, message }),
        },
        pressure: () => ({ busyShare: 0, eventLoopDelayMs: 0, heapShare: 0, ...options.pressure?.() }),
        memoryBytes: options.memoryBytes ?? 512 * 2 ** 20,
      },
    );
    this.key = this.addKey();
    const { clock, feed } = this;
    this.#living = clock.every(1_000, () => {
      if (feed.path === 'live') feed.signOfLife(clock.monotonicMs(), clock.now(), clock.monotonicMs());
    });
  }

  static async start(options: HarnessOptions = {}): Promise<ListenerHarness> {
    const harness = new ListenerHarness(options);
    harness.port = (await harness.listener.listen()).port;
    return harness;
  }

  async stop(): Promise<void> {
    this.#living.cancel();
    await this.listener.close(0);
  }

  /** A usable key; `entry` changes what is known of it. */
  addKey(entry: { usable?: boolean; expiresAt?: EpochMs; limitPerMinute?: number } = {}): ApiKey {
    const key = generateApiKey(this.#randomness);
    this.directory.upsert({
      digest: digestOf(key),
      keyId: `key_${key.slice(4, 20)}`,
      usable: entry.usable ?? true,
      expiresAt: entry.expiresAt,
      limitPerMinute: entry.limitPerMinute,
    });
    return key;
  }

  /** Lists markets of these bases against EUR, all trading. */
  list(...bases: readonly string[]): void {
    const listed = bases.map(upstreamMarket);
    // However many a test lists at once, they are meant: the operator has accepted them.
    const accepted = listed.map((market) => market.symbol);
    const source = this.markets.sources.first.id;
    this.markets.catalogue.reviews.decide([{ source, accepted, rejected: [], kept: [], keptAt: 0 as EpochMs }]);
    this.markets.catalogueLoaded(listed, this.clock.now());
  }

  /** A live ticker arrives, and the feed is current. */
  tick(base: string, bid: string, ask: string): void {
    const now = this.clock.now();
    this.markets.tickerReceived(upstreamTicker(base, bid, ask, now));
    this.feed.feedCurrent('live', now, this.clock.monotonicMs());
  }

  rate(mid: string): void {
    this.markets.rateRefreshed({
      base: 'EUR' as CurrencyCode,
      quote: 'CZK' as CurrencyCode,
      mid: mid as DecimalString,
      source: 'cnb',
      fixingDate: undefined,
      refreshedAt: this.clock.now(),
    });
  }

  /** One request on a connection of its own, its answer validated against the document. */
  async get(target: string, options: RequestOptions = {}): Promise<WireResponse> {
    const method = options.method ?? 'GET';
    const { responses } = await exchange(this.port, this.requestText(target, options), [method]);
    const response = responses[0];
    if (response === undefined || responses.length !== 1) throw new Error(`${responses.length} answers to ${target}`);
    this.validate(method, target, response);
    return response;
  }

  /** Throws unless the answer is one the served document describes. */
  validate(method: string, target: string, { status, headers, body }: WireResponse): void {
    this.#validator ??= createResponseValidator(this.document);
    this.#validator({ method, path: target.replace(/^https?:\/\/[^/]+/, '') || '/', status, headers, body });
  }

  /** A request as text, asking the server to close after it unless a `Connection` header is given. */
  requestText(target: string, { method = 'GET', key, headers = {} }: RequestOptions = {}): string {
    const sent: Record<string, string> = { Host: 'api.example.com', Connection: 'close', ...headers };
    if (key !== null) sent['X-EXCHANGE-APIKEY'] = key ?? this.key;
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  }

  #offer(port: number, { extra = [], clientPackages }: HarnessOptions, limits: LimitFigures) {
    const baseUrl = `http://127.0.0.1:${port}`;
    const errorsUrl = `${baseUrl}/errors`;
    this.document = openApiDocument({ baseUrl, errorsUrl, limits });
    const routes = publicRoutes({ baseUrl, errorsUrl, limits, version: '1.0.0', clientPackages });
    const keyed = new Map([...routes.keyed, ...extra.map((resource) => [resource.route, resource] as const)]);
    return { routes: { ...routes, keyed }, errorsUrl };
  }
}

/** The body of a JSON answer. */
export function json<T = Record<string, unknown>>({ body }: WireResponse): T {
  return JSON.parse(body.toString('utf8')) as T;
}

/** A EUR market as an upstream lists it: two price decimals, eight of the amount. */
export function upstreamMarket(base: string): UpstreamMarket {
  return {
    symbol: symbolOf(base as CurrencyCode, 'EUR' as CurrencyCode),
    base: base as CurrencyCode,
    quote: 'EUR' as CurrencyCode,
    status: 'trading',
    pricePrecision: 2,
    amountPrecision: 8,
    tickSize: '0.01' as DecimalString,
    minOrderSize: '0.0001' as DecimalString,
    minOrderValue: '0.5' as DecimalString,
  };
}

/** A live ticker of a EUR market, its statistics around its prices. */
export function upstreamTicker(base: string, bid: string, ask: string, at: EpochMs): UpstreamTicker {
  return {
    symbol: `${base}EUR` as MarketSymbol,
    bid: bid as DecimalString,
    ask: ask as DecimalString,
    last: bid as DecimalString,
    high24h: ask as DecimalString,
    low24h: bid as DecimalString,
    volume24h: '12.5' as DecimalString,
    vwap24h: bid as DecimalString,
    priceChangePercent24h: '1.5' as DecimalString,
    path: 'live',
    upstreamTime: at,
    askedAt: at,
    receivedAt: at,
  };
}
