import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { needsNginx } from '../support/nginx.ts';
import { NodesBehindNginx } from './nodes-behind-nginx.ts';
import { PollingClients } from './polling-clients.ts';

const connections = 60;

describe('two nodes behind nginx as it is shipped', needsNginx, () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
  });
  after(() => simulator.stop());

  for (const drainDelay of ['1s', '0s']) {
    test(`are restarted one after the other, with a drain delay of ${drainDelay}, and every request is answered as documented`, async (t) => {
      const cluster = await NodesBehindNginx.start(t, simulator, { drainDelay });
      const clients = await PollingClients.start(cluster, connections);
      for (const node of cluster.nodes) await cluster.restart(node);
      await clients.moreAnswers(connections);
      await clients.stop();
      assert.deepEqual(clients.faults, []);
      assert.equal(clients.answered, clients.sent);
      assert.deepEqual([...clients.statuses.keys()].toSorted(), [200, 304]);
      for (const node of cluster.nodes) assert.deepEqual(node.failures, []);
      t.diagnostic(`${clients.answered} requests, all answered`);
    });
  }
});
