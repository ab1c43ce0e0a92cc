import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { ApiProblem, createClient, TimeoutFailure } from '../src/index.ts';
import { Drive, World } from './drive.testing.ts';
import { answer, FaultyServer, problem, reset, timeBody } from './faulty-server.testing.ts';

describe('the limit of a key', () => {
  let world: World;
  afterEach(() => world.stop());

  const calls = (count: number, call: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, call));
  const settled = (count: number, call: () => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: count }, call));

  test('is never passed by many callers of several clients together: those too many wait for the next minute', async () => {
    world = await World.start({ key: 20 });
    const [one, other] = [world.client({ deadlineMs: 300_000 }), world.client({ deadlineMs: 300_000 })];
    await world.until(Promise.all([calls(35, () => one.tickers()), calls(15, () => other.ticker('BTCEUR'))]));
    assert.ok(!world.statuses().includes(429));
    const minutes = world.sent.map(({ atMs }) => Math.floor(atMs / 60_000));
    const perMinute = [...new Set(minutes)].map((minute) => minutes.filter((other) => other === minute).length);
    assert.ok(Math.max(...perMinute) <= 20 && perMinute.length === 3, String(perMinute));
  });

  test('is waited for to its end and no more than a second past it', async () => {
    world = await World.start({ key: 5 });
    const client = world.client({ deadlineMs: 120_000 });
    await world.pass(20_000);
    await world.until(calls(7, () => client.tickers()));
    const lateMs = world.sent.map(({ atMs }) => atMs - Date.parse('2026-11-21T10:01:00Z')).filter((ms) => ms >= 0);
    assert.ok(lateMs.length >= 2 && lateMs.every((ms) => ms < 1_000), String(lateMs));
  });

  test('is waited for just as exactly by calls that come one after the other', async () => {
    world = await World.start({ key: 5 });
    const client = world.client();
    await world.pass(20_000);
    for (let asked = 0; asked < 6; asked++) await world.until(client.tickers());
    assert.ok(!world.statuses().includes(429));
    const lateMs = world.sent.at(-1)!.atMs - Date.parse('2026-11-21T10:01:00Z');
    assert.ok(lateMs >= 0 && lateMs < 1_000, String(lateMs));
  });

  test('is learned with one request before others follow', async () => {
    world = await World.start({ key: 3 });
    const client = world.client({ deadlineMs: 300_000 });
    await world.until(calls(8, () => client.status()));
    assert.ok(!world.statuses().includes(429));
  });

  test('spent by somebody else is noticed from the headers', async () => {
    world = await World.start({ key: 10 });
    const client = world.client();
    await world.until(client.status());
    for (let used = 0; used < 8; used++) await world.api.get('/v1/time');
    await world.until(client.status());
    assert.equal(world.sent.length, 2);
    await world.until(client.status());
    assert.ok(!world.statuses().includes(429));
    assert.ok(world.sent[2]!.atMs >= Date.parse('2026-11-21T10:01:00Z'));
  });

  test('refused all the same, keeps every caller away for Retry-After', async () => {
    world = await World.start({ key: 10 });
    const client = world.client();
    await world.until(client.status());
    for (let used = 0; used < 9; used++) await world.api.get('/v1/time');
    const waiting = calls(4, () => client.status());
    await world.pass(5_000);
    await world.until(Promise.all([waiting, client.status()]));
    const refused = world.sent.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 1 && refused.length <= 4);
    const refusedAt = refused[0]!.atMs;
    assert.ok(world.sent.every(({ atMs }) => atMs <= refusedAt || atMs >= refusedAt + 60_000));
  });

  test('that cannot be waited for within the deadline fails the call at once, without a request', async () => {
    world = await World.start({ key: 2 });
    const client = world.client({ deadlineMs: 10_000 });
    await world.until(calls(2, () => client.status()));
    const failure = await client.status().catch((thrown: unknown) => thrown);
    assert.ok(failure instanceof TimeoutFailure && failure.limit === 'deadline');
    assert.ok(failure.retryAfterMs! > 59_000 && failure.retryAfterMs! <= 60_100, String(failure.retryAfterMs));
    assert.equal(world.sent.length, 2);
  });

  test('is left to the server when the client is told not to wait', async () => {
    world = await World.start({ key: 2 });
    const client = world.client({ waitForLimit: false, maxAttempts: 1 });
    const results = await world.until(settled(4, () => client.status()));
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    assert.equal(refused.length, 2);
    assert.ok(refused.every((problem) => problem instanceof ApiProblem && problem.retryAfterMs === 60_000));
  });

  test('lets a waiting call go when its signal aborts, and the others keep their turn', async () => {
    world = await World.start({ key: 2 });
    const client = world.client();
    await world.until(calls(2, () => client.status()));
    const controller = new AbortController();
    const waiting = client.status({ signal: controller.signal }).catch((reason: unknown) => reason);
    const next = client.status();
    await world.pass(1_000);
    controller.abort('enough');
    assert.equal(await waiting, 'enough');
    assert.equal((await world.until(next)).status, 'operational');
  });
});

describe('limit headers that say little', () => {
  test('of a refused key change nothing for a good one, and a server without any is not held back', async () => {
    const limits = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795255260' };
    const server = await FaultyServer.start(problem(401, 'INVALID_API_KEY', limits), answer(200, timeBody));
    const drive = new Drive();
    const client = createClient(drive.options(server.baseUrl, 'key'));
    await assert.rejects(client.time());
    await Promise.all(Array.from({ length: 80 }, () => client.time()));
    assert.equal(drive.clock.monotonicMs(), 0);
    await server.stop();
  });

  test('a request whose answer was lost counts as spent', async () => {
    const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '1795255260' };
    const server = await FaultyServer.start(answer(200, timeBody, limits), reset);
    const drive = new Drive();
    const client = createClient(drive.options(server.baseUrl, 'key', { maxAttempts: 1, deadlineMs: 5_000 }));
    await client.time();
    const failures: unknown[] = [];
    for (let sent = 0; sent < 3; sent++) failures.push(await client.time().catch((thrown: Error) => thrown.name));
    assert.deepEqual(failures, ['TransportFailure', 'TransportFailure', 'TimeoutFailure']);
    await server.stop();
  });
});
