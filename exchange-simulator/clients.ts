import type { Clock } from '../src/ground/clock.ts';
import type { Connection } from './ws-connection.ts';

/** The WebSocket clients of an exchange. A topic is a name, or a name and a symbol: `ticker BTC/EUR`. */
export class Clients {
  readonly connections = new Set<Connection>();
  readonly #clock: Clock;
  readonly #subscribers = new Map<string, Set<Connection>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remove(connection: Connection): void {
    this.connections.delete(connection);
    for (const topic of connection.topics) this.#subscribers.get(topic)?.delete(connection);
  }

  /** Calls `run` for every open connection. */
  each(run: (connection: Connection, nowMs: number) => void): void {
    const nowMs = this.#clock.monotonicMs();
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
    const nowMs = this.#clock.monotonicMs();
    for (const connection of this.#subscribers.get(topic) ?? []) connection.send(frame, nowMs);
  }
}
