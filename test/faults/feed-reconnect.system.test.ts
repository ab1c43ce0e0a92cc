import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import type { LiveConnection, LiveListener } from '../../src/feed/connector.ts';
import { LiveLink } from '../../src/feed/live-link.ts';
import { partsForTest } from '../../src/feed/parts.testing.ts';
import { defaultTiming } from '../../src/feed/parts.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock, seededRandomness } from '../support/fake-clock.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { connectionsEnded, connectionsTried, startBehindProxies } from './behind-proxies.ts';
import { seed } from './full-size.ts';

const storms: readonly [string, (live: TcpProxy) => unknown][] = [
  ['refuses connections', (live) => live.refuse()],
  ['accepts and resets', async (live) => live.forwardTo(await fixedPort())],
  ['ends in the midst of the handshake', (live) => live.set('down', { limitBytes: 40 })],
  ['ends after the first message', (live) => live.set('down', { limitBytes: 400 })],
];

describe('a network that lets no connection live', { concurrency: true }, () => {
  for (const [what, begin] of storms) {
    test(`and ${what}: attempts keep to their number a minute, and clients have current prices over REST (fault row 43)`, async (t) => {
      const connectsPerMinuteMax = 4;
      const { service, live } = await startBehindProxies(t, { timing: { connectsPerMinuteMax } });
      const client = await SteadyClient.watch(service.api);
      await begin(live);
      live.reset();
      await service.untilTicker('degraded');
      await eventually('all attempts of the minute are made', async () => {
        const ended = Object.values(await connectionsEnded(service)).reduce((sum, count) => sum + count, 0);
        return ended >= connectsPerMinuteMax;
      });
      // At the pace of the back-off alone, of 20 to 100 ms, a dozen more would come now.
      service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      const { lastUpdatedAtMs } = await service.api.status();
      await eventually('the polls go on', async () => {
        return (await service.api.status()).lastUpdatedAtMs! >= lastUpdatedAtMs! + 1_000;
      });
      assert.equal(await connectionsTried(service), connectsPerMinuteMax);
      assert.deepEqual((await client.stop()).states, ['operational', 'degraded']);
    });

    test(`and ${what}: once it lets one live again, the feed is live by itself (fault row 43)`, async (t) => {
      const { service, live } = await startBehindProxies(t);
      await begin(live);
      live.reset();
      await eventually('three attempts', async () => (await connectionsTried(service)) >= 4);
      await live.clear();
      live.forwardTo(Number(new URL(service.simulator.restUrl).port));
      await service.untilTicker('operational');
    });
  }

  test('a name that cannot be resolved: the feed starts on the fallback, serves over REST and keeps trying (fault row 43)', async (t) => {
    // A label of 64 characters is no host name, which the resolver knows without asking anybody.
    const settingsFrom = ({ restUrl }: ExchangeSimulator) => {
      return { sources: JSON.stringify([krakenAt(restUrl, `ws://${'a'.repeat(64)}.example/v2`)]) };
    };
    await servesOverRest(await ServiceHarness.start(t, { settingsFrom, untilLive: false }));
  });

  test('a peer that does not speak TLS: the feed starts on the fallback, serves over REST and keeps trying (fault row 43)', async (t) => {
    const { service } = await startBehindProxies(t, { scheme: 'wss', untilLive: false });
    await servesOverRest(service);
  });
});

async function servesOverRest(service: ServiceHarness): Promise<void> {
  await service.untilTicker('degraded');
  await eventually('attempts', async () => ((await connectionsEnded(service)).network ?? 0) >= 3);
  service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
  await service.untilBuyPrice('BTCEUR', '50250.2');
}

test('an exchange that announces its maintenance and closes is degraded meanwhile and live again after (fault row 43)', async (t) => {
  const service = await ServiceHarness.start(t);
  const { simulator } = service;
  await simulator.faults.set({ fault: 'system-status', status: 'maintenance' });
  await simulator.faults.set({ fault: 'refuse', status: 503, retryAfterS: 0 });
  await simulator.faults.set({ fault: 'close', code: 1012 });
  await service.untilTicker('degraded');
  await simulator.faults.clear();
  await service.untilTicker('operational');
});

test(`instances that lose the exchange at the same instant do not come back in lock-step (fault row 43, seed ${seed})`, async () => {
  const clock = new FakeClock();
  const instances = 20;
  const attempts = Array.from({ length: instances }, (_, index) => attemptsOf(clock, seed + index));
  await clock.advance(120_000);
  for (let attempt = 1; attempt <= 6; attempt++) {
    const times = attempts.map((times) => times[attempt]!).toSorted((a, b) => a - b);
    const widestMs = defaultTiming.reconnectMinMs * 2 ** (attempt - 1);
    const spreadMs = times.at(-1)! - times[0]!;
    assert.ok(spreadMs > widestMs / 2, `attempt ${attempt} of all instances within ${spreadMs} ms`);
    assert.equal(new Set(times).size, instances, 'no two at the same instant');
  }
});

/** When one instance tries, against an exchange that closes at once. */
function attemptsOf(clock: FakeClock, itsSeed: number): readonly number[] {
  const times: number[] = [];
  const connection: LiveConnection = { subscribe() {}, unsubscribe() {}, ping() {}, terminate() {} };
  const connector = {
    openLive(listener: LiveListener) {
      times.push(clock.monotonicMs());
      listener({ type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined });
      return connection;
    },
  };
  const randomness = seededRandomness(itsSeed);
  const parts = partsForTest({ connector, clock, randomness });
  const link = new LiveLink(parts, { event() {}, ended() {}, subscribed: () => [] });
  link.start();
  return times;
}
