import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { noReferences } from './reference-prices.ts';
import { after, CZK, currency, decimal, EUR, start, symbol, upstreamMarket } from './samples.testing.ts';
import { reviewSources } from './source-review.ts';

test('the first source makes price and statistics together, another one when it is lost, and the first again after a minute', () => {
  const rig = threeLive();
  rig.markets.referencePricesChanged(BTCEUR, {
    price1hAgo: decimal('1'),
    price24hAgo: undefined,
    price7dAgo: undefined,
  });
  assert.equal(rig.used, 'one');
  rig.nowMs = 1_000;
  const { isDegraded, changed } = rig.review('silent', 'live', 'live');
  assert.deepEqual([isDegraded, changed], [true, [{ symbol: BTCEUR, from: 'one', to: 'two' }]]);
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['two', '84010']);
  assert.deepEqual(
    rig.markets.contents().references.get(BTCEUR),
    noReferences,
    'no change from prices of another source',
  );
  rig.nowMs = 2_000;
  rig.review('live', 'live', 'live');
  rig.nowMs = 61_999;
  assert.equal(rig.review('live', 'live', 'live').isDegraded, true, 'on a standby');
  rig.nowMs = 62_000;
  assert.equal(rig.review('live', 'live', 'live').isDegraded, false);
  assert.equal(rig.used, 'one');
  assert.equal(rig.markets.contents().references.get(BTCEUR)?.price1hAgo, '1');
});

test('a ticker of a standby changes no price, and its age begins where the price before it ended', () => {
  const rig = threeLive();
  rig.nowMs = 5_000;
  rig.tick('one', '84001');
  assert.equal(
    rig.tick('two', '84011', { receivedAt: after(start, 3_000), upstreamTime: after(start, 3_000) }),
    undefined,
  );
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84001');
  rig.review('silent', 'live', 'live');
  const { bid, capturedAt } = rig.markets.acceptedTicker(BTCEUR)!;
  assert.deepEqual([bid, capturedAt], ['84011', after(start, 5_000)], 'it stood then, and no time goes back');
});

test('a source over REST takes over once what it says is newer than the price, for what a cache has did not stand then', () => {
  const rig = threeLive();
  rig.nowMs = 5_000;
  rig.tick('one', '84001');
  const polled = (bid: string, askedAtMs: number) =>
    rig.tick('two', bid, { path: 'fallback', upstreamTime: undefined, askedAt: after(start, askedAtMs) });
  rig.nowMs = 15_000;
  polled('84012', 4_999);
  assert.deepEqual(rig.review('silent', 'polled', 'silent'), { isDegraded: true, changed: [] });
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84001');
  polled('84013', 5_001);
  rig.review('silent', 'polled', 'silent');
  const { bid, capturedAt } = rig.markets.acceptedTicker(BTCEUR)!;
  assert.deepEqual([bid, capturedAt], ['84013', after(start, 5_001)]);
  polled('84014', 5_001);
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84014', 'it is the one in use');
  rig.tick('three', '84015', { path: 'fallback', upstreamTime: start, askedAt: after(start, 5_002) });
  rig.review('silent', 'silent', 'polled');
  const last = rig.markets.acceptedTicker(BTCEUR)!;
  assert.deepEqual(
    [last.bid, last.capturedAt],
    ['84015', after(start, 5_001)],
    'old in a quiet market, and it stood then',
  );
});

test('a live source that gave no price since it was connected does not take over with an older one', () => {
  const rig = threeLive();
  rig.unheard.add('two');
  rig.nowMs = 5_000;
  rig.tick('one', '84001');
  assert.deepEqual(rig.review('silent', 'live', 'silent'), { isDegraded: true, changed: [] });
  const { bid, source } = rig.markets.acceptedTicker(BTCEUR)!;
  assert.deepEqual([bid, source], ['84001', 'one'], 'its 84010 may not have stood any more');
  rig.nowMs = 6_000;
  rig.tick('two', '84012');
  rig.unheard.delete('two');
  rig.review('silent', 'live', 'silent');
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84012');
});

test('a price that is dated ahead of the clock, which was set back, keeps no source from taking over', () => {
  const rig = threeLive();
  rig.nowMs = 60_000;
  rig.tick('one', '84001');
  rig.nowMs = 30_000;
  rig.tick('two', '84012', { path: 'fallback', upstreamTime: undefined, askedAt: after(start, 29_000) });
  rig.review('silent', 'polled', 'silent');
  assert.equal(rig.used, 'two');
});

test('a source that never was lost takes its place at once, so that a standby that is up first keeps nothing', () => {
  const rig = new MarketRig();
  for (const source of ['two', 'one']) rig.list(source);
  rig.tick('two', '84010');
  rig.review('silent', 'live');
  rig.nowMs = 2_000;
  rig.review('silent', 'live');
  assert.equal(rig.used, 'two');
  rig.tick('one', '84000');
  rig.nowMs = 2_700;
  assert.equal(rig.review('live', 'live').isDegraded, false);
  assert.equal(rig.used, 'one');
});

test('a market with a list of its own is priced and listed by those sources alone', () => {
  const rig = threeLive({ lists: new Map([[BTCEUR, ['three', 'two']]]) });
  assert.equal(rig.used, 'three');
  rig.review('live', 'silent', 'silent');
  assert.equal(rig.used, 'three', 'never the one that is not in the list');
});

test('a source that halts the market or whose price is held is passed over', () => {
  const rig = threeLive();
  rig.markets.marketChanged(BTCEUR, { status: 'paused' }, 'one');
  rig.review();
  assert.equal(rig.used, 'two');
  assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'trading', 'as long as one source trades it');
  rig.nowMs = 1_000;
  assert.equal(rig.tick('two', '94010'), 'held');
  rig.review();
  assert.equal(rig.used, 'three');
  assert.equal(rig.markets.doubts().size, 0, 'nothing is held of what makes the price');
  for (const source of ['two', 'three']) rig.markets.marketChanged(BTCEUR, { status: 'paused' }, source);
  assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'paused');
});

test('a jump is taken as soon as a second source jumps to the same level, and from one source alone it is not', () => {
  const rig = threeLive();
  rig.nowMs = 1_000;
  assert.equal(rig.tick('one', '97000'), 'held');
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84000');
  assert.equal(rig.tick('two', '97900'), undefined, 'they agree');
  assert.equal(rig.tick('one', '97001'), undefined, 'the other came to it');
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '97001');
  assert.equal(rig.tick('three', '120000'), 'held', 'a level that nobody else has');
});

test('a source that does not deliver confirms nothing', () => {
  const rig = threeLive();
  rig.nowMs = 1_000;
  rig.review('live', 'silent', 'silent');
  rig.tick('two', '97000');
  assert.equal(rig.tick('one', '97000'), 'held');
});

test('the median follows every fresh source and leaves out one that is silent or held', () => {
  const rig = threeLive({ mode: 'median' });
  rig.tick('three', '84100');
  assert.deepEqual(
    [rig.markets.acceptedTicker(BTCEUR)?.bid, rig.used],
    ['84010', 'median(one,two,three)'],
    'the middle one, with the spread of the first',
  );
  rig.tick('three', '100000');
  assert.equal(
    rig.markets.acceptedTicker(BTCEUR)?.bid,
    '84010',
    'the last good one of a source that is held counts until the next review',
  );
  rig.review('live', 'live', 'live');
  assert.deepEqual([rig.markets.acceptedTicker(BTCEUR)?.bid, rig.used], ['84005', 'median(one,two)']);
  rig.review('live', 'silent', 'live');
  assert.deepEqual([rig.markets.acceptedTicker(BTCEUR)?.bid, rig.used], ['84000', 'one']);
});

test('precision, tick and minimums are those of the first source that lists a market, whichever makes its price', () => {
  const rig = new MarketRig();
  rig.list('two', [upstreamMarket('BTC', { pricePrecision: 3, tickSize: decimal('0.001') }), upstreamMarket('ONLY')]);
  rig.list('one');
  const precision = () => rig.markets.catalogue.find(BTCEUR)?.pricePrecision;
  assert.equal(precision(), 1);
  for (const source of ['one', 'two']) rig.tick(source, '84000');
  rig.review('silent', 'live');
  assert.deepEqual([rig.used, precision()], ['two', 1]);
  assert.ok(rig.markets.catalogue.find(symbol('ONLYEUR')), 'markets of the union of catalogues');
  const again = new MarketRig();
  again.markets.restore(rig.kept());
  again.list('two', [upstreamMarket('BTC', { pricePrecision: 3 })]);
  assert.equal(again.markets.catalogue.find(BTCEUR)?.pricePrecision, 1, 'after a restart, whoever loads first');
});

test('a market goes only when every source that listed it lacks it', () => {
  const rig = new MarketRig();
  const others = [upstreamMarket('ETH'), upstreamMarket('ADA')];
  for (const source of ['one', 'two']) rig.list(source, [upstreamMarket('BTC'), ...others]);
  for (const minute of [1, 2, 3]) assert.equal(rig.list('one', others, minute * 60_000).lacking, 1);
  assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'trading');
  for (const minute of [4, 5]) rig.list('two', others, minute * 60_000);
  assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'paused');
  assert.deepEqual(rig.markets.catalogue.absences(60_000).due, [BTCEUR]);
  rig.tick('one', '84000', { receivedAt: after(start, 300_000) });
  assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'trading', 'a ticker proves that a source has it');
});

test('a list that is small beside the others is evidence by itself', () => {
  const rig = new MarketRig();
  rig.list(
    'one',
    ['BTC', 'ETH', 'ADA', 'SOL', 'XRP'].map((base) => upstreamMarket(base)),
  );
  assert.equal(rig.list('two', [upstreamMarket('BTC')]).isEvidence, true);
  assert.equal(rig.list('one', [upstreamMarket('BTC')], 1).isEvidence, false);
});

test('a market that no configured source listed goes missing like any other', () => {
  const rig = new MarketRig({ ids: ['gone'] });
  rig.list('gone', [upstreamMarket('BTC'), upstreamMarket('ETH')]);
  const again = new MarketRig({ ids: ['one'] });
  again.markets.restore(rig.kept());
  for (const minute of [1, 2]) again.list('one', [upstreamMarket('ETH')], minute * 60_000);
  assert.equal(again.markets.catalogue.find(BTCEUR)?.status, 'paused');
});

test('a market that a source quotes in CZK itself comes before the converted one, which is back when it is gone', () => {
  const rig = new MarketRig({}, { quotes: [EUR, currency('CZK')] });
  const direct = upstreamMarket('BTC', { quote: CZK, pricePrecision: 2 });
  rig.list('one', [upstreamMarket('BTC'), upstreamMarket('ETH')]);
  const find = () => rig.markets.catalogue.find(symbol('BTCCZK'));
  assert.equal(find()?.isConverted, true);
  rig.list('two', [direct, upstreamMarket('ETH', { quote: CZK })]);
  assert.deepEqual([find()?.isConverted, find()?.pricePrecision], [false, 2]);
  const range = { low24h: decimal('1900000'), high24h: decimal('2100000') };
  rig.list('three', [upstreamMarket('ETH')]);
  rig.tick('two', '2000000', { symbol: symbol('BTCCZK'), ...range });
  rig.review('live', 'live');
  const explained = rig.markets.pricer.explain(symbol('BTCCZK'), start);
  assert.deepEqual(
    [explained?.source, explained?.conversion, explained?.buy[0]?.made.values],
    ['two', undefined, { side: 'ask', source: 'two' }],
  );
  for (const minute of [1, 2]) rig.list('two', [upstreamMarket('ETH', { quote: CZK })], minute * 60_000);
  assert.equal(find()?.isConverted, true);
  assert.deepEqual(rig.markets.catalogue.absences(1).due, [], 'it is not delisted for good');
});

test('a market that is merely quiet does not count as served worse, unless its whole source is not live', () => {
  const rig = new MarketRig({ ids: ['one'] });
  rig.list('one', [upstreamMarket('BTC'), upstreamMarket('ETH')]);
  rig.tick('one', '84000');
  const lesser = (isLive: boolean, isQuiet: boolean) => {
    const facts = {
      reach: () => 'polled' as const,
      isHeard: () => false,
      isLive: () => isLive,
      isAwaited: () => true,
      isQuiet: () => isQuiet,
    };
    return reviewSources(rig.markets, facts, { now: start, nowMs: 0 }).serving.lesser;
  };
  assert.deepEqual([lesser(true, true), lesser(false, true), lesser(true, false)], [0, 1, 1]);
});

test('a book that follows another one converts again what that one converts again', () => {
  const [rig, follower] = [
    new MarketRig({}, { quotes: [EUR, currency('CZK')] }),
    new MarketRig({}, { quotes: [EUR, currency('CZK')] }),
  ];
  const direct = upstreamMarket('BTC', { quote: CZK });
  rig.list('one', [upstreamMarket('BTC'), upstreamMarket('ETH'), direct]);
  follower.markets.restore(rig.kept());
  assert.equal(follower.markets.catalogue.find(direct.symbol)?.isConverted, false);
  for (const minute of [1, 2]) rig.list('one', [upstreamMarket('BTC'), upstreamMarket('ETH')], minute * 60_000);
  follower.markets.restore(rig.kept());
  assert.deepEqual([...follower.markets.catalogue.all()], [...rig.markets.catalogue.all()]);
  assert.equal(follower.markets.catalogue.find(direct.symbol)?.isConverted, true);
});

test('a source that is not in the list of a market makes no price of it, and its other tickers are not lost for it', () => {
  const rig = new MarketRig({ lists: new Map([[BTCEUR, ['one', 'two']]]) });
  for (const source of ['one', 'two', 'three']) rig.list(source);
  rig.tick('three', '84000');
  assert.equal(rig.used, undefined);
  rig.tick('one', '84000');
  rig.tick('two', '84010');
  assert.equal(rig.tick('three', '90000'), undefined);
  rig.review('live', 'live', 'live');
  assert.equal(rig.used, 'one');
});

test('a newer ticker of another process is shown until the source in use has a newer one, and moves no source', () => {
  const rig = threeLive();
  rig.nowMs = 5_000;
  const other = { ...rig.markets.acceptedTicker(BTCEUR)!, source: 'two', bid: decimal('84050') };
  rig.markets.tickerShown(BTCEUR, { ...other, capturedAt: after(start, 4_000) });
  assert.deepEqual([rig.used, rig.markets.sources.used(BTCEUR)?.id], ['two', 'one']);
  assert.equal(rig.review('live', 'live', 'live').isDegraded, false);
  rig.tick('one', '84001');
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)!.capturedAt], ['one', after(start, 5_000)]);
});
