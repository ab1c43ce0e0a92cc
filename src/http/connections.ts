import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { Connection, type Held } from './connection.ts';
import { largestSlowReaders, leastUseful } from './eviction.ts';
import type { Handshakes } from './handshakes.ts';

/** An unread request body may be this long before its connection is cut. */
const unreadBodyBytesMax = 64 * 1024;
const sweepEveryMs = 1_000;

/** Bytes that all clients together have sent ahead; beyond it one without a key that sends more is cut. */
const aheadBytesInAllMax = 1024 * 1024;
/** Requests of all clients that wait for their turn, some 50 MB; the client of one too many is cut. */
const waitingMax = 16_384;
/** So long at a time requests that were sent ahead without a key are answered; then others have their turn. */
const turnMs = 5;
/** The keep-alive time advertised to a client without a valid key, and when its idle connection is closed. */
export const keylessKeepAliveSeconds = 5;
const idleSweepsMax = 7;

/** Why connections were closed or not accepted, since the start. */
export interface ConnectionFigures {
  /** Open connections, those in a handshake included. */
  readonly open: number;
  /** Not accepted because too many were open. */
  readonly dropped: number;
  /** Not accepted because too many were open from the same address. */
  readonly droppedOfAddress: number;
  /** Connections without a valid key, and handshakes, ended for others. */
  readonly evicted: number;
  /** Cut because the client did not take its answers in time, or because too much was sent ahead in all. */
  readonly cut: number;
  /** Bytes of answers that clients have not taken. */
  readonly unsentBytes: number;
}

export interface ConnectionBounds {
  readonly maxConnections: number;
  /** Per address bucket (an IPv4 address or an IPv6 /64). */
  readonly maxConnectionsPerAddress: number;
  /** A client that has not taken its answer by then is cut off. */
  readonly writeTimeoutMs: number;
  /** All clients together may have so much of their answers not taken; beyond it those who hold most are cut. */
  readonly unsentBytesMax: number;
}

/**
 * The open connections of the public listener. It bounds what each may hold: a client that sends requests ahead of its
 * answers is read no further until it has taken some, so that no connection keeps the event loop or the memory to
 * itself. Clients with a valid key come before those without one, and where one must go, one without a key goes first.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #bounds: ConnectionBounds;
  readonly #handshakes: Handshakes;
  readonly #connections = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #sweep: Timer;
  readonly #held: Held = { ahead: 0, unsent: 0, waiting: 0 };
  /** In the order of their last request; may hold some that have shown a key since. */
  readonly #keyless = new Set<Connection>();
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
    const open = this.#connections.size + this.#handshakes.size;
    return { open, ...this.#figures, unsentBytes: this.unsentBytes() };
  }

  /** Bytes of answers that clients have not taken. */
  unsentBytes(): number {
    return this.#held.unsent;
  }

  /**
   * A connection was accepted, before any handshake. Ends it when there are too many and all of them have shown a key.
   *
   * @param bucket `IpAddress.limitBucket` of the peer; `undefined` for the operator's own proxies
   */
  admit(socket: Socket, bucket: string | undefined): boolean {
    const ofAddress = bucket === undefined ? 0 : (this.#perAddress.get(bucket) ?? 0);
    const isTooManyOfAddress = ofAddress >= this.#bounds.maxConnectionsPerAddress && !this.#evict(bucket);
    if (isTooManyOfAddress || (this.#isFull && !this.#evict())) {
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
  add(socket: Socket, bucket: string | undefined): void {
    const connection: Connection = new Connection(socket, bucket, this.#held, () => {
      if (this.#held.ahead > aheadBytesInAllMax && !connection.isKeyed) this.#cut(connection);
    });
    this.#connections.set(socket, connection);
    this.#keyless.add(connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#keyless.delete(connection);
      connection.end();
    });
  }

  /** The connection, while a request on it is to be looked at: it is open and its last answer is not written yet. */
  taking(socket: Socket): Connection | undefined {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.isClosing) return undefined;
    // To the end of the order. Once a key was seen it is left out for good.
    if (this.#keyless.delete(connection) && !connection.isKeyed) this.#keyless.add(connection);
    return connection;
  }

  /** Runs `decide` when it is the turn of the request: at once, unless the client is behind with taking its answers. */
  whenItsTurn(connection: Connection, decide: () => void): void {
    if (this.#held.waiting >= waitingMax) this.#cut(connection);
    else if (connection.takeTurn(decide) === 1) this.#continueLater(connection);
  }

  /**
   * New clients begin to be refused: those with a key that were answered until now are not new, until the next time.
   */
  markEstablished(): void {
    for (const connection of this.#connections.values()) connection.markEstablished();
  }

  /**
   * Runs `then` once every request taken so far has its answer.
   *
   * @param state `writableEnded`: whether or not its client has read it; `writableFinished`: all of it is on the wire
   */
  afterLastAnswer(socket: Socket, state: 'writableEnded' | 'writableFinished', then: () => void): void {
    const last = this.#connections.get(socket)?.lastReply;
    if (last === undefined || last[state]) then();
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

  /**
   * Not at once: other connections have their turn between two batches of one, and those with a key between those
   * without.
   */
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
    if (!connection.continue()) this.#continueLater(connection);
  }

  get #isFull(): boolean {
    return this.#connections.size + this.#handshakes.size >= this.#bounds.maxConnections;
  }

  /**
   * Ends the least useful connection without a key. False when there is none.
   *
   * @param bucket of this address; any when left out
   */
  #evict(bucket?: string): boolean {
    const connection = leastUseful(this.#keyless, bucket);
    if (connection === undefined && !this.#handshakes.cutOldest(bucket)) return false;
    this.#figures.evicted++;
    if (connection === undefined) return true;
    // Gone from the table at once: its end is noticed only later.
    this.#connections.delete(connection.socket);
    this.#keyless.delete(connection);
    connection.socket.destroy();
    return true;
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const connection of this.#connections.values()) {
      const found = connection.sweep(nowMs, { writeTimeoutMs: this.#bounds.writeTimeoutMs, idleSweepsMax });
      if (found === 'idle') connection.socket.destroy();
      else if (found === 'slow') this.#cut(connection);
    }
    const excess = this.#held.unsent - this.#bounds.unsentBytesMax;
    if (excess <= 0) return;
    for (const connection of largestSlowReaders(this.#connections.values(), excess)) this.#cut(connection);
  }

  #cut(connection: Connection): void {
    this.#figures.cut++;
    connection.socket.destroy();
  }
}

export const connectionMetrics: MetricGroup<ConnectionFigures> = {
  title: 'Connections',
  metrics: [
    { name: 'connections_open', help: 'Open connections of the public listener.', read: ({ open }) => open },
    {
      name: 'connections_dropped_total',
      help: 'Connections refused because too many were open.',
      read: ({ dropped }) => dropped,
    },
    {
      name: 'connections_ended_total',
      help:
        'Connections ended to protect others, by reason: `address` for those above ' +
        '`server.maxConnectionsPerAddress`, `evicted` for those without a valid key that made room.',
      labels: ['reason'],
      read: ({ droppedOfAddress, evicted }) => ({ address: droppedOfAddress, evicted }),
    },
    {
      name: 'connections_cut_total',
      help: 'Connections cut for answers not read in time, or too much sent ahead.',
      read: ({ cut }) => cut,
    },
    {
      name: 'unsent_answers_bytes',
      help: 'Bytes of answers that clients have not taken.',
      read: ({ unsentBytes }) => unsentBytes,
    },
  ],
};
