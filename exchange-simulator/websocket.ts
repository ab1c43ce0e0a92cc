import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Timer } from '../src/ground/clock.ts';
import type { Dialect, Venue } from './dialect.ts';
import type { ExchangeListener } from './exchange.ts';
import { flagOf, numberOf, textOf } from './fault-request.ts';
import type { Market } from './market-walk.ts';
import { Connection } from './ws-connection.ts';

const beatMs = 100;
const attemptsWindowMs = 60_000;

/** The WebSocket side of an exchange, in any dialect. */
export class WebSockets implements ExchangeListener {
  connectsTotal = 0;

  readonly #venue: Venue;
  readonly #dialect: Dialect;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1024 * 1024 });
  readonly #stalled = new Set<Duplex>();
  readonly #beatTimer: Timer;
  #attemptsAtMs: number[] = [];

  constructor(venue: Venue, dialect: Dialect) {
    this.#venue = venue;
    this.#dialect = dialect;
    venue.exchange.listen(this);
    this.#beatTimer = venue.clock.every(beatMs, () =>
      venue.clients.each((client, nowMs) => dialect.beat?.(client, nowMs)),
    );
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
      const headers = flagOf(refuse, 'noRetryAfter') ? '' : `Retry-After: ${numberOf(refuse, 'retryAfterS')}\r\n`;
      reply(socket, numberOf(refuse, 'status'), headers, textOf(refuse, 'body'));
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

  /** Ends a freeze. Stalled handshakes are dropped, since their clients have given up. */
  unfreeze(): void {
    this.#venue.clients.each((connection) => connection.unfreeze());
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
    const { faults, clock, randomness, clients } = this.#venue;
    this.connectsTotal++;
    const id = Buffer.from(randomness.bytes(8)).readBigUInt64BE() | (1n << 62n);
    const connection = new Connection(id, webSocket, socket, clock.monotonicMs());
    clients.connections.add(connection);
    webSocket.on('error', () => {});
    webSocket.on('close', () => clients.remove(connection));
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

  /** Keeps a handshake open without answering it. */
  #stall(socket: Duplex): void {
    this.#stalled.add(socket);
    socket.pause();
    socket.on('close', () => this.#stalled.delete(socket));
  }
}

function reply(socket: Duplex, status: number, headers: string, body = ''): void {
  socket.on('error', () => socket.destroy());
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n${length}\r\n${headers}\r\n${body}`);
}
