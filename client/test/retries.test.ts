import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  ApiProblem,
  type CallOptions,
  type ClientOptions,
  createClient,
  MalformedAnswer,
  type ServerTime,
  TimeoutFailure,
  TransportFailure,
} from '../src/index.ts';
import { Drive } from './drive.testing.ts';
import {
  answer,
  type Behaviour,
  breakOff,
  FaultyServer,
  hang,
  problem,
  reset,
  timeBody,
} from './faulty-server.testing.ts';

describe('a call that meets a failure', () => {
  let server: FaultyServer;
  let drive: Drive;
  afterEach(() => server.stop());

  async function play(behaviours: Behaviour[], options: Partial<ClientOptions> = {}) {
    server = await FaultyServer.start(...behaviours);
    drive = new Drive();
    drive.hanging = server.hanging;
    return createClient(drive.options(server.baseUrl, 'key', { waitForLimit: false, ...options }));
  }

  async function outcome(promise: Promise<ServerTime>): Promise<unknown> {
    return drive.until(promise.catch((failure: unknown) => failure));
  }

  const fine = answer(200, timeBody);

  test('is repeated after a reset, a broken answer, a timeout, 408, 429, 500, 502, 503, 504, and a 200 that is empty or cut off', async () => {
    const wait = { 'retry-after': '1' };
    const safe = [
      reset,
      breakOff,
      hang,
      problem(408, 'REQUEST_TIMEOUT'),
      problem(429, 'RATE_LIMIT_EXCEEDED', wait),
      problem(500, 'INTERNAL_ERROR'),
      answer(502, 'bad gateway'),
      problem(503, 'MARKET_DATA_UNAVAILABLE', wait),
      answer(504, ''),
      answer(200, ''),
      answer(200, '{"serverTime":'),
    ];
    const client = await play([...safe, fine], { maxAttempts: safe.length + 1, deadlineMs: 600_000 });
    assert.deepEqual(await outcome(client.time()), timeBody);
    assert.equal(server.requests.length, safe.length + 1);
  });

  test('is not repeated when it would fail again: 400, 401, 404, an unknown 4xx, a body that is not of the API', async () => {
    const final = [
      problem(400, 'INVALID_PARAMETER'),
      problem(401, 'INVALID_API_KEY'),
      problem(404, 'UNKNOWN_SYMBOL'),
      problem(451, 'SOMETHING_NEW'),
      answer(200, '<html>'),
    ];
    const client = await play([...final, fine]);
    for (const [index] of final.entries()) {
      const failure = await outcome(client.time());
      assert.ok(failure instanceof ApiProblem || failure instanceof MalformedAnswer);
      assert.equal(server.requests.length, index + 1);
    }
  });

  test('is repeated no earlier than Retry-After says, in seconds or as a date', async () => {
    const client = await play([
      problem(503, 'MARKET_DATA_UNAVAILABLE', { 'retry-after': '5' }),
      problem(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '33' }),
      answer(503, 'a proxy speaks', { 'retry-after': 'Sat, 21 Nov 2026 10:01:10 GMT' }),
      fine,
    ]);
    assert.deepEqual(await outcome(client.time()), timeBody);
    const [, second = 0, third = 0] = drive.askedAt('/v1/time');
    assert.ok(second >= 5_000 && second < 6_100, String(second));
    assert.ok(third - second >= 33_000 && third - second < 34_100, String(third - second));
    assert.ok(drive.sent[3]!.atMs >= Date.parse('2026-11-21T10:01:10Z'));
  });

  test('after a 429 without Retry-After is repeated once the window of X-RateLimit-Reset is over', async () => {
    const reset = String(Date.parse('2026-11-21T10:00:40Z') / 1000);
    const client = await play([problem(429, 'RATE_LIMIT_EXCEEDED', { 'x-ratelimit-reset': reset }), fine]);
    assert.deepEqual(await outcome(client.time()), timeBody);
    const [, second = 0] = drive.askedAt('/v1/time');
    assert.ok(second >= 40_000 && second < 41_100, String(second));
  });

  test('is repeated after a random part of a doubling wait when the server says nothing', async () => {
    const drawn = [0.5, 1, 0.25, 1, 1, 1];
    const client = await play([reset], { maxAttempts: 6, random: () => drawn.shift()! });
    assert.ok((await outcome(client.time())) instanceof TransportFailure);
    assert.deepEqual(drive.askedAt('/v1/time'), [0, 250, 1250, 1750, 5750, 13750]);
  });

  test('gives up after the given number of attempts with what it met last', async () => {
    const client = await play([reset, problem(500, 'INTERNAL_ERROR')]);
    const failure = await outcome(client.time());
    assert.ok(failure instanceof ApiProblem && failure.code === 'INTERNAL_ERROR');
    assert.equal(server.requests.length, 4);
    await outcome(client.time({ maxAttempts: 1 }));
    assert.equal(server.requests.length, 5);
  });

  test('fails at once when the wait it would need passes the deadline, and says how long that is', async () => {
    const client = await play([problem(503, 'SERVICE_MAINTENANCE', { 'retry-after': '3600' })]);
    const failure = await outcome(client.time());
    assert.ok(failure instanceof ApiProblem && failure.retryAfterMs === 3_600_000);
    assert.equal(drive.clock.monotonicMs(), 0);
  });

  test('tells a single attempt that took too long from a deadline that has passed', async () => {
    const client = await play([hang], { attemptTimeoutMs: 2_000, deadlineMs: 3_000 });
    const single = await outcome(client.time({ maxAttempts: 1 }));
    assert.ok(single instanceof TimeoutFailure && single.limit === 'attempt' && single.retryable);
    assert.equal(drive.clock.monotonicMs(), 2_000);
    const whole = await outcome(client.time({ deadlineMs: 2_500 }));
    assert.ok(whole instanceof TimeoutFailure || whole instanceof ApiProblem);
    assert.ok(drive.clock.monotonicMs() <= 4_500, 'no call outlasts its deadline');
    const short = await outcome(client.time({ deadlineMs: 500 }));
    assert.ok(short instanceof TimeoutFailure && short.limit === 'deadline' && !short.retryable);
  });

  test('ends at once with the reason of its signal: before it, while it is under way, and between attempts', async () => {
    const client = await play([hang, problem(503, 'MARKET_DATA_UNAVAILABLE', { 'retry-after': '60' })]);
    const call = (options: CallOptions) => client.time(options).catch((failure: unknown) => failure);
    assert.equal(await call({ signal: AbortSignal.abort('early') }), 'early');
    assert.equal(server.requests.length, 0);
    for (const reason of ['under way', 'between']) {
      const controller = new AbortController();
      const ended = call({ signal: controller.signal });
      await drive.pass(100);
      controller.abort(reason);
      assert.equal(await ended, reason);
    }
    assert.equal(server.requests.length, 2);
    await drive.quiet();
    assert.equal(drive.clock.pendingTimers, 0, 'no timer is left');
  });

  test('ends in time even when a fetch of the caller’s own ignores its signal', async () => {
    const client = await play([fine], { fetch: () => new Promise(() => {}), maxAttempts: 1 });
    assert.ok((await outcome(client.time())) instanceof TimeoutFailure);
  });
});
