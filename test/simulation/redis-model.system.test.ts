import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { redisConformance } from './redis-conformance.ts';

for (const [name, run] of Object.entries(redisConformance)) {
  test(`Redis itself: ${name}`, needsRedis, async (t) => {
    const server = await RedisServer.start(t);
    const call = (command: readonly string[]) => server.ask(...command);
    const nowMs = async () => {
      const [seconds, micros] = (await call(['TIME'])) as [string, string];
      return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    };
    const pass = async (ms: number) => {
      const untilMs = (await nowMs()) + ms;
      await eventually('the clock of the server goes on', async () => (await nowMs()) >= untilMs);
    };
    await run({ call, nowMs, pass });
  });
}
