import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Timer } from '../src/clock.ts';
import type { Dialect, Venue } from './dialect.ts';
import type { ExchangeListener } from './exchange.ts';
import { flagOf, numberOf } from './fault-request.ts';
import type { Market } from './market-walk.ts';
import { Connection } from './ws-connection.ts';

const beatMs = 100;
const attemptsWindowMs = 60_000;

/** The WebSocket side of an exchange, in any dialect. A topic is a name, or a name and a symbol: `ticker BTC/EUR`. */
export class WebSockets implements ExchangeListener {
  readonly connections = new Set<Connection>();
  connectsTotal = 0;

  readonly #venue: Venue;
  readonly #dialect: Dialect;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1024 * 1024 });
  readonly #subscribers = new Map<string, Set<Connection>>();
  readonly #stalled = new Set<Duplex>();
  readonly #beatTimer: Timer;
  #attemptsAtMs: number[] = [];

  constructor(venue: Venue, dialect: Dialect) {
    this.#venue = venue;
    this.#dialect = dialect;
    venue.exchange.listen(this);
    this.#beatTimer = venue.clock.every(beatMs, () => this.each((client, nowMs) => dialect.beat?.(client, nowMs)));
  }

  /** Accepts a WebSocket handshake, or refuses it as the active faults demand. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { faults, clock } = this.#venue;
    this.#attemptsAtMs.push(clock.monotonicMs());
    const freeze = faults.find('freeze');
    if (freeze !== undefined && !flagOf(freeze, 'existingOnly')) {
      this.#stall(socket);
      return;
    }
    const refuse = faults.find('refuse');
    if (refuse !== undefined) {
      reply(socket, numberOf(refuse, 'status'), `Retry-After: ${numberOf(refuse, 'retryAfterS')}\r\n`);
    } else if (request.url?.split('?', 1)[0] !== this.#dialect.livePath) {
      reply(socket, 404, '');
    } else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, socket as Socket));
    }
  };

  /** The attempts to connect within the last minute, successful or not. */
  connectsLastMinute(): number {
    const oldestMs = this.#venue.clock.monotonicMs() - attemptsWindowMs;
    this.#attemptsAtMs = this.#attemptsAtMs.filter((atMs) => atMs >= oldestMs);
    return this.#attemptsAtMs.length;
  }

  /** Calls `run` for every open connection. */
  each(run: (connection: Connection, nowMs: number) => void): void {
    const nowMs = this.#venue.clock.monotonicMs();
    for (const connection of [...this.connections]) run(connection, nowMs);
  }

  subscribe(connection: Connection, topic: string): void {
    connection.topics.add(topic);
    const subscribers = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, subscribers.add(connection));
  }

  unsubscribe(connection: Connection, topic: string): void {
    this.#subscribers.get(topic)?.delete(connection);
    connection.topics.delete(topic);
  }

  /** Subscribes or unsubscribes. */
  follow(connection: Connection, topic: string, isWanted: boolean): void {
    if (isWanted) this.subscribe(connection, topic);
    else this.unsubscribe(connection, topic);
  }

  hasSubscribers(topic: string): boolean {
    return (this.#subscribers.get(topic)?.size ?? 0) > 0;
  }

  /** Sends a frame to all subscribers of a topic. */
  publish(topic: string, frame: string | Buffer): void {
    const nowMs = this.#venue.clock.monotonicMs();
    for (const connection of this.#subscribers.get(topic) ?? []) connection.send(frame, nowMs);
  }

  /** Ends a freeze. Stalled handshakes are dropped, since their clients have given up. */
  unfreeze(): void {
    for (const connection of this.connections) connection.unfreeze();
    for (const socket of this.#stalled) socket.destroy();
  }

  stop(): void {
    this.#beatTimer.cancel();
    for (const socket of this.#stalled) socket.destroy();
    this.#server.close();
  }

  tickerChanged(market: Market, lastChanged: boolean): void {
    if (!this.#venue.isMuted(market.pair.symbol)) this.#dialect.tickerChanged(market, lastChanged);
  }

  instrumentChanged(market: Market): void {
    this.#dialect.instrumentChanged?.(market);
  }

  #accept(webSocket: WebSocket, socket: Socket): void {
    const { faults, clock, randomness } = this.#venue;
    this.connectsTotal++;
    const id = Buffer.from(randomness.bytes(8)).readBigUInt64BE() | (1n << 62n);
    const connection = new Connection(id, webSocket, socket, clock.monotonicMs());
    this.connections.add(connection);
    webSocket.on('error', () => {});
    webSocket.on('close', () => this.#remove(connection));
    const closing = faults.find('accept-then-close');
    if (closing !== undefined) {
      connection.close(numberOf(closing, 'code'));
      return;
    }
    this.#dialect.greet?.(connection);
    const afterFirst = faults.find('one-message-then-close');
    if (afterFirst !== undefined) connection.close(numberOf(afterFirst, 'code'));
    else webSocket.on('message', (data) => this.#receive(connection, String(data)));
  }

  #receive(connection: Connection, text: string): void {
    connection.received++;
    connection.sendTogether(() => this.#dialect.received(connection, text));
  }

  #remove(connection: Connection): void {
    this.connections.delete(connection);
    for (const topic of connection.topics) this.#subscribers.get(topic)?.delete(connection);
  }

  /** Keeps a handshake open without answering it. */
  #stall(socket: Duplex): void {
    this.#stalled.add(socket);
    socket.pause();
    socket.on('close', () => this.#stalled.delete(socket));
  }
}

function reply(socket: Duplex, status: number, headers: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n${headers}\r\n`);
}
