import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock, Randomness, Timer } from '../src/clock.ts';
import type { Exchange, ExchangeListener } from './exchange.ts';
import { corrupted, type FaultBoard } from './fault-board.ts';
import { flagOf, numberOf, textOf } from './fault-request.ts';
import type { Market } from './market-walk.ts';
import { tickerFrame } from './ticker.ts';
import { wireClock, wireTime } from './wire-clock.ts';
import { Connection, type EventTrigger } from './ws-connection.ts';
import { heartbeat, instrumentSnapshot, instrumentUpdate, statusMessage, type Times } from './ws-messages.ts';
import { answerRequest, type Subscriptions } from './ws-requests.ts';

export interface WebSocketsOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly exchange: Exchange;
  readonly faults: FaultBoard;
}

const heartbeatAfterMs = 1000;
const heartbeatCheckMs = 100;
const attemptsWindowMs = 60_000;

/** The WebSocket side of the exchange, version 2, at the path `/v2`. */
export class WebSockets implements ExchangeListener, Subscriptions {
  readonly connections = new Set<Connection>();
  connectsTotal = 0;

  readonly #clock: Clock;
  readonly #nowUs: () => number;
  readonly #randomness: Randomness;
  readonly #exchange: Exchange;
  readonly #faults: FaultBoard;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1024 * 1024 });
  readonly #subscribers = new Map<string, Set<Connection>>();
  readonly #stalled = new Set<Duplex>();
  readonly #heartbeatTimer: Timer;
  #attemptsAtMs: number[] = [];

  constructor(options: WebSocketsOptions) {
    this.#clock = options.clock;
    this.#nowUs = wireClock(options.clock);
    this.#randomness = options.randomness;
    this.#exchange = options.exchange;
    this.#faults = options.faults;
    this.#exchange.listen(this);
    this.#heartbeatTimer = options.clock.every(heartbeatCheckMs, () => this.#sendHeartbeats());
  }

  /** Accepts a WebSocket handshake, or refuses it as the active faults demand. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.#attemptsAtMs.push(this.#clock.monotonicMs());
    const freeze = this.#faults.find('freeze');
    if (freeze !== undefined && !flagOf(freeze, 'existingOnly')) {
      this.#stall(socket);
      return;
    }
    const refuse = this.#faults.find('refuse');
    if (refuse !== undefined) {
      reply(socket, numberOf(refuse, 'status'), `Retry-After: ${numberOf(refuse, 'retryAfterS')}\r\n`);
    } else if (request.url?.split('?', 1)[0] !== '/v2') {
      reply(socket, 404, '');
    } else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, socket as Socket));
    }
  };

  /** The attempts to connect within the last minute, successful or not. */
  connectsLastMinute(): number {
    const oldestMs = this.#clock.monotonicMs() - attemptsWindowMs;
    this.#attemptsAtMs = this.#attemptsAtMs.filter((atMs) => atMs >= oldestMs);
    return this.#attemptsAtMs.length;
  }

  /** Calls `run` for every open connection. */
  each(run: (connection: Connection, nowMs: number) => void): void {
    const nowMs = this.#clock.monotonicMs();
    for (const connection of [...this.connections]) run(connection, nowMs);
  }

  /** Ends a freeze. Stalled handshakes are dropped, since their clients have given up. */
  unfreeze(): void {
    for (const connection of this.connections) connection.unfreeze();
    for (const socket of this.#stalled) socket.destroy();
  }

  stop(): void {
    this.#heartbeatTimer.cancel();
    for (const socket of this.#stalled) socket.destroy();
    this.#server.close();
  }

  /** The offset that the fault `clock-skew` adds to every sent time. */
  get skewMs(): number {
    const skew = this.#faults.find('clock-skew');
    return skew === undefined ? 0 : numberOf(skew, 'ms');
  }

  statusMessage(connection: Connection): string {
    const fault = this.#faults.find('system-status');
    return statusMessage((fault && textOf(fault, 'status')) ?? 'online', connection.id);
  }

  tickerChanged(market: Market, lastChanged: boolean): void {
    const subscribers = this.#subscribers.get(market.pair.symbol);
    if (subscribers === undefined || subscribers.size === 0) return;
    const frame = this.#frame('update', market);
    if (frame === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    for (const connection of subscribers) {
      if (lastChanged || connection.tickers.get(market.pair.symbol) === 'bbo') connection.send(frame, nowMs);
    }
  }

  instrumentChanged(market: Market): void {
    const frame = instrumentUpdate(market);
    this.each((connection, nowMs) => {
      if (connection.instrument) connection.send(frame, nowMs);
    });
  }

  addTicker(connection: Connection, symbol: string, trigger: EventTrigger): string | undefined {
    if (this.#exchange.listed(symbol) === undefined || this.#faults.find('reject', symbol) !== undefined) {
      return `Currency pair not supported ${symbol}`;
    }
    if (connection.tickers.has(symbol)) return 'Already subscribed';
    connection.tickers.set(symbol, trigger);
    const subscribers = this.#subscribers.get(symbol) ?? new Set();
    this.#subscribers.set(symbol, subscribers.add(connection));
    return undefined;
  }

  removeTicker(connection: Connection, symbol: string): boolean {
    this.#subscribers.get(symbol)?.delete(connection);
    return connection.tickers.delete(symbol);
  }

  tickerSnapshot(symbol: string): string | undefined {
    const market = this.#exchange.listed(symbol);
    return market === undefined ? undefined : this.#frame('snapshot', market);
  }

  instrumentSnapshot(): string {
    return instrumentSnapshot(this.#exchange.entries.values(), this.#exchange.markets);
  }

  /** The ticker frame of a market, unless a fault mutes it. */
  #frame(type: 'snapshot' | 'update', market: Market): string | undefined {
    const { symbol } = market.pair;
    if (this.#faults.find('mute') !== undefined || this.#faults.find('mute-symbol', symbol) !== undefined)
      return undefined;
    const values = corrupted(this.#faults, symbol, 'ws', market.values(this.#clock.now()));
    const dated = this.#faults.find('no-timestamp') === undefined;
    return tickerFrame(type, symbol, values, dated ? this.#wireTime(market.changedAtUs) : undefined);
  }

  #accept(webSocket: WebSocket, socket: Socket): void {
    this.connectsTotal++;
    const nowMs = this.#clock.monotonicMs();
    const connection = new Connection(this.#connectionId(), webSocket, socket, nowMs);
    this.connections.add(connection);
    webSocket.on('error', () => {});
    webSocket.on('close', () => this.#remove(connection));
    const closing = this.#faults.find('accept-then-close');
    if (closing !== undefined) {
      connection.close(numberOf(closing, 'code'));
      return;
    }
    connection.send(this.statusMessage(connection), nowMs);
    const afterFirst = this.#faults.find('one-message-then-close');
    if (afterFirst !== undefined) connection.close(numberOf(afterFirst, 'code'));
    else webSocket.on('message', (data) => this.#receive(connection, String(data)));
  }

  #receive(connection: Connection, text: string): void {
    connection.received++;
    const timeIn = this.#wireTime(this.#nowUs());
    const times = (): Times => ({ timeIn, timeOut: this.#wireTime(this.#nowUs()) });
    const answers = answerRequest(connection, text, this, times);
    const nowMs = this.#clock.monotonicMs();
    connection.sendTogether(() => {
      for (const answer of answers) connection.send(answer, nowMs);
    });
  }

  #remove(connection: Connection): void {
    this.connections.delete(connection);
    for (const symbol of connection.tickers.keys()) this.#subscribers.get(symbol)?.delete(connection);
  }

  /** Keeps a handshake open without answering it. */
  #stall(socket: Duplex): void {
    this.#stalled.add(socket);
    socket.pause();
    socket.on('close', () => this.#stalled.delete(socket));
  }

  #sendHeartbeats(): void {
    this.each((connection, nowMs) => {
      if (connection.subscribed && nowMs - connection.lastSentMs >= heartbeatAfterMs) connection.send(heartbeat, nowMs);
    });
  }

  #wireTime(epochUs: number): string {
    return wireTime(epochUs + this.skewMs * 1000);
  }

  #connectionId(): bigint {
    return Buffer.from(this.#randomness.bytes(8)).readBigUInt64BE() | (1n << 62n);
  }
}

function reply(socket: Duplex, status: number, headers: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n${headers}\r\n`);
}
