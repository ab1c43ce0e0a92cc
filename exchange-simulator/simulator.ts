import type { RequestListener } from 'node:http';
import { type Clock, type Randomness, systemClock } from '../src/ground/clock.ts';
import { czechBooks, loadCatalogue } from './catalogue.ts';
import type { Clients } from './clients.ts';
import { controlHandler, type PriceRequest, readPrice } from './control.ts';
import { type Dialect, Venue } from './dialect.ts';
import { type DialectName, dialects } from './dialects.ts';
import { Exchange } from './exchange.ts';
import { FaultBoard } from './fault-board.ts';
import type { FaultName } from './fault-catalogue.ts';
import { faultEffects } from './fault-effects.ts';
import { BadRequest, type FaultRequest, readFault } from './fault-request.ts';
import { Listener } from './listener.ts';
import { randomnessFromSeed } from './randomness.ts';
import { cnbPath, ecbPath, jsonPath, Rates } from './rates.ts';
import { Rest } from './rest.ts';
import { WebSockets } from './websocket.ts';

/** Options of a simulated exchange, all with defaults. */
export interface ExchangeSimulatorOptions {
  /** The exchange whose protocol it speaks; `kraken` by default. */
  readonly dialect?: DialectName;
  /** Exchanges of one seed with different deviations quote the same market, a little apart; 0 by default. */
  readonly deviation?: number;
  /** Port of REST and WebSocket; 0 (the default) lets the system choose. */
  readonly port?: number;
  /** Port of the control API; 0 by default. */
  readonly controlPort?: number;
  /**
   * Port of the rate sources; 0 by default. They have a port of their own because they stay up during the fault `down`.
   */
  readonly ratesPort?: number;
  /** Address to listen on, `127.0.0.1` by default. The control API listens on `127.0.0.1` in any case. */
  readonly host?: string;
  /** The same seed and clock repeat the market; 1 by default. */
  readonly seed?: number;
  readonly clock?: Clock;
  /** Replaces the randomness of `seed`. */
  readonly randomness?: Randomness;
  /**
   * Changes of bid or ask a second, over all markets together, 0 to 100,000; 100 by default. With 0 prices change only
   * through `setPrice`.
   */
  readonly updatesPerSecond?: number;
  /** How many markets, 1 to 20,000, EUR/CZK not counted; the recorded ones by default, synthesised ones beyond them. */
  readonly markets?: number;
  /** Quote currencies to keep, for example `['EUR']`; all by default. EUR/CZK is always there. */
  readonly quotes?: readonly string[];
}

/**
 * Starts a simulated exchange: REST and WebSocket on one port, the rate sources and the
 * control API on one port each. Rejects when a port is taken, and with `RangeError` when an option is out of range.
 */
export async function startExchangeSimulator(options: ExchangeSimulatorOptions = {}): Promise<ExchangeSimulator> {
  const simulator = new ExchangeSimulator(options);
  await simulator.start();
  return simulator;
}

/** A simulated exchange; `startExchangeSimulator` makes one that runs. */
export class ExchangeSimulator {
  readonly dialect: DialectName;
  readonly faults = {
    /** Activates a fault; resolves when it is in force, rejects with `BadRequest` when the request is wrong. */
    set: async (request: FaultRequest) => this.#board.set(readFault(request)),
    /** Clears faults: all, those of a name, or those of a name and symbol. Returns how many. */
    clear: (name?: FaultName, symbol?: string) => this.#board.clear(name, symbol),
    active: () => this.#board.active(),
  };
  readonly #board: FaultBoard;
  readonly #exchange: Exchange;
  readonly #dialect: Dialect;
  readonly #clients: Clients;
  readonly #webSockets: WebSockets;
  readonly #rest: Rest;
  readonly #rates: Rates;
  readonly #exchangeListener: Listener;
  readonly #ratesListener: Listener;
  readonly #controlListener: Listener;
  #stopped: Promise<void> | undefined;

  constructor(options: ExchangeSimulatorOptions) {
    const { clock = systemClock, host = '127.0.0.1', markets, quotes } = options;
    const randomness = options.randomness ?? randomnessFromSeed(options.seed ?? 1);
    // Connections must not change the market, so their ids have random numbers of their own.
    const ids = randomnessFromSeed(Math.floor(randomness.fraction() * 2 ** 32));
    checkRange('markets', markets ?? 1, 1, 20_000);
    checkRange('updatesPerSecond', options.updatesPerSecond ?? 0, 0, 100_000);
    const recorded = loadCatalogue({ markets, quotes });
    const catalogue = options.dialect === 'coinmate' ? [...recorded, ...czechBooks()] : recorded;
    const seed = Math.floor(randomness.fraction() * 2 ** 32);
    const { deviation = 0, updatesPerSecond = 100 } = options;
    const walk = deviation === 0 ? randomness : randomnessFromSeed(seed + deviation);
    this.#exchange = new Exchange({ clock, randomness: walk, seed, catalogue, updatesPerSecond });
    const exchange = this.#exchange;
    const faults = new FaultBoard(
      clock,
      faultEffects(() => ({
        venue,
        exchange,
        dialect: this.#dialect,
        webSockets: this.#webSockets,
        listener: this.#exchangeListener,
      })),
    );
    this.#board = faults;
    const venue = new Venue({ clock, randomness: ids, exchange, faults });
    this.dialect = options.dialect ?? 'kraken';
    this.#dialect = dialects[this.dialect](venue);
    this.#clients = venue.clients;
    this.#webSockets = new WebSockets(venue, this.#dialect);
    this.#rest = new Rest(venue, this.#dialect);
    this.#rates = new Rates(clock, faults);
    const rest: RequestListener = (request, response) => this.#rest.handle(request, response);
    this.#exchangeListener = new Listener(clock, host, options.port ?? 0, rest, this.#webSockets.upgrade);
    this.#ratesListener = new Listener(clock, host, options.ratesPort ?? 0, (request, response) =>
      this.#rates.handle(request, response),
    );
    this.#controlListener = new Listener(clock, '127.0.0.1', options.controlPort ?? 0, controlHandler(this));
  }

  async start(): Promise<void> {
    try {
      for (const listener of this.#listeners()) await listener.listen();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** What a client takes as the base of REST, for example `http://127.0.0.1:PORT`. */
  get restUrl(): string {
    return `http://${this.#exchangeListener.authority}${this.#dialect.restPath}`;
  }

  /** For example `ws://127.0.0.1:PORT/v2`. */
  get wsUrl(): string {
    return `ws://${this.#exchangeListener.authority}${this.#dialect.livePath}`;
  }

  get cnbUrl(): string {
    return `http://${this.#ratesListener.authority}${cnbPath}`;
  }

  get ecbUrl(): string {
    return `http://${this.#ratesListener.authority}${ecbPath}`;
  }

  get jsonRateUrl(): string {
    return `http://${this.#ratesListener.authority}${jsonPath}`;
  }

  get controlUrl(): string {
    return `http://${this.#controlListener.authority}`;
  }

  /**
   * Sets values of a market, each sent digit for digit until `release`, and to subscribers at once. Throws
   * `BadRequest`.
   */
  setPrice(request: PriceRequest): void {
    const { symbol, ...values } = readPrice(request);
    this.#exchange.pin(this.#market(symbol), values);
  }

  /** Lets one market, or all, move freely again. Throws `BadRequest` for an unknown symbol. */
  release(symbol?: string): void {
    const chosen = symbol === undefined ? [...this.#exchange.markets.values()] : [this.#market(symbol)];
    for (const market of chosen) if (market.pinned) this.#exchange.release(market);
  }

  /** Sets CZK for one EUR in all three rate sources, digit for digit; `undefined` restores the default rate. */
  setRate(eurCzk: string | undefined): void {
    this.#rates.setEurCzk(eurCzk);
  }

  /** Tears down the WebSocket that was opened as the `index`-th of those still open, with a TCP reset. */
  resetOne(index: number): void {
    [...this.#clients.connections][index]?.reset();
  }

  state() {
    const connections = [...this.#clients.connections];
    const markets = [...this.#exchange.markets.values()];
    return {
      listening: this.#exchangeListener.listening,
      markets: markets.filter((market) => market.status !== 'delisted').length,
      /** Changes of bid or ask since the start. */
      updates: this.#exchange.updates,
      connections: connections.map((connection) => ({
        id: String(connection.id),
        peer: connection.peer,
        tickers: connection.symbols.size,
        instrument: connection.topics.has('instrument'),
        frozen: connection.frozen,
        sent: connection.sent,
        received: connection.received,
      })),
      /** Ticker subscriptions over all connections. */
      subscriptions: connections.reduce((sum, connection) => sum + connection.symbols.size, 0),
      /** Accepted WebSockets since the start. */
      connectsTotal: this.#webSockets.connectsTotal,
      /** Attempts to open a WebSocket within the last minute, refused ones included. */
      connectsLastMinute: this.#webSockets.connectsLastMinute(),
      /** REST calls by name, and rate sources by theirs (`cnb`, `ecb`, `json`). */
      requests: { ...this.#rest.requests, ...this.#rates.requests } as Readonly<Record<string, number>>,
      pinned: markets.filter((market) => market.pinned).map((market) => market.pair.symbol),
      faults: this.#board.active(),
    };
  }

  /** Closes everything. A second call does nothing. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#board.stop();
    this.#exchange.stop();
    this.#rest.stop();
    this.#webSockets.stop();
    await Promise.all(this.#listeners().map((listener) => listener.stop()));
  }

  #listeners(): readonly Listener[] {
    return [this.#exchangeListener, this.#ratesListener, this.#controlListener];
  }

  #market(symbol: string) {
    const market = this.#exchange.listed(symbol);
    if (market === undefined) throw new BadRequest(`${symbol} is not listed here`);
    return market;
  }
}

function checkRange(name: string, value: number, min: number, max: number): void {
  if (!(value >= min && value <= max)) throw new RangeError(`${name} must be between ${min} and ${max}, not ${value}`);
}
