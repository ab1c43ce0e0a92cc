import { type Caller, runScript } from './redis-calls.ts';

/** The fencing number that may act. One hash tag with all else that is shared. */
export const fenceKey = '{mdapi}:feed:fence';
const leaseKey = '{mdapi}:feed:lease';

/**
 * The fencing number is at least the server's time in milliseconds, so that it grows also when the server has lost what it held,
 * and with it the last number.
 */
const acquireScript = `
local held = redis.call('GET', KEYS[1])
if held then return false end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local fence = string.format('%d', math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, nowMs))
redis.call('SET', KEYS[2], fence)
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. fence, 'PX', ARGV[2])
return tonumber(fence)
`;

const renewScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

const releaseScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** Where leases are kept, for all nodes. Every method may reject, or take for ever. */
export type LeaseStore = ReturnType<typeof redisLeases>;

/** Leases in Redis or Valkey. */
export function redisLeases(call: Caller) {
  return {
    /**
     * Takes the lease when it is free. Gives the fencing number of this holding, higher than any given before;
     * `undefined` when another holds it.
     */
    async acquire(holder: string, forMs: number): Promise<number | undefined> {
      const fence = await runScript(call, acquireScript, [leaseKey, fenceKey], [holder, String(forMs)]);
      return typeof fence === 'number' ? fence : undefined;
    },
    /** Makes a held lease last from now on. False when it is not held under this number any more. */
    async renew(holder: string, fence: number, forMs: number): Promise<boolean> {
      return (await runScript(call, renewScript, [leaseKey], [`${holder}:${fence}`, String(forMs)])) === 1;
    },
    /** Gives a held lease back; of any other it changes nothing. */
    async release(holder: string, fence: number): Promise<void> {
      await runScript(call, releaseScript, [leaseKey], [`${holder}:${fence}`]);
    },
  };
}
