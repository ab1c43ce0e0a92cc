import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { loadCatalogue, newPair } from '../../exchange-simulator/catalogue.ts';
import { type Dialect, Venue } from '../../exchange-simulator/dialect.ts';
import { type DialectName, dialects } from '../../exchange-simulator/dialects.ts';
import { Exchange } from '../../exchange-simulator/exchange.ts';
import { FaultBoard } from '../../exchange-simulator/fault-board.ts';
import { faultEffects } from '../../exchange-simulator/fault-effects.ts';
import { numberOf, readFault } from '../../exchange-simulator/fault-request.ts';
import { slotMs } from '../../exchange-simulator/market-walk.ts';
import { Rest } from '../../exchange-simulator/rest.ts';
import { Connection } from '../../exchange-simulator/ws-connection.ts';
import type { Randomness } from '../../src/ground/clock.ts';
import { Ban } from './ban.ts';
import { aged, fetchedBy, Link, type Network, socketOf } from './exchange-link.ts';
import type { MarketLevel } from './market-levels.ts';
import type { Lane } from './scheduler.ts';
import { type Deceit, Telling } from './telling.ts';
import { type FetchedReply, type LiveClient, type LiveLink, type OutsideServer, theWorld } from './world.ts';

/**
 * A market changes about so often: less than the real ones, and within the ten seconds after which silence is looked
 * into.
 */
const changeEveryMs = 6_000;
/** One that falls or rises changes more than ten times in ten seconds: whoever stands still beside it is found. */
const movingChangeEveryMs = 700;
/**
 * While the world is quiet each exchange repeats all of its prices at once, just before their silence would be looked
 * into.
 */
const quietRepeatEveryMs = 9_000;
/** Each sixth time they have changed. */
const quietChangeEvery = 6;
const beatEveryMs = 1_000;
/** No true market is called so. */
export const floodPrefix = 'FLOOD';
export const deadPrefix = 'DEAD';
const deadMarkets = 5;

/** A best bid and ask that an exchange had, as it writes them. */
export interface Quote {
  readonly bid: string;
  readonly ask: string;
}

/** What an exchange says of a market from now on. */
export interface Told extends Quote {
  /** The same without deceit. */
  readonly truth: Quote;
  /** It keeps this from those who listen. */
  readonly isMuted: boolean;
  readonly high: string;
  readonly low: string;
  readonly volume: string;
}

export interface ExchangeModelOptions {
  readonly dialect: DialectName;
  /** Exchanges of one seed quote the same markets, a little apart. */
  readonly deviation: number;
  readonly markets: number;
  readonly hasDead: boolean;
  /** Where a market is on all exchanges, besides its walk. */
  readonly levelOf: (symbol: string) => MarketLevel;
  /** Whether that changes now. */
  readonly isMoving: (symbol: string) => boolean;
  /** Learns each quote, the moment it holds. */
  readonly quoted: (symbol: string, told: Told) => void;
  /** Learns how often a process has asked since it was told of its ban, which goes on. */
  readonly askedInBan: (process: string, times: number) => void;
}

/**
 * An exchange: market, dialect and faults of the exchange simulator without its sockets. Its traffic is coarser than a
 * real exchange's: a market changes every six seconds or so, and what is due each tenth of a second there is due each
 * second here.
 */
export class ExchangeModel implements OutsideServer {
  readonly name: DialectName;
  readonly lane: Lane;
  readonly exchange: Exchange;
  readonly faults: FaultBoard;
  readonly network: Network = { delayMs: 0, doubledShare: 0, shuffledShare: 0 };
  /** Answers that are given again, while requests come to a cache. */
  #cached: Map<string, { readonly reply: FetchedReply; readonly sinceMs: number }> | undefined;
  /** When anybody who runs last got anything from it. */
  heardAtMs = Number.NEGATIVE_INFINITY;
  /** Since when it lists nothing, or last did. */
  emptiedAtMs = Number.NEGATIVE_INFINITY;
  readonly #options: ExchangeModelOptions;
  readonly #venue: Venue;
  readonly #dialect: Dialect;
  readonly #rest: Rest;
  readonly #randomness: Randomness;
  readonly #links = new Set<Link>();
  readonly #latencyMs: number;
  #isDown = false;
  #ban: Ban | undefined;
  #floods = 0;
  /** When a connection last came or went. */
  #linkedAtMs = 0;
  readonly #tellings = new Map<string, Telling>();

  constructor(options: ExchangeModelOptions) {
    const world = theWorld();
    const { dialect, deviation, markets } = options;
    this.name = dialect;
    this.#options = options;
    this.lane = world.scheduler.lane(dialect);
    this.#randomness = world.generator(dialect);
    this.#latencyMs = 5 + 40 * this.#randomness.fraction();
    const { clock } = this.lane;
    const catalogue = loadCatalogue({ markets, quotes: ['EUR'] });
    const walk = world.generator(`walk ${deviation}`);
    this.exchange = new Exchange({ clock, randomness: walk, seed: world.seed, catalogue, updatesPerSecond: 0 });
    const { exchange } = this;
    const webSockets = { unfreeze: () => venue.clients.each((client) => client.unfreeze()) };
    const listener = {
      close: () => this.#close(),
      reopen: () => {
        this.#isDown = false;
      },
    };
    this.faults = new FaultBoard(
      clock,
      faultEffects(() => ({
        venue,
        exchange,
        dialect: this.#dialect,
        ...({ webSockets, listener } as { webSockets: never; listener: never }),
      })),
    );
    const venue = new Venue({ clock, randomness: world.generator(`${dialect} ids`), exchange, faults: this.faults });
    this.#venue = venue;
    this.#dialect = dialects[dialect](venue);
    this.#rest = new Rest(venue, this.#dialect);
    exchange.listen({
      tickerChanged: (market, lastChanged) => {
        this.#tellings.get(market.pair.symbol)?.published();
        if (!venue.isMuted(market.pair.symbol)) this.#dialect.tickerChanged(market, lastChanged);
      },
      instrumentChanged: (market) => this.#dialect.instrumentChanged?.(market),
    });
    clock.every(beatEveryMs, () => venue.clients.each((client, nowMs) => this.#dialect.beat?.(client, nowMs)));
    for (const [symbol, market] of exchange.markets) {
      this.#tellings.set(symbol, new Telling(market));
      this.#change(symbol);
    }
    // Whoever asks before the next change gets other statistics already.
    clock.every(slotMs, () => this.#tellings.keys().forEach((symbol) => void this.#tell(symbol)));
    // Elsewhere whatever has ended leaves the list.
    if (options.hasDead && this.#dialect.endedState !== undefined) this.#listDead();
  }

  /** Some that are in its list for years, and were never traded while we run. */
  #listDead(): void {
    for (let index = 1; index <= deadMarkets; index++) {
      const entry = newPair(`${deadPrefix}${index}`, 'EUR', 2);
      this.exchange.add(entry, 10);
      this.exchange.markets.get(entry.pair!.symbol)!.status = 'ended';
    }
  }

  get restUrl(): string {
    return `http://${this.name}${this.#dialect.restPath}`;
  }

  get wsUrl(): string {
    return `ws://${this.name}${this.#dialect.livePath}`;
  }

  get symbols(): readonly string[] {
    return [...this.#tellings.keys()];
  }

  /** Begins a fault of the exchange simulator. Its parameters are those of its control interface. */
  async set(request: Readonly<Record<string, unknown>>): Promise<void> {
    await this.faults.set(readFault(request));
    if (request.fault === 'catalogue-empty') this.emptiedAtMs = theWorld().nowMs;
  }

  get isEmpty(): boolean {
    return this.faults.find('catalogue-empty') !== undefined;
  }

  /** Has a cache answer what was asked for before, or ends that. */
  cache(isOn: boolean): void {
    this.#cached = isOn ? new Map() : undefined;
  }

  /** Refuses every request until an instant, which it names; or ends that. */
  ban(untilMs: number | undefined): void {
    this.#ban = untilMs === undefined ? undefined : new Ban(this.name, untilMs);
  }

  /** Lists markets that nobody trades, others each time. */
  flood(count: number): void {
    const flood = ++this.#floods;
    for (let index = 0; index < count; index++)
      this.exchange.add(newPair(`${floodPrefix}${flood}X${index}`, 'EUR', 4), 10);
  }

  /** Lists them no more. */
  endFloods(): void {
    for (const [symbol, market] of this.exchange.markets)
      if (symbol.startsWith(floodPrefix)) this.exchange.setStatus(market, 'delisted');
  }

  /** Ends every fault, but no deceit. */
  async mend(): Promise<void> {
    await this.faults.clear();
    this.cache(false);
    this.ban(undefined);
    this.endFloods();
    Object.assign(this.network, { delayMs: 0, doubledShare: 0, shuffledShare: 0 });
  }

  /** Has it speak otherwise of a market than it is, or the truth again. */
  deceive(symbol: string, deceit: Deceit | undefined): void {
    this.#tellings.get(symbol)!.deceive(deceit, this.lane.clock.now());
    this.#tell(symbol);
    this.exchange.repeat(this.exchange.markets.get(symbol)!);
  }

  /** So many times the true price, as it says now. */
  factorOf(symbol: string): number {
    const nowMs = this.lane.clock.now();
    const truth = this.#tellings.get(symbol)!.truth(nowMs);
    return Number(this.exchange.markets.get(symbol)!.values(nowMs).bid) / Number(truth.bid);
  }

  deceitOf(symbol: string): Deceit | undefined {
    return this.#tellings.get(symbol)?.deceit;
  }

  /** What is wrong with it now, for whoever wants to know of a market. */
  faultsOf(symbol: string): readonly string[] {
    const isOfIt = (symbols: readonly string[] | undefined) => symbols === undefined || symbols.includes(symbol);
    const names: string[] = this.faults.active().flatMap(({ fault, symbols }) => (isOfIt(symbols) ? [fault] : []));
    const { delayMs, doubledShare, shuffledShare } = this.network;
    if (delayMs + doubledShare + shuffledShare > 0) names.push('network');
    if (this.#cached !== undefined) names.push('cache');
    if (this.#ban !== undefined) names.push('ban');
    if (this.deceitOf(symbol) !== undefined) names.push('deceit');
    return names;
  }

  /** Since when the connections to it are those that there are; never where there is none. */
  get linkedSinceMs(): number {
    const areOpen = this.#links.size > 0 && [...this.#links].every(({ readyState }) => readyState === 1);
    return areOpen ? this.#linkedAtMs : Number.POSITIVE_INFINITY;
  }

  connect(lane: Lane, _url: URL, client: LiveClient): LiveLink {
    const link = new Link(this, lane, client, () => this.#delayMs());
    this.#links.add(link);
    this.#linkedAtMs = theWorld().nowMs;
    this.lane.later(this.#delayMs(), () => this.#accept(link));
    let arrivesAtMs = 0;
    // One after the other, as on any connection.
    const arrive = (run: () => void) => {
      const { nowMs } = theWorld();
      arrivesAtMs = Math.max(arrivesAtMs, nowMs + this.#delayMs());
      this.lane.later(arrivesAtMs - nowMs, run);
    };
    return {
      send: (text) => arrive(() => link.received(text)),
      ping: () => arrive(() => link.pinged()),
      lost: () => this.#lost(link),
    };
  }

  fetch(lane: Lane, url: URL, done: (error: Error | undefined, reply?: FetchedReply) => void): void {
    this.lane.later(this.#delayMs(), () => {
      const answer = (error: Error | undefined, reply?: FetchedReply) =>
        lane.later(this.#delayMs(), () => {
          if (reply !== undefined) this.heardAtMs = theWorld().nowMs;
          done(error, reply);
        });
      const known = this.#cached?.get(url.href);
      const keep = (error: Error | undefined, reply?: FetchedReply) => {
        if (reply?.ok === true) this.#cached?.set(url.href, { reply, sinceMs: theWorld().nowMs });
        answer(error, reply);
      };
      const refusal = this.#ban?.asked(lane, (times) => this.#options.askedInBan(lane.root.name, times));
      if (refusal !== undefined && !this.#isDown) answer(undefined, refusal);
      else if (known !== undefined)
        lane.later(this.#delayMs(), () => done(undefined, aged(known.reply, known.sinceMs)));
      else if (this.#isDown) answer(new Error('ECONNREFUSED'));
      else if (this.faults.find('freeze') === undefined)
        this.#rest.handle({ url: url.pathname + url.search } as IncomingMessage, fetchedBy(keep));
    });
  }

  #accept(link: Link): void {
    const { faults, clock, randomness, clients } = this.#venue;
    if (faults.find('freeze') !== undefined) return;
    const refuse = faults.find('refuse');
    if (this.#isDown) link.close(1006);
    else if (refuse !== undefined)
      link.refuse(numberOf(refuse, 'status'), { 'retry-after': String(numberOf(refuse, 'retryAfterS')) });
    else {
      const id = Buffer.from(randomness.bytes(8)).readBigUInt64BE() | (1n << 62n);
      const connection = new Connection(id, link as unknown as WebSocket, socketOf(link), clock.monotonicMs());
      clients.connections.add(connection);
      link.open(connection, (text) => this.#dialect.received(connection, text));
      if (faults.find('accept-then-close') !== undefined) connection.close(1000);
      else this.#dialect.greet?.(connection);
    }
  }

  #lost(link: Link): void {
    this.#linkedAtMs = theWorld().nowMs;
    this.#links.delete(link);
    link.end();
    if (link.connection !== undefined) this.#venue.clients.remove(link.connection);
  }

  #close(): void {
    this.#isDown = true;
    this.cut();
  }

  /** Ends every connection. */
  cut(): void {
    for (const link of [...this.#links]) {
      this.#lost(link);
      link.close(1006);
    }
  }

  #change(symbol: string): void {
    const { clock } = this.lane;
    const market = this.exchange.markets.get(symbol)!;
    clock.after(this.#untilChangeMs(symbol), () => this.#change(symbol));
    if (this.#isToChange) {
      const nowMs = clock.now();
      market.step(nowMs);
      const telling = this.#tellings.get(symbol)!;
      // Nobody else's walk changes with what only another asset draws.
      const jitter = telling.deceit?.how === 'another' ? 0.999 + 0.002 * this.#randomness.fraction() : 1;
      telling.step(nowMs, this.#options.levelOf(symbol), jitter);
    }
    this.#tell(symbol);
    this.exchange.repeat(market);
  }

  #untilChangeMs(symbol: string): number {
    const { nowMs, scheduler } = theWorld();
    if (scheduler.isQuiet) return quietRepeatEveryMs - (nowMs % quietRepeatEveryMs);
    const everyMs = this.#options.isMoving(symbol) ? movingChangeEveryMs : changeEveryMs;
    return everyMs * (0.5 + this.#randomness.fraction());
  }

  get #isToChange(): boolean {
    const { nowMs, scheduler } = theWorld();
    return !scheduler.isQuiet || Math.floor(nowMs / quietRepeatEveryMs) % quietChangeEvery === 0;
  }

  #tell(symbol: string): void {
    const nowMs = this.lane.clock.now();
    const { bid, ask, high, low, volume } = this.exchange.markets.get(symbol)!.values(nowMs);
    const { bid: trueBid, ask: trueAsk } = this.#tellings.get(symbol)!.truth(nowMs);
    const isMuted = this.#venue.isMuted(symbol);
    this.#options.quoted(symbol, { bid, ask, truth: { bid: trueBid, ask: trueAsk }, isMuted, high, low, volume });
  }

  #delayMs(): number {
    return this.network.delayMs + this.#latencyMs * (1 + this.#randomness.fraction());
  }
}
