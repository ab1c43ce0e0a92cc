import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import { type RestAnswer, ScriptedExchange } from '../scripted-exchange.testing.ts';
import { CoinbaseConnector } from './connector.ts';

const never = new AbortController().signal;
const ids = Array.from({ length: 20 }, (_, index) => `C${index}-EUR`);
const symbols = ids.map((id) => id.replace('-', '') as MarketSymbol);
const products = ids.map((id) => ({ id, status: 'online', quote_increment: '0.01', base_increment: '0.1' }));
let exchange: ScriptedExchange;
let clock: FakeClock;
let connector: CoinbaseConnector;
let ticker: (id: string) => RestAnswer;

const body = (value: object): RestAnswer => ({ body: JSON.stringify(value) });

beforeEach(async () => {
  exchange = new ScriptedExchange();
  await exchange.listen();
  clock = new FakeClock();
  ticker = () => body({ bid: '1.10', ask: '1.20', price: '1.15', time: '2026-11-21T09:00:00.5Z', volume: '3' });
  exchange.rest = (call) => {
    const [, , id = '', what] = call.split('/');
    if (what === 'ticker') return ticker(id);
    if (what === 'stats') return body({ open: '1.00', high: '1.30', low: '0.90', last: '1.15', volume: '5.50' });
    return body(products);
  };
  const { restUrl, liveUrl } = exchange;
  connector = new CoinbaseConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }));
  await connector.loadCatalogue(never);
});

afterEach(() => exchange.close());

async function poll(asked: readonly MarketSymbol[]) {
  const polling = connector.pollTickers(asked, never);
  polling.catch(() => undefined);
  for (let step = 0; step < 30; step++) await clock.advance(200);
  return polling;
}

test('without a request for all, each poll takes the eight that were asked longest ago', async () => {
  const polled = [await poll(symbols), await poll(symbols), await poll(symbols)];
  assert.deepEqual(
    polled.map((tickers) => tickers.map(({ symbol }) => symbol)),
    [symbols.slice(0, 8), symbols.slice(8, 16), [...symbols.slice(16), ...symbols.slice(0, 4)]],
  );
  const [first] = polled[0]!;
  assert.deepEqual(
    [first?.bid, first?.high24h, first?.volume24h, first?.priceChangePercent24h, first?.upstreamTime],
    ['1.10', '1.30', '5.50', '15', undefined],
  );
});

test('statistics are kept for a minute, so that most polls are one request', async () => {
  const one = symbols.slice(0, 1);
  exchange.requests.length = 0;
  await poll(one);
  await poll(one);
  assert.deepEqual(exchange.requests, ['/products/C0-EUR/stats', '/products/C0-EUR/ticker', '/products/C0-EUR/ticker']);
});

test('an answer whose last trade is before the known one is from a cache, and is no price', async () => {
  const one = symbols.slice(0, 1);
  assert.equal((await poll(one)).length, 1);
  ticker = () => body({ bid: '9', ask: '10', price: '9', time: '2026-11-21T08:59:59Z', volume: '3' });
  assert.deepEqual(await poll(one), []);
});

test('one product that is gone leaves the others, and an answer for none is an error', async () => {
  ticker = (id) => (id === 'C0-EUR' ? { status: 404, body: '{"message":"NotFound"}' } : body({ bid: '1', ask: '2' }));
  const tickers = await poll(symbols.slice(0, 2));
  assert.deepEqual(
    tickers.map(({ symbol }) => symbol),
    ['C1EUR'],
  );
  await assert.rejects(() => poll(symbols.slice(0, 1)), { kind: 'status' });
});
