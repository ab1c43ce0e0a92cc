import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { eventually } from '../test/support/eventually.ts';
import { startForTest, TestClient } from './test-client.testing.ts';

const btc = { symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' };
const eth = { symbol: 'ETH/EUR', bid: '2000.00', ask: '2000.01' };
const update = '"channel":"ticker","type":"update"';

describe('faults of the connection', () => {
  it('close: every connection gets a closing frame with the code, once', async (test) => {
    const { simulator, open } = await startForTest(test);
    for (const code of [1000, 1001, 1012]) {
      const clients = [await open(), await open()];
      await simulator.faults.set({ fault: 'close', code });
      for (const client of clients) assert.equal(await client.closed(), code);
    }
    await (await open()).settled();
    assert.deepEqual(simulator.faults.active(), []);
  });

  it('reset: the connection ends with a TCP reset and without a closing frame', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    const socket = connect(Number(new URL(simulator.wsUrl).port), '127.0.0.1').on('error', () => {});
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==';
    socket.write(`GET /v2 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`);
    await eventually('both connections', () => simulator.state().connections.length === 2);
    const failed = once(socket, 'error');
    await simulator.faults.set({ fault: 'reset' });
    assert.equal(await client.closed(), 1006);
    assert.match(String(await failed), /ECONNRESET/);
    assert.deepEqual(simulator.state().connections, []);
  });

  it('freeze: nothing is sent and no ping is answered, while the socket stays open; new handshakes hang too', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    client.forget();
    await simulator.faults.set({ fault: 'freeze' });
    const newcomer = TestClient.begin(simulator.wsUrl);
    client.ping();
    client.send({ method: 'ping', req_id: 1 });
    simulator.setPrice(btc);
    await clock.advance(3000);
    await eventually('the new handshake to arrive', () => simulator.state().connectsLastMinute === 2);
    assert.deepEqual([client.messages, client.pongs, client.closeCode], [[], 0, undefined]);
    assert.deepEqual(
      simulator.state().connections.map(({ frozen }) => frozen),
      [true],
    );
    await simulator.faults.clear('freeze');
    await client.message('"method":"pong"', '"req_id":1');
    await eventually('the pong', () => client.pongs === 1);
    assert.equal(await newcomer.closed(), 1006);
  });

  it('freeze with existingOnly: new connections are served', async (test) => {
    const { simulator, open } = await startForTest(test);
    const old = await open();
    await simulator.faults.set({ fault: 'freeze', existingOnly: true });
    old.ping();
    const newcomer = await open();
    newcomer.ping();
    await newcomer.settled();
    assert.deepEqual([old.pongs, newcomer.pongs], [0, 1]);
  });

  it('a client that gives up on a frozen connection leaves nothing behind after the freeze', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    await simulator.faults.set({ fault: 'freeze' });
    client.end();
    await simulator.faults.clear();
    await eventually('the connection to be noticed as gone', () => simulator.state().connections.length === 0);
    simulator.setPrice(btc);
  });

  it('accept-then-close: the handshake succeeds and the connection closes cleanly without a message', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'accept-then-close', code: 1001 });
    const client = TestClient.begin(simulator.wsUrl);
    assert.equal(await client.closed(), 1001);
    assert.deepEqual(client.messages, []);
  });

  it('one-message-then-close: the status message comes, then a clean close', async (test) => {
    const { simulator, open } = await startForTest(test);
    await simulator.faults.set({ fault: 'one-message-then-close' });
    const client = await open();
    assert.equal(await client.closed(), 1000);
    assert.equal(client.messages.length, 1);
  });

  it('refuse: the handshake is answered with the status and Retry-After, open connections continue', async (test) => {
    const { simulator, open } = await startForTest(test);
    const old = await open();
    await simulator.faults.set({ fault: 'refuse', status: 503, retryAfterS: 17 });
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
    const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, string | undefined]>();
    const asked = request(simulator.wsUrl.replace('ws:', 'http:'), { headers });
    asked
      .on('response', (answer) => resolve([answer.statusCode, answer.headers['retry-after']]))
      .on('error', reject)
      .end();
    assert.deepEqual(await promise, [503, '17']);
    await old.settled();
    assert.equal(simulator.state().connectsLastMinute, 2);
    await simulator.faults.clear();
    await open();
  });

  it('down: every connection drops and the port is closed, then it is back on the same port; rates and control stay up', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    const { restUrl } = simulator;
    await simulator.faults.set({ fault: 'down' });
    assert.equal(await client.closed(), 1006);
    await assert.rejects(fetch(`${restUrl}/0/public/Time`));
    assert.equal((await fetch(simulator.cnbUrl)).status, 200);
    assert.equal((await fetch(`${simulator.controlUrl}/state`)).status, 200);
    await simulator.faults.clear('down');
    assert.equal(simulator.restUrl, restUrl);
    assert.equal((await fetch(`${restUrl}/0/public/Time`)).status, 200);
    await open();
  });

  it('down with a duration: it comes back by itself', async (test) => {
    const { simulator, clock } = await startForTest(test);
    await simulator.faults.set({ fault: 'down', forMs: 6 * 60_000 });
    await clock.advance(6 * 60_000 - 1);
    assert.equal(simulator.state().listening, false);
    await clock.advance(1);
    await eventually('the exchange to listen again', () => simulator.state().listening);
  });
});

describe('faults of what is sent', () => {
  it('mute: no ticker frame, neither snapshot nor update, while acknowledgements, pongs and heartbeats continue', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'mute' });
    client.send({ method: 'subscribe', params: { channel: 'ticker', symbol: ['BTC/EUR'], event_trigger: 'bbo' } });
    await client.message('"success":true');
    simulator.setPrice(btc);
    await clock.advance(1100);
    await client.message('heartbeat');
    await client.settled();
    assert.equal(client.find('"channel":"ticker","type"'), undefined);
    await simulator.faults.clear('mute');
    simulator.setPrice({ ...btc, bid: '49999.0' });
    await client.message(update, '"bid":49999.0');
  });

  it('mute-symbol and reject affect their symbols only, several at a time, and can be cleared one by one', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'mute-symbol', symbol: 'BTC/EUR' });
    await simulator.faults.set({ fault: 'reject', symbol: ['ADA/EUR', 'DOT/EUR'] });
    await simulator.faults.set({ fault: 'reject', symbol: 'XRP/EUR' });
    const symbols = ['BTC/EUR', 'ADA/EUR', 'XRP/EUR', 'ETH/EUR'];
    client.send({ method: 'subscribe', params: { channel: 'ticker', symbol: symbols, event_trigger: 'bbo' } });
    await client.message('not supported ADA/EUR');
    await client.message('not supported XRP/EUR');
    simulator.setPrice(btc);
    simulator.setPrice(eth);
    await client.message(update, 'ETH/EUR');
    assert.equal(client.find('"channel":"ticker","type"', 'BTC/EUR'), undefined);
    assert.equal(await simulator.faults.clear('reject', 'XRP/EUR'), 1);
    await client.subscribe(['XRP/EUR']);
    assert.deepEqual(
      simulator.faults.active().map(({ fault }) => fault),
      ['mute-symbol', 'reject'],
    );
  });

  it('garbage: each kind arrives as described, and the connection survives where a client can keep it', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await client.settled();
    client.forget();
    for (const kind of ['json', 'nested', 'channel', 'symbol', 'binary'])
      await simulator.faults.set({ fault: 'garbage', kind });
    await eventually('the binary message', () => client.binary.length === 1);
    const [json = '', nested = '', channel = '', symbol = ''] = client.messages;
    assert.throws(() => JSON.parse(json), SyntaxError);
    assert.ok(nested.includes('['.repeat(100_000)));
    assert.ok(channel.includes('"channel":"weather"') && symbol.includes('NOPE/EUR'));
    await client.settled();
    for (const kind of ['utf8', 'frame']) {
      const victim = await open();
      await simulator.faults.set({ fault: 'garbage', kind });
      await victim.closed();
      assert.match(String(victim.errors[0]), kind === 'utf8' ? /UTF-8/ : /frame/i);
    }
  });

  it('oversized: one message of exactly the size asked for, which a client with a limit refuses', async (test) => {
    const { simulator, open } = await startForTest(test);
    const patient = await open();
    const limited = await TestClient.open(simulator.wsUrl, 1_000_000);
    await simulator.faults.set({ fault: 'oversized', bytes: 2_000_000 });
    const message = await patient.message('heartbeat');
    assert.equal(message.length, 2_000_000);
    assert.deepEqual(JSON.parse(message), { channel: 'heartbeat' });
    await limited.closed();
    assert.match(String(limited.errors[0]), /payload/i);
  });

  it('no-timestamp: frames end after `trades`', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'no-timestamp' });
    await client.subscribe(['BTC/EUR']);
    assert.match(await client.message('"type":"snapshot"'), /"trades":\d+\}\]\}$/);
  });

  it('clock-skew: every sent time is off by that much', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'clock-skew', ms: -3_600_000 });
    await client.subscribe(['BTC/EUR']);
    const { time_in: timeIn } = JSON.parse(await client.message('"success":true'));
    const [{ timestamp }] = JSON.parse(await client.message('"type":"snapshot"')).data;
    for (const stated of [timeIn, timestamp]) assert.equal(Date.parse(stated), clock.now() - 3_600_000);
    const { result } = (await (await fetch(`${simulator.restUrl}/0/public/Time`)).json()) as {
      result: { unixtime: number };
    };
    assert.equal(result.unixtime * 1000, clock.now() - 3_600_000);
  });

  it('replay: an older frame is sent with an older timestamp, as an update or as a snapshot, to subscribers only', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    const stranger = await open();
    await client.subscribe(['BTC/EUR', 'ETH/EUR']);
    simulator.setPrice(btc);
    await client.message(update);
    client.forget();
    await simulator.faults.set({
      fault: 'replay',
      symbol: 'BTC/EUR',
      ageMs: 90_000,
      type: 'snapshot',
      bid: '1.0',
      ask: '1.1',
    });
    const [old] = JSON.parse(await client.message('"type":"snapshot"')).data;
    assert.deepEqual([old.bid, old.ask, Date.parse(old.timestamp)], [1, 1.1, clock.now() - 90_000]);
    client.forget();
    await simulator.faults.set({ fault: 'replay' });
    for (const symbol of ['BTC/EUR', 'ETH/EUR']) await client.message(update, symbol);
    await stranger.settled();
    assert.equal(stranger.find('"channel":"ticker"'), undefined);
  });

  it('crossed: bid above ask on both paths or on the one named, sent to subscribers at once', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    simulator.setPrice(btc);
    await simulator.faults.set({ fault: 'crossed', symbol: 'BTC/EUR' });
    await client.message(update, '"bid":50000.1,', '"ask":50000.0,');
    const rest = async () => await (await fetch(`${simulator.restUrl}/0/public/Ticker?pair=XBTEUR`)).text();
    assert.ok((await rest()).includes('"a":["50000.0"'));
    await simulator.faults.set({ fault: 'crossed', symbol: 'BTC/EUR', over: 'ws' });
    assert.ok((await rest()).includes('"a":["50000.1"'));
    client.forget();
    await simulator.faults.clear();
    await client.message(update, '"bid":50000.0,', '"ask":50000.1,');
  });

  it('bad-value: a field carries any JSON text, or is missing', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    simulator.setPrice(btc);
    for (const value of ['0', 'null', '-1.0', '1e-7', '"1,5"', '1e400']) {
      client.forget();
      await simulator.faults.set({ fault: 'bad-value', symbol: 'BTC/EUR', field: 'ask', value });
      await client.message(update, `"ask":${value},`, '"bid":50000.0,');
    }
    client.forget();
    await simulator.faults.set({ fault: 'bad-value', symbol: 'BTC/EUR', field: 'ask', missing: true });
    assert.ok(!(await client.message(update)).includes('"ask":'));
    const rest = await (await fetch(`${simulator.restUrl}/0/public/Ticker?pair=XBTEUR`)).text();
    assert.ok(rest.includes('{"XXBTZEUR":{"b":'));
  });
});
