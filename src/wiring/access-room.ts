import { BreachLog } from '../access/breach-log.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { KeyDirectoryLoader } from '../access/key-directory-loader.ts';
import { MemoryLimits } from '../access/limits.ts';
import { BoardPosition } from '../cluster/board-position.ts';
import { RedisLimits } from '../cluster/redis-limits.ts';
import type { Store } from '../store/store.ts';
import type { ServiceOptions } from './service-options.ts';

/** The parts that decide who may ask, how often, and from where. */
export type AccessRoom = ReturnType<typeof accessRoom>;

/** Makes it. No key is known before the first `loader.refresh()`; Redis counts nothing before `shared.start()`. */
export function accessRoom({ configuration, clock, randomness, log }: ServiceOptions, store: Store) {
  const { limits: figures, redis, server } = configuration;
  const limits = new MemoryLimits(randomness, figures);
  const directory: KeyDirectory = new KeyDirectory((slot) => {
    limits.forgetSlot(slot);
    breaches.forgetSlot(slot);
  });
  const breaches = new BreachLog(directory);
  const position = new BoardPosition(clock);
  const parts = { figures, memory: limits, keys: directory, position, clock, randomness, log };
  const shared = redis && new RedisLimits({ ...parts, address: redis });
  return {
    limits,
    /** The limits as several processes count them together; `undefined` without Redis. */
    shared,
    /** How far this process's market is among several. */
    position,
    directory,
    breaches,
    loader: new KeyDirectoryLoader(directory, store),
    addresses: new ClientAddresses(server.trustedProxies),
  };
}
