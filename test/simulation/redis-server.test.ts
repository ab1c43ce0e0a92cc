import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedisServer } from './redis-server.ts';
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
