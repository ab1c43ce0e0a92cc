import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pollEverything } from '../contract/generated-client.ts';
import { eventually } from '../support/eventually.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';

describe('from the exchange to the client', { concurrency: true }, () => {
  test('every market of the catalogue and the one made from it in CZK are listed and priced', async (t) => {
    const { api } = await ServiceHarness.start(t);
    const markets = await api.markets();
    assert.deepEqual([...markets.keys()], allSymbols);
    assert.deepEqual(markets.get('BTCEUR'), {
      symbol: 'BTCEUR',
      base: 'BTC',
      quote: 'EUR',
      status: 'trading',
      pricePrecision: 1,
      amountPrecision: 8,
      tickSize: '0.1',
      minOrderSize: '0.0002',
      minOrderValue: '0.45',
    });
    assert.deepEqual(markets.get('BTCCZK'), {
      symbol: 'BTCCZK',
      base: 'BTC',
      quote: 'CZK',
      status: 'trading',
      pricePrecision: 0,
      amountPrecision: 8,
      tickSize: '1',
      minOrderSize: '0.0002',
    });
    assert.deepEqual([...(await api.tickers()).keys()], allSymbols);
  });

  test('a price is the exchange’s with fee, rate and margin, rounded once: buy up, sell down', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, api } = service;
    simulator.setRate('24.500');
    simulator.setPrice({
      symbol: 'BTC/EUR',
      bid: '50000.0',
      ask: '50000.1',
      high: '51000.5',
      low: '49000.4',
      vwap: '50001.23456789',
      volume: '270638277.50461281',
      change_pct: '-1.25',
    });
    // 50000.1 × 1.005 × 24.5 × 1.01 = 1243438.736872…5, and 50000.0 × 0.995 × 24.5 × 0.99 = 1206686.25
    await service.untilBuyPrice('BTCCZK', '1243439');
    // Only the live connection brings it.
    await eventually('the change', async () => (await api.ticker('BTCEUR')).priceChangePercent24h === '-1.25');
    const {
      timestamp: _t,
      timestampMs: _ms,
      priceChangePercent1h: _1h,
      priceChangePercent7d: _7d,
      ...czk
    } = await api.ticker('btcczk');
    assert.deepEqual(czk, {
      symbol: 'BTCCZK',
      base: 'BTC',
      quote: 'CZK',
      buyPrice: '1243439',
      sellPrice: '1206686',
      high24h: '1249512',
      low24h: '1200510',
      volume24h: '270638277.50461281',
      vwap24h: '1225030',
      priceChangePercent24h: '-1.25',
    });
    const {
      timestamp: _t2,
      timestampMs: _ms2,
      priceChangePercent1h: _1h2,
      priceChangePercent7d: _7d2,
      ...eur
    } = await api.ticker('BTCEUR');
    assert.deepEqual(eur, {
      symbol: 'BTCEUR',
      base: 'BTC',
      quote: 'EUR',
      buyPrice: '50250.2',
      sellPrice: '49750.0',
      high24h: '51000.5',
      low24h: '49000.4',
      volume24h: '270638277.50461281',
      vwap24h: '50001.2',
      priceChangePercent24h: '-1.25',
    });
  });

  test('a ticker says when the exchange captured it, to the millisecond, and that time goes on with the market', async (t) => {
    const { api, simulator, clock } = await ServiceHarness.start(t);
    const before = clock.now();
    simulator.setPrice({ symbol: 'ETH/EUR', bid: '2000.00', ask: '2000.01' });
    const first = await eventually('the price', async () => {
      const ticker = await api.ticker('ETHEUR');
      return ticker.buyPrice === '2010.02' && ticker;
    });
    // The exchange dates its frames by a clock that may be some milliseconds off.
    assert.ok(first.timestampMs >= before - 5 && first.timestampMs <= clock.now(), first.timestamp);
    await eventually('the next update', async () => (await api.ticker('ETHEUR')).timestampMs > first.timestampMs);
  });

  test('a client generated from the document polls everything, and gets what the service knows', async (t) => {
    const { service, credentials } = await ServiceHarness.start(t);
    const { markets, tickers, status } = await pollEverything(service.baseUrl, credentials.key);
    assert.deepEqual(
      markets.map(({ symbol }) => symbol),
      allSymbols,
    );
    assert.deepEqual(
      tickers.map(({ symbol }) => symbol),
      allSymbols,
    );
    assert.equal(status.status, 'operational');
  });
});
