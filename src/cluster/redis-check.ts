import { limitWindowMs } from '../contract/limits.ts';
import type { Clock, EpochMs, Randomness } from '../ground/clock.ts';
import { noPosition } from './board-position.ts';
import { countOn } from './count-script.ts';
import type { Caller } from './redis-calls.ts';
import { type RedisAddress, RedisConnection } from './redis-connection.ts';

const majorVersionMin = 6;

/**
 * Whether a server is fit for what is shared through it: new enough, and counting works, which
 * takes a server that can be written to. Changes nothing but the probe's own counter, which ends by itself.
 *
 * @returns what there is and what an operator should know; rejects with what is wrong
 */
export async function checkRedis(call: Caller, now: EpochMs): Promise<string> {
  const info = readInfo(String(await call(['INFO'])));
  const version = versionOf(info);
  const counted = { windowMs: limitWindowMs, newestWindow: 0, windowNumber: 0, position: noPosition, takes: [probe] };
  const { serverMs } = await countOn(call, counted);
  const skewSeconds = ((now - serverMs) / 1_000).toFixed(1);
  return [version, `this clock minus its clock: ${skewSeconds} s`, ...warnings(info)].join('; ');
}

/**
 * Looks whether a stream is there that an engine writes. Changes nothing.
 *
 * @returns what there is; rejects with what is wrong
 */
export async function checkStream(call: Caller, key: string): Promise<string> {
  const [last] = (await call(['XREVRANGE', key, '+', '-', 'COUNT', '1'])) as [string, string[]][];
  if (last === undefined) return `the stream ${key} is missing or empty: your engine has written nothing`;
  const [seconds] = (await call(['TIME'])) as [string, string];
  const ageSeconds = Math.max(0, Number(seconds) - Math.floor(Number.parseInt(last[0], 10) / 1_000));
  return `stream ${key}, last written ${ageSeconds} s ago`;
}

const probe = { counter: '{mdapi}:limit:probe', limit: 1_000_000, seen: 0, admittedAlone: 0 };

/** Runs a check on a connection of its own, which ends with it. Rejects where the server cannot be reached. */
export async function onConnection(
  address: RedisAddress,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
  signal: AbortSignal,
  check: (call: Caller) => Promise<string>,
): Promise<string> {
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const connection = new RedisConnection(address, clock, randomness, {
    opened: resolve,
    lost: (reason) => reject(new Error(reason)),
  });
  signal.addEventListener('abort', () => {
    reject(new Error('nothing was received in time'));
    // What was asked of a frozen server is answered by the connection's end.
    connection.stop();
  });
  connection.start();
  try {
    await opened;
    return await check((command) => connection.call(command));
  } finally {
    connection.stop();
  }
}

function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).filter((line) => line.includes(':') && !line.startsWith('#'));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Valkey also reports a Redis version, the one it is compatible with. */
function versionOf(info: ReadonlyMap<string, string>): string {
  const redis = info.get('redis_version') ?? '';
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey}`;
  if (Number.parseInt(redis, 10) < majorVersionMin)
    throw new Error(`${name} is too old: ${majorVersionMin} or newer is needed`);
  return name;
}

function warnings(info: ReadonlyMap<string, string>): string[] {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (info.get('maxmemory') === '0' || policy === 'noeviction') return [];
  return [
    `its maxmemory-policy is ${policy}: when memory is full it drops counters, and limits start again; ` +
      'noeviction keeps them',
  ];
}
