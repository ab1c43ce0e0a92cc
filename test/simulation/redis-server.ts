import { RedisModel } from './redis-model.ts';
import type { Lane } from './scheduler.ts';
import { type RedisClient, type RedisReached, theWorld } from './world.ts';

/** The feed's values in Redis, and how each can be wrong. */
export const feedKeys = ['lease', 'fence', 'changes', 'state'].map((name) => `{mdapi}:feed:${name}`);
export const harms = ['gone', 'nonsense', 'of another type'] as const;
const latencyMs = 0.4;
/** A read that waits in vain is answered so much later in a quiet stretch, which is soon enough for whoever asked. */
const quietlyLateMs = 1_300;

/**
 * The Redis server of the world: the model, with connections, which it answers in order, and what can be wrong with it.
 */
export class RedisServer implements RedisReached {
  readonly lane = theWorld().scheduler.lane('redis');
  readonly model = new RedisModel(this.lane.clock);
  /** Another server, empty at first, that some processes take for the one while the two are apart. */
  readonly #apart = new RedisModel(this.lane.clock);
  readonly #apartFor = new Set<string>();
  /** Time that each way takes beyond the network's. */
  private delayMs = 0;
  /** Processes that cannot reach it. */
  readonly unreachableFor = new Set<string>();
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isDown = false;
  readonly #connections = new Set<Connection>();

  /** Ends it without a word. What it held is gone when it comes back. */
  stop(): void {
    this.#isDown = true;
    this.flush();
    for (const connection of [...this.#connections]) connection.lose();
  }

  flush(): void {
    this.model.flush();
    this.#apart.flush();
    this.#changedAtMs = theWorld().nowMs;
  }

  harm(key: string, how: (typeof harms)[number]): void {
    this.model.execute(['DEL', key]);
    if (how === 'nonsense') this.model.execute(['SET', key, 'abc']);
    if (how === 'of another type') this.model.execute(['HSET', key, 'abc', '1']);
    this.#changedAtMs = theWorld().nowMs;
  }

  restart(): void {
    this.#isDown = false;
    this.#changedAtMs = theWorld().nowMs;
  }

  /** Cuts processes off, or lets them in again. */
  split(names: readonly string[]): void {
    this.unreachableFor.clear();
    this.#changedAtMs = theWorld().nowMs;
    for (const name of names) this.unreachableFor.add(name);
    for (const connection of [...this.#connections]) if (!this.reaches(connection.lane)) connection.lose();
  }

  /** Has processes find another server than the rest do, or all find the one again. */
  part(names: readonly string[]): void {
    this.#apart.flush();
    this.#apartFor.clear();
    this.#changedAtMs = theWorld().nowMs;
    for (const name of names) this.#apartFor.add(name);
    for (const connection of [...this.#connections]) connection.lose();
  }

  modelFor(lane: Lane): RedisModel {
    return this.#apartFor.has(lane.root.name) ? this.#apart : this.model;
  }

  get isUp(): boolean {
    return !this.#isDown;
  }

  slow(byMs: number): void {
    this.delayMs = byMs;
    this.#changedAtMs = theWorld().nowMs;
  }

  /** Since when all of it is in order. */
  get soundSinceMs(): number {
    const isWhole = this.unreachableFor.size === 0 && this.#apartFor.size === 0;
    const isSound = !this.#isDown && this.delayMs === 0 && isWhole;
    return isSound ? this.#changedAtMs : theWorld().nowMs;
  }

  reaches(lane: Lane): boolean {
    return !this.#isDown && !this.unreachableFor.has(lane.root.name);
  }

  get wayMs(): number {
    return latencyMs + this.delayMs;
  }

  connect(client: RedisClient): Connection {
    const connection: Connection = new Connection(this, client, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    return connection;
  }
}

class Connection {
  readonly lane: Lane;
  readonly #server: RedisServer;
  readonly #client: RedisClient;
  readonly #ended: () => void;
  readonly #commands: (readonly string[])[] = [];
  #unblock: (() => void) | undefined;
  #isEnded = false;
  #lastAtMs = 0;

  constructor(server: RedisServer, client: RedisClient, ended: () => void) {
    this.#server = server;
    this.#client = client;
    this.#ended = ended;
    this.lane = client.lane;
  }

  send(command: readonly string[]): void {
    const server = this.#server;
    server.lane.later(server.wayMs, () => {
      if (this.#isEnded || !server.reaches(this.lane)) return;
      this.#commands.push(command);
      this.#work();
    });
  }

  lose(): void {
    if (this.#isEnded) return;
    this.end();
    this.lane.later(this.#server.wayMs, () => this.#client.lost());
  }

  end(): void {
    this.#isEnded = true;
    this.#unblock?.();
    this.#ended();
  }

  #work(): void {
    while (this.#unblock === undefined && this.#commands.length > 0) this.#execute(this.#commands.shift()!);
  }

  #execute(command: readonly string[]): void {
    const model = this.#server.modelFor(this.lane);
    try {
      const answer = model.execute(command);
      const block = command.indexOf('BLOCK');
      if (answer === null && block > 0) this.#block(command, Number(command[block + 1]));
      else this.#answer(answer);
    } catch (error) {
      this.#answer(undefined, error as Error);
    }
  }

  /** Waits for the stream to grow, and answers nothing else meanwhile. */
  #block(command: readonly string[], forMs: number): void {
    const { lane } = this.#server;
    const then = (run: () => void) => () => {
      if (this.#unblock === undefined) return;
      this.#unblock();
      run();
      this.#work();
    };
    const key = command[command.indexOf('STREAMS') + 1]!;
    const again = then(() => this.#commands.unshift(command));
    const forget = this.#server.modelFor(this.lane).whenGrown(key, () => lane.later(0, again));
    const longMs = theWorld().scheduler.isQuiet ? forMs + quietlyLateMs : forMs;
    // Also where the key has another type by now.
    const timer = lane.clock.after(
      longMs,
      then(() => this.#answer(null)),
    );
    this.#unblock = () => {
      forget();
      timer.cancel();
      this.#unblock = undefined;
    };
  }

  #answer(answer: unknown, error?: Error): void {
    const { nowMs } = theWorld();
    this.#lastAtMs = Math.max(this.#lastAtMs, nowMs + this.#server.wayMs);
    this.lane.later(this.#lastAtMs - nowMs, () => {
      if (!this.#isEnded) this.#client.answered(answer, error);
    });
  }
}
