import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../clock.ts';

/** A request body nobody reads may be this long before its connection is cut. */
const unreadBodyBytesMax = 64 * 1024;
const sweepEveryMs = 1000;

/** What is known of one open connection. */
export interface ConnectionState {
  /** The answer that ends the connection is written; whatever still comes in is not looked at. */
  closing: boolean;
  /** Since when bytes have been waiting for the peer to take them; `undefined` while none wait. */
  waitingSinceMs: number | undefined;
  /** The answer to the last request taken, which is also the last to be written: answers keep the order of their requests. */
  lastResponse: ServerResponse | undefined;
  /** The last request was refused for overload. */
  wasShed: boolean;
  /** The client was being served when the overload began. */
  isEstablished: boolean;
}

/**
 * The open connections of the public listener: which of them have had their last answer, and which
 * take so long to read one that they are cut.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #writeTimeoutMs: number;
  readonly #states = new Map<Socket, ConnectionState>();
  readonly #sweep: Timer;
  #cut = 0;

  constructor(clock: Clock, writeTimeoutMs: number) {
    this.#clock = clock;
    this.#writeTimeoutMs = writeTimeoutMs;
    this.#sweep = clock.every(sweepEveryMs, () => this.#cutSlowReaders());
  }

  get open(): number {
    return this.#states.size;
  }

  /** Connections cut because the peer did not read its answer in time. */
  get cut(): number {
    return this.#cut;
  }

  add(socket: Socket): void {
    // Read here the address is known for good; once the peer has reset the connection it cannot be asked for any more.
    void socket.remoteAddress;
    this.#states.set(socket, {
      closing: false,
      waitingSinceMs: undefined,
      lastResponse: undefined,
      wasShed: false,
      isEstablished: false,
    });
    socket.once('close', () => this.#states.delete(socket));
  }

  /** The connection, while a request on it is to be looked at: it is open and its last answer is not written yet. */
  taking(socket: Socket): ConnectionState | undefined {
    const state = this.#states.get(socket);
    return state === undefined || state.closing ? undefined : state;
  }

  /** An overload begins: the connections answered until now are the established ones, until the next begins. */
  markEstablished(): void {
    for (const state of this.#states.values()) state.isEstablished = state.lastResponse !== undefined && !state.wasShed;
  }

  /** Runs `write` once the answers to all requests taken so far are on the wire. */
  afterLastResponse(socket: Socket, write: () => void): void {
    const last = this.#states.get(socket)?.lastResponse;
    if (last === undefined || last.writableFinished) write();
    else last.once('finish', write);
  }

  /** Runs `then` once every request taken so far has its answer, whether or not its client has read it. */
  afterLastAnswer(socket: Socket, then: () => void): void {
    const last = this.#states.get(socket)?.lastResponse;
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

  #cutSlowReaders(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [socket, state] of this.#states) {
      if (socket.writableLength === 0) state.waitingSinceMs = undefined;
      else if (state.waitingSinceMs === undefined) state.waitingSinceMs = nowMs;
      else if (nowMs - state.waitingSinceMs >= this.#writeTimeoutMs) {
        this.#cut++;
        socket.destroy();
      }
    }
  }
}
