import { BreachLog } from '../access/breach-log.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { KeyDirectoryLoader } from '../access/key-directory-loader.ts';
import { MemoryLimits } from '../access/limits.ts';
import type { Clock, Randomness } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { keySource } from './key-source.ts';
import { sharedLimits } from './shared-limits.ts';

/** What the access room is made with. */
interface AccessRoomParts {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** Who may ask, how often, and from where. */
export type AccessRoom = ReturnType<typeof accessRoom>;

/** Makes it. No key is known before the first `loader.refresh()`; `shared` counts nothing before its `start()`. */
export function accessRoom({ configuration, store, clock, randomness, log }: AccessRoomParts) {
  const limits = new MemoryLimits(randomness, configuration.limits);
  const directory: KeyDirectory = new KeyDirectory((slot) => {
    limits.forgetSlot(slot);
    breaches.forgetSlot(slot);
  });
  const breaches = new BreachLog(directory);
  const loader = new KeyDirectoryLoader(directory, keySource(store));
  const shared = sharedLimits(configuration, { clock, randomness, log, memory: limits, keys: directory });
  const addresses = new ClientAddresses(configuration.server.trustedProxies);
  return { limits, shared, directory, breaches, loader, addresses };
}
