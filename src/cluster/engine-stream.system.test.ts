import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { systemClock } from '../clock.ts';
import { RedisEngineStream, streamKey } from './engine-stream.ts';

test('the stream of an engine is read in order, answered, and its position survives', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const stream = new RedisEngineStream('engine', redis.address, systemClock, seededRandomness(1));
  stream.start();
  t.after(() => stream.stop());
  await eventually('a connection', () => stream.now().catch(() => undefined));
  const key = streamKey('engine');
  assert.equal(await stream.lastId(), undefined);
  assert.equal(await stream.position(), undefined);
  await redis.ask('XADD', key, '1-1', 'epoch', '7', 'message', '{"a":1}');
  await redis.ask('XADD', key, '2-1', 'epoch', '-7', 'message', '{}');
  await redis.ask('XADD', key, '3-1', 'other', 'field');
  assert.deepEqual(await stream.read('0-0'), [
    { id: '1-1', epoch: 7, message: '{"a":1}' },
    { id: '2-1', epoch: Number.NaN, message: '{}' },
    { id: '3-1', epoch: Number.NaN, message: '' },
  ]);
  assert.equal((await stream.read('2-1')).length, 1);
  assert.equal(await stream.lastId(), '3-1');
  assert.deepEqual([await stream.has('2-1'), await stream.has('2-2')], [true, false]);
  await stream.answer(7, { type: 'accepted' });
  assert.equal(Number(await redis.ask('XLEN', `${key}:answers`)), 1);
  await stream.keep({ id: '2-1', epoch: 7, catalogue: '{}' });
  await stream.keep({ id: '3-1' });
  assert.deepEqual(await stream.position(), { id: '3-1', epoch: 7, catalogue: '{}' });
  assert.ok(Math.abs((await stream.now()) - systemClock.now()) < 5_000);
});
