import type { KeyFinder } from '../access/key-directory.ts';
import type { MemoryLimits } from '../access/limits.ts';
import type { Clock, Randomness } from '../clock.ts';
import { RedisLimits } from '../cluster/redis-limits.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log.ts';

interface SharedLimitsParts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly memory: MemoryLimits;
  readonly keys: Pick<KeyFinder, 'keyIdOf'>;
}

/** The limits that several processes count together; `undefined` where this one serves alone. */
export function sharedLimits(
  { redis, limits }: Pick<Configuration, 'redis' | 'limits'>,
  parts: SharedLimitsParts,
): RedisLimits | undefined {
  return redis === undefined ? undefined : new RedisLimits({ ...parts, address: redis, figures: limits });
}
