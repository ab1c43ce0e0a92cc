import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { turns } from '../../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { silentLog } from '../../ground/log.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { LiveEvent } from '../connector.ts';
import { RecordingSink } from '../feed-rig.testing.ts';
import { FeedSupervisor } from '../supervisor.ts';
import { PushConnector } from './connector.ts';
import { FakeTransport, market, ticker } from './engine.testing.ts';

const never = new AbortController().signal;

function rig() {
  const clock = new FakeClock();
  const connector = new PushConnector({
    id: 'engine',
    urls: { rest: '', ws: '' },
    quotes: ['EUR' as CurrencyCode],
    symbols: 'all',
    clock,
    requestTimeoutMs: 1_000,
    frameBytesMax: 1_000_000,
  });
  const events: LiveEvent[] = [];
  const open = () => connector.openLive((event) => event.type !== 'frame' && events.push(event));
  const engine = (epoch = 1) => {
    const transport = new FakeTransport();
    const session = connector.accept(transport);
    const send = (...messages: object[]) => {
      for (const message of messages) session.received(JSON.stringify(message));
      return transport.take();
    };
    return { transport, session, send, hello: () => send({ type: 'hello', protocol: 1, epoch }) };
  };
  const tickers = () =>
    events.splice(0).flatMap((event) => (event.type === 'ticker' ? event.tickers.map(({ bid }) => bid) : []));
  return { clock, connector, events, open, engine, tickers };
}

const begin = { type: 'snapshot', phase: 'begin' };
const end = { type: 'snapshot', phase: 'end' };
const catalogue = { type: 'catalogue', markets: [market('BTC'), market('ETH')] };
const btc = 'BTCEUR' as MarketSymbol;

/** An engine whose snapshot was taken up to sequence number 2. */
function synced() {
  const all = rig();
  const connection = all.open();
  const engine = all.engine();
  engine.hello();
  engine.send(catalogue);
  connection.subscribe([btc, 'ETHEUR' as MarketSymbol]);
  const at = all.clock.now();
  engine.send(begin, ticker(1, 'BTCEUR', at), ticker(2, 'ETHEUR', at), end);
  all.events.length = 0;
  return { ...all, connection, engine, at };
}

describe('an engine that connects', () => {
  test('leaves nothing behind each time its catalogue is taken', async () => {
    const { connector, engine } = rig();
    const { signal } = new AbortController();
    const loading = connector.loadCatalogue(signal);
    engine().send({ type: 'hello', protocol: 1, epoch: 1 }, catalogue);
    await loading;
    const listening = getEventListeners(signal, 'abort').length;
    for (let time = 0; time < 10; time++) await connector.loadCatalogue(signal);
    assert.equal(getEventListeners(signal, 'abort').length, listening);
  });

  test('is asked for its state, and its markets and prices come through digit for digit', async () => {
    const { connector, engine, open, events, clock } = rig();
    const loading = connector.loadCatalogue(never);
    const connection = open();
    const { hello, send } = engine();
    assert.deepEqual(hello(), ['resync connected']);
    assert.deepEqual(send(catalogue), []);
    const { markets } = await loading;
    assert.deepEqual(
      markets.map(({ symbol, tickSize, minOrderSize }) => [symbol, tickSize, minOrderSize]),
      [
        ['BTCEUR', '0.1', '0.00005'],
        ['ETHEUR', '0.1', '0.00005'],
      ],
    );
    connection.subscribe([btc, 'NONEEUR' as MarketSymbol]);
    send(begin, ticker(7, 'BTCEUR', clock.now(), { bid: '49999.99000', changePercent24h: '-1.25' }), end);
    const taken = events.filter(({ type }) => type === 'ticker');
    assert.deepEqual(
      events.map(({ type }) => type),
      ['opened', 'instruments', 'accepted', 'rejected', 'ticker', 'whole'],
    );
    const [only] = taken as Extract<LiveEvent, { type: 'ticker' }>[];
    assert.equal(only?.isSnapshot, true);
    assert.deepEqual(only?.tickers, [
      {
        symbol: 'BTCEUR',
        bid: '49999.99000',
        ask: '50000.10',
        high24h: '51000',
        low24h: '49000',
        volume24h: '12.50',
        last: undefined,
        vwap24h: undefined,
        priceChangePercent24h: '-1.25',
        path: 'live',
        upstreamTime: clock.now(),
        askedAt: clock.now(),
        receivedAt: clock.now(),
      },
    ]);
    await clock.advance(250);
  });

  test('hears up to which ticker it was read, a quarter of a second later', async () => {
    const { engine, clock, at } = synced();
    await clock.advance(250);
    assert.deepEqual(engine.send(ticker(3, 'BTCEUR', at)), ['ack 2']);
    await clock.advance(250);
    assert.deepEqual(engine.transport.take(), ['ack 3']);
  });

  test('that leaves a number out is asked for its state again, and nothing of it counts until then', () => {
    const { engine, tickers, at } = synced();
    assert.deepEqual(engine.send(ticker(4, 'BTCEUR', at, { bid: '49991' })), ['resync gap']);
    assert.deepEqual(engine.send(ticker(5, 'BTCEUR', at, { bid: '49992' })), []);
    assert.deepEqual(tickers(), []);
    engine.send(begin, ticker(9, 'BTCEUR', at, { bid: '49993' }), end, ticker(10, 'ETHEUR', at, { bid: '49994' }));
    assert.deepEqual(tickers(), ['49993', '49994']);
    assert.deepEqual(engine.send({ type: 'heartbeat', lastSeq: 12 }), ['resync gap'], 'a heartbeat shows a gap too');
  });

  test('without a change for five seconds is asked to send its state once more', async () => {
    const { engine, clock, tickers } = synced();
    for (let second = 0; second < 6; second++) {
      await clock.advance(1_000);
      engine.session.received('{"type":"heartbeat","lastSeq":2}');
    }
    assert.deepEqual(engine.transport.take(), ['ack 2', 'resync quiet']);
    engine.send(begin, ticker(3, 'BTCEUR', clock.now()), end);
    assert.deepEqual(tickers(), ['50000.0']);
  });

  test('that repeats a number is not taken back to it', () => {
    const { engine, tickers, at } = synced();
    engine.send(
      ticker(3, 'BTCEUR', at, { bid: '49995' }),
      ticker(2, 'BTCEUR', at, { bid: '49994' }),
      ticker(3, 'BTCEUR', at),
    );
    assert.deepEqual(tickers(), ['49995']);
  });

  test('that sends what cannot be is refused by name, and the numbers go on', () => {
    const { engine, tickers, at } = synced();
    const refusals = engine.send(
      ticker(3, 'DOGEEUR', at),
      ticker(4, 'BTCEUR', at + 60_000),
      ticker(5, 'BTCEUR', at, { ask: '49999' }),
      ticker(6, 'BTCEUR', at, { bid: '0' }),
      ticker(7, 'BTCEUR', at, { bid: '1e5' }),
      ticker(8, 'BTCEUR', at, { bid: 50000 as never }),
      { type: 'ticker', seq: 9, symbol: 'BTCEUR' },
      { ...ticker(10, 'BTCEUR', at), extra: 1 },
      ticker(11, 'BTCEUR', at, { ask: '500001' }),
      ticker(12, 'BTCEUR', at, { high24h: '48999.9' }),
      { type: 'ticker', seq: 'x', symbol: 'BTCEUR' },
      { type: 'trade' },
    );
    assert.deepEqual(
      refusals.map((text) => text.split('.')[0]!.replace(/\d{13}/g, 'T')),
      [
        'UNKNOWN_SYMBOL: symbol: DOGEEUR is not in the catalogue',
        'FUTURE_TIME: time: T is in the future; it is T here',
        'INVALID_PRICE: ask: is below the bid',
        'INVALID_PRICE: bid: must be above zero',
        `INVALID_MESSAGE: bid: must match pattern "^(0|[1-9]\\d*)(\\`,
        'INVALID_MESSAGE: bid: must be string',
        'INVALID_MESSAGE: time: is missing',
        'INVALID_MESSAGE: extra: is not known',
        'INVALID_PRICE: ask: is more than 10 times the bid',
        'INVALID_PRICE: high24h: is below low24h',
        'INVALID_MESSAGE: time: is missing',
        'MALFORMED: type: must be one of hello, catalogue, snapshot, ticker, heartbeat',
      ],
    );
    assert.deepEqual(engine.send(ticker(13, 'BTCEUR', at, { bid: '49990' })), []);
    assert.deepEqual(tickers(), ['49990']);
  });

  test('that leaves a market out of a whole snapshot says that it has no price (fault row 77)', () => {
    const { engine, events, at } = synced();
    engine.send(begin, ticker(3, 'ETHEUR', at), end);
    const withdrawn = () => events.splice(0).flatMap((event) => (event.type === 'withdrawn' ? [...event.symbols] : []));
    assert.deepEqual(withdrawn(), ['BTCEUR']);
    engine.send(begin, ticker(4, 'BTCEUR', at, { bid: 'x' }), ticker(5, 'ETHEUR', at), end);
    assert.deepEqual(withdrawn(), [], 'one that is refused was not left out');
    engine.send(begin, ticker(6, 'BTCEUR', at), ticker(8, 'ETHEUR', at), end);
    assert.deepEqual(withdrawn(), [], 'one with a gap is not whole');
  });

  test('whose token is gone has set no epoch', () => {
    const { connector } = rig();
    const hello = (epoch: number, token: string) => {
      const transport = new FakeTransport();
      connector.accept(transport, token).received(JSON.stringify({ type: 'hello', protocol: 1, epoch }));
      return transport.closedWith;
    };
    hello(Number.MAX_SAFE_INTEGER, 'one');
    assert.deepEqual([connector.epochToken, hello(5, 'two')], ['one', 4002]);
    connector.forgetEpoch();
    assert.deepEqual([hello(5, 'two'), connector.epochToken], [undefined, 'two']);
  });

  test('has new markets listed within two seconds of its catalogue, and again after one went', async () => {
    const { connector, clock, engine, at } = synced();
    const sink = new RecordingSink();
    const supervisor = new FeedSupervisor({
      connector,
      sink,
      clock,
      randomness: seededRandomness(1),
      log: silentLog,
      timing: {},
    });
    const listed = () => sink.catalogues.at(-1);
    supervisor.start();
    await clock.advance(0);
    await turns(5);
    assert.deepEqual(listed(), ['BTCEUR', 'ETHEUR']);
    for (const bases of [
      ['BTC', 'ETH', 'ADA'],
      ['BTC', 'ETH'],
      ['ADA', 'BTC', 'ETH'],
    ]) {
      engine.send({ type: 'catalogue', markets: bases.map((base) => market(base)) });
      for (let step = 0; step < 8; step++) {
        await clock.advance(250);
        engine.send(ticker(3, 'BTCEUR', at), { type: 'heartbeat', lastSeq: 0 });
        await turns(5);
      }
      assert.deepEqual(
        listed(),
        bases.map((base) => `${base}EUR`),
      );
    }
    supervisor.stop();
  });

  test('that leaves a market out has its price withdrawn by the feed', async () => {
    const { connector, clock, engine, at } = synced();
    const sink = new RecordingSink();
    const withdrawn: string[] = [];
    sink.priceWithdrawn = (symbol) => void withdrawn.push(symbol);
    const supervisor = new FeedSupervisor({
      connector,
      sink,
      clock,
      randomness: seededRandomness(1),
      log: silentLog,
      timing: {},
    });
    supervisor.start();
    await clock.advance(0);
    await turns(5);
    engine.send(begin, ticker(1, 'BTCEUR', at), ticker(2, 'ETHEUR', at), end);
    assert.deepEqual([sink.bid('BTCEUR'), withdrawn], ['50000.0', []]);
    engine.send(begin, ticker(3, 'ETHEUR', at), end);
    assert.deepEqual(withdrawn, ['BTCEUR']);
    supervisor.stop();
  });

  test('whose markets are quiet is live with the end of its snapshot, though some have no price (fault row 98)', async () => {
    const { connector, clock, engine, at } = synced();
    const sink = new RecordingSink();
    const parts = { connector, sink, clock, randomness: seededRandomness(1), log: silentLog, timing: {} };
    const supervisor = new FeedSupervisor(parts);
    supervisor.start();
    await clock.advance(0);
    await turns(5);
    engine.send(begin, ticker(1, 'BTCEUR', at));
    assert.equal(supervisor.isLive, false);
    engine.send(end);
    assert.deepEqual([supervisor.isLive, supervisor.reach(btc)], [true, 'live']);
    for (let beat = 0; beat < 4; beat++) {
      await clock.advance(1_000);
      engine.send({ type: 'heartbeat', lastSeq: 1 });
    }
    assert.deepEqual([supervisor.isLive, supervisor.reach(btc)], [true, 'live']);
    supervisor.stop();
  });

  test('with a catalogue that contradicts itself keeps the one before', () => {
    const { engine, tickers, at } = synced();
    const twice = engine.send({ type: 'catalogue', markets: [market('BTC'), market('BTC')] });
    assert.deepEqual(twice, ['INVALID_MESSAGE: markets.1: BTCEUR is listed twice.']);
    const zero = engine.send({ type: 'catalogue', markets: [market('BTC', { tickSize: '0.00' as DecimalString })] });
    assert.deepEqual(zero, ['INVALID_MESSAGE: markets.0.tickSize: must be above zero.']);
    engine.send(ticker(3, 'ETHEUR', at));
    assert.deepEqual(tickers(), ['50000.0']);
  });

  test('that does not begin with hello, or says it twice, is cut off', () => {
    const { engine } = rig();
    const rude = engine();
    assert.deepEqual(rude.send(catalogue), ['OUT_OF_TURN: catalogue: a connection begins with hello.']);
    assert.equal(rude.transport.closedWith, 4001);
    const twice = engine();
    twice.hello();
    twice.hello();
    assert.equal(twice.transport.closedWith, 4001);
    const hasty = engine();
    hasty.hello();
    assert.deepEqual(hasty.send(begin), ['OUT_OF_TURN: snapshot: send the catalogue of this connection first.']);
  });

  test('of a later run ends the connection of an earlier one, which does not come back', () => {
    const { open, engine, events } = rig();
    open();
    const first = engine(3);
    first.hello();
    const second = engine(4);
    second.hello();
    assert.equal(first.transport.closedWith, 4002);
    const late = engine(3);
    late.hello();
    assert.equal(late.transport.closedWith, 4002);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['opened'],
      'the feed sees one connection all along',
    );
  });

  test('that falls silent for three seconds, or reads nothing, is dropped, and the feed is told', async () => {
    const { engine, events, clock } = synced();
    await clock.advance(2_500);
    engine.send({ type: 'heartbeat', lastSeq: 2 });
    await clock.advance(2_500);
    assert.equal(engine.transport.closedWith, undefined);
    await clock.advance(1_000);
    assert.equal(engine.transport.closedWith, 4003);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['closed'],
    );
    const slow = synced();
    slow.engine.transport.unsent = 100_000;
    await slow.clock.advance(250);
    assert.equal(slow.engine.transport.closedWith, 4004);
    assert.equal(slow.clock.pendingTimers, 0);
  });
});

test('a live connection that is opened while an engine is there begins with its state', async () => {
  const { open, engine, events } = rig();
  const { hello, send, transport } = engine();
  hello();
  send(catalogue, begin, end);
  const connection = open();
  await Promise.resolve();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['opened'],
  );
  assert.deepEqual(transport.take(), ['resync requested']);
  connection.terminate();
  assert.equal(transport.closedWith, 1013);
});

test('a catalogue that nobody sends is waited for until the feed stops waiting', async () => {
  const { connector } = rig();
  const stop = new AbortController();
  const loading = connector.loadCatalogue(stop.signal);
  stop.abort();
  await assert.rejects(loading, /the engine sent no catalogue/);
  await assert.rejects(connector.pollTickers(), /the engine is not connected/);
});
