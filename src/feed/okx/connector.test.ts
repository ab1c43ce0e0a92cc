import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import { recordedText } from '../recordings.testing.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { asUpstreamError } from '../wire.ts';
import { OkxConnector } from './connector.ts';

const never = new AbortController().signal;

test('a code other than 0 is an error, also with HTTP 200, and the codes of a limit ask to slow down', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  let body = recordedText('okx-instruments-spot-2022-05-13.json');
  exchange.rest = () => ({ body });
  try {
    for (const [answer, kind] of [
      ['{"code":"50011","msg":"Too Many Requests","data":[]}', 'rate_limited'],
      ['{"code":"51001","msg":"Instrument ID does not exist","data":[]}', 'unknown_symbol'],
      ['{"code":"50001","msg":"Service temporarily unavailable","data":[]}', 'refused'],
      ['{"data":[]}', 'malformed'],
      ['<html>', 'malformed'],
    ] as const) {
      const { restUrl, liveUrl } = exchange;
      const connector = new OkxConnector(connectorOptions({ restUrl, liveUrl, quotes: ['USDT' as CurrencyCode] }));
      body = recordedText('okx-instruments-spot-2022-05-13.json');
      assert.equal((await connector.loadCatalogue(never)).markets.length, 8);
      body = answer;
      const error = await connector.pollTickers(['BTCUSDT' as MarketSymbol], never).catch(asUpstreamError);
      assert.equal('kind' in error && error.kind, kind);
    }
  } finally {
    await exchange.close();
  }
});
