import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createClient, type Fetch } from '../src/index.ts';
import { World } from './drive.testing.ts';

describe('the server’s time', () => {
  let world: World;
  let local: FakeClock;
  /** What the way to the server and back takes, by the local clock. */
  let thereMs = 0;
  let backMs = 0;

  beforeEach(async () => {
    world = await World.start({ key: 1_000 });
    local = new FakeClock('2026-11-21T09:56:20.000Z');
    [thereMs, backMs] = [0, 0];
  });
  afterEach(() => world.stop());

  const both = async (ms: number) => {
    await Promise.all([local.advance(ms), world.clock.advance(ms)]);
  };
  const fetchOverTheWay: Fetch = async (url, init) => {
    await both(thereMs);
    const response = await world.fetch(url, init);
    await both(backMs);
    return response;
  };
  const client = (more = {}) =>
    createClient({ ...world.options(world.baseUrl, world.api.key, more), clock: local, fetch: fetchOverTheWay });

  test('is the local clock’s until it is measured, then right whatever the local clock says', async () => {
    const api = client();
    assert.equal(api.now(), local.now());
    const { offsetMs, uncertaintyMs } = await api.syncClock();
    assert.equal(offsetMs, 220_000);
    assert.ok(uncertaintyMs <= 1);
    await both(12_345);
    assert.equal(api.now(), world.clock.now());
  });

  test('is measured with half of the round trip, and the truth lies within the uncertainty told', async () => {
    for (const [there, back] of [
      [100, 100],
      [0, 300],
      [300, 0],
    ] as const) {
      [thereMs, backMs] = [there, back];
      const api = client({ apiKey: world.api.addKey() });
      const { offsetMs, uncertaintyMs } = await api.syncClock();
      const trueMs = world.clock.now() - local.now();
      assert.ok(Math.abs(offsetMs - trueMs) <= uncertaintyMs + 1, `${offsetMs} is not ${trueMs} ± ${uncertaintyMs}`);
      assert.ok(uncertaintyMs >= (there + back) / 2 && uncertaintyMs <= (there + back) / 2 + 2);
    }
  });

  test('gets no worse by a slow answer after a quick one, and better by a status', async () => {
    const api = client();
    [thereMs, backMs] = [400, 400];
    assert.ok((await api.syncClock()).uncertaintyMs > 390);
    [thereMs, backMs] = [5, 5];
    await api.status();
    [thereMs, backMs] = [400, 100];
    assert.ok((await api.syncClock()).uncertaintyMs < 10);
  });

  test('does not move when the local wall clock is set back, and never makes old data look fresh', async () => {
    const api = client();
    await api.syncClock();
    const ticker = await api.ticker('BTCEUR');
    await both(10_000);
    assert.equal(api.ageMs(ticker), 10_000);
    local.jump(-3_600_000);
    assert.equal(api.ageMs(ticker), 10_000);
    local.jump(3_600_000 + 30_000);
    assert.equal(api.ageMs(ticker), 40_000, 'a machine that slept has only its wall clock to tell');
  });

  test('follows the server when that one’s clock is set', async () => {
    const api = client();
    await api.syncClock();
    world.clock.jump(-90_000);
    await api.syncClock();
    assert.equal(api.now(), world.clock.now());
  });

  test('is measured again after half an hour of use, in the background', async () => {
    const api = client();
    await api.syncClock();
    await both(1_799_000);
    await api.tickers();
    assert.equal(world.askedAt('/v1/time').length, 1);
    await both(2_000);
    await api.tickers();
    await world.quiet();
    assert.equal(world.askedAt('/v1/time').length, 2);
  });

  test('gives an age with how exact it is, and asking for it sends nothing, not even later', async () => {
    const api = client();
    const held = await api.ticker('BTCEUR');
    assert.ok(
      api.age(held).uncertaintyMs > 1_000,
      'the local clock is wrong by minutes, and nobody asked the server’s',
    );
    await both(60_000);
    assert.ok(Math.abs(api.age(held).ageMs - (world.clock.now() - held.timestampMs)) <= api.age(held).uncertaintyMs);
    await api.ticker('BTCEUR');
    await world.quiet();
    assert.deepEqual(
      world.sent.map(({ path }) => path),
      ['/v1/ticker?symbol=BTCEUR', '/v1/ticker?symbol=BTCEUR'],
    );
    await api.syncClock();
    const { ageMs, uncertaintyMs } = api.age(held);
    assert.ok(uncertaintyMs <= 1 && Math.abs(ageMs - 60_000) <= 1);
    assert.equal(client({ apiKey: world.api.addKey() }).age(held).uncertaintyMs, Number.POSITIVE_INFINITY);
  });

  test('gives the age of the feed, infinite when it never was', async () => {
    const api = client();
    const status = await api.status();
    await both(4_000);
    assert.equal(api.ageMs(status), 4_000);
    assert.equal(api.ageMs({ lastUpdatedAtMs: null }), Number.POSITIVE_INFINITY);
  });
});
