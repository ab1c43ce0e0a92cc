import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { SteadyClient } from '../support/steady-client.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { connectionsEnded, startBehindProxies } from './behind-proxies.ts';
import { sized } from './full-size.ts';

describe('a network that loses everything while the sockets stay open', { concurrency: true }, () => {
  test('on the live connection: it is cut after its timeout, REST serves meanwhile, and the next one is live (fault row 42)', async (t) => {
    // Data may be silent for longer, so that it is the silence of the transport that is found out.
    const { service, live } = await startBehindProxies(t, { timing: { staleAfterMs: 60_000 } });
    const client = await SteadyClient.watch(service.api);
    const startedMs = performance.now();
    loseAll(live);
    await service.untilTicker('degraded');
    assert.ok(performance.now() - startedMs < 10_000, `${performance.now() - startedMs} ms`);
    assert.equal((await connectionsEnded(service)).transport_silent, 1);
    // A connection that was only closed would wait for the other side's closing frame.
    await eventually('the dead connection is gone on our side', () => live.open === 0, 1_000);
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');

    await live.clear();
    await service.untilTicker('operational');
    assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
  });

  test('live and over REST: the last prices stay, and everything recovers by itself (fault row 42)', async (t) => {
    const { service, live, rest } = await startBehindProxies(t, { settings: { 'feed.requestTimeout': '500ms' } });
    const client = await SteadyClient.watch(service.api);
    live.blackHole();
    rest.blackHole();
    await service.untilTicker('degraded');
    await eventually('a poll was given up', async () => {
      return (await service.metrics()).value('mdapi_feed_polls_total', { outcome: 'timeout' }) > 0;
    });
    await restore(rest);
    await restore(live);
    await service.untilTicker('operational');
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'operational']);
  });
});

test(`connections lost like this ${sized(10, 1000)} times leave no socket, no timer and no listener behind (fault row 42)`, async (t) => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  t.after(() => process.removeListener('warning', warned));
  const { service, live } = await startBehindProxies(t, {
    timing: { transportTimeoutMs: 150, pingEveryMs: 40, reconnectMinMs: 5, reconnectMaxMs: 10, staleAfterMs: 60_000 },
    settings: { 'markets.symbols': 'all' },
    // One market that always moves: each turn waits for its next update.
    simulator: { markets: 1, updatesPerSecond: 200 },
    untilLive: false,
  });
  await service.untilTicker('operational');
  await cycle();
  const before = resources();
  for (let turn = 0; turn < sized(10, 1000); turn++) await cycle();
  await eventually('no more is held than before', () => {
    const now = resources();
    // Requests of this test come and go: a few either way are no leak, one a turn would be.
    return now.sockets <= before.sockets + 4 && now.timers <= before.timers + 4;
  });
  assert.equal(live.open, 1);
  assert.equal(service.simulator.state().connections.length, 1);
  assert.deepEqual(warnings, []);

  async function cycle(): Promise<void> {
    loseAll(live);
    await eventually('the dead connection is gone on our side', () => live.open === 0);
    await live.clear();
    await service.untilTicker('operational');
  }
});

/** What is connected is lost without a sign, and nothing new comes through. */
function loseAll(proxy: TcpProxy): void {
  proxy.blackHole();
  proxy.refuse();
}

/** The network is back; connections that it lost are reset. */
async function restore(proxy: TcpProxy): Promise<void> {
  await proxy.clear();
  proxy.reset();
}

function resources(): { sockets: number; timers: number } {
  const active = process.getActiveResourcesInfo();
  const count = (kind: string) => active.filter((name) => name === kind).length;
  return { sockets: count('TCPSocketWrap'), timers: count('Timeout') };
}
