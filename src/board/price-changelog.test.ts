import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { Markets } from '../market/markets.ts';
import {
  after,
  CZK,
  conversionRate,
  decimal,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { Board } from './board.ts';
import { textOf } from './decoded.testing.ts';
import { PriceChangelog, type PriceUpdate } from './price-changelog.ts';

/** BTC and ETH in EUR and CZK. BTCEUR has a price. */
function published(seed = 1) {
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const board = new Board(markets);
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  markets.tickerReceived(upstreamTicker());
  const versions = new PriceChangelog(markets, board, seededRandomness(seed));
  const read = (version: string | undefined, atMs = 0) => {
    versions.refresh(after(start, atMs));
    return versions.since(version);
  };
  return { markets, board, versions, read };
}

function symbolsOf({ prices }: PriceUpdate): string[] {
  return prices.map((text) => JSON.parse(text).ticker.symbol).sort();
}

test('a reader without a version gets every price, in the bytes and with the version of its own resource', () => {
  const { board, read } = published();
  const update = read(undefined);
  const reading = board.ticker('BTCEUR', start);
  assert.ok(reading.kind === 'page');
  assert.equal(update.isComplete, true);
  const text = `{"version":${reading.page.entityTag('identity')},"ticker":${textOf(reading.page)}}`;
  assert.deepEqual([update.prices, update.removed], [[text], []]);
  assert.match(update.version, /^[0-9A-Za-z]{10}-1$/);
});

test('a reader that names a version gets what changed since, and nothing when nothing did', () => {
  const { markets, read } = published();
  const first = read(undefined);
  assert.deepEqual(read(first.version), { version: first.version, isComplete: false, prices: [], removed: [] });
  markets.rateRefreshed(conversionRate());
  const second = read(first.version);
  assert.deepEqual([symbolsOf(second), second.isComplete], [['BTCCZK'], false]);
  markets.tickerReceived(upstreamTicker({ symbol: symbol('ETHEUR') }));
  assert.deepEqual(symbolsOf(read(second.version)), ['ETHCZK', 'ETHEUR']);
  assert.deepEqual(symbolsOf(read(first.version)), ['BTCCZK', 'ETHCZK', 'ETHEUR'], 'a slow reader gets the same');
  assert.notEqual(read(undefined).version, second.version);
});

test('a version is known however many came before it', () => {
  const { markets, read } = published();
  const versions: string[] = [];
  for (let change = 1; change <= 12; change++) {
    markets.tickerReceived(upstreamTicker({ receivedAt: after(start, change), ask: decimal(`8421${change}`) }));
    versions.push(read(undefined, change).version);
  }
  assert.equal(new Set(versions).size, 12);
  const update = read(versions.at(-2), 12);
  assert.deepEqual([update.isComplete, symbolsOf(update)], [false, ['BTCEUR']]);
});

test('a price that is made again with the same bytes is no change', () => {
  const { markets, read } = published();
  const { version } = read(undefined);
  markets.applyHolds([]);
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  assert.deepEqual(read(version), { version, isComplete: false, prices: [], removed: [] });
});

test('a market that has no price any more is named as removed, until it has one again', () => {
  const { markets, read } = published();
  markets.rateRefreshed(conversionRate({ fixingDate: undefined }));
  const { version } = read(undefined);
  const untilMs = markets.rate(CZK)!.validUntil - start;
  assert.deepEqual(read(version, untilMs - 1).removed, []);
  const gone = read(version, untilMs);
  assert.deepEqual([gone.removed, gone.prices], [['BTCCZK'], []], 'by the passing of time alone');
  assert.deepEqual(read(undefined, untilMs).removed, [], 'a complete update names none: what it lacks has no price');
  markets.rateRefreshed(conversionRate({ fixingDate: undefined, refreshedAt: after(start, untilMs + hourMs) }));
  const back = read(gone.version, untilMs + hourMs);
  assert.deepEqual([symbolsOf(back), back.removed], [['BTCCZK'], []]);
});

test('a delisted market is removed, and one that is newly listed comes with its first price', () => {
  const { markets, read } = published();
  const { version } = read(undefined);
  markets.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: false, delistedAt: start }]);
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH'), upstreamMarket('XRP')], start);
  markets.tickerReceived(upstreamTicker({ symbol: symbol('XRPEUR') }));
  const update = read(version);
  assert.deepEqual([symbolsOf(update), update.removed], [['XRPEUR'], ['BTCEUR']]);
});

test('a clock that is set back makes everything be looked at again', () => {
  const { markets, read } = published();
  markets.rateRefreshed(conversionRate({ fixingDate: undefined }));
  const untilMs = markets.rate(CZK)!.validUntil - start;
  const gone = read(undefined, untilMs);
  assert.deepEqual(symbolsOf(gone), ['BTCEUR']);
  assert.deepEqual(symbolsOf(read(gone.version, untilMs - 1)), ['BTCCZK']);
});

test('terms that begin are in the prices of the next reader', () => {
  const { markets, read } = published();
  const { version } = read(undefined);
  const from = after(start, 1_000);
  const fee = { feePercent: decimal('2') };
  markets.applyTerms([{ id: 'a', from, scope: 'service', subject: undefined, values: fee }], start);
  assert.deepEqual(read(version, 999).prices, []);
  assert.deepEqual(symbolsOf(read(version, 1_000)), ['BTCEUR']);
});

test('a version of another process, of the future or of no form brings everything', () => {
  const { versions, read } = published();
  const { version } = read(undefined);
  const [epoch] = version.split('-');
  const other = published(2).read(undefined).version;
  for (const unknown of [
    other,
    `${epoch}-2`,
    `${epoch}-`,
    `${epoch}`,
    `${epoch}-x`,
    `${epoch}-1x`,
    `${epoch}--1`,
    '',
    `${epoch}-${'1'.repeat(16)}`,
  ]) {
    assert.equal(versions.since(unknown).isComplete, true, unknown);
  }
  assert.equal(versions.since(version).isComplete, false);
  assert.equal(versions.since(`${epoch}-0`).isComplete, false);
});

test('who listens is called for every change of a price or of the list, until the subscription ends', () => {
  const { markets, versions } = published();
  let calls = 0;
  const end = versions.onChange(() => calls++);
  markets.tickerReceived(upstreamTicker({ receivedAt: after(start, 100) }));
  assert.equal(calls, 2, 'the market and the one converted from it');
  markets.marketChanged(symbol('ETHEUR'), { status: 'paused' });
  assert.equal(calls, 3);
  end();
  markets.tickerReceived(upstreamTicker({ receivedAt: after(start, 200) }));
  assert.equal(calls, 3);
});
