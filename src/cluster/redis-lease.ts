import { type Caller, runScript, scriptText } from './redis-calls.ts';

/** The fencing number that may act. One hash tag with all else that is shared. */
export const fenceKey = '{mdapi}:feed:fence';
const leaseKey = '{mdapi}:feed:lease';

const readScript = scriptText('lease-read');
const acquireScript = readScript + scriptText('lease-acquire');
const renewScript = readScript + scriptText('lease-renew');
const releaseScript = scriptText('lease-release');

/** Where leases are kept, for all nodes. Every method may reject, or take for ever. */
export type LeaseStore = ReturnType<typeof redisLeases>;

/** Leases in Redis or Valkey. */
export function redisLeases(call: Caller) {
  const keys = [leaseKey, fenceKey];
  return {
    /**
     * Takes the lease when it is free. Gives the fencing number of this holding, higher than any given before;
     * `undefined` when another holds it.
     */
    async acquire(holder: string, forMs: number): Promise<number | undefined> {
      const fence = await runScript(call, acquireScript, keys, [holder, String(forMs)]);
      return typeof fence === 'number' ? fence : undefined;
    },
    /** Makes a held lease last from now on. False when another has taken it since, or a higher number was given. */
    async renew(holder: string, fence: number, forMs: number): Promise<boolean> {
      return (await runScript(call, renewScript, keys, [holder, String(fence), String(forMs)])) === 1;
    },
    /** Gives a held lease back; of any other it changes nothing. */
    async release(holder: string, fence: number): Promise<void> {
      await runScript(call, releaseScript, [leaseKey], [`${holder}:${fence}`]);
    },
  };
}
