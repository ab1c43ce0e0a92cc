import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FeedRig } from './feed-rig.testing.ts';
import type { RestAnswer } from './scripted-exchange.testing.ts';

let rig: FeedRig;

afterEach(() => rig.stop());

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
    const questions = rig.exchange.questions.length;
    for (let second = 0; second < 30; second++) await rig.clock.advance(1_000);
    assert.equal(rig.sink.current.length, current);
    assert.ok(rig.exchange.questions.length - questions <= 25);
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
  await eventually('the late answer', () => (rig.health.tickersRejected.older_than_live ?? 0) === 3);
  assert.deepEqual(
    rig.names.map((name) => rig.sink.bid(`${name}EUR`)),
    ['6.66', '6.66', '6.66'],
  );
  assert.equal(rig.sink.current.length, current);
});

test('after 429 the polls wait as long as they were told (fault row 47)', async () => {
  await onFallback();
  await rig.pass('the first poll', () => polls().ok === 1);
  const working = rig.exchange.rest;
  rig.exchange.rest = () => ({ status: 429, headers: { 'retry-after': '25' } });
  await rig.pass('the refusal', () => polls().rate_limited === 1);
  rig.exchange.rest = working;
  const questions = rig.exchange.questions.length;
  await rig.clock.advance(24_900);
  assert.equal(rig.exchange.questions.length, questions);
  await rig.pass('polls again', () => polls().ok === 2);
});
