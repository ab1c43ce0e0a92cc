import type { TestContext } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import type { RedisServer } from '../../test/support/redis.ts';
import { ShiftedClock } from '../../test/support/shifted-clock.ts';
import type { LimitDecision } from '../access/limit-decision.ts';
import { MemoryLimits } from '../access/limits.ts';
import type { LimitFigures } from '../contract/limits.ts';
import { silentLog } from '../ground/log.ts';
import { BoardPosition } from './board-position.ts';
import { RedisLimits } from './redis-limits.ts';

export interface NodeOptions {
  /** How far the node's wall clock is off. */
  readonly skewMs?: number;
  readonly windowMs?: number;
  readonly figures?: Partial<LimitFigures>;
  readonly address?: Partial<RedisServer['address']>;
  /** Five seconds unless given: on a busy machine no delay is to be taken for a fault. */
  readonly timeoutMs?: number;
}

/** The limits of one of several nodes, and what it logged. */
export class LimitingNode {
  readonly clock = new ShiftedClock();
  readonly position = new BoardPosition(this.clock);
  readonly limits: RedisLimits;
  readonly logged: string[] = [];

  private constructor(redis: Pick<RedisServer, 'address'>, options: NodeOptions) {
    this.clock.shift(options.skewMs ?? 0);
    const figures = { key: 60, address: 30, failedAuthentication: 10, ...options.figures };
    const randomness = seededRandomness(1);
    const log = (fields: object, message: string) => this.logged.push(`${message} ${JSON.stringify(fields)}`);
    this.limits = new RedisLimits({
      address: { ...redis.address, ...options.address },
      figures,
      memory: new MemoryLimits(randomness, figures),
      keys: { keyIdOf: (slot) => `key_${slot}` },
      position: this.position,
      clock: this.clock,
      randomness,
      log: { ...silentLog, info: log, warn: log },
      timeoutMs: options.timeoutMs ?? 5_000,
      ...(options.windowMs === undefined ? {} : { windowMs: options.windowMs }),
    });
  }

  static start(
    t: Pick<TestContext, 'after'>,
    redis: Pick<RedisServer, 'address'>,
    options: NodeOptions = {},
  ): LimitingNode {
    const node = LimitingNode.idle(t, redis, options);
    void node.limits.start();
    return node;
  }

  /** One that is not started yet. */
  static idle(
    t: Pick<TestContext, 'after'>,
    redis: Pick<RedisServer, 'address'>,
    options: NodeOptions = {},
  ): LimitingNode {
    const node = new LimitingNode(redis, options);
    t.after(() => node.limits.stop());
    return node;
  }

  get isUp(): boolean {
    return this.limits.figures().isUp;
  }

  /** A request of the key, counted. */
  async take(slot = 1, limitPerMinute?: number): Promise<LimitDecision> {
    return this.limits.takeForKey({ slot, limitPerMinute }, this.clock.now());
  }

  async takeForAddress(bucket: string): Promise<LimitDecision> {
    return this.limits.takeForAddress(bucket, this.clock.now());
  }

  async takeForFailure(bucket: string): Promise<LimitDecision> {
    return this.limits.takeForFailedAuthentication(bucket, this.clock.now());
  }
}

/** Decisions per window: the windows by their end, how many were sent, how many admitted, what was left. */
export class Tally {
  readonly #windows = new Map<number, { sent: number; admitted: number; remaining: number[] }>();

  add({ allowed, remaining, resetSeconds }: LimitDecision): void {
    const window = this.#windows.get(resetSeconds) ?? { sent: 0, admitted: 0, remaining: [] };
    this.#windows.set(resetSeconds, window);
    window.sent++;
    if (!allowed) return;
    window.admitted++;
    window.remaining.push(remaining);
  }

  /** Ends of the windows, in seconds. */
  get windows(): number[] {
    return [...this.#windows.keys()];
  }

  get admitted(): number[] {
    return [...this.#windows.values()].map(({ admitted }) => admitted);
  }

  /** Every window in which not exactly the smaller of sent and the limit was admitted, each with its own place. */
  faults(limit: number): string[] {
    return [...this.#windows].flatMap(([reset, { sent, admitted, remaining }]) => {
      const expected = Math.min(sent, limit);
      const places = new Set(remaining);
      const isExact =
        admitted === expected && places.size === expected && Math.min(limit, ...places) === limit - expected;
      return isExact ? [] : [`to ${reset}: ${sent} sent, ${admitted} admitted, ${places.size} places of ${limit}`];
    });
  }
}
