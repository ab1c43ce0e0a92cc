import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { Wire } from '../support/wire.ts';
import { seed, sized } from './full-size.ts';
import { assertRecovered, startHealthy } from './oracle.ts';

test('a request written around the end of the advertised keep-alive time is answered, and no connection is reset under it (fault row 10)', async (t) => {
  const keepAliveTimeoutMs = 1000;
  const api = await startHealthy({ clock: systemClock, connections: { keepAliveTimeoutMs } });
  t.after(() => api.stop());
  const random = seededRandomness(seed);
  const request = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
  const race = async () => {
    const wire = await Wire.open(api.port);
    const first = await wire.ask(request);
    assert.equal(first.headers['keep-alive'], 'timeout=1');
    await new Promise((resolve) => setTimeout(resolve, keepAliveTimeoutMs - 20 + random.fraction() * 40));
    assert.equal((await wire.ask(request)).status, 200);
    return wire;
  };
  const raced: Wire[] = [];
  for (let round = 0; round < sized(1, 10); round++) {
    raced.push(...(await Promise.all(Array.from({ length: sized(60, 100) }, race))));
  }
  await eventually('every idle connection is closed by the server', () => raced.every((wire) => wire.isClosed));
  await assertRecovered(api);
});
