import { type Caller, runScript } from './redis-calls.ts';

/** The fencing number that may act. One hash tag with all else that is shared. */
export const fenceKey = '{mdapi}:feed:fence';
const leaseKey = '{mdapi}:feed:lease';

/**
 * Reads both keys so that no value blocks them for ever: one of another type is deleted, a fence that is no whole number that Lua
 * can count on from is none, and a lease counts while its form is right and its number is that of the fence.
 */
const readScript = `
local function read(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then return value or '' end
  if not string.find(value.err, 'WRONGTYPE', 1, true) then error(value.err) end
  redis.call('DEL', key)
  return ''
end
local own = string.match(read(KEYS[2]), '^%d+$')
local fence = own and #own <= 16 and tonumber(own) < 9007199254740991 and tonumber(own) or nil
local holder, number = string.match(read(KEYS[1]), '^([%w_-]+):(%d+)$')
if fence and tonumber(number) ~= fence then holder = nil end
`;

/**
 * The fencing number is at least the server's time in milliseconds, so that it grows also when the server has lost what it held,
 * and with it the last number. A node that asks although it holds the lease has given it up.
 */
const acquireScript = `${readScript}
if holder and holder ~= ARGV[1] then return false end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local next = string.format('%.0f', math.max((fence or 0) + 1, nowMs))
redis.call('SET', KEYS[2], next)
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. next, 'PX', ARGV[2])
return tonumber(next)
`;

/** Also brings back what the server has lost of a lease that nobody else has taken since. */
const renewScript = `${readScript}
local mine = tonumber(ARGV[2])
if (fence and fence > mine) or (holder and (holder ~= ARGV[1] or tonumber(number) ~= mine)) then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PX', ARGV[3])
return 1
`;

const releaseScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** Where leases are kept, for all nodes. Every method may reject, or take for ever. */
export type LeaseStore = ReturnType<typeof redisLeases>;

/** Leases in Redis or Valkey. */
export function redisLeases(call: Caller) {
  const keys = [leaseKey, fenceKey];
  return {
    /** Takes the lease when it is free. Gives the fencing number of this holding, higher than any given before; `undefined` when another holds it. */
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
