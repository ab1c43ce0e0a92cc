import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../clock.ts';

const nothing = Buffer.alloc(0);
/** A request body nobody reads may be this long before its connection is cut. */
const unreadBodyBytesMax = 64 * 1024;
const sweepEveryMs = 1_000;

/** Answers of one connection that its client has not taken yet: beyond either bound further requests wait. */
const unansweredMax = { keyed: 16, keyless: 4 };
const unsentBytesMax = { keyed: 256 * 1024, keyless: 64 * 1024 };
/** What the parser is given at a time: no more requests than these hold are taken before it can be stopped. */
const pieceBytes = { keyed: 1_024, keyless: 128 };
/** Bytes that all clients together have not taken; beyond it those who hold most are cut. */
const unsentBytesInAllMax = 64 * 1024 * 1024;
/** Answers in a row that refuse requests sent ahead; the last of them ends the connection. */
const refusalsInRowMax = 50;
/** The keep-alive time advertised to a client without a valid key, and when its idle connection is closed. */
export const keylessKeepAliveSeconds = 5;
const keylessIdleSweeps = 7;

/** Why connections were closed or not accepted, since the start. */
export interface ConnectionFigures {
  readonly open: number;
  /** Not accepted because too many were open. */
  readonly dropped: number;
  /** Not accepted because too many were open from the same address. */
  readonly droppedOfAddress: number;
  /** Idle connections without a valid key, closed for others. */
  readonly evicted: number;
  /** Cut because the client did not take its answers in time. */
  readonly cut: number;
}

export interface ConnectionBounds {
  readonly maxConnections: number;
  /** Per address bucket (an IPv4 address or an IPv6 /64). */
  readonly maxConnectionsPerAddress: number;
  /** A client that has not taken its answer by then is cut off. */
  readonly writeTimeoutMs: number;
}

interface Answer {
  readonly response: ServerResponse;
  bytes: number;
}

/** One open connection. */
export class Connection {
  readonly socket: Socket;
  /** The answer that ends the connection is written; whatever still comes in is not looked at. */
  closing = false;
  /** A valid key was seen on it. */
  isKeyed = false;
  /** The last request was refused for overload. */
  wasShed = false;
  /** The client was being served when the overload began. */
  isEstablished = false;
  /** The answer to the last request taken, which is also the last to be written: answers keep the order of their requests. */
  lastResponse: ServerResponse | undefined;
  /** Since when bytes have been waiting for the peer to take them; `undefined` while none wait. */
  waitingSinceMs: number | undefined;
  /** Looks at the connection in a row that found it idle. */
  idleSweeps = 0;
  bytesReadAtSweep = 0;
  /** Requests whose turn has not come, because the client is behind with taking its answers. */
  readonly waiting: (() => void)[] = [];
  /** What arrived and was not parsed yet. */
  #rest: Buffer = nothing;
  #isPausedByUs = false;
  #isPausedByServer = false;
  readonly #parse: (piece: Buffer) => void;
  #answers: Answer[] = [];
  #refusals = 0;

  /**
   * Takes the place of the HTTP server's listener for what arrives, which would parse all of it at once: thousands of
   * requests, without a way to stop in between.
   */
  constructor(socket: Socket) {
    this.socket = socket;
    const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[];
    this.#parse = parse!;
    socket.removeListener('data', parse!);
    socket.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#parseRest();
    });
    socket.on('resume', () => {
      this.#isPausedByServer = false;
      this.#parseRest();
    });
  }

  /** No request waits any more: what has arrived is parsed, and more is read. */
  readOn(): void {
    if (this.#isPausedByUs) {
      this.#isPausedByUs = false;
      this.socket.resume();
    } else {
      this.#parseRest();
    }
  }

  /** Parses what arrived, as long as no request waits for its turn; what is left then waits too, and nothing more is read. */
  #parseRest(): void {
    const isPaused = () => this.#isPausedByUs || this.#isPausedByServer;
    while (this.#rest.length > 0 && this.waiting.length === 0 && !this.closing && !isPaused()) {
      const bytes = pieceBytes[this.#standing];
      const piece = this.#rest.subarray(0, bytes);
      this.#rest = this.#rest.subarray(bytes);
      this.#parse(piece);
      // While its answers are not taken the server pauses a connection itself, and must resume it itself.
      this.#isPausedByServer = this.socket.isPaused();
    }
    if (this.closing) this.#rest = nothing;
    else if (this.waiting.length > 0 && !isPaused()) {
      this.#isPausedByUs = true;
      this.socket.pause();
    }
  }

  /** True while the client has taken few enough of its answers that another may be made. */
  get hasRoom(): boolean {
    this.#forgetTaken();
    const standing = this.#standing;
    const isFew = this.#answers.length < unansweredMax[standing] && this.unsentBytes < unsentBytesMax[standing];
    return isFew || this.#answers.length === 0;
  }

  /** Bytes of answers that the client has not taken. */
  get unsentBytes(): number {
    return this.#answers.reduce((total, { bytes }) => total + bytes, 0);
  }

  get isIdle(): boolean {
    this.#forgetTaken();
    return this.#answers.length === 0 && this.waiting.length === 0 && this.#rest.length === 0;
  }

  /** A request is being answered. */
  answering(response: ServerResponse): void {
    this.#answers.push({ response, bytes: 0 });
  }

  /** Its answer is written. */
  answered(response: ServerResponse, bytes: number): void {
    const answer = this.#answers.find((each) => each.response === response);
    if (answer !== undefined) answer.bytes = bytes;
  }

  /**
   * Whether an answer is one refusal too many in a row, of requests that were sent without waiting for it.
   *
   * @param weight how much it refuses; 0 for one that does not
   */
  isLastRefusal(weight: number): boolean {
    const isAhead = this.#answers.length > 1 || this.waiting.length > 0 || this.#rest.length > 0;
    this.#refusals = weight > 0 && isAhead ? this.#refusals + weight : 0;
    return this.#refusals >= refusalsInRowMax;
  }

  /** Runs `then` once the client has taken the oldest of its answers. */
  afterNextTaken(then: () => void): void {
    this.#answers[0]?.response.once('finish', then);
  }

  get #standing(): 'keyed' | 'keyless' {
    return this.isKeyed ? 'keyed' : 'keyless';
  }

  #forgetTaken(): void {
    while (this.#answers[0]?.response.writableFinished) this.#answers.shift();
  }
}

/**
 * The open connections of the public listener. It bounds what each may hold: a client that sends requests ahead of its
 * answers is read no further until it has taken some, so that no connection keeps the event loop or the memory to
 * itself. Clients with a valid key come before those without one.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #bounds: ConnectionBounds;
  readonly #connections = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #sweep: Timer;
  #figures = { dropped: 0, droppedOfAddress: 0, evicted: 0, cut: 0 };

  constructor(clock: Clock, bounds: ConnectionBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#sweep = clock.every(sweepEveryMs, () => this.#look());
  }

  figures(): ConnectionFigures {
    return { open: this.#connections.size, ...this.#figures };
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
    const connection = new Connection(socket);
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

  /** Takes a bounded part of a body that nobody asked for, and cuts the connection beyond it. */
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

  /** Not at once: other connections have their turn between two batches of one. */
  #continueLater(connection: Connection): void {
    connection.afterNextTaken(() => setImmediate(() => this.#continue(connection)));
  }

  #continue(connection: Connection): void {
    const { waiting } = connection;
    while (waiting.length > 0 && connection.hasRoom) waiting.shift()!();
    if (waiting.length > 0) this.#continueLater(connection);
    else connection.readOn();
  }

  /** False when the table is full of clients that are being served. */
  #makeRoom(): boolean {
    if (this.#connections.size < this.#bounds.maxConnections) return true;
    for (const connection of this.#connections.values()) {
      if (connection.isKeyed || !connection.isIdle) continue;
      this.#figures.evicted++;
      // Gone from the table at once: its end is noticed only later.
      this.#connections.delete(connection.socket);
      connection.socket.destroy();
      return true;
    }
    return false;
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
