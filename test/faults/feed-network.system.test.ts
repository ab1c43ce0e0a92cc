import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import type { ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { connectionsTried, startBehindProxies } from './behind-proxies.ts';
import { seed, sized } from './full-size.ts';

test(`however late, twice or out of order things arrive, no published time goes back (fault row 44, seed ${seed})`, async (t) => {
  const { service, live, rest } = await startBehindProxies(t, { settings: { 'feed.requestTimeout': '1s' } });
  const { simulator, api } = service;
  const client = await SteadyClient.watch(api);
  const { fraction } = seededRandomness(seed);
  const blows: readonly (() => unknown)[] = [
    () => live.set('down', { latencyMs: 100, jitterMs: 100 }),
    () => live.set('down', { latencyMs: 0, jitterMs: 0, sliceBytes: 100, sliceDelayMs: 1 }),
    () => rest.set('down', { latencyMs: 300, jitterMs: 250 }),
    () => live.reset(),
    () => rest.reset(),
    () => simulator.faults.set({ fault: 'replay', ageMs: 60_000 }),
    () => simulator.faults.set({ fault: 'replay', ageMs: 5_000, type: 'snapshot' }),
    () => simulator.faults.set({ fault: 'replay', symbol: 'BTC/EUR', ageMs: 0 }),
    () => simulator.faults.set({ fault: 'close' }),
    () => Promise.all([live.clear(), rest.clear()]),
  ];
  for (let blow = 0; blow < sized(40, 2_000); blow++) {
    const next = blows[Math.floor(fraction() * blows.length)]!;
    await next();
    await new Promise((resolve) => setTimeout(resolve, fraction() * 150));
  }
  await Promise.all([live.clear(), rest.clear()]);
  await service.untilTicker('operational');
  simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
  await service.untilBuyPrice('BTCEUR', '50250.2');
  const { states, rounds } = await client.stop();
  assert.ok(!states.includes('outage'), states.join());
  assert.ok(rounds > 5);
  const rejected = (await service.metrics()).samples.filter(({ name }) => name === 'mdapi_feed_tickers_rejected_total');
  assert.ok(
    rejected.some(({ value }) => value > 0),
    'something old did arrive',
  );
});

/** Ways in which the network keeps REST from answering in time or whole. */
const restFaults: readonly [string, (rest: TcpProxy) => unknown][] = [
  ['answers come too late', (rest) => rest.set('down', { latencyMs: 1_500 })],
  ['answers trickle', (rest) => rest.set('down', { sliceBytes: 10, sliceDelayMs: 50 })],
  ['answers break off', (rest) => rest.set('down', { limitBytes: 300 })],
  ['nothing is let in', (rest) => rest.refuse()],
  ['everything is lost', (rest) => rest.blackHole()],
];

describe('a network that keeps REST from working while the live connection is down', { concurrency: true }, () => {
  for (const [what, begin] of restFaults) {
    test(`${what}: nothing looks fresh that is not, and each way back is taken as it opens (fault row 47)`, async (t) => {
      const { service, live, rest } = await startBehindProxies(t, { settings: { 'feed.requestTimeout': '500ms' } });
      const { api, simulator } = service;
      const client = await SteadyClient.watch(api);
      await begin(rest);
      rest.reset();
      live.refuse();
      live.reset();
      await service.untilTicker('degraded');
      await failedPolls(service, 1);
      const { lastUpdatedAtMs } = await api.status();
      const before = await api.tickers();
      await failedPolls(service, 1);
      assert.equal((await api.status()).lastUpdatedAtMs, lastUpdatedAtMs, 'a failed poll is no news');
      assert.deepEqual(await api.tickers(), before);

      await rest.clear();
      await eventually('REST proves current', async () => (await api.status()).lastUpdatedAtMs! > lastUpdatedAtMs!);
      assert.equal((await api.status()).components.ticker, 'degraded');
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      await live.clear();
      await service.untilTicker('operational');
      assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
    });
  }

  test('a live connection that is open and has brought no data yet does not make it operational (fault row 47)', async (t) => {
    const { service, live } = await startBehindProxies(t, { timing: { staleAfterMs: 500 } });
    const { simulator, api } = service;
    await simulator.faults.set({ fault: 'mute' });
    const client = await SteadyClient.watch(api);
    live.reset();
    await service.untilTicker('degraded');
    const tried = await connectionsTried(service);
    // Each of these connections is up, acknowledges and beats until it is given up for its silence.
    await eventually('one such connection was given up', async () => {
      assert.equal((await api.status()).components.ticker, 'degraded');
      return (await connectionsTried(service)) > tried + 1;
    });
    await simulator.faults.clear();
    await service.untilTicker('operational');
    assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
  });
});

/** Waits for this many more polls in vain. */
async function failedPolls(service: ServiceHarness, more: number): Promise<void> {
  const count = async () => {
    const { samples } = await service.metrics();
    const failed = samples.filter(({ name, labels }) => name === 'mdapi_feed_polls_total' && labels.outcome !== 'ok');
    return failed.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await count();
  await eventually(`${more} polls in vain`, async () => (await count()) >= before + more);
}
