import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../test/support/eventually.ts';
import type { FaultRequest } from './fault-request.ts';
import { result, startForTest } from './test-client.testing.ts';

describe('faults of REST', () => {
  it('rest-500, rest-429, rest-error and rest-html answer as described, for the call they name', async (test) => {
    const { simulator } = await startForTest(test);
    const cases: [FaultRequest, number, string | null, RegExp][] = [
      [{ fault: 'rest-500', call: 'Ticker' }, 500, null, /Internal Server Error/],
      [{ fault: 'rest-500', call: 'Ticker', status: 502 }, 502, null, /./],
      [{ fault: 'rest-429', call: 'Ticker', retryAfterS: 9 }, 429, '9', /./],
      [{ fault: 'rest-error', call: 'Ticker' }, 200, null, /^\{"error":\["EGeneral:Too many requests"\]\}$/],
      [{ fault: 'rest-html', call: 'Ticker' }, 200, null, /^<!doctype html>/],
    ];
    for (const [fault, status, retryAfter, body] of cases) {
      await simulator.faults.set(fault);
      const answer = await fetch(`${simulator.restUrl}/0/public/Ticker`);
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [status, retryAfter]);
      assert.match(await answer.text(), body);
      await result(simulator, 'Time');
      await simulator.faults.clear();
    }
    await result(simulator, 'Ticker');
  });

  it('rest-truncated: the body ends before its announced length', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'rest-truncated' });
    const answer = await fetch(`${simulator.restUrl}/0/public/AssetPairs`);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
  });

  it('rest-slow: the answer comes after the delay, not before', async (test) => {
    const { simulator, clock } = await startForTest(test);
    await simulator.faults.set({ fault: 'rest-slow', delayMs: 5000 });
    let answered = false;
    const asked = result(simulator, 'Time').then(() => {
      answered = true;
    });
    await eventually('the request to arrive', () => simulator.state().requests.Time === 1);
    await clock.advance(4999);
    assert.equal(answered, false);
    await clock.advance(1);
    await asked;
  });

  it('two calls can fail in two ways at once', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'rest-500', call: 'Ticker' });
    await simulator.faults.set({ fault: 'rest-500', call: 'OHLC', status: 503 });
    const status = async (call: string) => (await fetch(`${simulator.restUrl}/0/public/${call}`)).status;
    assert.deepEqual([await status('Ticker'), await status('OHLC'), await status('Time')], [500, 503, 200]);
    assert.equal(await simulator.faults.clear('rest-500'), 2);
  });
});

describe('faults of the catalogue', () => {
  it('catalogue-empty: Assets and AssetPairs succeed with nothing', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'catalogue-empty' });
    assert.deepEqual([await result(simulator, 'AssetPairs'), await result(simulator, 'Assets')], [{}, {}]);
    await simulator.faults.clear();
    assert.ok('XXBTZEUR' in (await result(simulator, 'AssetPairs')));
  });

  it('pair-unlisted and pair-alias: AssetPairs lacks the pair, or lists it under another name, and Ticker stays', async (test) => {
    const { simulator } = await startForTest(test);
    await simulator.faults.set({ fault: 'pair-unlisted', symbol: ['BTC/EUR', 'ETH/EUR'] });
    await simulator.faults.set({ fault: 'pair-alias', symbol: 'ADA/EUR', wsname: 'XBT/EUR' });
    const pairs = (await result(simulator, 'AssetPairs')) as Record<string, { wsname?: string }>;
    assert.deepEqual(['XXBTZEUR' in pairs, 'XETHZEUR' in pairs, pairs.ADAEUR?.wsname], [false, false, 'XBT/EUR']);
    assert.ok('XXBTZEUR' in (await result(simulator, 'Ticker')));
    await simulator.faults.clear();
    const again = (await result(simulator, 'AssetPairs')) as Record<string, { wsname?: string }>;
    assert.deepEqual(['XXBTZEUR' in again, again.ADAEUR?.wsname], [true, 'ADA/EUR']);
  });

  it('pair-status: AssetPairs and the instrument channel report it until it is cleared', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    client.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: false } });
    await client.message('"success":true');
    await simulator.faults.set({ fault: 'pair-status', symbol: 'BTC/EUR', status: 'cancel_only' });
    const instrument = '"channel":"instrument","type":"update"';
    await client.message(instrument, '"symbol":"BTC/EUR"', '"status":"cancel_only"');
    assert.equal((await result(simulator, 'AssetPairs')).XXBTZEUR.status, 'cancel_only');
    await simulator.faults.clear('pair-status');
    await client.message(instrument, '"symbol":"BTC/EUR"', '"status":"online"');
    assert.equal((await result(simulator, 'AssetPairs')).XXBTZEUR.status, 'online');
  });

  it('pair-delist: the pair is gone from REST, its frames stop, and subscribing is refused', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await client.subscribe(['BTC/EUR']);
    client.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: false } });
    await client.settled();
    await simulator.faults.set({ fault: 'pair-delist', symbol: 'BTC/EUR' });
    await client.message('"symbol":"BTC/EUR"', '"status":"delisted"');
    assert.ok(!('XXBTZEUR' in (await result(simulator, 'AssetPairs'))));
    assert.ok(!('XXBTZEUR' in (await result(simulator, 'Ticker'))));
    await assert.rejects(result(simulator, 'Ticker?pair=XBTEUR'), /Unknown asset pair/);
    assert.throws(() => simulator.setPrice({ symbol: 'BTC/EUR', bid: '1.0' }), /not listed/);
    const late = await open();
    late.send({ method: 'subscribe', params: { channel: 'ticker', symbol: ['BTC/EUR'] } });
    await late.message('Currency pair not supported BTC/EUR');
    await simulator.faults.clear();
    await late.subscribe(['BTC/EUR']);
  });

  it('pair-new: the pair is listed, announced and traded; clearing delists it', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    client.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: false } });
    await client.message('"success":true');
    await simulator.faults.set({ fault: 'pair-new', symbol: 'NEW/EUR', price: '12.5', decimals: 3 });
    await client.message('"symbol":"NEW/EUR"', '"status":"online"', '"price_precision":3');
    assert.equal((await result(simulator, 'AssetPairs')).NEWEUR.tick_size, '0.001');
    await client.subscribe(['NEW/EUR']);
    assert.match(await client.message('"type":"snapshot"', 'NEW/EUR'), /"bid":12\.\d{3},/);
    await simulator.faults.clear();
    await client.message('"symbol":"NEW/EUR"', '"status":"delisted"');
    await simulator.faults.set({ fault: 'pair-new', symbol: 'NEW/EUR' });
    await result(simulator, 'Ticker?pair=NEWEUR');
  });

  it('system-status: REST reports it and every connection gets it', async (test) => {
    const { simulator, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'system-status', status: 'maintenance' });
    await client.message('"channel":"status"', '"system":"maintenance"');
    assert.equal((await result(simulator, 'SystemStatus')).status, 'maintenance');
    client.forget();
    await simulator.faults.clear();
    await client.message('"system":"online"');
  });
});

describe('the fault board', () => {
  it('ends each fault after its own duration and shows the time left', async (test) => {
    const { simulator, clock } = await startForTest(test);
    await simulator.faults.set({ fault: 'mute', forMs: 5000 });
    await simulator.faults.set({ fault: 'rest-500', forMs: 9000 });
    await clock.advance(2000);
    assert.deepEqual(
      simulator.faults.active().map(({ endsInMs }) => endsInMs),
      [3000, 7000],
    );
    await clock.advance(3000);
    assert.deepEqual(
      simulator.faults.active().map(({ fault }) => fault),
      ['rest-500'],
    );
    await clock.advance(4000);
    assert.deepEqual(simulator.faults.active(), []);
  });

  it('a fault that is set again replaces the earlier one and its end', async (test) => {
    const { simulator, clock } = await startForTest(test);
    await simulator.faults.set({ fault: 'mute', forMs: 5000 });
    await simulator.faults.set({ fault: 'mute' });
    await clock.advance(6000);
    assert.deepEqual(
      simulator.faults.active().map(({ endsInMs }) => endsInMs),
      [undefined],
    );
  });

  it('repeats an event as often as asked while it lasts', async (test) => {
    const { simulator, clock, open } = await startForTest(test);
    const client = await open();
    await simulator.faults.set({ fault: 'garbage', kind: 'channel', forMs: 3000, everyMs: 1000 });
    await clock.advance(10_000);
    await client.settled();
    assert.equal(client.messages.filter((text) => text.includes('weather')).length, 1 + 3);
  });

  it('leaves no timer behind when it is stopped', async (test) => {
    const { simulator, clock } = await startForTest(test, { updatesPerSecond: 10 });
    await simulator.faults.set({ fault: 'mute', forMs: 5000 });
    await simulator.faults.set({ fault: 'garbage', forMs: 5000 });
    await simulator.stop();
    assert.equal(clock.pendingTimers, 0);
  });
});
