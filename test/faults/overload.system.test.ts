import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { EventLoopDelay } from '../../src/http/event-loop-delay.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { json, ListenerHarness, type RequestOptions } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

describe('under overload', () => {
  const clock = new FakeClock();
  let delayMs = 0;
  let heapShare = 0;
  let api: ListenerHarness;

  beforeEach(async () => {
    delayMs = 0;
    heapShare = 0;
    api = await ListenerHarness.start({
      clock,
      pressure: () => ({ eventLoopDelayMs: delayMs, heapShare }),
      connections: { overloadDelayMs: 200 },
    });
  });
  afterEach(() => api.stop());

  const keepAlive = (target: string, options: RequestOptions = {}) =>
    api.requestText(target, { ...options, headers: { Connection: 'keep-alive' } });

  /** Says how late the loop runs, and lets the listener notice. */
  async function runLate(byMs: number): Promise<void> {
    delayMs = byMs;
    await clock.advance(250);
  }

  test('requests of new clients are refused with 503, Retry-After and a documented problem, known path or not (fault row 50)', async () => {
    await runLate(201);
    for (const target of ['/v1/time', '/v1/tickers', '/v1/nothing', '/', '/openapi/v1.json', '/nothing']) {
      for (const method of ['GET', 'POST']) {
        const response = await api.get(target, { method });
        assert.deepEqual([response.status, json(response).code], [503, 'SERVICE_OVERLOADED'], target);
        assert.equal(response.headers['retry-after'], '2');
      }
      assert.equal((await api.get(target, { method: 'HEAD' })).status, 503);
    }
    assert.equal(api.listener.counts.shed, 18);
    assert.equal(api.listener.counts.byCode.get('SERVICE_OVERLOADED'), 18);
  });

  test('refusing comes before authentication and counts against no limit (fault row 50)', async () => {
    await runLate(201);
    for (const key of [api.key, null, 'wrong']) {
      const { status, headers } = await api.get('/v1/time', { key });
      assert.deepEqual([status, headers['x-ratelimit-remaining']], [503, undefined]);
    }
    await runLate(0);
    assert.equal((await api.get('/v1/time')).headers['x-ratelimit-remaining'], '59');
    assert.equal((await api.get('/v1/time', { key: 'wrong' })).headers['x-ratelimit-remaining'], '9');
    assert.equal((await api.get('/', { key: null })).headers['x-ratelimit-remaining'], '29');
  });

  test('/v1/status keeps answering, with its authentication and its limit (fault row 50)', async () => {
    await runLate(1000);
    assert.equal((await api.get('/v1/status?x=1')).headers['x-ratelimit-remaining'], '59');
    assert.equal((await api.get('/v1/status', { key: null })).status, 401);
    assert.equal((await api.get('/v1/status', { method: 'POST' })).status, 405);
  });

  test('a client that was served when it began stays served, over the same connection (fault row 50)', async () => {
    const established = await Wire.open(api.port);
    assert.equal((await established.ask(keepAlive('/v1/time'))).status, 200);
    const idle = await Wire.open(api.port);
    await eventually('both are accepted', () => api.listener.connectionFigures().open === 2);
    await runLate(201);
    assert.equal((await established.ask(keepAlive('/v1/time'))).status, 200);
    assert.equal((await idle.ask(keepAlive('/v1/time'))).status, 503, 'connected, but never served');
    assert.equal((await established.ask(keepAlive('/v1/nothing'))).status, 404);
    established.close();
    idle.close();
  });

  test('a client that was only ever refused is no served one when the next overload begins (fault row 50)', async () => {
    await runLate(201);
    const refused = await Wire.open(api.port);
    assert.equal((await refused.ask(keepAlive('/v1/time'))).status, 503);
    await runLate(0);
    await runLate(201);
    assert.equal((await refused.ask(keepAlive('/v1/time'))).status, 503);
    await runLate(0);
    assert.equal((await refused.ask(keepAlive('/v1/time'))).status, 200);
    await runLate(201);
    assert.equal((await refused.ask(keepAlive('/v1/time'))).status, 200);
    refused.close();
  });

  test('it begins above the bound and ends by itself at half of it, and the log says both once (fault row 50)', async () => {
    const states: [number, boolean][] = [];
    for (const late of [0, 200, 201, 199, 101, 100, 150, 200, 300]) {
      await runLate(late);
      states.push([late, api.listener.isShedding]);
    }
    assert.deepEqual(
      states.filter(([, isShedding]) => isShedding).map(([late]) => late),
      [201, 199, 101, 300],
    );
    assert.deepEqual(
      api.logged.map(({ fields }) => fields),
      [201, 100, 300].map((eventLoopDelayMs) => ({ eventLoopDelayMs, heapPercent: 0, unsentBytes: 0 })),
    );
  });

  test('a heap nearly used up is an overload too, and ends well below the bound (fault row 50)', async () => {
    const states: [number, boolean][] = [];
    for (const share of [0.9, 0.91, 0.89, 0.82, 0.81, 0.9]) {
      heapShare = share;
      await clock.advance(250);
      states.push([share, api.listener.isShedding]);
    }
    assert.deepEqual(
      states.filter(([, isShedding]) => isShedding).map(([share]) => share),
      [0.91, 0.89, 0.82],
    );
    assert.deepEqual(api.logged[0]?.fields, { eventLoopDelayMs: 0, heapPercent: 91, unsentBytes: 0 });
  });
});

describe('the delay of the event loop', () => {
  test('that is truly late makes the service refuse new clients, and it recovers by itself (fault row 50)', async () => {
    const delay = new EventLoopDelay(systemClock);
    const api = await ListenerHarness.start({
      clock: systemClock,
      pressure: () => ({ eventLoopDelayMs: delay.p99Ms() }),
      connections: { overloadDelayMs: 300 },
      limits: { key: 1_000_000 },
    });
    const block = setInterval(() => blockFor(400), 410);
    const first = await eventually('a request is refused', async () => {
      const response = await api.get('/v1/time');
      return response.status === 503 ? response : undefined;
    });
    assert.equal(json(first).code, 'SERVICE_OVERLOADED');
    assert.equal((await api.get('/v1/status')).status, 200);
    clearInterval(block);
    await eventually('requests are taken again', async () => (await api.get('/v1/time')).status === 200);
    await api.stop();
    delay.stop();
  });
});

function blockFor(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}
