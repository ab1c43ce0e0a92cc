import { hash } from 'node:crypto';
import type { LeaseStore } from './feed-lease.ts';

/** Sends one command and gives what it is answered. */
export type Caller = (command: readonly string[]) => Promise<unknown>;

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

const digests = new Map<string, string>();

/** Runs a script by its digest, and sends it whole where the server does not know it. */
export async function runScript(
  call: Caller,
  script: string,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  const digest = digests.get(script) ?? hash('sha1', script);
  digests.set(script, digest);
  const rest = [String(keys.length), ...keys, ...values];
  try {
    return await call(['EVALSHA', digest, ...rest]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return call(['EVAL', script, ...rest]);
  }
}
