import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { needsNginx } from '../support/nginx.ts';
import { NodesBehindNginx } from './nodes-behind-nginx.ts';
import { PollingClients } from './polling-clients.ts';

const connections = 60;

/**
 * The drain delay of the nodes that leave, and how late Redis answers: at once, within the time that a request waits
 * for its count, and after it.
 */
const rounds: readonly [drainDelay: string, redisLatencyMs: number][] = [
  ['1s', 0],
  ['0s', 30],
  ['0s', 300],
];

describe('two nodes behind nginx as it is shipped', needsNginx, () => {
  const cleanups: (() => unknown)[] = [];
  let simulator: ExchangeSimulator;
  let cluster: NodesBehindNginx;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
    cleanups.push(() => simulator.stop());
    const t = { after: (run: () => unknown) => cleanups.unshift(run) };
    cluster = await NodesBehindNginx.start(t, simulator, { drainDelay: rounds[0]![0] });
    // Of those that the first round starts and the next ones stop.
    cluster.setDrainDelay('0s');
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  for (const [drainDelay, redisLatencyMs] of rounds) {
    const how = `with a drain delay of ${drainDelay} and Redis slow by ${redisLatencyMs} ms`;
    test(`are restarted one after the other, ${how}, and every request is answered as documented (fault row 111)`, async (t) => {
      cluster.delayRedis(redisLatencyMs);
      const clients = await PollingClients.start(cluster, connections);
      for (const node of cluster.nodes) await cluster.restart(node);
      await clients.moreAnswers(connections);
      await clients.stop();
      assert.deepEqual(clients.faults, []);
      assert.equal(clients.answered, clients.sent);
      assert.deepEqual(clients.refusals, []);
      for (const node of cluster.nodes) assert.deepEqual(node.failures, []);
      t.diagnostic(`${clients.answered} requests, all answered`);
    });
  }
});
