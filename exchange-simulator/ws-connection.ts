import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** A slow client with this much data queued is disconnected, as on the real exchange. */
const queuedBytesMax = 64 * 1024 * 1024;

/** One WebSocket client: what it subscribed to, and everything that is sent to it. */
export class Connection {
  /** As in the status message. */
  readonly id: bigint;
  readonly peer: string;
  readonly connectedAtMs: number;
  readonly topics = new Set<string>();
  lastSentMs: number;
  sent = 0;
  received = 0;
  frozen = false;

  readonly #webSocket: WebSocket;
  readonly #socket: Socket;

  constructor(id: bigint, webSocket: WebSocket, socket: Socket, nowMs: number) {
    this.id = id;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.connectedAtMs = nowMs;
    this.lastSentMs = nowMs;
  }

  /** The symbols of which it gets anything. */
  get symbols(): ReadonlySet<string> {
    return new Set([...this.topics].flatMap((topic) => topic.split(' ')[1] ?? []));
  }

  /** Sends a text message, given as text or as its bytes. A frozen connection sends nothing. */
  send(message: string | Buffer, nowMs: number, binary = false): void {
    if (this.frozen || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (this.#webSocket.bufferedAmount > queuedBytesMax) {
      this.#webSocket.terminate();
      return;
    }
    this.lastSentMs = nowMs;
    this.sent++;
    this.#webSocket.send(message, { binary, compress: false, fin: true });
  }

  /** Writes bytes below the WebSocket protocol. */
  sendRaw(bytes: Buffer): void {
    if (!this.frozen) this.#socket.write(bytes);
  }

  /** Sends everything that `run` sends in one write. */
  sendTogether(run: () => void): void {
    this.#socket.cork();
    run();
    this.#socket.uncork();
  }

  close(code: number): void {
    if (!this.frozen) this.#webSocket.close(code);
  }

  /** A TCP reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Stops reading and writing without closing. */
  freeze(): void {
    this.frozen = true;
    this.#webSocket.pause();
  }

  unfreeze(): void {
    if (!this.frozen) return;
    this.frozen = false;
    this.#webSocket.resume();
  }
}

/** How many messages one client may send within any stretch of `windowMs`. */
export class MessageLimit {
  readonly #count: number;
  readonly #windowMs: number;
  readonly #sentAtMs = new WeakMap<Connection, number[]>();

  constructor(count: number, windowMs: number) {
    this.#count = count;
    this.#windowMs = windowMs;
  }

  /** Counts a message. False when it is one too many. */
  takes(client: Connection, nowMs: number): boolean {
    const recent = (this.#sentAtMs.get(client) ?? []).filter((atMs) => nowMs - atMs < this.#windowMs);
    recent.push(nowMs);
    this.#sentAtMs.set(client, recent);
    return recent.length <= this.#count;
  }
}
