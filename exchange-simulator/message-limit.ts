import type { Connection } from './ws-connection.ts';

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
