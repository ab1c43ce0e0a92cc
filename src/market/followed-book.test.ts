import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Doubt } from './doubts.ts';
import { Guard } from './guard.ts';
import { guardRules, marketsWith } from './market-rig.testing.ts';
import type { Markets } from './markets.ts';
import {
  after,
  CZK,
  conversionRate,
  currency,
  decimal,
  EUR,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { SourceRules } from './source-lists.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

const BTCEUR = symbol('BTCEUR');
const BTCCZK = symbol('BTCCZK');
const USD = currency('USD');

/** BTC and ETH in EUR and CZK with prices, and what an observer was told. */
function observed(rules?: SourceRules) {
  const converted = new Map([CZK, USD].map((quote) => [quote, { via: EUR, marginPercent: decimal('1') }]));
  const markets = marketsWith({
    guard: new Guard({ ...guardRules, ratePercent: decimal('10') }),
    policy: { converted },
    sources: rules,
  });
  for (const { id } of markets.sources.all)
    markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start, undefined, id);
  markets.tickerReceived(upstreamTicker());
  const priced: string[] = [];
  const held: unknown[][] = [];
  markets.observe({
    tickerChanged: (each) => void priced.push(each),
    doubtChanged: (...told) => void held.push(told),
  });
  priced.length = 0;
  const bid = () => markets.acceptedTicker(BTCEUR)?.bid;
  const told = () => [priced.splice(0), held.splice(0)];
  return { markets, bid, told };
}

const accepted = (markets: Markets, bid: string, atMs: number): AcceptedTicker => {
  return { ...markets.acceptedTicker(BTCEUR)!, bid: decimal(bid), capturedAt: after(start, atMs) };
};

test('of what another book accepted the newer wins, and of two of one instant the one that came later', () => {
  const { markets, bid, told } = observed();
  markets.tickerAccepted(BTCEUR, accepted(markets, '84000', 100));
  assert.deepEqual([bid(), told()[0]], ['84000', ['BTCEUR', 'BTCCZK', 'BTCUSD'].sort()]);
  markets.tickerAccepted(BTCEUR, accepted(markets, '84001', 99));
  assert.deepEqual([bid(), told()[0]], ['84000', []]);
  markets.tickerAccepted(BTCEUR, accepted(markets, '84002', 100));
  assert.equal(bid(), '84002');
});

test('a price from before the clock was set back is as old as the first look at it, and grows old from there', () => {
  const { markets, bid } = observed();
  const capturedAt = (now: number) => {
    const inputs = markets.pricer.inputs(BTCEUR, after(start, now));
    return inputs.kind === 'inputs' ? inputs.ticker.capturedAt - start : inputs.kind;
  };
  markets.tickerAccepted(BTCEUR, accepted(markets, '84000', 10_000));
  assert.equal(capturedAt(10_000), 10_000);
  assert.equal(capturedAt(5_000), 5_000);
  assert.equal(capturedAt(7_000), 5_000);
  assert.equal(
    markets.tickerReceived(upstreamTicker({ bid: decimal('84003'), receivedAt: after(start, 8_000) })),
    undefined,
  );
  assert.equal(bid(), '84003', 'its source goes on from there too');
});

test('observers learn when the guard begins to hold, when what it holds changes and when it ends, each once', () => {
  const { markets, told } = observed();
  const held = (values: string[], unpricedFrom = 300_000): Doubt => {
    return { reason: 'jump', since: start, values: values.map(decimal), unpricedFrom: after(start, unpricedFrom) };
  };
  const [first, second, later] = [held(['1']), held(['2']), held(['2'], 400_000)];
  markets.doubtChanged(BTCEUR, first);
  assert.deepEqual(told(), [['BTCCZK', 'BTCEUR', 'BTCUSD'], [[BTCEUR, first, undefined]]]);
  markets.doubtChanged(BTCEUR, first);
  assert.deepEqual(told(), [[], []]);
  markets.doubtChanged(BTCEUR, second);
  assert.deepEqual(told(), [[], [[BTCEUR, second, first]]], 'the same prices end at the same instant');
  markets.doubtChanged(BTCEUR, later);
  assert.deepEqual(told()[0], ['BTCCZK', 'BTCEUR', 'BTCUSD']);
  markets.doubtChanged(BTCEUR, undefined);
  assert.deepEqual(told(), [['BTCCZK', 'BTCEUR', 'BTCUSD'], [[BTCEUR, undefined, later]]]);
});

test('a rate changes the prices of its own quote alone', () => {
  const { markets, told } = observed();
  markets.rateRefreshed(conversionRate());
  assert.deepEqual(told()[0], ['BTCCZK', 'ETHCZK']);
  markets.rateRefreshed(conversionRate({ quote: USD, mid: decimal('1.1') }));
  assert.deepEqual(told()[0], ['BTCUSD', 'ETHUSD']);
});

test('a rate that may no longer be used is what the next one is compared with all the same (fault row 87)', () => {
  const { markets } = observed();
  markets.rateRefreshed(conversionRate({ fixingDate: undefined }));
  markets.rates.accept(CZK);
  const { validUntil } = markets.rate(CZK)!;
  const read = { mid: decimal('60'), fixingDate: undefined };
  assert.equal(markets.rateRefreshed(conversionRate({ ...read, refreshedAt: after(validUntil, -1) })), false);
  assert.equal(markets.rateRefreshed(conversionRate({ ...read, refreshedAt: validUntil })), false);
});

test('each price is made with the rate and the terms of its own quote and moment', () => {
  const { markets } = observed();
  const buyPrice = (of: typeof BTCEUR) => {
    const verdict = markets.pricer.price(of, start);
    return verdict.kind === 'priced' ? verdict.ticker.buyPrice : verdict.kind;
  };
  markets.rateRefreshed(conversionRate({ mid: decimal('20') }));
  markets.rateRefreshed(conversionRate({ quote: USD, mid: decimal('2') }));
  const [czk, usd] = [buyPrice(BTCCZK), buyPrice(symbol('BTCUSD'))];
  assert.ok(Math.abs(Number(czk) / Number(usd) - 10) < 0.01, `${czk} ${usd}`);
  markets.rateRefreshed(conversionRate({ mid: decimal('21'), refreshedAt: after(start, 1_000) }));
  assert.notEqual(buyPrice(BTCCZK), czk);
});

test('the start of a term is the next change', () => {
  const { markets } = observed();
  const from = after(start, 1_000);
  markets.applyTerms(
    [{ id: 'a', from, scope: 'service', subject: undefined, values: { feePercent: decimal('1') } }],
    start,
  );
  assert.deepEqual([markets.nextChangeAt(start), markets.terms.nextAt], [from, from]);
  assert.ok(markets.nextChangeAt(from) > from);
  assert.equal(markets.terms.nextAt, from, 'until it is applied');
  markets.advance(from);
  assert.equal(markets.terms.nextAt, Number.POSITIVE_INFINITY);
  assert.deepEqual(
    markets.terms
      .all()
      .map(({ id }) => id)
      .slice(-1),
    ['a'],
  );
});

test('a price that rounds to nothing has no derivation', () => {
  const { markets } = observed();
  const [tiny, less] = [decimal('0.0000002'), decimal('0.0000001')];
  const range = { high24h: tiny, low24h: less, last: tiny };
  markets.tickerReceived(upstreamTicker({ symbol: symbol('ETHEUR'), bid: less, ask: tiny, ...range }));
  assert.equal(markets.pricer.price(symbol('ETHEUR'), start).kind, 'unpriced');
  assert.equal(markets.pricer.explain(symbol('ETHEUR'), start), undefined);
  assert.equal(markets.pricer.explain(symbol('XXXEUR'), start), undefined);
  assert.notEqual(markets.pricer.explain(BTCEUR, start), undefined);
});

test('what the guard holds of a standby is no hold on the market, and its statistics are not the market’s', () => {
  const { markets, told } = observed({ ids: ['one', 'two'], lists: new Map(), mode: 'primary', returnAfterMs: 0 });
  const two = markets.sources.find('two')!;
  const tick = (bid: string, atMs: number) => {
    const prices = { bid: decimal(bid), ask: decimal(`${Number(bid) + 1}`), receivedAt: after(start, atMs) };
    return markets.tickerReceived(upstreamTicker(prices), two);
  };
  assert.equal(tick('84000', 1), undefined);
  assert.equal(tick('40000', 2), 'held');
  assert.deepEqual([[...markets.doubts()], told()[1]], [[], []]);
  assert.equal(markets.peerDoubts()[0]?.[1][0]?.[0], 'two', 'the other one contradicts it');
  assert.equal(tick('84001', 3), 'held', 'until a review finds that it agrees again');
  const prices = { price1hAgo: decimal('1'), price24hAgo: undefined, price7dAgo: undefined };
  markets.referencePricesChanged(BTCEUR, prices, two);
  assert.equal(markets.contents().references.get(BTCEUR), undefined);
  markets.referencePricesChanged(BTCEUR, prices);
  assert.equal(markets.contents().references.get(BTCEUR), prices);
  assert.deepEqual(told()[0], ['BTCCZK', 'BTCEUR', 'BTCUSD']);
});
