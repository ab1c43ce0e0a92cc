import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatorRig } from '../simulator-rig.testing.ts';
import { BinanceConnector } from './connector.ts';

const markets = 520;

test('more markets than one connection takes get several, which are renewed together before the 24 hours are over', async () => {
  const rig = await SimulatorRig.open({
    dialect: 'binance',
    connector: BinanceConnector,
    simulator: { markets, quotes: ['EUR'] },
  });
  const connections = () => rig.simulator.state().connections.map(({ tickers }) => tickers);
  try {
    await rig.becomeLive();
    await rig.pass('every subscription', () => rig.simulator.state().subscriptions === markets);
    assert.deepEqual(connections(), [500, 20]);
    await rig.simulator.faults.set({ fault: 'reconnect-notice' });
    await rig.pass('the successors', () => rig.health.connectionsRenewed === 1);
    await rig.pass('the end of the first two', () => connections().length === 2);
    assert.deepEqual(connections(), [500, 20]);
    assert.deepEqual([rig.health.path, rig.health.epoch, rig.health.connectionsEnded], ['live', 1, {}]);
    await rig.simulator.faults.set({ fault: 'close' });
    await rig.pass('all again', () => rig.health.epoch === 2 && rig.simulator.state().subscriptions === markets);
    assert.equal(connections().length, 2);
  } finally {
    await rig.stop();
  }
});
