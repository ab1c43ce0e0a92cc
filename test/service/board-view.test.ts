import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { schemas } from '../../src/contract/schemas.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { BoardView } from '../../src/management/views.ts';
import { eventually } from '../support/eventually.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';

describe('GET /board on the private listener', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  before(async () => {
    service = await ServiceHarness.start(
      { after: (run) => cleanups.push(run as () => unknown) },
      { simulator: { updatesPerSecond: 20 } },
    );
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  async function board(): Promise<BoardView> {
    const response = await service.admin('/board');
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('cache-control')],
      [200, 'application/json; charset=utf-8', 'no-store'],
    );
    const body = (await response.json()) as BoardView;
    assert.deepEqual(Object.keys(body.service), Object.keys(schemas.ServiceStatus.properties));
    return body;
  }

  test('holds every market in order, each with the very ticker clients get, and the state of the service', async () => {
    const { markets, service: status, feedPath, dataAgeMs = Number.NaN } = await board();
    assert.deepEqual(
      markets.map(({ symbol, status: state, unpriced }) => [symbol, state, unpriced]),
      allSymbols.map((symbol) => [symbol, 'trading', undefined]),
    );
    assert.deepEqual([status.status, status.maintenance, feedPath], ['operational', null, 'live']);
    assert.equal(dataAgeMs, status.serverTimeMs - status.lastUpdatedAtMs!);

    const seen = new Set<string>();
    await eventually('each market was seen the same on both', async () => {
      const view = await board();
      const tickers = await service.api.tickers();
      for (const { symbol, ticker } of view.markets) {
        if (isDeepStrictEqual(ticker, tickers.get(symbol))) seen.add(symbol);
      }
      return seen.size === allSymbols.length;
    });
  });

  test('says why a market has no price, that one is paused, and goes on during maintenance', async () => {
    await service.simulator.faults.set({ fault: 'rate-gone' });
    service.clock.shift(96 * 3_600_000);
    await service.withStore(async ({ markets, windows }) => {
      await eventually('the markets are saved', async () => (await markets.list()).length === allSymbols.length);
      await markets.setOperatorPaused('BTCEUR', true);
      await windows.announce({
        from: service.clock.now(),
        to: (service.clock.now() + 60_000) as EpochMs,
        description: 'Upgrade',
      });
    });
    const view = await eventually('the changes are taken', async () => {
      const now = await board();
      return now.service.status === 'maintenance' && now.markets.some(({ status }) => status === 'paused') && now;
    });
    const states = view.markets.map(({ symbol, status, unpriced, ticker }) => [
      symbol,
      status,
      unpriced ?? typeof ticker,
    ]);
    for (const expected of [
      ['ADACZK', 'trading', 'no_rate'],
      ['ADAEUR', 'trading', 'object'],
      ['BTCCZK', 'paused', 'no_rate'],
      ['BTCEUR', 'paused', 'object'],
    ]) {
      assert.ok(
        states.some((state) => JSON.stringify(state) === JSON.stringify(expected)),
        `${expected} in ${JSON.stringify(states)}`,
      );
    }
    assert.equal(view.service.maintenance?.description, 'Upgrade');
  });
});
