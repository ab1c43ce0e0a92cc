import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { EventLoopDelay, thisThread } from '../../src/http/event-loop-delay.ts';
import type { Pressure, ShedStep } from '../../src/http/overload.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { json, ListenerHarness, type RequestOptions } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

describe('under overload', () => {
  const clock = new FakeClock();
  let pressure: Partial<Pressure> = {};
  let api: ListenerHarness;

  beforeEach(async () => {
    pressure = {};
    api = await ListenerHarness.start({ clock, pressure: () => pressure, connections: { overloadDelayMs: 200 } });
  });
  afterEach(() => api.stop());

  const keepAlive = (target: string, options: RequestOptions = {}) =>
    api.requestText(target, { ...options, headers: { Connection: 'keep-alive' } });
  const busy = { busyShare: 0.95, eventLoopDelayMs: 300 };

  /** Reports the pressure until the listener is at this step. */
  async function shedAt(step: ShedStep, signal: Partial<Pressure> = busy): Promise<void> {
    pressure = signal;
    for (let look = 0; api.listener.overload.step !== step; look++) {
      assert.ok(look < 100, `step ${api.listener.overload.step}`);
      await clock.advance(250);
    }
  }

  async function assertRefused(target: string, options: RequestOptions = {}): Promise<void> {
    const response = await api.get(target, options);
    assert.deepEqual([response.status, json(response).code], [503, 'SERVICE_OVERLOADED'], target);
    assert.deepEqual([response.headers['retry-after'], response.headers['x-ratelimit-limit']], ['2', undefined]);
  }

  test('requests that need no key are refused first, with 503, Retry-After and a documented problem, and those with one are answered (fault row 50)', async () => {
    await shedAt(1);
    for (const target of ['/', '/openapi/v1.json', '/docs', '/nothing']) {
      for (const method of ['GET', 'POST']) await assertRefused(target, { method, key: null });
      assert.equal((await api.get(target, { method: 'HEAD' })).status, 503);
    }
    assert.equal(api.listener.counts.shed, 12);
    assert.equal(api.listener.counts.byCode.get('SERVICE_OVERLOADED'), 12);
    assert.equal((await api.get('/v1/nothing')).status, 404);
  });

  test('keys on new connections are refused next, known path or not, and /v1/time and /v1/status go on answering (fault rows 50 and 67)', async () => {
    await shedAt(2);
    for (const target of ['/v1/tickers', '/v1/ticker', '/v1/nothing']) {
      await assertRefused(target);
      await assertRefused(target, { method: 'POST' });
    }
    for (const target of ['/v1/time', '/v1/status']) assert.equal((await api.get(target)).status, 200);
    assert.equal((await api.get('/v1/status', { method: 'POST' })).status, 405);
  });

  test('a request without a valid key is 401 as always, and counted as failed authentication (fault rows 50 and 67)', async () => {
    await shedAt(3, { heapShare: 0.95 });
    for (const [key, code] of [
      [null, 'MISSING_API_KEY'],
      ['wrong', 'INVALID_API_KEY'],
    ] as const) {
      const response = await api.get('/v1/tickers', { key });
      assert.deepEqual([response.status, json(response).code], [401, code]);
    }
    assert.equal((await api.get('/v1/time', { key: null })).headers['x-ratelimit-remaining'], '7');
  });

  test('a request that is refused counts against no limit, and its answer has the headers of none (fault row 50)', async () => {
    await shedAt(2);
    await assertRefused('/v1/tickers');
    await assertRefused('/', { key: null });
    assert.equal((await api.get('/v1/time')).headers['x-ratelimit-remaining'], '59');
    await shedAt(0, {});
    assert.equal((await api.get('/', { key: null })).headers['x-ratelimit-remaining'], '29');
  });

  test('a client with a key that was served when it began stays served, over the same connection, as long as there is memory (fault row 50)', async () => {
    const established = await Wire.open(api.port);
    assert.equal((await established.ask(keepAlive('/v1/time'))).status, 200);
    const idle = await Wire.open(api.port);
    const reader = await Wire.open(api.port);
    assert.equal((await reader.ask(keepAlive('/docs', { key: null }))).status, 200);
    await eventually('all are accepted', () => api.listener.connectionFigures().open === 3);
    await shedAt(2);
    assert.equal((await established.ask(keepAlive('/v1/nothing'))).status, 404);
    assert.equal((await idle.ask(keepAlive('/v1/nothing'))).status, 503, 'connected, but never served');
    assert.equal((await reader.ask(keepAlive('/v1/nothing'))).status, 503, 'served, but without a key');
    await shedAt(0, {});
    await shedAt(3, { heapShare: 0.95 });
    assert.equal((await established.ask(keepAlive('/v1/nothing'))).status, 503);
    assert.equal((await established.ask(keepAlive('/v1/time'))).status, 200);
    for (const wire of [established, idle, reader]) wire.close();
  });

  test('a client that was only ever refused is no served one when the next overload begins (fault row 50)', async () => {
    await shedAt(2);
    const client = await Wire.open(api.port);
    const ask = async () => (await client.ask(keepAlive('/v1/nothing'))).status;
    assert.equal(await ask(), 503);
    await shedAt(0, {});
    await shedAt(2);
    assert.equal(await ask(), 503);
    await shedAt(0, {});
    assert.equal(await ask(), 404);
    await shedAt(2);
    assert.equal(await ask(), 404);
    client.close();
  });

  test('the log says each step once, with the signal and its figures, and the end (fault row 50)', async () => {
    await shedAt(1);
    await clock.advance(1_000);
    await shedAt(2);
    await shedAt(0, {});
    const said = api.logged.map(({ fields, message }) => [(fields as { signal: string }).signal, message]);
    const cause = 'overloaded: the serving thread is busy 95 % (bound 90 %) and late by 300 ms (bound 200 ms)';
    assert.deepEqual(said, [
      ['load', `${cause}; requests without a key are refused`],
      ['load', `${cause}; requests without a key, and with one on new connections are refused`],
      ['load', 'no longer overloaded'],
    ]);
  });
});

describe('a loop that is truly late', () => {
  const blocking = async (t: TestContext, blockMs: number, everyMs: number, block: (durationMs: number) => void) => {
    // As on a machine that gives all the time that is asked for: a busy one would hide the load.
    const given = () => ({ ...thisThread(), processorMs: thisThread().activeMs });
    const times = block === work ? given : thisThread;
    const delay = new EventLoopDelay(systemClock, times);
    const api = await ListenerHarness.start({
      clock: systemClock,
      pressure: () => delay.read(),
      connections: { overloadDelayMs: 100 },
      limits: { key: 1_000_000 },
    });
    const timer = setInterval(() => block(blockMs), everyMs);
    t.after(async () => {
      clearInterval(timer);
      await api.stop();
      delay.stop();
    });
    return { api, delay, stopBlocking: () => clearInterval(timer) };
  };

  test('because it is busy makes the service refuse new clients, and it recovers by itself (fault rows 50 and 67)', async (t) => {
    const { api, stopBlocking } = await blocking(t, 300, 302, work);
    const refused = async () => (await api.get('/v1/nothing')).status === 503;
    await eventually('a request is refused', refused, 60_000);
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.equal((await api.get('/v1/status')).status, 200);
    assert.equal((await api.get('/v1/time', { key: null })).status, 401);
    stopBlocking();
    await eventually('requests are taken again', async () => (await api.get('/v1/nothing')).status === 404);
  });

  test('because it waits for the machine refuses nobody (fault row 67)', async (t) => {
    const { api, delay } = await blocking(t, 300, 310, sleepWithoutProcessor);
    await eventually('the loop is seen to be late', () => delay.p99Ms() > 200);
    for (let look = 0; look < 10; look++) assert.equal((await api.get('/v1/nothing')).status, 404);
    assert.deepEqual([api.listener.overload.step, api.listener.counts.shed], [0, 0]);
  });
});

function work(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}

function sleepWithoutProcessor(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
