import type { TestContext } from 'node:test';
import type { BoardPosition } from '../../src/cluster/board-position.ts';
import { RedisLimits } from '../../src/cluster/redis-limits.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { silentLog } from '../../src/ground/log.ts';
import { eventually } from './eventually.ts';
import { seededRandomness } from './fake-clock.ts';
import { type HarnessOptions, ListenerHarness } from './listener-harness.ts';
import type { RedisServer } from './redis.ts';
import { ShiftedClock } from './shifted-clock.ts';

export interface ClusterNodeOptions extends HarnessOptions {
  /** How far the node's wall clock is off. */
  readonly skewMs?: number;
  readonly windowMs?: number;
  /** How far the node's market is, where others have the same. */
  readonly position?: BoardPosition;
  /** Five seconds unless given: on a busy machine no delay is to be taken for a fault. */
  readonly timeoutMs?: number;
}

/** A window whose end no test sees, and no header shows as too far away: it began in 1970 and ends in an hour. */
export const endlessWindowMs = (Math.floor(systemClock.now() / 60_000) + 59) * 60_000;

/** One of several listeners that count together. All of them have the same keys. */
export class ClusterNode {
  readonly api: ListenerHarness;
  readonly limits: RedisLimits;

  private constructor(api: ListenerHarness, limits: RedisLimits) {
    this.api = api;
    this.limits = limits;
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    redis: RedisServer,
    options: ClusterNodeOptions = {},
  ): Promise<ClusterNode> {
    const { skewMs = 0, windowMs, position, timeoutMs = 5_000 } = options;
    const clock = new ShiftedClock();
    clock.shift(skewMs);
    let limits!: RedisLimits;
    const api = await ListenerHarness.start({
      ...options,
      clock,
      sharedLimits: (memory, keys, figures) => {
        const { address } = redis;
        const log = silentLog;
        const parts = { address, figures, memory, keys, clock, randomness: seededRandomness(1), log, timeoutMs };
        const window = windowMs === undefined ? {} : { windowMs };
        limits = new RedisLimits({ ...parts, ...window, ...(position === undefined ? {} : { position }) });
        return limits;
      },
    });
    t.after(async () => {
      await api.stop();
      limits.stop();
    });
    limits.start();
    const node = new ClusterNode(api, limits);
    await node.untilUp();
    return node;
  }

  async untilUp(): Promise<void> {
    await eventually('counting in Redis', () => this.limits.figures().isUp);
  }
}
