import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedKeys, harms, RedisServer } from './redis-server.ts';
import { enter, World } from './world.ts';

test('while Redis is two, a process that is apart finds a server of its own, and then the one again', () => {
  const world = enter(new World(1));
  const redis = new RedisServer();
  const [one, other] = [world.scheduler.lane('process-1'), world.scheduler.lane('process-2')];
  redis.modelFor(one).execute(['SET', 'name', 'before']);
  redis.part(['process-2']);
  assert.equal(redis.modelFor(other).execute(['GET', 'name']), null);
  redis.modelFor(other).execute(['SET', 'name', 'apart']);
  assert.equal(redis.modelFor(one).execute(['GET', 'name']), 'before');
  world.scheduler.nowMs = 5;
  assert.equal(redis.soundSinceMs, 5);
  redis.part([]);
  assert.equal(redis.modelFor(other).execute(['GET', 'name']), 'before');
  world.scheduler.nowMs = 9;
  assert.equal(redis.soundSinceMs, 5);
});

test('of the feed’s values each can be gone, nonsense or of another type, and whoever waits for a stream that is none any more gets nothing in the end', async () => {
  const world = enter(new World(1));
  const redis = new RedisServer();
  const seen = new Set<string>();
  for (const key of feedKeys)
    for (const how of harms) {
      for (const name of feedKeys) redis.model.execute(['SET', name, 'sound']);
      redis.harm(key, how);
      for (const name of feedKeys) {
        const [now] = redis.model.execute(['MGET', name]) as [string | null];
        const isThere = redis.model.execute(['DEL', name]) === 1;
        if (now !== 'sound') seen.add(`${name} ${now ?? (isThere ? 'of another type' : 'gone')}`);
      }
    }
  assert.equal(seen.size, 12);
  const answers: unknown[] = [];
  const lane = world.scheduler.lane('process-1');
  const client = { lane, answered: (answer: unknown, error?: Error) => answers.push(answer ?? error?.name), lost() {} };
  redis.connect(client).send(['XREAD', 'BLOCK', '1000', 'STREAMS', feedKeys[2]!, '0-0']);
  lane.later(500, () => redis.model.execute(['SET', feedKeys[2]!, 'abc']));
  await world.scheduler.runTo(3_000);
  assert.deepEqual(answers, [undefined]);
});
