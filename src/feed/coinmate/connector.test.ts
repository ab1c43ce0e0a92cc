import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { asUpstreamError } from '../wire.ts';
import { CoinmateConnector } from './connector.ts';

const never = new AbortController().signal;
const btc = 'BTCCZK' as MarketSymbol;
const pairs =
  '[{"name":"BTC_CZK","firstCurrency":"BTC","secondCurrency":"CZK","priceDecimals":0,"lotDecimals":8,"minAmount":0.0001}]';
const data = (result: string) => `{"error":false,"errorMessage":null,"data":${result}}`;

test('a book in CZK is a market with the digits of its numbers, and an error in the envelope is one with HTTP 200 too', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  let tickers = data(
    '{"BTC_CZK":{"last":2101000,"high":2150000.0,"low":2090000,"amount":12.50,"bid":2100000,"ask":2102000,"timestamp":1795255200}}',
  );
  exchange.rest = (call) => ({ body: call === '/api/tradingPairs' ? data(pairs) : tickers });
  try {
    const { restUrl, liveUrl } = exchange;
    const opened = () => new CoinmateConnector(connectorOptions({ restUrl, liveUrl, quotes: ['CZK' as CurrencyCode] }));
    const connector = opened();
    const { markets } = await connector.loadCatalogue(never);
    assert.deepEqual(
      markets.map(({ symbol }) => symbol),
      [btc],
    );
    const [ticker] = await connector.pollTickers([btc], never);
    assert.deepEqual([ticker?.bid, ticker?.high24h, ticker?.volume24h], ['2100000', '2150000.0', '12.50']);
    const asked = exchange.requests.length;
    const [again] = await connector.pollTickers([btc], never);
    assert.deepEqual([again, exchange.requests.length], [ticker, asked]);
    for (const [answer, kind] of [
      ['{"error":true,"errorMessage":"Too many requests","data":null}', 'rate_limited'],
      ['{"error":true,"errorMessage":"Maintenance","data":null}', 'refused'],
      ['{"data":{}}', 'malformed'],
    ] as const) {
      const failing = opened();
      await failing.loadCatalogue(never);
      tickers = answer;
      const error = await failing.pollTickers([btc], never).catch(asUpstreamError);
      assert.equal('kind' in error && error.kind, kind);
    }
  } finally {
    await exchange.close();
  }
});
