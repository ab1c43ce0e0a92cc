import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { SteadyClient } from '../support/steady-client.ts';
import { startBehindProxies } from './behind-proxies.ts';
import { sized } from './full-size.ts';
import { installed } from './serving-process.ts';

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** How long it takes until a price is served, before the fault and after it: a machine that is busy is slow in both. */
async function assertAsPromptAs(usualMs: number, untilServed: () => Promise<number>): Promise<void> {
  const tookMs = await untilServed();
  assert.ok(tookMs < 2 * usualMs + 1_000, `${tookMs} ms until the newest price, ${usualMs} ms before`);
}

test('ten times the ticks while the process is paused for 200 ms at a time: prices are current at once, memory stays (fault row 46)', async (t) => {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 2_000 });
  t.after(() => simulator.stop());
  // Without the defence against overload, which would refuse the clients of this test.
  const server = { overloadDelay: '10s' };
  const { key, start } = await installed(t, simulator, { server, markets: { symbols: 'all' } });
  const service = await start();
  const api = await ApiClient.of(service.baseUrl, key);
  await eventually('operational', async () => (await api.status()).status === 'operational');
  const client = await SteadyClient.watch(api);
  const untilServed = async (bid: string, ask: string, buyPrice: string) => {
    const setAtMs = performance.now();
    simulator.setPrice({ symbol: 'BTC/EUR', bid, ask });
    await eventually('the new price', async () => (await api.ticker('BTCEUR')).buyPrice === buyPrice);
    return performance.now() - setAtMs;
  };
  const usualMs = await untilServed('51000.0', '51000.1', '51255.2');
  const residentBytes = async () => (await service.metrics()).value('mdapi_process_resident_memory_bytes');
  const before = await residentBytes();
  for (let stall = 0; stall < sized(8, 300); stall++) {
    service.signal('SIGSTOP');
    await pause(200);
    service.signal('SIGCONT');
    await pause(50);
  }
  await assertAsPromptAs(usualMs, () => untilServed('50000.0', '50000.1', '50250.2'));
  const grown = (await residentBytes()) - before;
  assert.ok(grown < 100 * 1024 * 1024, `${grown} bytes more`);
  const metrics = await service.metrics();
  assert.ok(metrics.value('mdapi_feed_tickers_total') > 1_000);
  assert.equal(metrics.value('mdapi_feed_connections_total'), 1, 'it never lost its connection');
  assert.deepEqual((await client.stop()).states, ['operational']);
});

test('what the network delayed and delivers at once is taken in order, and the newest price is served at once (fault row 46)', async (t) => {
  const { service, live } = await startBehindProxies(t, {
    simulator: { updatesPerSecond: 2_000 },
    timing: { staleAfterMs: 10_000, transportTimeoutMs: 10_000 },
  });
  const client = await SteadyClient.watch(service.api);
  const untilServed = async (bid: string, ask: string, buyPrice: string) => {
    const setAtMs = performance.now();
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid, ask });
    await service.untilBuyPrice('BTCEUR', buyPrice);
    return performance.now() - setAtMs;
  };
  const usualMs = await untilServed('51000.0', '51000.1', '51255.2');
  const frames = async () => (await service.metrics()).value('mdapi_feed_frames_total');
  for (let jam = 0; jam < sized(2, 50); jam++) {
    live.set('down', { latencyMs: 1_000 });
    await pause(900);
    live.set('down', { latencyMs: 0 });
    const before = await frames();
    await eventually('the jam dissolves', async () => (await frames()) > before + 500);
  }
  await assertAsPromptAs(usualMs, () => untilServed('50000.0', '50000.1', '50250.2'));
  assert.deepEqual((await client.stop()).states, ['operational']);
  assert.equal(live.accepted, 1, 'it never lost its connection');
});
