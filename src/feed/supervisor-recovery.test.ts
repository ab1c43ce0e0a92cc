import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { soon } from '../../test/support/eventually.ts';
import { FeedRig } from './feed-rig.testing.ts';
import type { RestAnswer } from './scripted-exchange.testing.ts';

let rig: FeedRig;

afterEach(() => rig.stop());

/** Lets time pass and each connection attempt end. Returns when each attempt came. */
async function attempts(forMs: number, settled: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const endMs = rig.clock.monotonicMs() + forMs;
  let seen = rig.exchange.upgrades;
  while (rig.clock.monotonicMs() < endMs) {
    await rig.clock.advance(100);
    if (rig.health.connection === 'connecting') await soon('the attempt ends', settled);
    for (; seen < rig.exchange.upgrades; seen++) times.push(rig.clock.monotonicMs());
  }
  return times;
}

function most(times: readonly number[], withinMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + withinMs).length));
}

test('a peer that accepts and closes at once gets back-off, at most ten connects in any minute (fault row 43)', async () => {
  rig = new FeedRig();
  await rig.listen();
  rig.exchange.greet = (peer) => peer.socket.close(1000);
  rig.start();
  await rig.pass('the first attempt', () => rig.exchange.upgrades > 0, 1);
  const times = await attempts(130_000, () => rig.health.connection === 'waiting');
  assert.ok(times.length >= 10, `${times.length} attempts in two minutes`);
  assert.ok(most(times, 60_000) <= 10, `${most(times, 60_000)} attempts in a minute`);
  assert.equal(rig.health.path, 'fallback');
});

test('a peer that sends one frame and closes gets the same back-off, because one frame is not health (fault row 43)', async () => {
  rig = new FeedRig();
  await rig.listen();
  rig.exchange.greet = (peer) => {
    peer.send({ channel: 'status', type: 'update', data: [{ system: 'online' }] });
    peer.send(`{"channel":"ticker","type":"update","data":[${rig.entry('C0/EUR')}]}`);
    peer.socket.close(1001);
  };
  rig.start();
  await rig.pass('the first attempt', () => rig.exchange.upgrades > 0, 1);
  const times = await attempts(70_000, () => rig.health.connection === 'waiting');
  assert.ok(most(times, 60_000) <= 10);
  assert.ok(!rig.sink.paths.includes('live'));
});

test('a refused handshake that asks for a longer wait gets it (fault row 43)', async () => {
  rig = new FeedRig();
  await rig.listen();
  rig.exchange.upgrade = () => ({ status: 429, headers: 'Retry-After: 40\r\n' });
  rig.start();
  await rig.pass('the refusal', () => rig.health.connectionsEnded.refused === 1, 1);
  await rig.clock.advance(39_900);
  assert.equal(rig.exchange.upgrades, 1);
  rig.exchange.upgrade = () => 'accept';
  await rig.becomeLive();
  assert.equal(rig.exchange.upgrades, 2);
});

test('the back-off starts over only after thirty seconds of healthy data (fault row 43)', async () => {
  rig = new FeedRig({ timing: { reconnectMinMs: 1_000, reconnectMaxMs: 8_000 }, seed: 5 });
  await rig.startLive();
  const waits = async (healthyForMs: number) => {
    await rig.live(healthyForMs, () => rig.update('C0'));
    const upgrades = rig.exchange.upgrades;
    rig.exchange.peer.socket.terminate();
    await soon('the end is noticed', () => rig.health.connection === 'waiting');
    const endedMs = rig.clock.monotonicMs();
    await rig.pass('the next attempt', () => rig.exchange.upgrades > upgrades);
    const waitedMs = rig.clock.monotonicMs() - endedMs;
    await rig.becomeLive();
    return waitedMs;
  };
  const short = [await waits(1_000), await waits(1_000), await waits(1_000), await waits(1_000), await waits(1_000)];
  assert.ok(Math.max(...short) > 1_100, `the bound never grew: ${short}`);
  assert.ok((await waits(31_000)) <= 1_100);
  assert.ok((await waits(31_000)) <= 1_100);
});

test('with the exchange down at the start the feed keeps trying, and recovers over REST and live by itself (fault row 49)', async () => {
  rig = new FeedRig();
  await rig.listen();
  await rig.exchange.close();
  rig.start();
  await rig.pass('a failed load', () => (rig.health.catalogueLoads.network ?? 0) > 0);
  await rig.clock.advance(60_000);
  assert.equal(rig.health.path, 'fallback');
  assert.equal(rig.health.symbolsWanted, 0);
  await rig.exchange.listen();
  await rig.becomeLive();
  assert.deepEqual(rig.sink.paths, ['fallback', 'live']);
  assert.ok((rig.health.catalogueLoads.network ?? 0) < 40, 'the loads were not held back');
});

test('restarted while the exchange is away, the feed is live within thirty seconds of its return, however long that took', async () => {
  for (const seed of [1, 2, 3]) {
    rig = new FeedRig({ seed });
    await rig.listen();
    await rig.exchange.close();
    rig.start();
    await rig.pass('a failed load', () => (rig.health.catalogueLoads.network ?? 0) > 0);
    await rig.pass('a long time', () => rig.clock.monotonicMs() > 240_000 + seed * 7_000, 1_000);
    await rig.exchange.listen();
    const backMs = rig.clock.monotonicMs();
    await rig.becomeLive();
    assert.ok(rig.clock.monotonicMs() - backMs <= 30_000, `${rig.clock.monotonicMs() - backMs} ms`);
    if (seed < 3) await rig.stop();
  }
});

test('connections that freeze or break leave no socket, no timer and no listener behind (fault row 42)', async () => {
  rig = new FeedRig({ timing: { connectsPerMinuteMax: 1_000, reconnectMinMs: 10, reconnectMaxMs: 20 } });
  await rig.startLive();
  const timers = rig.clock.pendingTimers;
  for (let cycle = 0; cycle < 16; cycle++) {
    const { peer } = rig.exchange;
    const { epoch } = rig.health;
    if (cycle % 2 === 0) peer.raw.pause();
    else peer.socket.terminate();
    await rig.pass('the next connection', () => rig.health.epoch > epoch, 500);
    peer.raw.destroy();
    await rig.becomeLive();
  }
  await soon('one socket is left', () => rig.exchange.openPeers === 1);
  assert.ok(rig.clock.pendingTimers <= timers + 4, `${timers} timers became ${rig.clock.pendingTimers}`);
  assert.equal(rig.exchange.peers.length, 17);
});

/** Live once, and then without any live connection. */
async function onFallback(): Promise<void> {
  rig = new FeedRig();
  await rig.startLive();
  rig.exchange.upgrade = () => ({ status: 503, headers: '' });
  rig.exchange.peer.socket.terminate();
  await rig.pass('the fallback', () => rig.health.path === 'fallback', 1);
}

const polls = () => rig.health.polls;

test('on the fallback every symbol is polled about once a second, and each success keeps the feed current (fault row 47)', async () => {
  await onFallback();
  await rig.pass('the first poll', () => polls().ok === 1);
  const before = rig.sink.current.length;
  const startedMs = rig.clock.monotonicMs();
  rig.bids.set('C2/EUR', '4.44');
  await rig.pass('ten more', () => polls().ok === 11);
  const tookMs = rig.clock.monotonicMs() - startedMs;
  assert.ok(tookMs >= 9_000 && tookMs <= 15_000, `${tookMs} ms for ten polls`);
  assert.equal(rig.sink.current.length - before, 10);
  assert.ok(rig.sink.current.slice(before).every(([path]) => path === 'fallback'));
  assert.equal(rig.sink.bid('C2EUR'), '4.44');
});

test('a poll that fails in any way is bounded in time, is retried more slowly, and never makes the feed current (fault row 47)', async () => {
  const failures: [string, RestAnswer][] = [
    ['status', { status: 500, body: 'no' }],
    ['malformed', { body: '<html>maintenance</html>' }],
    ['malformed', { body: '{"error":[],"result":{"C0EUR":{"a":' }],
    ['refused', { body: '{"error":["EService:Unavailable"]}' }],
    ['empty', { body: '{"error":[],"result":{}}' }],
    ['timeout', { how: 'hang' }],
  ];
  for (const [outcome, answer] of failures) {
    await onFallback();
    await rig.pass('a poll that works', () => (polls().ok ?? 0) >= 1);
    const working = rig.exchange.rest;
    rig.exchange.rest = (call) => (call === 'Ticker' ? answer : working(call, new URLSearchParams()));
    await rig.pass(outcome, () => (polls()[outcome as 'status'] ?? 0) >= 2, 250);
    const current = rig.sink.current.length;
    const requests = rig.requests.length;
    for (let second = 0; second < 30; second++) await rig.clock.advance(1_000);
    assert.equal(rig.sink.current.length, current);
    assert.ok(rig.requests.length - requests <= 25);
    rig.exchange.rest = working;
    await rig.pass('polls work again', () => rig.sink.current.length > current, 250);
    await rig.stop();
  }
});

test('a fallback answer that was asked before live data came never overwrites it (fault row 47)', async () => {
  await onFallback();
  await rig.pass('the first poll', () => polls().ok === 1);
  let answerLate: (() => void) | undefined;
  const working = rig.exchange.rest;
  const stale = rig.exchange.rest('Ticker', new URLSearchParams());
  rig.exchange.rest = (call, parameters) => {
    if (call !== 'Ticker' || answerLate !== undefined) return working(call, parameters);
    return { ...stale!, wait: (proceed) => (answerLate = proceed) };
  };
  await rig.pass('a poll under way', () => answerLate !== undefined);
  rig.exchange.upgrade = () => 'accept';
  for (const name of rig.names) rig.bids.set(`${name}/EUR`, '6.66');
  await rig.pass('the connection', () => rig.health.connection === 'open' && rig.health.symbolsSubscribed === 3, 50);
  await rig.clock.advance(1);
  for (const name of rig.names) rig.update(name);
  await rig.arrive();
  assert.equal(rig.health.path, 'live');
  const current = rig.sink.current.length;
  answerLate?.();
  await soon('the late answer', () => (rig.health.tickersRejected.older_than_live ?? 0) === 3);
  assert.deepEqual(
    rig.names.map((name) => rig.sink.bid(`${name}EUR`)),
    ['6.66', '6.66', '6.66'],
  );
  assert.equal(rig.sink.current.length, current);
});

test('after 429 the polls wait as long as the exchange asks (fault row 47)', async () => {
  await onFallback();
  await rig.pass('the first poll', () => polls().ok === 1);
  const working = rig.exchange.rest;
  rig.exchange.rest = () => ({ status: 429, headers: { 'retry-after': '25' } });
  await rig.pass('the refusal', () => polls().rate_limited === 1);
  rig.exchange.rest = working;
  const requests = rig.requests.length;
  await rig.clock.advance(24_900);
  assert.equal(rig.requests.length, requests);
  await rig.pass('polls again', () => polls().ok === 2);
});

test('a source is waited for until its catalogue cannot be loaded, two seconds at most, and always once it was', async () => {
  rig = new FeedRig();
  const answer = rig.exchange.rest;
  await rig.listen();
  rig.exchange.rest = () => ({ status: 503, body: '' });
  rig.start();
  assert.equal(rig.supervisor.isAwaited, true);
  await rig.pass('a failed load', () => Object.keys(rig.health.catalogueLoads).length > 0, 1);
  assert.equal(rig.supervisor.isAwaited, false);
  rig.exchange.rest = answer;
  await rig.pass('a load', () => rig.health.catalogueLoads.ok === 1);
  assert.equal(rig.supervisor.isAwaited, true);
});

test('a source that does not answer at all is waited for two seconds', async () => {
  rig = new FeedRig();
  await rig.listen();
  rig.exchange.rest = () => ({ how: 'hang' });
  rig.start();
  await rig.clock.advance(1_999);
  assert.equal(rig.supervisor.isAwaited, true);
  await rig.clock.advance(1);
  assert.equal(rig.supervisor.isAwaited, false);
});
