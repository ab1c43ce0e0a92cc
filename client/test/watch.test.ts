import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { digestOf } from '../../src/access/api-key.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import { ApiProblem, createClient, type Watch, type WatchState } from '../src/index.ts';
import { Drive, World } from './drive.testing.ts';
import { answer, type Behaviour, FaultyServer, statusBody, tickerBody, timeBody } from './faulty-server.testing.ts';

/** Reads a watch to its end and keeps what it gives. */
function record<T>(watch: Watch<T>) {
  const given: T[] = [];
  const outcome: { ended?: true; failure?: unknown } = {};
  const finished = (async () => {
    try {
      for await (const value of watch) given.push(value);
      outcome.ended = true;
    } catch (failure) {
      outcome.failure = failure;
    }
  })();
  return { given, outcome, finished };
}

describe('a watch of the real listener', () => {
  let world: World;
  let states: WatchState[];
  /** Those of the listener. */
  let timers: number;
  const onState = (state: WatchState) => states.push(state);
  const kinds = () => states.map(({ kind }) => kind);
  const tick = (bid: string) => world.api.tick('BTC', bid, '50010.00');

  beforeEach(async () => {
    world = await World.start();
    timers = world.clock.pendingTimers;
    states = [];
  });
  afterEach(() => world.stop());

  test('gives prices at once and then only when they change, asking every five seconds and a little more', async () => {
    const { given } = record(world.client().watchTickers({ onState }));
    await world.pass(60_000);
    assert.equal(given.length, 1);
    const gaps = world.askedAt('/v1/tickers').map((at, index, all) => at - (all[index - 1] ?? -5_000));
    assert.ok(
      gaps.length >= 11 && gaps.length <= 12 && gaps.every((gap) => gap >= 5_000 && gap <= 5_600),
      String(gaps),
    );
    tick('50001.00');
    await world.pass(6_000);
    assert.equal(given.length, 2);
    assert.notEqual(given[1]![1]?.sellPrice, given[0]![1]?.sellPrice);
    assert.deepEqual(kinds(), ['operational']);
    assert.deepEqual(new Set(world.statuses()), new Set([200, 304]));
  });

  test('asks for the status once a minute and for markets once an hour', async () => {
    const client = world.client();
    const status = record(client.watchStatus());
    const markets = record(client.watchMarkets());
    await world.pass(4_000_000, 2_000);
    assert.equal(markets.given.length, 1);
    assert.equal(world.askedAt('/v1/markets').length, 2);
    const gaps = world.askedAt('/v1/status').map((at, index, all) => at - (all[index - 1] ?? -60_000));
    assert.ok(gaps.every((gap) => gap >= 15_000));
    world.api.markets.marketChanged('ETHEUR' as MarketSymbol, { status: 'paused' });
    await world.pass(4_000_000, 2_000);
    assert.equal(markets.given[1]?.find(({ symbol }) => symbol === 'ETHEUR')?.status, 'paused');
    assert.deepEqual(
      status.given.map(({ status }) => status),
      ['operational', 'outage'],
    );
  });

  test('costs the same requests however many loops read it, and each gets everything', async () => {
    const client = world.client();
    const loops = [record(client.watchTickers()), record(client.watchTickers()), record(client.watchTickers())];
    await world.pass(4_000);
    const late = record(client.watchTickers());
    await world.pass(1_000);
    tick('50002.00');
    await world.pass(6_000);
    assert.deepEqual(
      [...loops, late].map(({ given }) => given.length),
      [2, 2, 2, 2],
    );
    assert.ok(world.askedAt('/v1/tickers').length <= 3);
  });

  test('ends with its signal, with break, and before it began, and leaves nothing running', async () => {
    const client = world.client();
    const controller = new AbortController();
    const reading = record(client.watchTickers({ signal: controller.signal }));
    const other = client.watchTicker('BTCEUR');
    await world.until(other.next());
    await world.pass(500);
    await other.return();
    controller.abort();
    await reading.finished;
    assert.equal(reading.outcome.ended, true);
    assert.deepEqual(await other.next(), { done: true, value: undefined });
    assert.deepEqual(await client.watchTickers({ signal: AbortSignal.abort() }).next(), {
      done: true,
      value: undefined,
    });
    const before = world.sent.length;
    await world.pass(120_000, 1_000);
    assert.equal(world.sent.length, before);
    assert.equal(world.clock.pendingTimers, timers, 'no timer of the client is left');
  });

  test('begun anew right after one ended asks no sooner for it', async () => {
    const client = world.client();
    for (let round = 0; round < 10; round++) {
      const watch = client.watchTickers();
      assert.equal((await world.until(watch.next())).done, false);
      await watch.return();
    }
    assert.equal(world.askedAt('/v1/tickers').length, 1);
  });

  test('gives a slow reader what is current, not what it missed', async () => {
    const watch = world.client().watchTicker('BTCEUR');
    await world.until(watch.next());
    for (const bid of ['49001.00', '49002.00', '49003.00']) {
      tick(bid);
      await world.pass(7_000);
    }
    const { value } = await world.until(watch.next());
    assert.equal(value?.low24h, '49003.00');
    assert.equal(value, watch.latest);
  });

  test('says that maintenance runs and until when, gives nothing, and goes on when it ends as announced', async () => {
    const client = world.client();
    const watch = client.watchTickers({ onState });
    const { given } = record(watch);
    await world.pass(1_000);
    const now = world.clock.now();
    const to = (now + 600_000) as EpochMs;
    world.api.service.setWindows([{ from: now, to, description: 'Upgrade.' }]);
    await world.pass(300_000, 500);
    const { untilMs, window } = watch.state;
    assert.deepEqual([untilMs, window?.description], [to, 'Upgrade.']);
    assert.equal(given.length, 1);
    assert.equal(world.sent.filter(({ path, status }) => path === '/v1/tickers' && status === 503).length, 1);
    await world.pass(295_000, 500);
    tick('50003.00');
    await world.pass(7_000, 500);
    assert.deepEqual(
      kinds(),
      ['operational', 'maintenance', 'operational'],
      'each once, and the last within two seconds',
    );
    assert.equal(given.length, 2);
  });

  test('tells once more of maintenance whose end moves', async () => {
    record(world.client().watchTickers({ onState }));
    await world.pass(1_000);
    const from = world.clock.now();
    const window = (lastsMs: number) => ({ from, to: (from + lastsMs) as EpochMs, description: 'Upgrade.' });
    world.api.service.setWindows([window(600_000)]);
    await world.pass(60_000, 500);
    world.api.service.setWindows([window(900_000)]);
    await world.pass(60_000, 500);
    assert.deepEqual(kinds(), ['operational', 'maintenance', 'maintenance']);
    assert.equal(states.at(-1)?.untilMs, from + 900_000);
  });

  test('goes on within seconds when maintenance ends early, because the status says so', async () => {
    record(world.client().watchTickers({ onState }));
    await world.pass(1_000);
    const now = world.clock.now();
    world.api.service.setWindows([{ from: now, to: (now + 3_600_000) as EpochMs, description: 'Upgrade.' }]);
    await world.pass(120_000, 500);
    assert.equal(kinds().at(-1), 'maintenance');
    world.api.service.setWindows([]);
    tick('50003.00');
    await world.pass(17_000, 500);
    assert.equal(kinds().at(-1), 'operational');
  });

  test('learns the state of the feed from the prices themselves, within one poll of them', async () => {
    record(world.client().watchTickers({ onState }));
    await world.pass(20_000);
    world.api.feed.pathChanged('fallback');
    await world.pass(6_000);
    assert.deepEqual(kinds(), ['operational', 'degraded']);
    tick('50004.00');
    await world.pass(6_000);
    assert.deepEqual(kinds(), ['operational', 'degraded', 'operational']);
    assert.equal(world.askedAt('/v1/status').length, 3, 'two of them for the age of data that gets old');
  });

  test('relies on a service that works worse up to the age of its data that the caller allows, 30 s by default', async () => {
    const patient: WatchState[] = [];
    const { given } = record(world.client().watchTickers({ onState }));
    const client = world.client({ maxDataAgeMs: 120_000 });
    record(client.watchTickers({ onState: (state) => patient.push(state) }));
    await world.pass(20_000);
    world.api.feed.pathChanged('fallback');
    await world.pass(8_000);
    tick('50001.00');
    world.api.feed.pathChanged('fallback');
    await world.pass(25_000, 1_000);
    assert.deepEqual([kinds(), given.length], [['operational', 'degraded'], 2]);
    await world.pass(12_000, 1_000);
    assert.deepEqual(kinds(), ['operational', 'degraded', 'outage']);
    await world.pass(70_000, 1_000);
    assert.deepEqual([patient.at(-1)?.kind, kinds().length], ['degraded', 3]);
    await world.pass(20_000, 1_000);
    assert.equal(patient.at(-1)?.kind, 'outage');
    tick('50002.00');
    await world.pass(17_000, 1_000);
    assert.deepEqual([kinds().at(-1), given.length], ['operational', 3]);
  });

  test('tells an outage of the feed though prices are served on, and holds those back until it is over', async () => {
    const { given } = record(world.client().watchTickers({ onState }));
    const everything = record(world.client().watchTickers({ includeStale: true }));
    await world.pass(290_000, 1_000);
    assert.deepEqual([kinds(), given.length], [['operational'], 1]);
    await world.pass(80_000, 1_000);
    assert.deepEqual(kinds(), ['operational', 'outage']);
    world.api.rate('25.000');
    await world.pass(6_000);
    assert.deepEqual([given.length, everything.given.length], [1, 2]);
    tick('50004.00');
    await world.pass(25_000);
    assert.deepEqual([kinds().at(-1), given.length], ['operational', 2]);
  });

  test('tells of the limit spent by others, and asks again only when it is told to', async () => {
    const { given } = record(world.client().watchTickers({ onState }));
    await world.pass(10_500);
    for (let used = 0; used < 60; used++) await world.api.get('/v1/time');
    await world.pass(40_000);
    assert.deepEqual(kinds(), ['operational', 'limited']);
    assert.ok(states[1]!.untilMs! >= Date.parse('2026-11-21T10:01:00Z'));
    const refused = world.sent.filter(({ status }) => status === 429);
    assert.ok(refused.length <= 1, 'a refusal once, at most');
    tick('50005.00');
    await world.pass(20_000);
    assert.equal(kinds().at(-1), 'operational');
    assert.equal(given.length, 2);
  });

  test('that nobody listens to ends with the problem when the key is refused; one with a listener says why and goes on', async () => {
    const key = world.api.addKey();
    const client = createClient(world.options(world.baseUrl, key));
    const listened = record(client.watchTickers({ onState }));
    const unheard = record(client.watchTickers());
    await world.pass(1_000);
    world.api.directory.remove(digestOf(key));
    await world.pass(6_000);
    assert.ok(unheard.outcome.failure instanceof ApiProblem && unheard.outcome.failure.code === 'INVALID_API_KEY');
    assert.equal(listened.outcome.failure, undefined);
    assert.deepEqual(kinds(), ['operational', 'unauthorized']);
    const { failure, untilMs } = states.at(-1)!;
    assert.ok(failure instanceof ApiProblem && failure.code === 'INVALID_API_KEY');
    assert.ok(untilMs! - world.clock.now() > 50_000, 'failed authentication has a limit: once a minute');
    await world.pass(300_000, 1_000);
    const refused = world.statuses().filter((status) => status === 401).length;
    assert.ok(refused >= 5 && refused <= 12, `${refused} requests in five minutes`);
    assert.deepEqual(kinds(), ['operational', 'unauthorized']);
  });

  test('uses an exchanged key at once, also after a refusal, and never sends the old one again', async () => {
    const [first, second, third] = [world.api.addKey(), world.api.addKey(), world.api.addKey()];
    const client = createClient(world.options(world.baseUrl, first));
    const { given, outcome } = record(client.watchTickers({ onState }));
    await world.pass(1_000);
    world.api.directory.remove(digestOf(first));
    await world.pass(6_000);
    tick('50001.00');
    client.exchangeKey(second);
    await world.pass(100);
    assert.deepEqual([kinds(), given.length], [['operational', 'unauthorized', 'operational'], 2]);
    client.exchangeKey(third);
    world.api.directory.remove(digestOf(second));
    const before = world.sent.length;
    tick('50002.00');
    await world.pass(7_000);
    assert.deepEqual([kinds().length, given.length, outcome.failure], [3, 3, undefined]);
    const keys = world.sent
      .slice(before)
      .map(({ headers }) => Object.values(headers).find((value) => value.startsWith('mdk_')));
    assert.deepEqual([...new Set(keys)], [third]);
    assert.throws(() => client.exchangeKey('not a key'), TypeError);
  });

  test('ends with the problem when its symbol is not traded, and says why when it only has no price', async () => {
    const client = world.client();
    const unknown = record(client.watchTicker('NOPEEUR', { onState }));
    await world.pass(500);
    assert.ok(unknown.outcome.failure instanceof ApiProblem && unknown.outcome.failure.code === 'UNKNOWN_SYMBOL');
    assert.equal(kinds().at(-1), 'refused');
    world.api.list('BTC', 'ETH', 'SOL');
    const priceless = record(client.watchTicker('SOLEUR', { onState }));
    await world.pass(30_000);
    const { kind, failure } = states.at(-1)!;
    assert.deepEqual([kind, (failure as ApiProblem).code], ['outage', 'MARKET_DATA_UNAVAILABLE']);
    world.api.tick('SOL', '150.00', '150.10');
    await world.pass(70_000);
    assert.equal(priceless.given[0]?.symbol, 'SOLEUR');
    assert.equal(kinds().at(-1), 'operational');
  });

  test('ends with what its state callback throws', async () => {
    const reading = record(
      world.client().watchTickers({
        onState() {
          throw new Error('mine');
        },
      }),
    );
    await world.pass(1_000);
    assert.match(String(reading.outcome.failure), /mine/);
    assert.equal(world.clock.pendingTimers, timers, 'no timer of the client is left');
  });
});

describe('a watch of a server in trouble', () => {
  let server: FaultyServer;
  let drive: Drive;
  /** Path to what it is answered with; unset paths break the connection. */
  let behaviours: Record<string, Behaviour>;

  const etag = { etag: '"1"' };
  const well = (): Record<string, Behaviour> => ({
    '/v1/time': answer(200, timeBody),
    '/v1/status': answer(200, statusBody()),
    '/v1/tickers': answer(200, { tickers: [tickerBody] }, etag),
  });

  beforeEach(async () => {
    behaviours = well();
    server = await FaultyServer.start((response, request) => {
      const behaviour = behaviours[request.url ?? ''];
      if (behaviour === undefined) response.socket?.resetAndDestroy();
      else behaviour(response, request);
    });
    drive = new Drive();
  });
  afterEach(() => server.stop());

  function watch() {
    const states: WatchState[] = [];
    const client = createClient(drive.options(server.baseUrl, 'key'));
    const reading = record(client.watchTickers({ onState: (state) => states.push(state) }));
    return { ...reading, states, kinds: () => states.map(({ kind }) => kind) };
  }

  test('asks ever less often, up to a minute, while nobody answers, and recovers by itself', async () => {
    const { given, kinds } = watch();
    await drive.pass(1_000);
    behaviours = {};
    await drive.pass(300_000, 1_000);
    const asked = drive.askedAt('/v1/tickers');
    const gaps = asked.slice(1).map((at, index) => at - asked[index]!);
    assert.ok(
      gaps.every((gap) => gap >= 5_000),
      String(gaps),
    );
    assert.ok(
      gaps.slice(1, 5).every((gap, index) => gap > 4_900 * 2 ** index),
      String(gaps),
    );
    assert.ok(gaps.length <= 9 && Math.max(...gaps) <= 76_000, String(gaps));
    assert.deepEqual(kinds(), ['operational', 'outage']);
    behaviours = { ...well(), '/v1/tickers': answer(200, { tickers: [{ ...tickerBody, buyPrice: '1.00' }] }) };
    await drive.pass(140_000, 1_000);
    assert.equal(kinds().at(-1), 'operational');
    assert.equal(given.length, 2);
  });

  test('never goes back to a ticker older than the one it holds, unless the clock of the server was set back', async () => {
    const aged = (symbol: string, seconds: number, buyPrice: string) => {
      const timestampMs = tickerBody.timestampMs + seconds * 1_000;
      return { ...tickerBody, symbol, buyPrice, timestamp: new Date(timestampMs).toISOString(), timestampMs };
    };
    const answered = (...tickers: object[]) =>
      answer(200, { tickers }, { etag: `"${JSON.stringify(tickers).length}"` });
    const { given } = watch();
    const prices = () => given.at(-1)!.map(({ buyPrice }) => buyPrice);
    behaviours['/v1/tickers'] = answered(aged('BTCEUR', 10, '10.00'), aged('ETHEUR', 10, '1.00'));
    await drive.pass(6_000);
    const before = given.length;
    behaviours['/v1/tickers'] = answered(aged('BTCEUR', 9, '9'), aged('ETHEUR', 9, '0.9'));
    await drive.pass(6_000);
    assert.equal(given.length, before, 'nothing new');
    behaviours['/v1/tickers'] = answered(aged('BTCEUR', 9, '9.000'), aged('ETHEUR', 11, '1.1000'));
    await drive.pass(6_000);
    assert.deepEqual(prices(), ['10.00', '1.1000']);
    behaviours['/v1/tickers'] = answered(aged('BTCEUR', 300, '12.00000'));
    await drive.pass(6_000);
    behaviours['/v1/tickers'] = answered(aged('BTCEUR', 20, '8.0000'));
    await drive.pass(6_000);
    assert.deepEqual(prices(), ['8.0000']);
  });

  test('does not take the same prices for a change after a restart gave them another tag', async () => {
    const { given } = watch();
    await drive.pass(1_000);
    behaviours['/v1/tickers'] = answer(200, { tickers: [tickerBody] }, { etag: '"2"' });
    await drive.pass(20_000);
    assert.equal(given.length, 1);
  });

  test('takes garbage for an outage, never for prices', async () => {
    const { given, states } = watch();
    await drive.pass(1_000);
    behaviours['/v1/tickers'] = answer(200, { tickers: [{ ...tickerBody, buyPrice: 50260.05 }] });
    await drive.pass(30_000);
    assert.deepEqual([states.at(-1)?.kind, states.at(-1)?.failure?.name], ['outage', 'MalformedAnswer']);
    assert.equal(given.length, 1);
  });

  test('holds prices back in a state of the service that it does not know, and names that', async () => {
    behaviours['/v1/status'] = answer(200, statusBody({ ticker: 'recovering' }));
    const { given, states } = watch();
    await drive.pass(10_000);
    assert.deepEqual(states, [{ kind: 'unrecognized', status: 'recovering' }]);
    assert.equal(given.length, 0);
  });

  test('tells of an outage once, however nobody answers', async () => {
    const { kinds } = watch();
    await drive.pass(1_000);
    behaviours = {};
    await drive.pass(30_000);
    behaviours = { '/v1/tickers': answer(502, '<html>') };
    await drive.pass(90_000, 1_000);
    assert.deepEqual(kinds(), ['operational', 'outage']);
  });

  test('takes the age of the data from the status alone, whatever the local clock says', async () => {
    const aged = (ms: number) => {
      const body = { ...statusBody({ ticker: 'degraded' }), lastUpdatedAtMs: timeBody.serverTimeMs - ms };
      behaviours['/v1/status'] = answer(200, { ...body, lastUpdatedAt: new Date(body.lastUpdatedAtMs).toISOString() });
    };
    aged(30_000);
    const { given, kinds } = watch();
    await drive.pass(10_000);
    drive.clock.jump(5 * 365 * 86_400_000);
    await drive.pass(10_000);
    assert.deepEqual([kinds(), given.length], [['degraded'], 1]);
    aged(30_001);
    await drive.pass(17_000);
    assert.deepEqual(kinds(), ['degraded', 'outage']);
  });

  test('goes on as degraded while the status alone cannot be had', async () => {
    delete behaviours['/v1/status'];
    const { given, kinds } = watch();
    await drive.pass(10_000);
    assert.deepEqual([kinds(), given.length], [['degraded'], 1]);
  });
});
