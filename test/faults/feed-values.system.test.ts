import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { allSymbols, offered, ServiceHarness } from '../support/service-harness.ts';

const pairs = offered.map((symbol) => symbol.replace('EUR', '/EUR'));
const hourMs = 3_600_000;

test('while every polled ticker is refused, the last update grows old and the outage comes, until one is taken (fault row 56)', async (t) => {
  const service = await ServiceHarness.start(t);
  await service.simulator.faults.set({ fault: 'crossed', symbol: pairs, over: 'rest' });
  await service.simulator.faults.set({ fault: 'refuse', status: 503, retryAfterS: 0 });
  await service.simulator.faults.set({ fault: 'close' });
  await service.untilTicker('degraded');
  const { lastUpdatedAtMs } = await service.api.status();
  const polls = async () => (await service.metrics()).value('mdapi_feed_polls_total', { outcome: 'ok' });
  const before = await polls();
  await eventually('polls succeed', async () => (await polls()) >= before + 3);
  assert.equal((await service.api.status()).lastUpdatedAtMs, lastUpdatedAtMs);
  service.clock.shift(301_000);
  const later = await polls();
  await eventually('polls succeed', async () => (await polls()) >= later + 2);
  assert.equal((await service.api.status()).components.ticker, 'outage');
  await service.simulator.faults.clear('crossed');
  await service.untilTicker('degraded');
  await service.simulator.faults.clear();
  await service.untilTicker('operational');
});

describe('a clock that is set', { concurrency: true }, () => {
  const jumps = {
    back: [-hourMs, -24 * hourMs],
    forward: [hourMs, 24 * hourMs],
    'there and back': [24 * hourMs, -24 * hourMs],
  };

  for (const [direction, shifts] of Object.entries(jumps)) {
    for (const isAlone of [true, false]) {
      test(`${direction}${isAlone ? '' : ', the exchange’s with it'}: no ticker is ahead of it, and all is right within seconds, after a restart too (fault row 57)`, async (t) => {
        const service = await ServiceHarness.start(t);
        let skewMs = 0;
        for (const [index, byMs] of [...shifts, ...shifts].entries()) {
          const isRestarted = index >= shifts.length;
          if (isRestarted) await service.stopService();
          service.clock.shift(byMs);
          if (isAlone) skewMs -= byMs;
          await service.simulator.faults.set({ fault: 'clock-skew', ms: skewMs });
          if (isRestarted) await service.startService();
          await neverAhead(service);
          await allRight(service, Math.max(0, -skewMs));
        }
      });
    }
  }
});

/** Several readings at once after the jump, before the feed has brought anything new. */
async function neverAhead({ api }: ServiceHarness): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    const tickers = await api.tickers();
    const { serverTimeMs, lastUpdatedAtMs } = await api.status();
    for (const { symbol, timestampMs } of tickers.values()) assert.ok(timestampMs <= serverTimeMs, symbol);
    assert.ok((lastUpdatedAtMs ?? 0) <= serverTimeMs);
  }
}

/** @param behindMs how far the exchange’s clock, whose times tickers carry, is behind ours */
function allRight(service: ServiceHarness, behindMs: number): Promise<unknown> {
  return eventually('fresh prices everywhere, live', async () => {
    const tickers = await service.api.tickers();
    const { status, serverTimeMs } = await service.api.status();
    const ages = [...tickers.values()].map(({ timestampMs }) => serverTimeMs - timestampMs);
    return (
      status === 'operational' &&
      ages.length === allSymbols.length &&
      ages.every((ageMs) => ageMs >= 0 && ageMs < behindMs + 5_000)
    );
  });
}

describe('one silent market', { concurrency: true }, () => {
  const catalogues = {
    three: 'ADAEUR,BTCEUR,ETHEUR',
    seven: 'ADAEUR,BTCEUR,ETHEUR,XRPEUR,LTCEUR,DOTEUR,LINKEUR',
  };
  for (const [size, symbols] of Object.entries(catalogues)) {
    test(`of ${size} does not keep the feed on the fallback: operational, the silent one over REST (fault row 64)`, async (t) => {
      const service = await ServiceHarness.start(t, {
        settings: { 'markets.symbols': symbols },
        before: (simulator) => simulator.faults.set({ fault: 'mute-symbol', symbol: 'ADA/EUR' }),
        untilLive: false,
      });
      await service.untilTicker('operational');
      service.simulator.setPrice({ symbol: 'ADA/EUR', bid: '1.000000', ask: '1.000001' });
      await service.untilBuyPrice('ADAEUR', '1.005002');
      assert.equal((await service.api.status()).status, 'operational');
    });
  }
});
