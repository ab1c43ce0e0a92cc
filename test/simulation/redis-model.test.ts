import { test } from 'node:test';
import { FakeClock } from '../support/fake-clock.ts';
import { redisConformance } from './redis-conformance.ts';
import { RedisModel } from './redis-model.ts';

for (const [name, run] of Object.entries(redisConformance)) {
  test(`model of Redis: ${name}`, async () => {
    const clock = new FakeClock();
    const model = new RedisModel(clock);
    await run({
      call: async (command) => model.execute(command),
      nowMs: async () => clock.now(),
      pass: async (ms) => clock.advance(ms),
    });
  });
}
