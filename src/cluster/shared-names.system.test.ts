import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { systemClock } from '../ground/clock.ts';
import { RedisConnection } from './redis-connection.ts';
import { sharedNames } from './shared-names.ts';

test(
  'a name that processes share belongs to the first until its time is over or it is given back',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const connect = async () => {
      const connection = new RedisConnection(redis.address, systemClock, seededRandomness(1), { opened: () => {} });
      connection.start();
      t.after(() => connection.stop());
      await eventually('connected', () => connection.isOpen);
      return sharedNames((command) => connection.call(command));
    };
    const [one, other] = [await connect(), await connect()];
    const claimed = await Promise.all([one.claim('raised a', 'one', 60_000), other.claim('raised a', 'other', 60_000)]);
    assert.equal(new Set(claimed).size, 1);
    assert.equal(await other.claim('raised b', 'other', 60_000), 'other');
    await one.release('raised a');
    assert.equal(await other.claim('raised a', 'other', 100), 'other');
    await one.prolong(['raised a', 'raised none'], 60_000);
    await other.claim('short', 'other', 50);
    await eventually('a short time is over', async () => (await one.claim('short', 'one', 50)) === 'one');
    assert.equal(await one.claim('raised a', 'one', 60_000), 'other', 'prolonged');
  },
);
