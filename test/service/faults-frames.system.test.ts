import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultRequest } from '../../exchange-simulator/fault-request.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';

/** Messages nobody can use, and the reason under which the metric counts them. */
const badMessages: readonly (readonly [what: string, fault: FaultRequest, reason: string])[] = [
  ['cut-off JSON', { fault: 'garbage', kind: 'json' }, 'malformed'],
  ['a binary frame', { fault: 'garbage', kind: 'binary' }, 'binary'],
  ['text that is not UTF-8', { fault: 'garbage', kind: 'utf8' }, 'not_utf8'],
  ['100,000 nested arrays', { fault: 'garbage', kind: 'nested' }, 'malformed'],
  ['an unknown channel', { fault: 'garbage', kind: 'channel' }, 'unknown_kind'],
  ['a ticker of a symbol nobody asked for', { fault: 'garbage', kind: 'symbol' }, 'unknown_symbol'],
];

/** Values that never become a price, and the reason under which the metric counts them. */
const badValues: readonly (readonly [what: string, fault: FaultRequest, reason: string])[] = [
  ['bid above ask', { fault: 'crossed', symbol: 'BTC/EUR' }, 'crossed'],
  ['no bid', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'bid', missing: true }, 'bid_or_ask_missing'],
  ['a null', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'ask', value: 'null' }, 'bid_or_ask_missing'],
  ['no decimal', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'ask', value: '"1,5"' }, 'bid_or_ask_missing'],
  ['an object', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'bid', value: '{"a":1}' }, 'bid_or_ask_missing'],
  ['zero', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'bid', value: '0' }, 'bid_or_ask_not_positive'],
  ['less than zero', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'bid', value: '-1' }, 'bid_or_ask_not_positive'],
  ['no high', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'high', missing: true }, 'statistics_missing'],
  ['no volume', { fault: 'bad-value', symbol: 'BTC/EUR', field: 'volume', value: 'null' }, 'statistics_missing'],
];

async function counted(service: ServiceHarness, metric: string, reason: string): Promise<number> {
  return (await service.metrics()).value(metric, { reason });
}

/** Each market but Bitcoin's has news after this call. */
async function othersGoOn({ api }: ServiceHarness): Promise<void> {
  const before = await api.tickers();
  for (const symbol of ['ADAEUR', 'ETHCZK', 'XRPEUR']) {
    await eventually(
      `${symbol} goes on`,
      async () => (await api.ticker(symbol)).timestampMs > before.get(symbol)!.timestampMs,
    );
  }
}

describe('what the exchange sends', { concurrency: true }, () => {
  test('as bad messages is dropped and counted; the connection and all prices go on', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, api } = service;
    const client = await SteadyClient.watch(api);
    for (const [what, fault, reason] of badMessages) {
      const before = await counted(service, 'mdapi_feed_frames_dropped_total', reason);
      await simulator.faults.set(fault);
      await eventually(what, async () => (await counted(service, 'mdapi_feed_frames_dropped_total', reason)) > before);
    }
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    assert.equal(simulator.state().connectsTotal, 1);
    assert.deepEqual((await client.stop()).states, ['operational']);
  });

  test('as bad values of one market leaves its last good price with its time, and disturbs no other', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, api } = service;
    const client = await SteadyClient.watch(api);
    for (const [what, fault, reason] of badValues) {
      const before = await counted(service, 'mdapi_feed_tickers_rejected_total', reason);
      await simulator.faults.set({ ...fault, over: 'both' });
      await eventually(
        what,
        async () => (await counted(service, 'mdapi_feed_tickers_rejected_total', reason)) > before,
      );
      const { BTCCZK: last } = await api.prices();
      await othersGoOn(service);
      assert.deepEqual((await api.prices()).BTCCZK, last, what);
      await simulator.faults.clear();
      await eventually('it goes on', async () => (await api.ticker('BTCCZK')).timestampMs > last![2]);
    }
    assert.equal(simulator.state().connectsTotal, 1);
    assert.deepEqual((await client.stop()).states, ['operational']);
  });

  test('as bad values on the live connection alone is replaced by what REST says', async (t) => {
    const service = await ServiceHarness.start(t);
    const client = await SteadyClient.watch(service.api);
    await service.simulator.faults.set({ fault: 'crossed', symbol: 'BTC/EUR', over: 'ws' });
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    await othersGoOn(service);
    await service.untilTicker('degraded');
    assert.deepEqual((await client.stop()).states, ['operational', 'degraded'], 'it was live, and is served over REST');
  });

  test('without an optional value is served without it', async (t) => {
    const { simulator, api } = await ServiceHarness.start(t);
    assert.ok((await api.ticker('BTCEUR')).vwap24h !== undefined);
    await simulator.faults.set({ fault: 'bad-value', symbol: 'BTC/EUR', field: 'vwap', value: 'null' });
    await simulator.faults.set({ fault: 'bad-value', symbol: 'BTC/EUR', field: 'change_pct', missing: true });
    await eventually('neither', async () => {
      const ticker = await api.ticker('BTCCZK');
      return !('vwap24h' in ticker) && !('priceChangePercent24h' in ticker);
    });
  });

  test('with a number in exponent form is read to the last digit', async (t) => {
    const service = await ServiceHarness.start(t);
    await service.simulator.faults.set({ fault: 'bad-value', symbol: 'ADA/EUR', field: 'bid', value: '8e-1' });
    await eventually('the price', async () => (await service.api.ticker('ADAEUR')).sellPrice === '0.796000');
  });

  test('without time is captured when it is received', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, api, clock } = service;
    const client = await SteadyClient.watch(api);
    await simulator.faults.set({ fault: 'no-timestamp' });
    const before = clock.now();
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    const { timestampMs } = await api.ticker('BTCEUR');
    assert.ok(timestampMs >= before && timestampMs <= clock.now());
    assert.deepEqual((await client.stop()).states, ['operational']);
  });

  for (const type of ['update', 'snapshot']) {
    test(`again, a minute old, as ${type}, changes no price`, async (t) => {
      const service = await ServiceHarness.start(t);
      const { simulator, api } = service;
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      const client = await SteadyClient.watch(api);
      await simulator.faults.set({ fault: 'replay', symbol: 'BTC/EUR', type, bid: '1.0', ask: '1.1', ageMs: 60_000 });
      await eventually(
        'it is refused',
        async () => (await counted(service, 'mdapi_feed_tickers_rejected_total', 'out_of_order')) === 1,
      );
      assert.equal((await api.ticker('BTCEUR')).buyPrice, '50250.2');
      assert.deepEqual((await client.stop()).states, ['operational']);
    });
  }

  test('from a clock an hour ahead is never served as captured in the future', async (t) => {
    const service = await ServiceHarness.start(t);
    const client = await SteadyClient.watch(service.api);
    await service.simulator.faults.set({ fault: 'clock-skew', ms: 3_600_000 });
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    await service.simulator.faults.clear();
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '40000.0', ask: '40000.1' });
    await service.untilBuyPrice('BTCEUR', '40200.2');
    assert.deepEqual((await client.stop()).states, ['operational']);
  });

  test('from a clock set back an hour comes over REST instead: degraded, with current prices', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator } = service;
    const client = await SteadyClient.watch(service.api);
    await simulator.faults.set({ fault: 'clock-skew', ms: -3_600_000 });
    await service.untilTicker('degraded');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    await simulator.faults.clear();
    await service.untilTicker('operational');
    assert.ok(!(await client.stop()).states.includes('outage'));
  });

  test('about its own maintenance is believed: `degraded` while it is alone, and its prices go on', async (t) => {
    const service = await ServiceHarness.start(t);
    const client = await SteadyClient.watch(service.api);
    await service.simulator.faults.set({ fault: 'system-status', status: 'maintenance' });
    await eventually('it is heard', () => service.logged.some((line) => line.includes('"status":"maintenance"')));
    await service.untilTicker('degraded');
    await othersGoOn(service);
    await service.simulator.faults.clear();
    await service.untilTicker('operational');
    assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
  });
});

describe('one market that the live connection does not bring', { concurrency: true }, () => {
  test('muted: is served over REST, and live again once it speaks', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator } = service;
    const client = await SteadyClient.watch(service.api);
    await simulator.faults.set({ fault: 'mute-symbol', symbol: 'BTC/EUR' });
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    await othersGoOn(service);
    await simulator.faults.clear();
    await eventually(
      'it is quiet no longer',
      async () => (await service.metrics()).value('mdapi_feed_symbols_quiet') === 0,
    );
    assert.equal(simulator.state().connectsTotal, 1, 'the connection of the others was left alone');
    assert.deepEqual((await client.stop()).states, ['operational']);
  });

  test('rejected: is reported, served over REST, asked for again, and live once it is accepted', async (t) => {
    const service = await ServiceHarness.start(t, {
      before: ({ faults }) => faults.set({ fault: 'reject', symbol: 'BTC/EUR' }),
    });
    const { simulator } = service;
    const client = await SteadyClient.watch(service.api);
    assert.equal((await service.metrics()).value('mdapi_feed_symbols_rejected'), 1);
    assert.ok(service.logged.some((line) => line.includes('does not stream') && line.includes('BTCEUR')));
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    await othersGoOn(service);
    await simulator.faults.clear();
    await eventually(
      'it is accepted',
      async () => (await service.metrics()).value('mdapi_feed_symbols_rejected') === 0,
    );
    assert.equal((await service.metrics()).value('mdapi_feed_symbols_subscribed'), 4);
    assert.equal(simulator.state().connectsTotal, 1, 'the connection of the others was left alone');
    assert.ok(!(await client.stop()).states.includes('outage'), 'degraded, for one of four is a lesser path');
  });
});
