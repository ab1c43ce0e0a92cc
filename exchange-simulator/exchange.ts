import type { Clock, Randomness, Timer } from '../src/ground/clock.ts';
import type { CatalogueEntry, MarketState } from './catalogue.ts';
import { Market } from './market-walk.ts';
import { mix32 } from './randomness.ts';
import type { TickerValues } from './ticker.ts';
import { wireClock } from './wire-clock.ts';

/** Receives the changes of the exchange as they happen. */
export interface ExchangeListener {
  /** A market's bid or ask changed, and perhaps its last price too. */
  tickerChanged(market: Market, lastChanged: boolean): void;
  /** A pair was listed, delisted or changed its status. */
  instrumentChanged?(market: Market): void;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Of the price curves; taken from the randomness unless given. */
  readonly seed?: number;
  readonly catalogue: readonly CatalogueEntry[];
  /** Changes of bid or ask a second, over all markets together; 0 stops the market. */
  readonly updatesPerSecond: number;
}

const shortestTickMs = 5;
const longestTickMs = 100;
/** The most that a process catches up on after it was suspended. */
const catchUpMsMax = 1000;

/** The market without any protocol: the listed pairs, their prices, and the one timer that moves them. */
export class Exchange {
  /** Every pair ever listed, dark pools included, in the order of the catalogue. */
  readonly entries: Map<string, CatalogueEntry>;
  /** By the symbol of WebSocket version 2, delisted ones included. */
  readonly markets = new Map<string, Market>();
  /** Grows with every change of the answer of REST `AssetPairs`. */
  catalogueVersion = 0;
  updates = 0;

  readonly #clock: Clock;
  readonly #nowUs: () => number;
  readonly #randomness: Randomness;
  readonly #seed: number;
  readonly #updatesPerMs: number;
  readonly #byName = new Map<string, Market>();
  readonly #listeners = new Set<ExchangeListener>();
  #cycle: Market[] = [];
  #cursor = 0;
  #dueUpdates = 0;
  #lastTickMs: number;
  #timer: Timer | undefined;

  constructor(options: ExchangeOptions) {
    this.#clock = options.clock;
    this.#nowUs = wireClock(options.clock);
    this.#randomness = options.randomness;
    this.#seed = options.seed ?? Math.floor(options.randomness.fraction() * 2 ** 32);
    this.#updatesPerMs = options.updatesPerSecond / 1000;
    this.#lastTickMs = options.clock.monotonicMs();
    this.entries = new Map(options.catalogue.map((entry) => [entry.id, entry]));
    for (const entry of options.catalogue) this.#addMarket(entry);
    if (options.updatesPerSecond > 0) this.#start(1000 / options.updatesPerSecond);
  }

  listen(listener: ExchangeListener): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#listeners.clear();
  }

  /** The market of a symbol, unless it is delisted. */
  listed(symbol: string): Market | undefined {
    const market = this.markets.get(symbol);
    return market?.status === 'delisted' ? undefined : market;
  }

  /** The market by any of the names REST takes: id, altname or wsname. */
  byRestName(name: string): Market | undefined {
    const market = this.#byName.get(name);
    return market?.status === 'delisted' ? undefined : market;
  }

  /** Sets prices that hold until `release`, and publishes them at once. */
  pin(market: Market, values: Partial<TickerValues>): void {
    const lastChanged = market.pin(values, this.#clock.now());
    this.#publishTicker(market, lastChanged);
  }

  release(market: Market): void {
    market.release();
    const lastChanged = market.step(this.#clock.now());
    this.#publishTicker(market, lastChanged);
  }

  /** Publishes a market again although nothing changed. */
  repeat(market: Market): void {
    this.#publishTicker(market, true);
  }

  setStatus(market: Market, status: MarketState): void {
    if (market.status === status) return;
    market.status = status;
    this.catalogueVersion++;
    for (const listener of this.#listeners) listener.instrumentChanged?.(market);
  }

  /** Lists a new pair, which starts from `price`. */
  add(entry: CatalogueEntry, price: number | undefined): void {
    this.entries.set(entry.id, entry);
    const market = this.#addMarket(entry, price);
    this.catalogueVersion++;
    if (market !== undefined) for (const listener of this.#listeners) listener.instrumentChanged?.(market);
  }

  #addMarket(entry: CatalogueEntry, price?: number): Market | undefined {
    const { pair } = entry;
    if (pair === undefined) return undefined;
    let seed = this.#seed;
    for (const character of pair.symbol) seed = mix32(seed ^ character.charCodeAt(0));
    const market = new Market(pair, seed, this.#randomness, this.#clock.now(), price);
    this.markets.set(pair.symbol, market);
    for (const name of [pair.id, pair.altname, pair.wsname]) this.#byName.set(name, market);
    this.#cycle = [];
    return market;
  }

  #start(msPerUpdate: number): void {
    const periodMs = Math.min(longestTickMs, Math.max(shortestTickMs, msPerUpdate));
    this.#timer = this.#clock.every(periodMs, () => this.#tick());
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#dueUpdates += Math.min(nowMs - this.#lastTickMs, catchUpMsMax) * this.#updatesPerMs;
    this.#lastTickMs = nowMs;
    const wallMs = this.#clock.now();
    for (; this.#dueUpdates >= 1; this.#dueUpdates--) {
      const market = this.#next();
      if (market.status !== 'delisted' && market.status !== 'ended') this.#publishTicker(market, market.step(wallMs));
    }
  }

  /** Each round visits every market once, in a random order. */
  #next(): Market {
    if (this.#cursor >= this.#cycle.length) {
      this.#cycle = [...this.markets.values()];
      for (let index = this.#cycle.length - 1; index > 0; index--) {
        const other = Math.floor(this.#randomness.fraction() * (index + 1));
        const moved = this.#cycle[index]!;
        this.#cycle[index] = this.#cycle[other]!;
        this.#cycle[other] = moved;
      }
      this.#cursor = 0;
    }
    return this.#cycle[this.#cursor++]!;
  }

  #publishTicker(market: Market, lastChanged: boolean): void {
    this.updates++;
    market.changedAtUs = this.#nowUs();
    for (const listener of this.#listeners) listener.tickerChanged(market, lastChanged);
  }
}
