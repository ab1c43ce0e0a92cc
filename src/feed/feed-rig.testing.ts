import { soon, turns } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Log, silentLog } from '../ground/log.ts';
import { parseDecimal } from '../market/decimal.ts';
import { Markets } from '../market/markets.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type {
  CatalogueReport,
  FeedPath,
  FeedSink,
  MarketChange,
  UpstreamMarketStatus,
  UpstreamTicker,
} from '../market/upstream.ts';
import { connectorOptions } from './connector.testing.ts';
import { KrakenConnector } from './kraken/connector.ts';
import type { FeedTiming } from './parts.ts';
import { ScriptedExchange } from './scripted-exchange.testing.ts';
import { FeedSupervisor } from './supervisor.ts';

const eur = 'EUR' as CurrencyCode;

const passDeadlineMs = 20_000;
/** A request and its answer take about three turns of the event loop when both ends are in this process. */
const turnsPerStep = 8;

/** The market room itself, with a record of what it received. */
export class RecordingSink implements FeedSink {
  readonly markets: Markets;
  readonly taken: UpstreamTicker[] = [];
  readonly catalogues: MarketSymbol[][] = [];
  readonly statuses: [MarketSymbol, UpstreamMarketStatus][] = [];
  readonly paths: FeedPath[] = [];
  readonly current: [FeedPath, EpochMs][] = [];
  /** A price that the guard holds. */
  heldBid: string | undefined;

  constructor(quotes: readonly CurrencyCode[] = [eur]) {
    this.markets = new Markets(
      { feePercent: parseDecimal('0.5')!, converted: new Map(), pricePrecision: new Map(), rateValidForMs: 1 },
      { quotes: new Set(quotes), symbols: 'all' },
    );
  }

  catalogueLoaded(...[markets, at, gaps]: Parameters<FeedSink['catalogueLoaded']>): CatalogueReport {
    this.catalogues.push(markets.map((market) => market.symbol));
    return this.markets.catalogueLoaded(markets, at, gaps);
  }

  marketChanged(symbol: MarketSymbol, change: MarketChange): void {
    this.markets.marketChanged(symbol, change);
    if (change.status !== undefined) this.statuses.push([symbol, change.status]);
  }

  tickerReceived(ticker: UpstreamTicker) {
    if (ticker.bid === this.heldBid) return 'held' as const;
    const reason = this.markets.tickerReceived(ticker);
    if (reason === undefined) this.taken.push(ticker);
    return reason;
  }

  referencePricesChanged(...[symbol, prices]: Parameters<FeedSink['referencePricesChanged']>): void {
    this.markets.referencePricesChanged(symbol, prices);
  }

  priceWithdrawn(symbol: MarketSymbol, at: EpochMs): void {
    this.markets.priceWithdrawn(symbol, this.markets.sources.first, at);
  }

  feedCurrent(path: FeedPath, at: EpochMs): void {
    this.current.push([path, at]);
  }

  feedPathChanged(path: FeedPath): void {
    this.paths.push(path);
  }

  /** The bid the market room holds now. */
  bid(symbol: string): string | undefined {
    return this.markets.contents().tickers.get(symbol as MarketSymbol)?.bid;
  }
}

/** A supervisor on a fake clock, over real sockets, against a scripted exchange. */
export class FeedRig {
  readonly clock = new FakeClock();
  readonly sink = new RecordingSink();
  readonly exchange = new ScriptedExchange();
  readonly names: readonly string[];
  /** Each pair's price on the exchange, in snapshots and over REST. */
  readonly bids = new Map<string, string>();
  readonly #timing: Partial<FeedTiming>;
  readonly #seed: number;
  readonly #log: Log;
  #supervisor: FeedSupervisor | undefined;
  #probes = 0;

  constructor(options: { pairs?: number; timing?: Partial<FeedTiming>; seed?: number; log?: Log } = {}) {
    this.#log = options.log ?? silentLog;
    this.names = Array.from({ length: options.pairs ?? 3 }, (_, index) => `C${index}`);
    for (const name of this.names) this.bids.set(`${name}/EUR`, '1.10');
    this.#timing = options.timing ?? {};
    this.#seed = options.seed ?? 1;
    this.exchange.snapshot = (name) => this.entry(name);
    this.exchange.rest = (call) => this.rest(call);
  }

  get supervisor(): FeedSupervisor {
    if (this.#supervisor === undefined) throw new Error('not started');
    return this.#supervisor;
  }

  get health() {
    return this.supervisor.health();
  }

  async listen(): Promise<void> {
    await this.exchange.listen();
  }

  start(): void {
    const { restUrl, liveUrl } = this.exchange;
    const { clock, sink } = this;
    this.#supervisor = new FeedSupervisor({
      connector: new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: [eur] })),
      sink,
      clock,
      randomness: seededRandomness(this.#seed),
      log: this.#log,
      timing: this.#timing,
    });
    this.#supervisor.start();
  }

  async stop(): Promise<void> {
    this.#supervisor?.stop();
    await this.exchange.close();
  }

  /** Starts, and waits for the live path. */
  async startLive(): Promise<void> {
    await this.listen();
    this.start();
    await this.becomeLive();
  }

  /** Lets the connection deliver until the live path is taken. Time passes only as far as back-off and pacing need. */
  async becomeLive(): Promise<void> {
    await this.pass('the live path', () => {
      if (this.health.path === 'live') return true;
      const isOpen = this.health.connection === 'open' && this.exchange.peers.length > 0;
      if (isOpen && this.health.symbolsSubscribed > 0) this.update(this.names[0]!);
      return false;
    });
  }

  /** Lets time pass in small steps until `probe` holds. */
  async pass(what: string, probe: () => boolean, stepMs = 100): Promise<void> {
    const startedMs = performance.now();
    while (!probe()) {
      if (performance.now() - startedMs > passDeadlineMs) throw new Error(`timed out waiting for ${what}`);
      await this.clock.advance(stepMs);
      await turns(turnsPerStep);
    }
  }

  /**
   * Lets time pass while the connection stays alive: heartbeats go through once a second, `every` runs once a second.
   */
  async live(forMs: number, every: () => void = () => undefined): Promise<void> {
    for (let leftMs = forMs; leftMs > 0; leftMs -= 1_000) {
      await this.clock.advance(Math.min(1_000, leftMs));
      if (this.health.connection !== 'open') continue;
      every();
      await this.arrive();
    }
  }

  /** Everything the exchange sent on its newest connection has been handled. */
  async arrive(): Promise<void> {
    const status = `probe ${++this.#probes}`;
    this.exchange.peer.send({ channel: 'status', type: 'update', data: [{ system: status }] });
    await soon('what was sent arrives', () => this.health.systemStatus === status);
  }

  /** One live update; its time is the clock's own unless given. */
  update(name: string, bid = this.bids.get(`${name}/EUR`)!, time: number = this.clock.now()): void {
    const entry = this.entry(`${name}/EUR`, bid, time);
    this.exchange.peer.send(`{"channel":"ticker","type":"update","data":[${entry}]}`);
  }

  entry(name: string, bid = this.bids.get(name) ?? '1.10', time: number = this.clock.now()): string {
    const timestamp = new Date(time).toISOString();
    return `{"symbol":"${name}","bid":${bid},"ask":9.00,"last":${bid},"volume":5.0,"vwap":1.0,"low":1.0,"high":2.0,"change_pct":0.21,"timestamp":"${timestamp}"}`;
  }

  rest(call: string) {
    if (call === 'AssetPairs') return { body: JSON.stringify({ error: [], result: this.pairs() }) };
    if (call === 'Assets') return { body: JSON.stringify({ error: [], result: {} }) };
    if (call === 'Ticker') return { body: JSON.stringify({ error: [], result: this.tickers() }) };
    if (call === 'OHLC') return { body: JSON.stringify({ error: [], result: this.candles() }) };
    return undefined;
  }

  /** The REST requests without those for candles, which are made whenever there is time. */
  get requests(): readonly string[] {
    return this.exchange.requests.filter((request) => !request.startsWith('OHLC'));
  }

  candles(): Record<string, object> {
    return Object.fromEntries(this.names.map((name) => [`${name}EUR`, []]));
  }

  pairs(names: readonly string[] = this.names): Record<string, object> {
    const pair = (base: string) => ({
      wsname: `${base}/EUR`,
      base,
      quote: 'ZEUR',
      pair_decimals: 2,
      lot_decimals: 8,
      ordermin: '1',
    });
    return Object.fromEntries(names.map((name) => [`${name}EUR`, pair(name)]));
  }

  tickers(): Record<string, object> {
    const ticker = (bid: string) => ({
      a: ['9.00', '1', '1'],
      b: [bid, '1', '1'],
      c: [bid, '1'],
      v: ['1', '5.0'],
      p: ['1', '1.0'],
      l: ['1', '1.0'],
      h: ['2', '2.0'],
    });
    return Object.fromEntries(this.names.map((name) => [`${name}EUR`, ticker(this.bids.get(`${name}/EUR`)!)]));
  }
}
