import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { runInside } from '../../src/cli/cli.testing.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { offered, ServiceHarness } from '../support/service-harness.ts';

interface Readiness {
  readonly notes: readonly string[];
  readonly conditions: readonly { readonly code: string; readonly values: object }[];
}

interface Sources {
  readonly sources: readonly {
    readonly id: string;
    readonly served: { readonly markets: number; readonly polled: number; readonly oldest: { ageMs: number } | null };
  }[];
}

async function conditionOf(service: ServiceHarness, code: string): Promise<object | undefined> {
  const { conditions } = (await (await service.admin('/readyz')).json()) as Readiness;
  return conditions.find((each) => each.code === code)?.values;
}

async function sourceOf(service: ServiceHarness, id: string) {
  const { sources } = (await (await service.admin('/sources')).json()) as Sources;
  return sources.find((each) => each.id === id)!;
}

describe('the status is that of the prices that are served', { concurrency: 3 }, () => {
  test('a lively source that never makes a price keeps nothing fresh while the one that does is dead (fault row 92)', async (t) => {
    const other = await startExchangeSimulator({
      dialect: 'bitvavo',
      quotes: ['EUR'],
      updatesPerSecond: 50,
      port: await fixedPort(),
    });
    t.after(() => other.stop());
    // Two assets of one name: they agree on nothing.
    other.setPrice({ symbol: 'BTC/EUR', bid: '900.0', ask: '900.1' });
    const service = await ServiceHarness.start(t, {
      settingsFrom: ({ restUrl, wsUrl }) => ({
        sources: JSON.stringify([
          krakenAt(restUrl, wsUrl),
          { id: 'bitvavo', kind: 'bitvavo', urls: { rest: other.restUrl, ws: other.wsUrl } },
        ]),
        'markets.symbols': 'BTCEUR',
      }),
      untilLive: false,
    });
    await service.untilTicker('operational');
    await service.simulator.faults.set({ fault: 'down' });
    await service.untilTicker('degraded');
    await eventually('nothing is served of the dead one any more', async () => {
      return (await service.api.status()).serverTimeMs - (await service.api.status()).lastUpdatedAtMs! > 3_000;
    });
    const { lastUpdatedAtMs } = await service.api.status();
    let level = 900;
    const seen = async () => {
      level += 0.1;
      other.setPrice({ symbol: 'BTC/EUR', bid: level.toFixed(1), ask: (level + 0.1).toFixed(1) });
      const status = await service.api.status();
      assert.equal(status.lastUpdatedAtMs, lastUpdatedAtMs, 'the other one speaks, and makes no price');
      return status;
    };
    await eventually('six seconds without a price', async () => {
      const { serverTimeMs, components } = await seen();
      assert.equal(components.ticker, 'degraded');
      return serverTimeMs - lastUpdatedAtMs! > 6_000;
    });
    const { timestampMs } = await service.api.ticker('BTCEUR');
    assert.ok(timestampMs <= lastUpdatedAtMs!, 'the status is no younger than the price');
    service.clock.shift(300_000);
    assert.equal((await seen()).components.ticker, 'outage');
    service.clock.shift(-300_000);
    await service.simulator.faults.clear();
    await service.untilTicker('operational');
    assert.ok((await service.api.status()).lastUpdatedAtMs! > lastUpdatedAtMs!);
  });

  test('markets whose subscription is refused make it degraded, with the share that is polled (fault row 92)', async (t) => {
    const refused = offered.slice(1).map((symbol) => symbol.replace('EUR', '/EUR'));
    const service = await ServiceHarness.start(t, {
      before: ({ faults }) => faults.set({ fault: 'reject', symbol: refused }),
      untilLive: false,
    });
    await eventually('all have a price', async () => (await service.api.tickers()).size === 2 * offered.length);
    await service.untilTicker('degraded');
    const values = { markets: 4, polled: 3, standby: 0, silent: 0 };
    await eventually('the share', async () => {
      const found = await conditionOf(service, 'FeedOnFallback');
      return JSON.stringify(found) === JSON.stringify(values);
    });
    const { served } = await sourceOf(service, 'kraken');
    assert.deepEqual([served.markets, served.polled], [4, 3]);
    assert.ok(served.oldest!.ageMs < 5_000);
    const env = { MDAPI_ADMIN_PORT: new URL(service.service.adminUrl).port };
    const listed = await runInside(['sources', 'list'], { cwd: service.directory, env, clock: systemClock });
    assert.match(listed.stdout, /^SOURCE .* POLLED +OLDEST +DOUBTED/m);
    assert.match(listed.stdout, /^kraken +kraken +live +open +4 +0 +0 +0 +75 % +\d+\.\d s \w+EUR/m);
    const { samples } = await service.metrics();
    const path = (name: string) =>
      samples.find(({ name: metric, labels }) => metric === 'mdapi_source_priced_markets' && labels.path === name);
    assert.deepEqual([path('best')?.value, path('polled')?.value], [1, 3]);
    await service.simulator.faults.clear();
    await service.untilTicker('operational');
    assert.equal(await conditionOf(service, 'FeedOnFallback'), undefined);
    assert.equal((await sourceOf(service, 'kraken')).served.polled, 0);
  });
});
