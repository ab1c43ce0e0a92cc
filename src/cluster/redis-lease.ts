import type { LeaseStore } from './feed-lease.ts';
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

/** Leases in Redis or Valkey. */
export function redisLeases(call: Caller): LeaseStore {
  return {
    async acquire(holder, forMs) {
      const fence = await runScript(call, acquireScript, [leaseKey, fenceKey], [holder, String(forMs)]);
      return typeof fence === 'number' ? fence : undefined;
    },
    async renew(holder, fence, forMs) {
      return (await runScript(call, renewScript, [leaseKey], [`${holder}:${fence}`, String(forMs)])) === 1;
    },
    async release(holder, fence) {
      await runScript(call, releaseScript, [leaseKey], [`${holder}:${fence}`]);
    },
  };
}
