import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { soon, turns } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { ReferencePrices, UpstreamTicker } from '../market/upstream.ts';
import { connectorOptions } from './connector.testing.ts';
import { KrakenConnector } from './kraken/connector.ts';
import { partsForTest } from './parts.testing.ts';
import { ReferencePriceTracker } from './reference-price-tracker.ts';
import { ScriptedExchange } from './scripted-exchange.testing.ts';

const never = new AbortController().signal;
const symbols = ['C0EUR', 'C1EUR', 'C2EUR'] as MarketSymbol[];
const hourS = 3_600;

let exchange: ScriptedExchange;
let clock: FakeClock;
let connector: KrakenConnector;
let keeper: ReferencePriceTracker;
let published: [MarketSymbol, ReferencePrices, number][];
let failing: boolean;

beforeEach(async () => {
  exchange = new ScriptedExchange();
  clock = new FakeClock('2026-11-21T10:20:00.000Z');
  published = [];
  failing = false;
  await exchange.listen();
  exchange.rest = (call, parameters) => {
    if (call === 'OHLC' && failing) return { status: 500 };
    return { body: JSON.stringify({ error: [], result: call === 'OHLC' ? rows(parameters) : pairs() }) };
  };
  const { restUrl, liveUrl } = exchange;
  connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }));
  await connector.loadCatalogue(never);
  await clock.advance(5_000);
  exchange.requests.length = 0;
  const sink = {
    referencePricesChanged: (symbol: MarketSymbol, prices: ReferencePrices) => {
      published.push([symbol, prices, clock.now()]);
    },
  };
  keeper = new ReferencePriceTracker(partsForTest({ connector, sink, clock }));
});

afterEach(async () => {
  keeper.stop();
  await exchange.close();
});

function pairs() {
  const pair = { quote: 'ZEUR', pair_decimals: 2, lot_decimals: 8, ordermin: '1' };
  return Object.fromEntries(
    symbols.map((symbol, index) => [symbol, { ...pair, wsname: `C${index}/EUR`, base: `C${index}` }]),
  );
}

/** Candles whose opening price is their own age in steps. */
function rows(parameters: URLSearchParams) {
  const stepS = Number(parameters.get('interval')) * 60;
  const running = Math.floor(clock.now() / 1000 / stepS) * stepS;
  const list = [];
  for (let age = 180; age >= 0; age--) list.push([running - age * stepS, `${age}.00`, '0', '0', '0', '0', '0', 0]);
  return { [parameters.get('pair') ?? '']: list.filter(([time]) => Number(time) > Number(parameters.get('since'))) };
}

async function pass(what: string, probe: () => boolean, stepMs = 200): Promise<void> {
  for (let steps = 0; !probe(); steps++) {
    assert.ok(steps < 3_000, what);
    await clock.advance(stepMs);
    await turns(20);
  }
}

function seen(symbol: MarketSymbol, last: string): void {
  const now: EpochMs = clock.now();
  const value = last as DecimalString;
  const prices = { bid: value, ask: value, last: value, high24h: value, low24h: value, volume24h: value };
  const rest = { vwap24h: undefined, priceChangePercent24h: undefined, upstreamTime: undefined };
  const ticker: UpstreamTicker = { symbol, ...prices, ...rest, path: 'live', askedAt: now, receivedAt: now };
  keeper.note(ticker);
}

test('every market is seeded, hours before minutes, one request a second at most', async () => {
  const startedMs = clock.monotonicMs();
  keeper.start();
  keeper.follow(symbols);
  await pass('all are seeded', () => keeper.pendingSeeds === 0);
  const intervals = exchange.requests.map((request) => new URLSearchParams(request.split('?')[1]).get('interval'));
  assert.deepEqual(intervals, ['60', '60', '60', '1', '1', '1']);
  assert.ok(clock.monotonicMs() - startedMs >= 5_000);
  const last = published.findLast(([symbol]) => symbol === symbols[2]);
  assert.deepEqual(last?.[1], { price1hAgo: '60.00', price24hAgo: '24.00', price7dAgo: '168.00' });
});

test('failed seeding continues later, and every market gets its turn', async () => {
  failing = true;
  keeper.start();
  keeper.follow(symbols);
  await pass('three failures', () => exchange.requests.length === 3);
  assert.equal(new Set(exchange.requests).size, 3);
  failing = false;
  await pass('all are seeded', () => keeper.pendingSeeds === 0, 1_000);
  assert.ok(
    symbols.every((symbol) => published.some(([name, prices]) => name === symbol && prices.price7dAgo !== undefined)),
  );
});

test('a poll never waits behind candles', async () => {
  keeper.start();
  keeper.follow(symbols);
  await pass('the first candles', () => exchange.requests.length === 1);
  const before = clock.monotonicMs();
  exchange.requests.length = 0;
  void connector.pollTickers(symbols, never).catch(() => undefined);
  await soon('the poll is sent', () => exchange.requests.some((request) => request.startsWith('Ticker')));
  assert.equal(clock.monotonicMs(), before);
});

test('the feed’s own prices keep the references current, published at most once a minute for each market', async () => {
  keeper.start();
  keeper.follow(symbols);
  await pass('all are seeded', () => keeper.pendingSeeds === 0);
  published.length = 0;
  for (let second = 0; second < 70 * 60; second += 10) {
    seen(symbols[0]!, `${Math.floor(second / 60) + 1000}.5`);
    await clock.advance(10_000);
  }
  const mine = published.filter(([symbol]) => symbol === symbols[0]);
  assert.ok(mine.length > 60 && mine.length <= 71, `${mine.length} times in 70 minutes`);
  for (const [index, [, , at]] of mine.entries()) {
    const next = mine[index + 1]?.[2];
    if (next !== undefined) assert.ok(next - at >= 59_000);
  }
  const [, latest] = mine.at(-1)!;
  assert.match(latest.price1hAgo ?? '', /^10(08|09|10)\.5$/);
});

test('without feed data no price is noted, and after a gap the candles are requested again', async () => {
  keeper.start();
  keeper.follow(symbols.slice(0, 1));
  await pass('all are seeded', () => keeper.pendingSeeds === 0);
  seen(symbols[0]!, '5');
  await clock.advance(60_000);
  await clock.advance(2 * hourS * 1_000);
  exchange.requests.length = 0;
  seen(symbols[0]!, '6');
  await clock.advance(60_000);
  await pass('the gap is filled', () => exchange.requests.length === 2 && keeper.pendingSeeds === 0);
  assert.equal(published.at(-1)?.[1].price24hAgo, '24.00');
});

test('a market no longer followed is forgotten, its requests too', async () => {
  keeper.start();
  keeper.follow(symbols);
  keeper.follow(symbols.slice(0, 1));
  assert.equal(keeper.pendingSeeds, 2);
  await pass('all are seeded', () => keeper.pendingSeeds === 0);
  assert.ok(published.every(([symbol]) => symbol === symbols[0]));
});
