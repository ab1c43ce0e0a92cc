import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { SteadyClient } from '../support/steady-client.ts';
import { returnAfterS, threeSources } from '../support/three-sources.ts';

async function used(states: () => Promise<{ id: string; state: string }[]>): Promise<string> {
  return (await states())
    .filter(({ state }) => state === 'used')
    .map(({ id }) => id)
    .join();
}

describe('with three sources', () => {
  for (const [what, fault] of [
    ['dies', { fault: 'down' }],
    ['freezes with its sockets open', { fault: 'freeze' }],
  ] as const) {
    test(`prices go on within five seconds when the first one ${what}, and it has them back after a quiet span (fault row 61)`, async (t) => {
      const { service, states } = await threeSources(t);
      const client = await SteadyClient.watch(service.api);
      const lostMs = performance.now();
      await service.simulator.faults.set(fault);
      await eventually('the second one makes the prices', async () => (await used(states)) === 'bitvavo');
      const overMs = performance.now() - lostMs;
      await service.untilTicker('degraded');
      const before = await service.api.ticker('BTCEUR');
      await eventually('prices go on', async () => {
        return (await service.api.ticker('BTCEUR')).timestampMs > before.timestampMs;
      });
      const onMs = performance.now() - lostMs;
      const mendedMs = performance.now();
      await service.simulator.faults.clear();
      await eventually('the first one makes them again', async () => (await used(states)) === 'kraken');
      const backMs = performance.now() - mendedMs;
      await service.untilTicker('operational');
      t.diagnostic(
        `over in ${Math.round(overMs)} ms, a new price after ${Math.round(onMs)} ms, back in ${Math.round(backMs)} ms`,
      );
      assert.ok(overMs < 5_500, `over in ${overMs} ms`);
      assert.ok(backMs >= returnAfterS * 1_000 - 500, `back in ${backMs} ms`);
      assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
    });
  }

  test('a jump of the first one alone is passed over, one of two sources is taken, and both are visible (fault row 61)', async (t) => {
    const { service, states, others } = await threeSources(t, { 'guard.jumpPercent': '10' });
    for (const each of [service.simulator, ...others]) {
      each.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    }
    await eventually('one level, over the live path', async () =>
      (await states()).every(({ reach, deviationPercent }) => reach === 'live' && Number(deviationPercent) === 0),
    );
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '56000.0', ask: '56000.1' });
    await eventually('the first one is left out', async () => {
      const [first] = await states();
      return first?.state === 'excluded' && first.reason === 'contradicted';
    });
    assert.equal(await used(states), 'bitvavo');
    assert.equal((await service.api.ticker('BTCEUR')).buyPrice, '50250.2');
    const { samples } = await service.metrics();
    const held = samples.find(
      ({ name, labels }) =>
        name === 'mdapi_market_source_age_seconds' && labels.market === 'BTCEUR' && labels.source === 'kraken',
    );
    assert.equal(held?.labels.state, 'excluded');
    for (const each of others) each.setPrice({ symbol: 'BTC/EUR', bid: '56000.0', ask: '56000.1' });
    await service.untilBuyPrice('BTCEUR', '56280.2');
  });
});
