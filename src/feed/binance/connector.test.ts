import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soon, turns } from '../../../test/support/eventually.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import type { LiveEvent } from '../connector.ts';
import { recordedText } from '../recordings.testing.ts';
import { type RestAnswer, ScriptedExchange } from '../scripted-exchange.testing.ts';
import { BinanceConnector } from './connector.ts';

const never = new AbortController().signal;
const catalogue = recordedText('binance-exchange-info-eur-2021-10-12.json');

test('few symbols are asked for by name; one that is gone fails the request, all are asked for, and it is named no more until the next catalogue', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  const tickers = '[{"symbol":"BTCEUR","bidPrice":"50000.10","askPrice":"50000.20"}]';
  let named: RestAnswer = { body: tickers };
  exchange.rest = (call, parameters) => {
    if (call === '/api/v3/exchangeInfo') return { body: catalogue };
    return parameters.has('symbols') ? named : { body: tickers };
  };
  try {
    const { restUrl, liveUrl } = exchange;
    const clock = new FakeClock();
    const quotes = ['EUR' as CurrencyCode];
    const connector = new BinanceConnector(connectorOptions({ clock, restUrl, liveUrl, quotes }));
    await connector.loadCatalogue(never);
    const poll = async () => {
      await clock.advance(10_000);
      exchange.requests.length = 0;
      const read = await connector.pollTickers(['BTCEUR', 'ETHEUR'] as MarketSymbol[], never);
      assert.deepEqual(
        read.map(({ symbol, bid }) => [symbol, bid]),
        [['BTCEUR', '50000.10']],
      );
      return exchange.requests.map((request) => decodeURIComponent(request).replace('/api/v3/', ''));
    };
    assert.deepEqual(await poll(), ['ticker/24hr?symbols=["BTCEUR","ETHEUR"]']);
    named = { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' };
    const unnamed = poll();
    await soon('the refusal', () => exchange.requests.some((request) => request.includes('symbols')));
    // The second request costs as much as the pace has saved, and waits for what the first one took.
    await turns(50);
    await clock.advance(100);
    assert.deepEqual(await unnamed, ['ticker/24hr?symbols=["BTCEUR","ETHEUR"]', 'ticker/24hr']);
    named = { body: tickers };
    assert.deepEqual(await poll(), ['ticker/24hr?symbols=["BTCEUR"]']);
    await clock.advance(10_000);
    await connector.loadCatalogue(never);
    assert.deepEqual(await poll(), ['ticker/24hr?symbols=["BTCEUR","ETHEUR"]']);
  } finally {
    await exchange.close();
  }
});

test('a connection is to be replaced ten minutes before the exchange ends it at the age of 24 hours', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  const { restUrl, liveUrl } = exchange;
  const clock = new FakeClock();
  const events: LiveEvent[] = [];
  const connector = new BinanceConnector(connectorOptions({ clock, restUrl, liveUrl }));
  const connection = connector.openLive((event) => events.push(event));
  try {
    await soon('the connection', () => events.length > 0);
    await clock.advance(24 * 3_600_000 - 600_001);
    assert.deepEqual(events, [{ type: 'opened' }]);
    await clock.advance(1);
    assert.deepEqual(events.at(-1), { type: 'ending', detail: 'the connection reached its age limit' });
  } finally {
    connection.terminate();
    await exchange.close();
  }
  assert.equal(clock.pendingTimers, 0);
});
