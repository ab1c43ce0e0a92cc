import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { loadCatalogue } from '../../exchange-simulator/catalogue.ts';
import { type Dialect, Venue } from '../../exchange-simulator/dialect.ts';
import { type DialectName, dialects } from '../../exchange-simulator/dialects.ts';
import { Exchange } from '../../exchange-simulator/exchange.ts';
import { FaultBoard } from '../../exchange-simulator/fault-board.ts';
import { faultEffects } from '../../exchange-simulator/fault-effects.ts';
import { numberOf, readFault } from '../../exchange-simulator/fault-request.ts';
import { Rest } from '../../exchange-simulator/rest.ts';
import type { TickerValues } from '../../exchange-simulator/ticker.ts';
import { Connection } from '../../exchange-simulator/ws-connection.ts';
import type { Randomness } from '../../src/ground/clock.ts';
import type { Lane } from './scheduler.ts';
import { type FetchedReply, type LiveClient, type LiveLink, type OutsideServer, theWorld } from './world.ts';

/**
 * A market changes about so often: less than the real ones, and within the ten seconds after which silence is looked
 * into.
 */
const changeEveryMs = 6_000;
/**
 * While the world is quiet each exchange repeats all of its prices at once, just before their silence would be looked
 * into.
 */
const quietRepeatEveryMs = 9_000;
/** Each sixth time they have changed. */
const quietChangeEvery = 6;
const beatEveryMs = 1_000;

/** A best bid and ask that an exchange had, as it writes them. */
export interface Quote {
  readonly bid: string;
  readonly ask: string;
}

export interface ExchangeModelOptions {
  readonly dialect: DialectName;
  /** Exchanges of one seed quote the same markets, a little apart. */
  readonly deviation: number;
  readonly markets: number;
  /** Learns each honest quote, the moment it holds, and whether the exchange keeps it from those who listen. */
  readonly quoted: (symbol: string, quote: Quote, isMuted: boolean) => void;
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
  /** What the network does to frames on their way to the service. */
  readonly network = { delayMs: 0, doubledShare: 0, shuffledShare: 0 };
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
  readonly #renamed = new Set<string>();

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
        if (!venue.isMuted(market.pair.symbol)) this.#dialect.tickerChanged(market, lastChanged);
      },
      instrumentChanged: (market) => this.#dialect.instrumentChanged?.(market),
    });
    clock.every(beatEveryMs, () => venue.clients.each((client, nowMs) => this.#dialect.beat?.(client, nowMs)));
    for (const symbol of exchange.markets.keys()) this.#change(symbol);
  }

  get restUrl(): string {
    return `http://${this.name}${this.#dialect.restPath}`;
  }

  get wsUrl(): string {
    return `ws://${this.name}${this.#dialect.livePath}`;
  }

  get symbols(): readonly string[] {
    return [...this.exchange.markets.keys()];
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

  /** Ends every fault. */
  async mend(): Promise<void> {
    await this.faults.clear();
    this.cache(false);
    Object.assign(this.network, { delayMs: 0, doubledShare: 0, shuffledShare: 0 });
    for (const [symbol, market] of this.exchange.markets) if (market.pinned) this.tellTruth(symbol);
  }

  /** Has one market say something else than what is so. Not told to those who learn its quotes. */
  lie(symbol: string, factor: number): void {
    const market = this.exchange.markets.get(symbol)!;
    const { bid, ask } = market.values(this.lane.clock.now());
    const wrong = (text: string) => (Number(text) * factor).toFixed(market.pair.priceDecimals);
    this.exchange.pin(market, { bid: wrong(bid), ask: wrong(ask), last: wrong(bid) } as Partial<TickerValues>);
  }

  /** Has the name of one market be that of another asset, whose price goes its own way from there. */
  rename(symbol: string, factor: number): void {
    this.lie(symbol, factor);
    this.#renamed.add(symbol);
  }

  tellTruth(symbol: string): void {
    this.#renamed.delete(symbol);
    this.exchange.release(this.exchange.markets.get(symbol)!);
    this.#tell(symbol);
  }

  connect(lane: Lane, _url: URL, client: LiveClient): LiveLink {
    const link: Link = new Link(this, lane, client, () => this.#delayMs());
    this.#links.add(link);
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
      if (known !== undefined) lane.later(this.#delayMs(), () => done(undefined, aged(known.reply, known.sinceMs)));
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
    clock.after(this.#untilChangeMs(), () => this.#change(symbol));
    if (this.#isToChange) market.step(clock.now());
    if (this.#renamed.has(symbol)) this.lie(symbol, 0.999 + 0.002 * this.#randomness.fraction());
    this.#tell(symbol);
    this.exchange.repeat(market);
  }

  #untilChangeMs(): number {
    const { nowMs, scheduler } = theWorld();
    if (scheduler.isQuiet) return quietRepeatEveryMs - (nowMs % quietRepeatEveryMs);
    return changeEveryMs * (0.5 + this.#randomness.fraction());
  }

  get #isToChange(): boolean {
    const { nowMs, scheduler } = theWorld();
    return !scheduler.isQuiet || Math.floor(nowMs / quietRepeatEveryMs) % quietChangeEvery === 0;
  }

  #tell(symbol: string): void {
    const market = this.exchange.markets.get(symbol)!;
    if (market.pinned) return;
    const { bid, ask } = market.values(this.lane.clock.now());
    this.#options.quoted(symbol, { bid, ask }, this.#venue.isMuted(symbol));
  }

  #delayMs(): number {
    return this.network.delayMs + this.#latencyMs * (1 + this.#randomness.fraction());
  }
}

/** The exchange's end of a WebSocket, as its dialect writes to it. */
class Link {
  readonly OPEN = 1;
  readonly bufferedAmount = 0;
  readyState = 0;
  connection: Connection | undefined;
  readonly #exchange: ExchangeModel;
  readonly #lane: Lane;
  readonly #client: LiveClient;
  readonly #delayMs: () => number;
  #received: ((text: string) => void) | undefined;
  #lastAtMs = 0;

  constructor(exchange: ExchangeModel, lane: Lane, client: LiveClient, delayMs: () => number) {
    this.#exchange = exchange;
    this.#lane = lane;
    this.#client = client;
    this.#delayMs = delayMs;
  }

  open(connection: Connection, received: (text: string) => void): void {
    this.connection = connection;
    this.#received = received;
    this.readyState = 1;
    this.#deliver(() => this.#client.opened());
  }

  received(text: string): void {
    if (this.readyState === 1 && this.connection?.frozen === false) this.#received?.(text);
  }

  pinged(): void {
    if (this.readyState !== 1 || this.connection?.frozen !== false) return;
    this.#deliver(() => {
      this.#exchange.heardAtMs = theWorld().nowMs;
      this.#client.pong();
    });
  }

  send(message: string | Buffer, { binary }: { readonly binary: boolean }): void {
    const { doubledShare, shuffledShare } = this.#exchange.network;
    const data = Buffer.from(message as string);
    const deliver = () => {
      this.#exchange.heardAtMs = theWorld().nowMs;
      this.#client.message(data, binary);
    };
    const { randomness } = theWorld();
    this.#deliver(deliver, shuffledShare > 0 && randomness.fraction() < shuffledShare);
    if (doubledShare > 0 && randomness.fraction() < doubledShare) this.#deliver(deliver);
  }

  close(code: number): void {
    this.#deliver(() => this.#client.closed(code));
    this.readyState = 3;
  }

  refuse(status: number, headers: Readonly<Record<string, string>>): void {
    this.#deliver(() => this.#client.refused(status, headers));
  }

  terminate(): void {
    this.close(1006);
  }

  pause(): void {}
  resume(): void {}

  /** The client is gone, and hears nothing more. */
  end(): void {
    this.readyState = 3;
  }

  /** One after the other. @param overtakes later than what follows */
  #deliver(run: () => void, overtakes = false): void {
    const { nowMs } = theWorld();
    const atMs = Math.max(nowMs + this.#delayMs(), this.#lastAtMs);
    if (!overtakes) this.#lastAtMs = atMs;
    this.#lane.later(atMs - nowMs + (overtakes ? 5_000 : 0), run);
  }
}

function socketOf(link: Link): Socket {
  const nothing = () => {};
  const reset = () => link.close(1006);
  const members = { remoteAddress: '192.0.2.1', remotePort: 1, write: reset, cork: nothing, uncork: nothing };
  return { ...members, resetAndDestroy: reset } as unknown as Socket;
}

/** A response whose answer is fetched. */
export function fetchedBy(answer: (error: Error | undefined, reply?: FetchedReply) => void): ServerResponse {
  let status = 200;
  const headers = new Headers();
  const response = {
    destroyed: false,
    writeHead(code: number, given: Readonly<Record<string, string | number>>) {
      status = code;
      for (const [name, value] of Object.entries(given)) headers.set(name, String(value));
    },
    write: () => answer(new Error('ECONNRESET')),
    end(body: string | Buffer) {
      answer(undefined, { ok: status >= 200 && status < 300, status, headers, body: [Buffer.from(body as string)] });
    },
  };
  return response as unknown as ServerResponse;
}

/** An answer as a cache gives it: it says how old it is. */
function aged(reply: FetchedReply, sinceMs: number): FetchedReply {
  const headers = new Headers(reply.headers);
  headers.set('age', String(Math.floor((theWorld().nowMs - sinceMs) / 1_000)));
  return { ...reply, headers };
}
