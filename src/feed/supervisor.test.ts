import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { soon } from '../../test/support/eventually.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { FeedRig } from './feed-rig.testing.ts';

let rig: FeedRig;

afterEach(() => rig.stop());

/** How often the newest connection was asked for a pair. */
function timesAsked(name: string): number {
  const names = rig.exchange.peer.received.map(({ params }) => (params as { symbol?: string[] })?.symbol ?? []);
  return names.filter((asked) => asked.includes(name)).length;
}

test('the feed goes live with fresh data of its symbols and a first update, and reports it once', async () => {
  rig = new FeedRig();
  await rig.listen();
  rig.start();
  await rig.pass('the snapshots', () => rig.sink.taken.length === 3, 1);
  assert.deepEqual(rig.sink.paths, []);
  assert.ok(rig.sink.current.every(([path]) => path === 'fallback'));
  rig.update('C0', '1.20');
  await soon('the live path', () => rig.health.path === 'live');
  assert.deepEqual(rig.sink.paths, ['live']);
  assert.deepEqual(rig.sink.current.at(-1), ['live', rig.clock.now()]);
  assert.equal(rig.sink.bid('C0EUR'), '1.20');
});

test('a connection that only answers heartbeats and pings is ended after exactly ten seconds without data, and REST serves meanwhile (fault row 41)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const muteSince = rig.clock.monotonicMs();
  await rig.live(9_000, () => rig.exchange.peer.send({ channel: 'heartbeat' }));
  await rig.clock.advance(muteSince + 9_999 - rig.clock.monotonicMs());
  assert.equal(rig.health.path, 'live');
  rig.bids.set('C0/EUR', '1.50');
  await rig.clock.advance(1);
  assert.deepEqual(rig.sink.paths, ['live', 'fallback']);
  assert.deepEqual(rig.health.connectionsEnded, { data_silent: 1 });
  await rig.pass('the first poll', () => rig.sink.bid('C0EUR') === '1.50');
  assert.ok(rig.clock.monotonicMs() - muteSince <= 11_100);
  assert.equal(rig.sink.current.at(-1)?.[0], 'fallback');
});

test('what the guard holds is asked for over REST at once and then each second, until it is good again (fault row 55)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  rig.sink.heldBid = '3.00';
  const polls = () => rig.health.polls.ok ?? 0;
  const before = polls();
  rig.bids.set('C0/EUR', '3.00');
  rig.update('C0', '3.00');
  await rig.pass('a poll', () => polls() > before);
  await rig.live(5_000);
  assert.ok(polls() >= before + 5, `${polls() - before} polls`);
  assert.equal(rig.health.path, 'live', 'a held ticker proves that the connection delivers');
  assert.equal(rig.sink.bid('C0EUR'), '1.10');
  rig.bids.set('C0/EUR', '1.30');
  rig.update('C0', '1.30');
  await rig.pass('the good price', () => rig.sink.bid('C0EUR') === '1.30');
  const after = polls();
  await rig.live(4_000);
  assert.equal(polls(), after);
});

test('heartbeats never make the feed current (fault row 41)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const before = rig.sink.current.length;
  for (let beat = 0; beat < 5; beat++) rig.exchange.peer.send({ channel: 'heartbeat' });
  await rig.arrive();
  assert.equal(rig.sink.current.length, before);
});

test('polls whose every ticker is refused do not make the feed current, and one that is taken does (fault row 56)', async () => {
  rig = new FeedRig();
  rig.exchange.upgrade = () => ({ status: 503, headers: '' });
  for (const name of rig.bids.keys()) rig.bids.set(name, '99.00');
  await rig.listen();
  rig.start();
  await rig.pass('refused polls', () => (rig.health.tickersRejected.crossed ?? 0) > 9);
  assert.equal(rig.health.path, 'fallback');
  assert.deepEqual(rig.sink.current, []);
  rig.bids.set('C1/EUR', '1.20');
  await rig.pass('a good ticker', () => rig.sink.bid('C1EUR') === '1.20');
  assert.deepEqual(rig.sink.current.at(-1), ['fallback', rig.sink.taken.at(-1)?.receivedAt]);
});

test('one silent market of three does not keep the feed on the fallback: live ten seconds later, that one over REST (fault row 64)', async () => {
  rig = new FeedRig();
  const { snapshot } = rig.exchange;
  rig.exchange.snapshot = (name) => (name === 'C2/EUR' ? undefined : snapshot?.(name));
  await rig.listen();
  rig.start();
  await rig.pass('the subscriptions', () => rig.health.symbolsSubscribed === 3, 10);
  const since = rig.clock.monotonicMs();
  rig.bids.set('C2/EUR', '1.77');
  const others = () => {
    rig.update('C0');
    rig.update('C1');
  };
  await rig.live(9_000, others);
  assert.deepEqual(rig.sink.paths, ['fallback']);
  while (rig.sink.paths.length < 2 && rig.clock.monotonicMs() - since < 15_000) await rig.live(1_000, others);
  rig.bids.set('C2/EUR', '1.88');
  await rig.live(8_000, others);
  assert.equal(rig.sink.bid('C2EUR'), '1.88');
  assert.deepEqual(rig.sink.paths, ['fallback', 'live']);
});

test('a peer that freezes is dropped after ten seconds of silence without waiting for a closing handshake (fault row 42)', async () => {
  rig = new FeedRig({ timing: { staleAfterMs: 60_000 } });
  await rig.startLive();
  rig.exchange.peer.raw.pause();
  const frozenSince = rig.clock.monotonicMs();
  await rig.clock.advance(9_999);
  assert.equal(rig.health.path, 'live');
  await rig.clock.advance(1);
  assert.deepEqual(rig.health.connectionsEnded, { transport_silent: 1 });
  assert.equal(rig.health.path, 'fallback');
  assert.equal(rig.clock.monotonicMs() - frozenSince, 10_000);
  await rig.becomeLive();
  assert.deepEqual(rig.sink.paths, ['live', 'fallback', 'live']);
});

test('pings keep a connection alive on which the exchange has nothing to say (fault row 41)', async () => {
  rig = new FeedRig({ timing: { staleAfterMs: 600_000 } });
  await rig.startLive();
  for (let turn = 0; turn < 12; turn++) {
    const frames = rig.health.framesReceived;
    await rig.clock.advance(5_000);
    await soon('the pong', () => rig.health.framesReceived > frames);
  }
  assert.deepEqual(rig.health.connectionsEnded, {});
});

test('one mute symbol among fifty is found out over REST, served from there and subscribed again, and the others notice nothing (fault row 41)', async () => {
  rig = new FeedRig({ pairs: 50 });
  await rig.startLive();
  const others = () => {
    for (const name of rig.names.slice(1)) rig.update(name);
  };
  await rig.live(3_000, others);
  const muteSince = rig.clock.monotonicMs();
  rig.bids.set('C0/EUR', '1.99');
  const snapshot = rig.exchange.snapshot;
  rig.exchange.snapshot = () => undefined;
  const served = () => rig.sink.bid('C0EUR') === '1.99';
  while (!served() && rig.clock.monotonicMs() - muteSince < 16_000) await rig.live(1_000, others);
  assert.ok(served(), 'REST did not serve the mute symbol in time');
  const renewals = () => rig.exchange.peer.received.filter(({ method }) => method === 'unsubscribe');
  await rig.live(3_000, others);
  assert.deepEqual(
    renewals().map(({ params }) => (params as { symbol: string[] }).symbol),
    [['C0/EUR']],
  );
  rig.bids.set('C0/EUR', '2.01');
  await rig.live(12_000, others);
  assert.equal(rig.sink.bid('C0EUR'), '2.01');
  assert.deepEqual(rig.sink.paths, ['live']);
  assert.deepEqual(rig.health.connectionsEnded, {});
  assert.equal(rig.exchange.peers.length, 1);
  rig.exchange.snapshot = snapshot;
  rig.update('C0', '2.02');
  await rig.arrive();
  assert.equal(rig.health.symbolsDoubted, 0);
});

test('a symbol that is quiet because nothing happens is confirmed over REST and not subscribed again', async () => {
  rig = new FeedRig();
  await rig.startLive();
  await rig.live(40_000, () => rig.update('C0'));
  assert.ok((rig.health.polls.ok ?? 0) >= 2);
  assert.ok((rig.health.polls.ok ?? 0) <= 5);
  assert.ok(rig.exchange.peer.received.every(({ method }) => method !== 'unsubscribe'));
  assert.ok(
    rig.requests.filter((request) => request.startsWith('Ticker')).every((request) => !request.includes('C0EUR')),
  );
});

test('a rejected symbol is reported, served by polling, tried again after five minutes, and disturbs nobody', async () => {
  rig = new FeedRig();
  rig.exchange.judge = (name) => (name === 'C2/EUR' ? 'reject' : 'accept');
  rig.bids.set('C2/EUR', '7.77');
  await rig.startLive();
  assert.deepEqual(rig.health.symbolsRejected, ['C2EUR']);
  await rig.live(10_000, () => rig.update('C0'));
  assert.equal(rig.sink.bid('C2EUR'), '7.77');
  assert.equal(timesAsked('C2/EUR'), 1);
  rig.exchange.judge = () => 'accept';
  await rig.live(295_000, () => rig.update('C0'));
  assert.equal(timesAsked('C2/EUR'), 2);
  assert.deepEqual(rig.health.symbolsRejected, []);
  assert.deepEqual(rig.sink.paths, ['live']);
});

test('a symbol whose subscription is never answered is treated as rejected', async () => {
  rig = new FeedRig({ pairs: 20 });
  rig.exchange.judge = (name) => (name === 'C7/EUR' ? 'ignore' : 'accept');
  await rig.startLive();
  await rig.live(11_000, () => rig.update('C0'));
  assert.deepEqual(rig.health.symbolsRejected, ['C7EUR']);
  assert.equal(rig.health.path, 'live');
  await rig.live(60_000, () => rig.update('C0'));
  assert.equal(timesAsked('C7/EUR'), 2, 'and asked for again after a minute');
});

test('a symbol whose answer is late is live as soon as it has a price, and asked for anew on the next connection', async () => {
  rig = new FeedRig({ pairs: 20 });
  rig.exchange.judge = (name) => (name === 'C7/EUR' || name === 'C8/EUR' ? 'ignore' : 'accept');
  await rig.startLive();
  await rig.live(11_000, () => rig.update('C0'));
  assert.deepEqual(rig.health.symbolsRejected, ['C7EUR', 'C8EUR']);
  rig.update('C7');
  await rig.arrive();
  assert.deepEqual(rig.health.symbolsRejected, ['C8EUR']);
  assert.equal(rig.supervisor.reach('C7EUR' as MarketSymbol), 'live');
  rig.exchange.judge = () => 'accept';
  rig.exchange.peer.socket.terminate();
  await rig.pass('every subscription', () => rig.health.symbolsSubscribed === 20);
});

test('a new connection begins with snapshots that replace what was known, and live comes back only with an update (fault row 44)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  rig.bids.set('C1/EUR', '3.30');
  rig.exchange.peer.socket.close(1000);
  await rig.pass('the fallback', () => rig.health.path === 'fallback');
  await rig.pass('the second connection', () => rig.exchange.peers.length === 2 && rig.health.symbolsSubscribed === 3);
  await rig.arrive();
  assert.equal(rig.sink.bid('C1EUR'), '3.30');
  assert.equal(rig.health.path, 'fallback');
  rig.update('C0');
  await rig.arrive();
  assert.deepEqual(rig.sink.paths, ['live', 'fallback', 'live']);
});

test('live does not come back while most symbols still wait for their snapshot (fault row 47)', async () => {
  rig = new FeedRig({ pairs: 10 });
  await rig.startLive();
  const snapshot = rig.exchange.snapshot;
  rig.exchange.snapshot = (name) => (name < 'C5' ? snapshot(name) : undefined);
  rig.exchange.peer.socket.terminate();
  await rig.pass('the second connection', () => rig.exchange.peers.length === 2 && rig.health.symbolsSubscribed === 10);
  rig.update('C0');
  await rig.arrive();
  assert.equal(rig.health.path, 'fallback');
  for (const name of rig.names.slice(5)) rig.update(name);
  await rig.arrive();
  assert.equal(rig.health.path, 'live');
});

test('duplicate, out-of-order and replayed frames never take a published time or price back (fault row 44)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const now = rig.clock.now();
  rig.update('C0', '1.20', now + 5);
  rig.update('C0', '1.20', now + 5);
  rig.update('C0', '1.11', now - 60_000);
  rig.update('C0', '1.12', now - 1);
  await rig.arrive();
  assert.equal(rig.sink.bid('C0EUR'), '1.20');
  assert.equal(rig.health.tickersRejected.out_of_order, 2);
  const times = rig.sink.taken
    .filter(({ symbol }) => symbol === ('C0EUR' as typeof symbol))
    .map((ticker) => ticker.upstreamTime ?? 0);
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
});

test('stopping leaves no timer, no socket and no request, whatever was under way', async () => {
  rig = new FeedRig();
  await rig.startLive();
  rig.exchange.rest = () => ({ how: 'hang' });
  rig.exchange.peer.socket.terminate();
  await rig.pass('a poll under way', () => rig.exchange.hanging > 0);
  rig.supervisor.stop();
  await soon('the request is given up', () => rig.exchange.hanging === 0);
  await soon('the connections are gone', () => rig.exchange.peers.every(({ socket }) => socket.readyState === 3));
  const requests = rig.requests.length;
  await rig.clock.advance(3_600_000);
  assert.equal(rig.clock.pendingTimers, 0);
  assert.equal(rig.requests.length, requests);
});

/** Blocks the event loop, as a long computation would. */
function stall(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

test('ten thousand updates amid stalls of the event loop: the newest values win at once and nothing is held (fault row 46)', async () => {
  rig = new FeedRig({ pairs: 20 });
  await rig.startLive();
  const takenBefore = rig.sink.taken.length;
  const heldBefore = process.memoryUsage().heapUsed;
  for (let burst = 0; burst < 5; burst++) {
    for (let turn = 0; turn < 100; turn++) {
      for (const name of rig.names) rig.update(name, `1.${burst}${String(turn).padStart(2, '0')}`);
    }
    stall(50);
  }
  // Processor time, not time: other work on the machine is not ours to judge.
  const before = process.cpuUsage();
  await rig.arrive();
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, 'freshness does not recover within a second');
  assert.equal(rig.sink.taken.length - takenBefore, 10_000);
  assert.ok(rig.names.every((name) => rig.sink.bid(`${name}EUR`) === '1.499'));
  assert.equal(rig.health.path, 'live');
  rig.sink.taken.length = 0;
  assert.ok(process.memoryUsage().heapUsed - heldBefore < 100 * 1024 * 1024);
});

test('a frame is handled to its end before the next: the sink sees every update in the order it was sent (fault row 46)', async () => {
  rig = new FeedRig({ pairs: 1 });
  await rig.startLive();
  rig.sink.taken.length = 0;
  for (let turn = 0; turn < 2_000; turn++) rig.update('C0', `1.${String(turn).padStart(4, '0')}`);
  await rig.arrive();
  const bids = rig.sink.taken.map(({ bid }) => bid ?? '');
  assert.deepEqual(bids, bids.toSorted());
  assert.equal(bids.length, 2_000);
});

test('a sink that throws costs one frame and is counted, and the connection stays (fault row 45)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const { sink } = rig;
  const original = sink.tickerReceived.bind(sink);
  sink.tickerReceived = () => {
    throw new Error('the market room failed');
  };
  rig.update('C0', '1.20');
  await rig.arrive();
  sink.tickerReceived = original;
  rig.update('C0', '1.30');
  await soon('the next update', () => sink.bid('C0EUR') === '1.30');
  assert.equal(rig.health.framesDropped.failed, 1);
  assert.deepEqual(rig.health.connectionsEnded, {});
});

test('while the exchange says of itself that it is in maintenance its prices are no source, until it says otherwise (fault row 75)', async () => {
  for (const system of ['maintenance', 'cancel_only', 'post_only']) {
    rig = new FeedRig();
    await rig.startLive();
    for (const name of rig.names) rig.update(name);
    await rig.arrive();
    const symbol = 'C0EUR' as MarketSymbol;
    const say = async (word: string) => {
      rig.exchange.peer.send({ channel: 'status', type: 'update', data: [{ system: word }] });
      await soon('the word', () => rig.health.systemStatus === word);
    };
    assert.deepEqual([rig.supervisor.isLive, rig.supervisor.reach(symbol)], [true, 'live']);
    const reviews = rig.sink.paths.length;
    await say(system);
    assert.deepEqual([rig.supervisor.isLive, rig.supervisor.reach(symbol)], [false, 'silent']);
    assert.equal(rig.sink.paths.length, reviews + 1, 'the sources are chosen anew at once');
    await say('online');
    assert.deepEqual([rig.supervisor.isLive, rig.supervisor.reach(symbol)], [true, 'live']);
    if (system !== 'post_only') await rig.stop();
  }
});

test('statistics that cannot be are left out and counted, and the price stands', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const entry = (change: string, last: string, vwap: string) =>
    rig
      .entry('C0/EUR')
      .replace(/"change_pct":[^,]+/, `"change_pct":${change}`)
      .replace(/"last":[^,]+/, `"last":${last}`)
      .replace(/"vwap":[^,]+/, `"vwap":${vwap}`);
  const send = (text: string) => rig.exchange.peer.send(`{"channel":"ticker","type":"update","data":[${text}]}`);
  for (const [change, last, vwap, expected] of [
    ['1000000000', '1.5', '1.2', [undefined, '1.5', '1.2']],
    ['-100.5', '1.5', '1.2', [undefined, '1.5', '1.2']],
    ['-99.9', '4.1', '0.4', ['-99.9', undefined, undefined]],
    ['99999.9', '4.0', '0.5', ['99999.9', '4.0', '0.5']],
  ] as const) {
    send(entry(change, last, vwap));
    await rig.arrive();
    const { priceChangePercent24h, last: read, vwap24h, bid } = rig.sink.taken.at(-1)!;
    assert.deepEqual([priceChangePercent24h, read, vwap24h, bid], [...expected, '1.10']);
  }
  assert.deepEqual(rig.health.statisticsLeftOut, { priceChangePercent24h: 2, last: 1, vwap24h: 1 });
});
