import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultRequest } from '../../exchange-simulator/fault-request.ts';
import type { FeedTiming } from '../../src/feed/parts.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';

interface Row {
  readonly what: string;
  /** Switched on in this order. */
  readonly faults: readonly FaultRequest[];
  /** Why the live connection ended, as the metric names it. */
  readonly ended: string;
  readonly timing?: Partial<FeedTiming>;
}

/** The live connection is lost once, and nothing keeps the next one from working. */
const breaks: readonly Row[] = [
  { what: 'closes cleanly', faults: [{ fault: 'close', code: 1001 }], ended: 'closed' },
  { what: 'is reset', faults: [{ fault: 'reset' }], ended: 'network' },
  { what: 'sends 50 MB in one frame', faults: [{ fault: 'oversized' }], ended: 'oversized' },
  { what: 'sends bytes that are no frame', faults: [{ fault: 'garbage', kind: 'frame' }], ended: 'protocol' },
];

/** The live connection is lost, and stays lost until the fault is cleared. REST goes on. */
const losses: readonly Row[] = [
  {
    what: 'freezes with its sockets open',
    faults: [{ fault: 'freeze' }],
    ended: 'transport_silent',
    timing: { staleAfterMs: 20_000 },
  },
  {
    what: 'freezes for the connections there are',
    faults: [
      { fault: 'freeze', existingOnly: true },
      { fault: 'refuse', status: 503, retryAfterS: 0 },
    ],
    ended: 'transport_silent',
    timing: { staleAfterMs: 20_000 },
  },
  { what: 'only beats its heart', faults: [{ fault: 'mute' }], ended: 'data_silent' },
  { what: 'accepts and closes', faults: [{ fault: 'accept-then-close' }, { fault: 'close' }], ended: 'closed' },
  {
    what: 'says one word and closes',
    faults: [{ fault: 'one-message-then-close', code: 4000 }, { fault: 'reset' }],
    ended: 'closed',
  },
  {
    what: 'refuses with 429 and a time to wait',
    faults: [{ fault: 'refuse', status: 429, retryAfterS: 1 }, { fault: 'close' }],
    ended: 'refused',
  },
];

async function endedBecause(service: ServiceHarness, reason: string): Promise<number> {
  return (await service.metrics()).value('mdapi_feed_connections_ended_total', { reason });
}

describe('an exchange whose live connection', { concurrency: true }, () => {
  for (const { what, faults, ended } of breaks) {
    test(`${what} is live again by itself; clients keep all prices`, async (t) => {
      const service = await ServiceHarness.start(t);
      const { simulator, api } = service;
      const client = await SteadyClient.watch(api);
      for (const fault of faults) await simulator.faults.set(fault);
      await eventually('the connection ended', async () => (await endedBecause(service, ended)) === 1);
      await service.untilTicker('operational');
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      assert.equal(simulator.state().connectsTotal, 2, 'one connection more was enough');
      const { states } = await client.stop();
      assert.ok(!states.includes('outage'), states.join());
    });
  }

  for (const { what, faults, ended, timing = {} } of losses) {
    test(`${what} is degraded, with current prices over REST, and operational once it is over`, async (t) => {
      const service = await ServiceHarness.start(t, { timing });
      const { simulator, api } = service;
      const client = await SteadyClient.watch(api);
      for (const fault of faults) await simulator.faults.set(fault);
      await service.untilTicker('degraded');
      await eventually('the end is counted', async () => (await endedBecause(service, ended)) >= 1);
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      const polled = await api.status();
      assert.deepEqual([polled.status, polled.api, polled.components.ticker], ['degraded', 'operational', 'degraded']);
      await eventually('the feed goes on', async () => (await api.status()).lastUpdatedAtMs! > polled.lastUpdatedAtMs!);

      await simulator.faults.clear();
      await service.untilTicker('operational');
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '40000.0', ask: '40000.1' });
      await service.untilBuyPrice('BTCEUR', '40200.2');
      assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
    });
  }
});
