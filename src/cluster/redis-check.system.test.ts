import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { systemClock } from '../ground/clock.ts';
import { checkRedis, checkStream, onConnection } from './redis-check.ts';
import type { RedisAddress } from './redis-connection.ts';

const parts = { clock: systemClock, randomness: seededRandomness(1) };
const check = (address: RedisAddress, signal = new AbortController().signal) =>
  onConnection(address, parts, signal, (call) => checkRedis(call, systemClock.now()));

test('a suitable server is described by its version and its clock', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  assert.match(await check(redis.address), /^(Redis|Valkey) \d+\.\d+\.\d+; this clock minus its clock: -?0\.\d s$/);
});

test('a server that would drop counters when its memory is full is reported', needsRedis, async (t) => {
  const redis = await RedisServer.start(t, '--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
  assert.match(await check(redis.address), /maxmemory-policy is allkeys-lru/);
  await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  assert.doesNotMatch(await check(redis.address), /maxmemory/);
});

test(
  'a server that is gone, is read-only, or wants a password does not work, and the reason is given',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    await redis.ask('REPLICAOF', '127.0.0.1', '1');
    await assert.rejects(check(redis.address), /READONLY/);
    await redis.kill();
    await assert.rejects(check(redis.address), /ECONNREFUSED/);
    const locked = await RedisServer.start(t, '--requirepass', 'a-secret');
    await assert.rejects(check(locked.address), /NOAUTH/);
  },
);

test('a frozen server does not work once the time for the check is over', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  redis.freeze();
  const abort = new AbortController();
  const checked = assert.rejects(check(redis.address, abort.signal));
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await checked;
});

test(
  'the check of an engine’s stream says whether it is missing, when it was last written, or what else its key holds',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const key = '{mdapi}:source:engine';
    const { signal } = new AbortController();
    const look = () => onConnection(redis.address, parts, signal, (call) => checkStream(call, key));
    assert.equal(await look(), `the stream ${key} is missing or empty: your engine has written nothing`);
    await redis.ask('XADD', key, '*', 'epoch', '1', 'message', '{}');
    assert.match(await look(), /^stream \{mdapi\}:source:engine, last written [0-9] s ago$/);
    await redis.ask('DEL', key);
    await redis.ask('SET', key, 'no stream');
    await assert.rejects(look(), /WRONGTYPE/);
  },
);
