import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../clock.ts';
import { type AheadTotal, Connection } from './connection.ts';
import type { Handshakes } from './handshakes.ts';

/** An unread request body may be this long before its connection is cut. */
const unreadBodyBytesMax = 64 * 1024;
const sweepEveryMs = 1_000;

/** Bytes that all clients together have not taken; beyond it those who hold most are cut. */
const unsentBytesInAllMax = 64 * 1024 * 1024;
/** Bytes that all clients together have sent ahead; beyond it one without a key that sends more is cut. */
const aheadBytesInAllMax = 1024 * 1024;
/** So long at a time requests that were sent ahead without a key are answered; then others have their turn. */
const turnMs = 5;
/** The keep-alive time advertised to a client without a valid key, and when its idle connection is closed. */
export const keylessKeepAliveSeconds = 5;
const keylessIdleSweeps = 7;

/** Why connections were closed or not accepted, since the start. */
export interface ConnectionFigures {
  /** Those in a handshake included. */
  readonly open: number;
  /** Not accepted because too many were open. */
  readonly dropped: number;
  /** Not accepted because too many were open from the same address. */
  readonly droppedOfAddress: number;
  /** Idle connections without a valid key, and handshakes, ended for others. */
  readonly evicted: number;
  /** Cut because the client did not take its answers in time, or because too much was sent ahead in all. */
  readonly cut: number;
}

export interface ConnectionBounds {
  readonly maxConnections: number;
  /** Per address bucket (an IPv4 address or an IPv6 /64). */
  readonly maxConnectionsPerAddress: number;
  /** A client that has not taken its answer by then is cut off. */
  readonly writeTimeoutMs: number;
}

/**
 * The open connections of the public listener. It bounds what each may hold: a client that sends requests ahead of its
 * answers is read no further until it has taken some, so that no connection keeps the event loop or the memory to
 * itself. Clients with a valid key come before those without one.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #bounds: ConnectionBounds;
  readonly #handshakes: Handshakes;
  readonly #connections = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #sweep: Timer;
  readonly #ahead: AheadTotal = { bytes: 0 };
  /** Without a key, and with requests that can be answered when it is their turn. */
  readonly #turns: Connection[] = [];
  #figures = { dropped: 0, droppedOfAddress: 0, evicted: 0, cut: 0 };

  /** @param handshakes connections that take a place and are no connections for requests yet */
  constructor(clock: Clock, bounds: ConnectionBounds, handshakes: Handshakes) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#handshakes = handshakes;
    this.#sweep = clock.every(sweepEveryMs, () => this.#look());
  }

  figures(): ConnectionFigures {
    return { open: this.#connections.size + this.#handshakes.size, ...this.#figures };
  }

  /** Bytes of answers that clients have not taken. */
  unsentBytes(): number {
    let total = 0;
    for (const connection of this.#connections.values()) total += connection.unsentBytes;
    return total;
  }

  /**
   * A connection was accepted, before any handshake. Ends it when there are too many.
   *
   * @param bucket `IpAddress.limitBucket` of the peer; `undefined` for the operator's own proxies
   */
  admit(socket: Socket, bucket: string | undefined): boolean {
    const ofAddress = bucket === undefined ? 0 : (this.#perAddress.get(bucket) ?? 0);
    const isTooManyOfAddress = ofAddress >= this.#bounds.maxConnectionsPerAddress;
    if (isTooManyOfAddress || !this.#makeRoom()) {
      this.#figures[isTooManyOfAddress ? 'droppedOfAddress' : 'dropped']++;
      socket.destroy();
      return false;
    }
    if (bucket === undefined) return true;
    this.#perAddress.set(bucket, ofAddress + 1);
    socket.once('close', () => {
      const left = this.#perAddress.get(bucket)! - 1;
      if (left === 0) this.#perAddress.delete(bucket);
      else this.#perAddress.set(bucket, left);
    });
    return true;
  }

  /** The system refused a connection itself. */
  wasDropped(): void {
    this.#figures.dropped++;
  }

  /** A connection on which requests may come. */
  add(socket: Socket): void {
    const connection: Connection = new Connection(socket, this.#ahead, () => {
      if (this.#ahead.bytes > aheadBytesInAllMax && !connection.isKeyed) this.#cut(connection);
    });
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.ended(connection);
    });
  }

  /** The connection, while a request on it is to be looked at: it is open and its last answer is not written yet. */
  taking(socket: Socket): Connection | undefined {
    const connection = this.#connections.get(socket);
    return connection === undefined || connection.closing ? undefined : connection;
  }

  /** Runs `decide` when it is the turn of the request: at once, unless the client is behind with taking its answers. */
  whenItsTurn(connection: Connection, decide: () => void): void {
    if (connection.waiting.length === 0 && connection.hasRoom) {
      decide();
      return;
    }
    connection.waiting.push(decide);
    if (connection.waiting.length === 1) this.#continueLater(connection);
  }

  /** An overload begins: the connections answered until now are the established ones, until the next begins. */
  markEstablished(): void {
    for (const connection of this.#connections.values()) {
      connection.isEstablished = connection.lastResponse !== undefined && !connection.wasShed;
    }
  }

  /** Runs `write` once the answers to all requests taken so far are on the wire. */
  afterLastResponse(socket: Socket, write: () => void): void {
    const last = this.#connections.get(socket)?.lastResponse;
    if (last === undefined || last.writableFinished) write();
    else last.once('finish', write);
  }

  /** Runs `then` once every request taken so far has its answer, whether or not its client has read it. */
  afterLastAnswer(socket: Socket, then: () => void): void {
    const last = this.#connections.get(socket)?.lastResponse;
    if (last === undefined || last.writableEnded) then();
    else last.once('finish', then);
  }

  /** Discards a bounded part of an unexpected body, and cuts the connection beyond it. */
  discardBody(request: IncomingMessage, response: ServerResponse): void {
    let receivedBytes = 0;
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > unreadBodyBytesMax && response.writableFinished) request.socket.destroy();
      else if (receivedBytes > unreadBodyBytesMax) request.pause();
    });
  }

  stop(): void {
    this.#sweep.cancel();
  }

  /** The connection has had its last answer: nothing that waits on it is answered. */
  ended(connection: Connection): void {
    connection.closing = true;
    connection.waiting.length = 0;
  }

  /** Not at once: other connections have their turn between two batches of one, and those with a key between those without. */
  #continueLater(connection: Connection): void {
    connection.afterNextTaken(() => {
      if (connection.isKeyed) setImmediate(() => this.#continue(connection));
      else if (this.#turns.push(connection) === 1) setImmediate(() => this.#takeTurns());
    });
  }

  #takeTurns(): void {
    const untilMs = this.#clock.monotonicMs() + turnMs;
    do {
      const connection = this.#turns.shift();
      if (connection !== undefined) this.#continue(connection);
    } while (this.#turns.length > 0 && this.#clock.monotonicMs() < untilMs);
    if (this.#turns.length > 0) setImmediate(() => this.#takeTurns());
  }

  #continue(connection: Connection): void {
    const { waiting } = connection;
    while (waiting.length > 0 && connection.hasRoom) waiting.shift()!();
    if (waiting.length > 0) this.#continueLater(connection);
    else connection.readOn();
  }

  /** False when the table is full of clients that are being served. */
  #makeRoom(): boolean {
    if (this.#connections.size + this.#handshakes.size < this.#bounds.maxConnections) return true;
    for (const connection of this.#connections.values()) {
      if (connection.isKeyed || !connection.isIdle) continue;
      this.#figures.evicted++;
      // Gone from the table at once: its end is noticed only later.
      this.#connections.delete(connection.socket);
      connection.socket.destroy();
      return true;
    }
    const isCut = this.#handshakes.cutOldest();
    if (isCut) this.#figures.evicted++;
    return isCut;
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const connection of this.#connections.values()) {
      this.#closeIdle(connection);
      this.#cutSlowReader(connection, nowMs);
    }
    this.#cutLargest();
  }

  /** One that never sent anything is not idle but late, and ended for that. */
  #closeIdle(connection: Connection): void {
    const { socket, bytesReadAtSweep, isKeyed, lastResponse } = connection;
    const isQuiet = socket.bytesRead === bytesReadAtSweep && connection.isIdle;
    connection.bytesReadAtSweep = socket.bytesRead;
    connection.idleSweeps = isQuiet ? connection.idleSweeps + 1 : 0;
    if (!isKeyed && lastResponse !== undefined && connection.idleSweeps >= keylessIdleSweeps) socket.destroy();
  }

  #cutSlowReader(connection: Connection, nowMs: number): void {
    if (connection.socket.writableLength === 0) connection.waitingSinceMs = undefined;
    else if (connection.waitingSinceMs === undefined) connection.waitingSinceMs = nowMs;
    else if (nowMs - connection.waitingSinceMs >= this.#bounds.writeTimeoutMs) this.#cut(connection);
  }

  #cutLargest(): void {
    let excess = this.unsentBytes() - unsentBytesInAllMax;
    if (excess <= 0) return;
    const largestFirst = [...this.#connections.values()].sort((a, b) => b.unsentBytes - a.unsentBytes);
    for (const connection of largestFirst) {
      if (excess <= 0) return;
      excess -= connection.unsentBytes;
      this.#cut(connection);
    }
  }

  #cut(connection: Connection): void {
    this.#figures.cut++;
    connection.socket.destroy();
  }
}
