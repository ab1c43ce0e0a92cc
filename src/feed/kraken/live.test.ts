import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { soon } from '../../../test/support/eventually.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import type { LiveConnection, LiveEvent } from '../connector.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { KrakenConnector } from './connector.ts';

const frameBytesMax = 1024 * 1024;
const symbols = Array.from({ length: 120 }, (_, index) => `C${index}EUR` as MarketSymbol);
const pairs = Object.fromEntries(
  symbols.map((symbol, index) => [
    symbol,
    { wsname: `C${index}/EUR`, base: `C${index}`, quote: 'ZEUR', pair_decimals: 2, lot_decimals: 8, ordermin: '1' },
  ]),
);
const entry = (name: string, bid = '1.10') =>
  `{"symbol":"${name}","bid":${bid},"ask":1.20,"last":1.15,"new_member":[{}]}`;
const update = (name: string, bid?: string) => `{"channel":"ticker","type":"update","data":[${entry(name, bid)}]}`;

let exchange: ScriptedExchange;
let clock: FakeClock;
let connection: LiveConnection;
let events: LiveEvent[];

beforeEach(async () => {
  exchange = new ScriptedExchange();
  await exchange.listen();
  exchange.rest = (call) =>
    call === 'AssetPairs' ? { body: JSON.stringify({ error: [], result: pairs }) } : undefined;
  clock = new FakeClock();
  events = [];
});

afterEach(async () => {
  connection.terminate();
  await exchange.close();
});

async function open(waitFor: LiveEvent['type'] = 'opened'): Promise<void> {
  const { restUrl, liveUrl } = exchange;
  const connector = new KrakenConnector(
    connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode], frameBytesMax }),
  );
  await connector.loadCatalogue(new AbortController().signal);
  connection = connector.openLive((event) => events.push(event));
  await soon(`the event ${waitFor}`, () => events.some((event) => event.type === waitFor));
}

function of<Type extends LiveEvent['type']>(type: Type): Extract<LiveEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<LiveEvent, { type: Type }> => event.type === type);
}

/** Everything the server sent before has been handled. */
async function caughtUp(): Promise<void> {
  const before = of('system').length;
  exchange.peer.send({ channel: 'status', type: 'update', data: [{ system: 'online' }] });
  await soon('the last frame arrived', () => of('system').length > before);
}

test('subscriptions are sent in paced batches of fifty, by best bid and offer with a snapshot', async () => {
  await open();
  connection.subscribe(symbols);
  const batches = () =>
    exchange.peer.received.filter(({ params }) => (params as { channel?: string }).channel === 'ticker');
  await soon('the first batch', () => batches().length === 1);
  await clock.advance(99);
  assert.equal(batches().length, 1);
  await clock.advance(200);
  await soon('all batches', () => batches().length === 3);
  const sizes = batches().map(({ params }) => (params as { symbol: string[] }).symbol.length);
  assert.deepEqual(sizes, [50, 50, 20]);
  assert.deepEqual(batches()[0]?.params, {
    channel: 'ticker',
    symbol: symbols.slice(0, 50).map((_, index) => `C${index}/EUR`),
    event_trigger: 'bbo',
    snapshot: true,
  });
  await soon('every symbol is acknowledged', () => of('accepted').length === 120);
});

test('each symbol is answered: accepted, refused, or unanswered after the deadline', async () => {
  exchange.judge = (name) => (name === 'C1/EUR' ? 'reject' : name === 'C2/EUR' ? 'ignore' : 'accept');
  await open();
  connection.subscribe(symbols.slice(0, 3));
  await soon('two answers', () => of('accepted').length + of('rejected').length === 2);
  await clock.advance(9_999);
  assert.deepEqual(of('rejected'), [{ type: 'rejected', symbol: 'C1EUR', reason: 'refused' }]);
  await clock.advance(1);
  assert.deepEqual(of('rejected').at(-1), { type: 'rejected', symbol: 'C2EUR', reason: 'unanswered' });
  assert.equal(of('accepted').length, 1);
});

test('data, or the answer that it is already subscribed, is as good as an acknowledgement', async () => {
  exchange.judge = () => 'ignore';
  await open();
  connection.subscribe(symbols.slice(0, 2));
  await soon('the request arrived', () => exchange.peer.received.length === 2);
  exchange.peer.send(update('C0/EUR'));
  exchange.peer.send({ method: 'subscribe', success: false, error: 'Already subscribed', symbol: 'C1/EUR' });
  await caughtUp();
  await clock.advance(20_000);
  assert.deepEqual(
    of('accepted').map((event) => event.symbol),
    ['C0EUR', 'C1EUR'],
  );
  assert.deepEqual(of('rejected'), []);
});

test('renewing a subscription ends the old one first, and a new snapshot follows', async () => {
  exchange.snapshot = (name) => entry(name);
  await open();
  connection.subscribe(symbols.slice(0, 1));
  await soon('the first snapshot', () => of('ticker').length === 1);
  connection.unsubscribe(symbols.slice(0, 1));
  connection.subscribe(symbols.slice(0, 1));
  await clock.advance(100);
  await soon('the end is acknowledged', () => exchange.peer.received.some(({ method }) => method === 'unsubscribe'));
  await caughtUp();
  await clock.advance(200);
  await soon('the second snapshot', () => of('ticker').length === 2);
  const methods = exchange.peer.received.map(({ method }) => method);
  assert.deepEqual(methods, ['subscribe', 'subscribe', 'unsubscribe', 'subscribe']);
});

test('a bad frame is dropped and counted, the connection stays, and what follows is read (fault row 45)', async () => {
  await open();
  const peer = exchange.peer;
  peer.send('{"channel":"ticker","type":"upd');
  peer.send('['.repeat(100_000) + ']'.repeat(100_000));
  peer.send('{"channel":"ticker","type":"replace","data":[]}');
  peer.send('{"channel":"ticker","type":"update","data":{"symbol":"C0/EUR"}}');
  peer.socket.send(Buffer.from([1, 2, 3]), { binary: true });
  peer.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
  peer.send('{"channel":"candles_of_tomorrow","data":[]}');
  peer.send('{"event":"serverShutdown"}');
  peer.send(update('NOPE/EUR'));
  peer.send(update('C0/EUR', '1.30'));
  await caughtUp();
  assert.deepEqual(
    of('dropped').map((event) => event.reason),
    [
      'malformed',
      'malformed',
      'malformed',
      'malformed',
      'binary',
      'not_utf8',
      'unknown_kind',
      'unknown_kind',
      'unknown_symbol',
    ],
  );
  assert.deepEqual(
    of('ticker').map((event) => event.tickers[0]?.bid),
    ['1.30'],
  );
  assert.deepEqual(of('closed'), []);
});

test('a value that is not a decimal is missing, and its neighbours stay', async () => {
  await open();
  for (const bid of ['null', '"1,5"', '"NaN"', '{}', '[1]', 'true']) exchange.peer.send(update('C0/EUR', bid));
  exchange.peer.send(update('C0/EUR', '1e-7'));
  exchange.peer.send(update('C0/EUR', '-0.0'));
  await caughtUp();
  const bids = of('ticker').map((event) => event.tickers[0]?.bid);
  assert.deepEqual(bids, [...Array(6).fill(undefined), '0.0000001', '0.0']);
  assert.ok(of('ticker').every((event) => event.tickers[0]?.ask === '1.20'));
});

test('a frame over the bound ends the connection at once and never grows in memory (fault row 45)', async () => {
  await open();
  exchange.peer.send(`"${'x'.repeat(frameBytesMax)}"`);
  await soon('the end', () => of('closed').length === 1);
  assert.equal(of('closed')[0]?.reason, 'oversized');
  assert.deepEqual(of('dropped'), [{ type: 'dropped', reason: 'oversized' }]);
});

test('a clean close, a reset and a broken protocol end it once each, and nothing follows (fault row 43)', async () => {
  const ends: (() => void)[] = [
    () => exchange.peer.socket.close(1000),
    () => exchange.peer.raw.resetAndDestroy(),
    () => exchange.peer.raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff])),
  ];
  const reasons: string[] = [];
  for (const end of ends) {
    events = [];
    await open();
    end();
    await soon('the end', () => of('closed').length === 1);
    reasons.push(of('closed')[0]?.reason ?? '');
    assert.equal(events.at(-1)?.type, 'closed');
  }
  assert.deepEqual(reasons, ['closed', 'network', 'protocol']);
});

test('a refused handshake reports the status and how long to wait (fault row 43)', async () => {
  exchange.upgrade = () => ({ status: 429, headers: 'Retry-After: 20\r\n' });
  await open('closed');
  assert.deepEqual(of('closed'), [
    { type: 'closed', reason: 'refused', detail: 'HTTP status 429', retryAfterMs: 20_000 },
  ]);
});

test('a handshake that is never answered ends at the deadline (fault row 42)', async () => {
  exchange.upgrade = () => 'hang';
  const opening = open('closed');
  await soon('the handshake arrived', () => exchange.upgrades === 1);
  await clock.advance(10_000);
  await opening;
  assert.equal(of('closed')[0]?.reason, 'connect_timeout');
});

test('no listener, and a peer that does not speak TLS, are network failures (fault row 43)', async () => {
  const { restUrl, port } = exchange;
  const { liveUrl } = exchange;
  await exchange.close();
  for (const url of [liveUrl, `ws://${'x'.repeat(70)}:${port}/v2`]) {
    events = [];
    const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl: url, quotes: [] }));
    connection = connector.openLive((event) => events.push(event));
    await soon('the end', () => of('closed').length === 1);
    assert.equal(of('closed')[0]?.reason, 'network');
  }
  await exchange.listen();
  events = [];
  const connector = new KrakenConnector(
    connectorOptions({ clock, restUrl, liveUrl: `wss://127.0.0.1:${exchange.port}`, quotes: [] }),
  );
  connection = connector.openLive((event) => events.push(event));
  await soon('the end', () => of('closed').length === 1);
  assert.equal(of('closed')[0]?.reason, 'network');
});

test('a pong is a frame like any other, and no frame queues anything to be sent', async () => {
  await open();
  const before = of('frame').length;
  connection.ping();
  await soon('the pong', () => of('frame').length > before);
  assert.deepEqual(exchange.peer.received.at(-1), { method: 'ping', req_id: 1 });
});

test('the instrument channel gives the state of each pair, known or new', async () => {
  await open();
  const pair = (symbol: string, quote: string, status: string) => ({ symbol, base: 'C', quote, status });
  exchange.peer.send({
    channel: 'instrument',
    type: 'snapshot',
    data: {
      assets: [],
      pairs: [
        pair('C0/EUR', 'EUR', 'online'),
        pair('C1/EUR', 'EUR', 'cancel_only'),
        pair('C2/EUR', 'EUR', 'delisted'),
        pair('NEW/EUR', 'EUR', 'work_in_progress'),
        pair('NEW/USD', 'USD', 'online'),
      ],
    },
  });
  await caughtUp();
  assert.deepEqual(of('instruments')[0]?.pairs, [
    { name: 'C0/EUR', symbol: 'C0EUR', isOurs: true, status: 'trading' },
    { name: 'C1/EUR', symbol: 'C1EUR', isOurs: true, status: 'paused' },
    { name: 'C2/EUR', symbol: 'C2EUR', isOurs: true, status: 'ended' },
    { name: 'NEW/EUR', symbol: undefined, isOurs: true, status: 'paused' },
    { name: 'NEW/USD', symbol: undefined, isOurs: false, status: 'trading' },
  ]);
});

test('after terminate no event follows, no timer is left and the socket is gone', async () => {
  exchange.judge = () => 'ignore';
  await open();
  connection.subscribe(symbols);
  connection.terminate();
  const emitted = events.length;
  await soon('the socket is gone', () => exchange.peer.socket.readyState === 3);
  await clock.advance(60_000);
  assert.equal(events.length, emitted);
  assert.equal(clock.pendingTimers, 0);
});

test('three hundred connections, frozen and then terminated, leave nothing behind (fault row 42)', async () => {
  await open();
  const { restUrl, liveUrl } = exchange;
  connection.terminate();
  for (let cycle = 0; cycle < 300; cycle++) {
    const { length } = exchange.peers;
    // One connector would open no more than its exchange tolerates.
    const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: [] }));
    connection = connector.openLive(() => undefined);
    await soon('the connection', () => exchange.peers.length > length);
    exchange.peer.raw.pause();
    connection.terminate();
    exchange.peer.raw.resume();
  }
  await soon('every socket is gone', () => exchange.openPeers === 0);
  assert.equal(clock.pendingTimers, 0);
});
