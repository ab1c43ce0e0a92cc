import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { Connection, type Held } from './connection.ts';
import { largestSlowReaders, leastUseful, restingOf } from './eviction.ts';
import { type Handshakes, peerOf } from './handshakes.ts';

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
/**
 * So many times the bound of an address may be open from it without a key: those beyond the bound get an answer to
 * their first request, and only then end.
 */
const onProbationFactor = 5;

/** One of the places that connections without a key share with others of their address. */
interface Place {
  readonly bucket: string;
  /** Beyond the bound: only a valid key keeps the connection. */
  readonly isBeyond: boolean;
}

/** Why connections were closed or not accepted, since the start. */
export interface ConnectionFigures {
  /** Open connections, those in a handshake included. */
  readonly open: number;
  /** Not accepted because too many were open. */
  readonly dropped: number;
  /** Not accepted, or refused with an answer, because too many from the same address had shown no key. */
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
  /** Per address bucket (an IPv4 address or an IPv6 /64), of those that have shown no valid key. */
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
  /** Connections that have shown no key, by their address. */
  readonly #perAddress = new Map<string, number>();
  /** By their peers, from when they are accepted until they show a key. */
  readonly #places = new Map<string, Place>();
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
   * A connection was accepted, before any handshake. Ends it when there are too many and all of them have shown a key,
   * or far too many of its address have shown none.
   *
   * @param bucket `IpAddress.limitBucket` of the peer; `undefined` for the operator's own proxies
   */
  admit(socket: Socket, bucket: string | undefined): boolean {
    const max = this.#bounds.maxConnectionsPerAddress;
    if (bucket !== undefined && this.#unprovedOf(bucket) >= max) this.#end(restingOf(this.#keyless, bucket));
    const ofAddress = bucket === undefined ? 0 : this.#unprovedOf(bucket);
    const isTooManyOfAddress = ofAddress >= max * onProbationFactor;
    if (isTooManyOfAddress || (this.#isFull && !this.#evict())) {
      this.#figures[isTooManyOfAddress ? 'droppedOfAddress' : 'dropped']++;
      socket.destroy();
      return false;
    }
    if (bucket === undefined) return true;
    const [peer, place] = [peerOf(socket), { bucket, isBeyond: ofAddress >= max }];
    this.#perAddress.set(bucket, ofAddress + 1);
    this.#places.set(peer, place);
    socket.once('close', () => {
      if (this.#places.get(peer) === place) this.#leave(peer, place);
    });
    return true;
  }

  /**
   * Says whether a connection may stay after a request: one beyond the bound of its address only where the request had
   * a valid key, which frees its place for others.
   */
  mayStay(connection: Connection, isKeyed: boolean): boolean {
    if (connection.bucket === undefined || connection.isKeyed) return true;
    const peer = peerOf(connection.socket);
    const place = this.#places.get(peer);
    if (place === undefined) return true;
    if (isKeyed) this.#leave(peer, place);
    else if (place.isBeyond) this.#figures.droppedOfAddress++;
    return isKeyed || !place.isBeyond;
  }

  #leave(peer: string, { bucket }: Place): void {
    this.#places.delete(peer);
    const left = this.#unprovedOf(bucket) - 1;
    if (left === 0) this.#perAddress.delete(bucket);
    else this.#perAddress.set(bucket, left);
  }

  #unprovedOf(bucket: string): number {
    return this.#perAddress.get(bucket) ?? 0;
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

  /** The answer to a repeated request is being made on one of them: the HTTP server takes that one for idle. */
  get isRepeating(): boolean {
    return this.#connections.values().some((connection) => connection.isRepeating);
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

  /** Ends the least useful connection without a key. False when there is none. */
  #evict(): boolean {
    const connection = leastUseful(this.#keyless);
    if (connection !== undefined) this.#end(connection);
    else if (this.#handshakes.cutOldest()) this.#figures.evicted++;
    else return false;
    return true;
  }

  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#figures.evicted++;
    // Gone from the tables at once: its end is noticed only later.
    this.#connections.delete(connection.socket);
    this.#keyless.delete(connection);
    const peer = peerOf(connection.socket);
    const place = this.#places.get(peer);
    if (place !== undefined) this.#leave(peer, place);
    connection.socket.destroy();
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
        'Connections ended to protect others, by reason: `address` for those without a valid key above ' +
        '`server.maxConnectionsPerAddress`, `evicted` for those that made room.',
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
