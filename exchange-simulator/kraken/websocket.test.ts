import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { type ExchangeSimulator, startExchangeSimulator } from '../simulator.ts';
import { result, startForTest, TestClient } from '../test-client.testing.ts';

const recording = readFileSync(new URL('../recordings/ws-v2-ticker-2026-09-24.jsonl', import.meta.url), 'utf8');
const recorded = recording
  .trim()
  .split('\n')
  .filter((line) => line.startsWith('{"direction":"in"'))
  .map((line) => line.slice(line.indexOf('"frame":') + 8, -1));

function recordedMessage(part: string): string {
  const found = recorded.find((message) => message.includes(part));
  assert.ok(found !== undefined, part);
  return found;
}

/** The names of all members, nested ones too, in their order. */
function shape(text: string): string[] {
  const names: string[] = [];
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      names.push(name);
      walk(member);
    }
  };
  walk(JSON.parse(text));
  return names;
}

describe('the WebSocket of the simulated exchange', () => {
  const clock = new FakeClock();
  let simulator: ExchangeSimulator;
  const clients: TestClient[] = [];
  const open = async () => {
    const client = await TestClient.open(simulator.wsUrl);
    clients.push(client);
    return client;
  };
  before(async () => {
    simulator = await startExchangeSimulator({ clock, updatesPerSecond: 0 });
  });
  after(async () => {
    for (const client of clients) client.end();
    await simulator.stop();
  });

  it('starts with a status message of the recorded shape and a connection id beyond the digits of a double', async () => {
    const client = await open();
    assert.deepEqual(shape(client.messages[0]!), shape(recordedMessage('"channel":"status"')));
    assert.match(client.messages[0]!, /"connection_id":\d{19,20}\}/);
  });

  it('acknowledges, refuses and sends snapshots in the recorded shapes, member by member in the recorded order', async () => {
    const client = await open();
    client.send({ method: 'subscribe', params: { channel: 'ticker', symbol: ['BTC/EUR', 'NOPE/EUR'] } });
    const acknowledged = await client.message('"success":true');
    const refused = await client.message('"success":false');
    const snapshot = await client.message('"type":"snapshot"');
    assert.deepEqual(shape(acknowledged), shape(recordedMessage('"success":true')));
    assert.deepEqual(shape(refused), shape(recordedMessage('"success":false')));
    assert.deepEqual(shape(snapshot), shape(recordedMessage('"type":"snapshot"')));
    assert.equal(JSON.parse(refused).error, 'Currency pair not supported NOPE/EUR');
    assert.equal(JSON.parse(acknowledged).result.event_trigger, 'trades');
  });

  it('writes every number of a frame with all its decimals and every instant with microseconds', async () => {
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    const price = String.raw`\d+\.\d`;
    const amount = String.raw`\d+\.\d{8}`;
    const expected = new RegExp(
      `^{"channel":"ticker","type":"snapshot","data":\\[{"symbol":"BTC/EUR","bid":${price},"bid_qty":${amount},` +
        `"ask":${price},"ask_qty":${amount},"last":${price},"volume":${amount},"vwap":${price},"low":${price},` +
        `"high":${price},"change":-?${price},"change_pct":-?\\d+\\.\\d\\d,"trades":\\d+,` +
        '"timestamp":"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z"}\\]}$',
    );
    assert.match(await client.message('"type":"snapshot"'), expected);
  });

  it('answers each symbol of a request by itself and repeats the request id in every answer', async () => {
    const client = await open();
    const symbol = ['ETH/EUR', 'DOGE/EUR', 'XBT/EUR', 'ETH/EUR'];
    client.send({ method: 'subscribe', params: { channel: 'ticker', symbol, event_trigger: 'bbo' }, req_id: 7 });
    await client.settled();
    const answers = client.messages.map((text) => JSON.parse(text)).filter(({ req_id: id }) => id === 7);
    assert.deepEqual(
      answers.map((answer) => answer.error ?? answer.result.symbol),
      ['ETH/EUR', 'DOGE/EUR', 'Currency pair not supported XBT/EUR', 'Already subscribed'],
    );
  });

  it('sends no snapshot where the request declines it', async () => {
    const client = await open();
    client.send({ method: 'subscribe', params: { channel: 'ticker', symbol: ['BTC/EUR'], snapshot: false } });
    await client.settled();
    assert.equal(client.find('"type":"snapshot"'), undefined);
    assert.ok(client.find('"success":true', '"snapshot":false'));
  });

  it('sends nothing more of a symbol after unsubscribing, and refuses to unsubscribe twice', async () => {
    const client = await open();
    await client.subscribe(['BTC/EUR', 'ETH/EUR']);
    client.forget();
    client.send({ method: 'unsubscribe', params: { channel: 'ticker', symbol: ['BTC/EUR'] }, req_id: 1 });
    client.send({ method: 'unsubscribe', params: { channel: 'ticker', symbol: ['BTC/EUR'] }, req_id: 2 });
    await client.message('Subscription Not Found', '"req_id":2');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '41000.0', ask: '41000.1' });
    simulator.setPrice({ symbol: 'ETH/EUR', bid: '1900.00', ask: '1900.01' });
    await client.message('"symbol":"ETH/EUR"');
    assert.ok(client.find('"method":"unsubscribe"', '"success":true', '"req_id":1'));
    assert.equal(client.find('"symbol":"BTC/EUR"', '"type":"update"'), undefined);
    simulator.release();
  });

  it('answers pings of both kinds', async () => {
    const client = await open();
    client.send({ method: 'ping', req_id: 2 });
    const pong = JSON.parse(await client.message('"method":"pong"'));
    assert.deepEqual(Object.keys(pong), ['method', 'req_id', 'time_in', 'time_out']);
    assert.ok(pong.time_in <= pong.time_out);
    client.ping();
    await client.settled();
    assert.equal(client.pongs, 1);
  });

  it('answers an invalid request with an error and stays open', async () => {
    const client = await open();
    for (const text of [
      'x',
      '[]',
      '"subscribe"',
      '{"method":5}',
      '{"method":"subscribe","params":{"channel":"ticker"}}',
    ]) {
      client.forget();
      client.send(text);
      await client.message('"error":"Malformed request"', '"success":false');
    }
    client.send({ method: 'subscribe', params: { channel: 'book', symbol: ['BTC/EUR'] } });
    await client.message('"error":"Unsupported channel"');
    await client.settled();
  });

  it('sends a heartbeat after a second without anything else, once something is subscribed', async () => {
    const idle = await open();
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    for (let tenth = 0; tenth < 35; tenth++) await clock.advance(100);
    await Promise.all([idle.settled(), client.settled()]);
    assert.equal(client.messages.filter((text) => text === recordedMessage('heartbeat')).length, 3);
    assert.equal(idle.find('heartbeat'), undefined);
  });

  it('sends clients with the trigger bbo every change of bid or ask, and those with the trigger trades only a new last price', async () => {
    const [bbo, trades] = [await open(), await open()];
    await bbo.subscribe(['BTC/EUR'], 'bbo');
    await trades.subscribe(['BTC/EUR'], 'trades');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.2', last: '50000.0' });
    for (const client of [bbo, trades]) {
      await client.settled();
      client.forget();
    }
    simulator.setPrice({ symbol: 'BTC/EUR', ask: '50000.1' });
    await Promise.all([bbo.settled(), trades.settled()]);
    assert.ok(bbo.find('"ask":50000.1,'));
    assert.equal(trades.find('ticker'), undefined);
    simulator.setPrice({ symbol: 'BTC/EUR', last: '50000.1' });
    await trades.message('"last":50000.1,');
    simulator.release();
  });

  it('streams the catalogue on the instrument channel: every listed pair by its common name, no dark pool', async () => {
    const client = await open();
    client.send({ method: 'subscribe', params: { channel: 'instrument' }, req_id: 3 });
    const text = await client.message('"channel":"instrument","type":"snapshot"');
    const { data } = JSON.parse(text);
    assert.equal(data.pairs.length, simulator.state().markets);
    const symbols = new Set<string>(data.pairs.map((pair: { symbol: string }) => pair.symbol));
    for (const symbol of ['BTC/EUR', 'DOGE/EUR', 'ETH/BTC', 'EUR/CZK']) assert.ok(symbols.has(symbol), symbol);
    assert.ok(![...symbols].some((symbol) => symbol.includes('XBT') || symbol.includes('.d')));
    assert.ok(text.includes('"qty_increment":0.00000001,'), 'small numbers are written out');
    assert.ok(data.assets.some((asset: { id: string }) => asset.id === 'BTC'));
    client.send({ method: 'subscribe', params: { channel: 'instrument' } });
    await client.message('Already subscribed');
  });

  it('serves no other path', async () => {
    const client = TestClient.begin(simulator.wsUrl.replace('/v2', '/v1'));
    await client.closed();
    assert.match(String(client.errors[0]), /404/);
  });
});

describe('prices that are set', () => {
  it('are sent digit for digit, on both paths, until they are released', async (test) => {
    const { simulator, open } = await startForTest(test, { quotes: ['EUR'] });
    const client = await open();
    const values = {
      bid: '56119.10',
      bid_qty: '0.00000001',
      ask: '56218.300',
      ask_qty: '12345678.90000000',
      last: '56218.3',
      volume: '270638277.50461281',
      vwap: '56739.22516',
      low: '55636.0',
      high: '57623.0000',
      change: '-0.00005',
      change_pct: '-12.30',
      trades: '1955',
    };
    simulator.setPrice({ symbol: 'BTC/EUR', ...values });
    await client.subscribe(['BTC/EUR']);
    const members = Object.entries(values).map(([field, value]) => `"${field}":${value}`);
    assert.ok(
      (await client.message('"type":"snapshot"')).includes(`{"symbol":"BTC/EUR",${members.join(',')},"timestamp"`),
    );
    const { XXBTZEUR } = await result(simulator, 'Ticker?pair=XBTEUR');
    const { a, b, c, v, p, l, h, t } = XXBTZEUR;
    assert.deepEqual(
      [a[0], b[0], c[0], v[1], p[1], l[1], h[1], t[1]],
      ['56218.300', '56119.10', '56218.3', '270638277.50461281', '56739.22516', '55636.0', '57623.0000', 1955],
    );
    client.forget();
    simulator.release('BTC/EUR');
    assert.ok(!(await client.message('"channel":"ticker","type":"update"')).includes(values.volume));
  });

  it('adjust the dependent values: last lies between bid and ask, within low and high', async (test) => {
    const { simulator, open } = await startForTest(test, { quotes: ['EUR'] });
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '100.0', ask: '100.5' });
    const [ticker] = JSON.parse(await client.message('"channel":"ticker","type":"update"')).data;
    assert.equal(ticker.last, 100);
    assert.equal(ticker.low, 100);
  });
});
