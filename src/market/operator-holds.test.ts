import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guard } from './guard.ts';
import { guardRules, marketsWith, threeLive } from './market-rig.testing.ts';
import {
  after,
  CZK,
  conversionRate,
  decimal,
  EUR,
  polledTicker,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';

const [BTCEUR, BTCCZK, ETHEUR, ETHCZK] = ['BTCEUR', 'BTCCZK', 'ETHEUR', 'ETHCZK'].map(symbol) as never as [
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
];
const minuteMs = 60_000;

function priced() {
  const markets = marketsWith({ guard: new Guard({ ...guardRules, ratePercent: decimal('10') }) });
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  for (const each of [BTCEUR, ETHEUR]) markets.tickerReceived(upstreamTicker({ symbol: each }));
  markets.rateRefreshed(conversionRate());
  const hold = (name: typeof BTCEUR, heldAt: number | undefined, acceptedAt?: number) =>
    markets.applyHolds([
      {
        symbol: name,
        heldAt: heldAt === undefined ? undefined : after(start, heldAt),
        acceptedAt: acceptedAt === undefined ? undefined : after(start, acceptedAt),
      },
    ]);
  const heldOf = (name: typeof BTCEUR) =>
    markets
      .withheldFor(markets.catalogue.find(name)!)
      .map(({ subject, reason, since }) => [subject, reason, since - start]);
  return { markets, hold, heldOf };
}

test('a hold on a market is listed for its exchange market, and one on a converted market for its rate too', () => {
  const { markets, hold } = priced();
  assert.deepEqual([...markets.operatorHolds()], []);
  hold(BTCEUR, 1);
  assert.deepEqual([...markets.operatorHolds()], [[BTCEUR, after(start, 1)]]);
  hold(ETHCZK, 2);
  assert.deepEqual(
    [...markets.operatorHolds()].sort(),
    [
      [BTCEUR, after(start, 1)],
      [CZK, after(start, 2)],
      [ETHEUR, after(start, 2)],
    ].sort() as never,
  );
  assert.deepEqual([markets.onHoldSince(BTCEUR), markets.onHoldSince(BTCCZK)], [after(start, 1), undefined]);
  hold(BTCEUR, undefined);
  hold(ETHCZK, undefined);
  assert.deepEqual([...markets.operatorHolds()], []);
});

test('a held price stays when its source is lost, and is the present one of the source that took over once it is released', () => {
  const rig = threeLive();
  const hold = (heldAt: number | undefined) =>
    rig.markets.applyHolds([
      { symbol: BTCEUR, heldAt: heldAt === undefined ? undefined : after(start, heldAt), acceptedAt: undefined },
    ]);
  const shown = () => {
    const { bid, source, capturedAt } = rig.markets.acceptedTicker(BTCEUR)!;
    return [bid, source, capturedAt - start];
  };
  rig.nowMs = 1_000;
  rig.tick('one', '84001');
  hold(1_000);
  rig.nowMs = 5_000;
  assert.equal(rig.tick('one', '84100'), 'on_hold');
  assert.equal(rig.tick('two', '84111'), undefined, 'a standby says what it says');
  rig.review('silent', 'live', 'live');
  assert.deepEqual(shown(), ['84001', 'one', 1_000]);
  rig.nowMs = 6_000;
  rig.tick('three', '84121');
  hold(undefined);
  assert.deepEqual(shown(), ['84111', 'two', 5_000]);
});

test('a price that is released where another process runs the feed stays what that one sent', () => {
  const rig = threeLive();
  const hold = (heldAt: number | undefined) =>
    rig.markets.applyHolds([
      { symbol: BTCEUR, heldAt: heldAt === undefined ? undefined : after(start, heldAt), acceptedAt: undefined },
    ]);
  rig.nowMs = 1_000;
  rig.tick('one', '84001');
  hold(1_000);
  rig.nowMs = 5_000;
  rig.tick('two', '84111');
  rig.review('silent', 'live', 'live');
  rig.markets.sources.takeReport({ at: after(start, 6_000), markets: [[BTCEUR, []]] });
  hold(undefined);
  const { bid, source, capturedAt } = rig.markets.acceptedTicker(BTCEUR)!;
  assert.deepEqual([bid, source, capturedAt - start], ['84001', 'one', 1_000]);
});

test('what the guard holds is not listed as a hold of the operator, and is shown with each market that it is part of', () => {
  const { markets, hold, heldOf } = priced();
  const receivedAt = after(start, 100);
  assert.equal(
    markets.tickerReceived(upstreamTicker({ bid: decimal('40000'), ask: decimal('40001'), receivedAt })),
    'held',
  );
  assert.equal(markets.rateRefreshed(conversionRate({ mid: decimal('48'), refreshedAt: receivedAt })), false);
  assert.deepEqual(heldOf(BTCEUR), [[BTCEUR, 'jump', 100]]);
  assert.deepEqual(heldOf(BTCCZK), [
    [BTCEUR, 'jump', 100],
    [CZK, 'rate', 100],
  ]);
  assert.deepEqual(heldOf(ETHCZK), [[CZK, 'rate', 100]]);
  assert.deepEqual(heldOf(ETHEUR), []);
  assert.deepEqual([...markets.operatorHolds()], []);
  hold(ETHEUR, 200);
  assert.deepEqual([...markets.operatorHolds()], [[ETHEUR, after(start, 200)]]);
});

test('of several holds on what makes a price the earliest counts, in whatever order they were made', () => {
  for (const [first, second] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const { markets, hold, heldOf } = priced();
    hold(BTCEUR, first);
    hold(BTCCZK, second);
    hold(ETHCZK, 5);
    assert.deepEqual(heldOf(BTCEUR), [[BTCEUR, 'operator', 1]]);
    assert.deepEqual(heldOf(ETHCZK), [
      [ETHEUR, 'operator', 5],
      [CZK, 'operator', second],
    ]);
    assert.equal(markets.nextChangeAt(start), after(start, 1 + 5 * minuteMs), 'then the price is five minutes old');
  }
});

test('a hold on an exchange market leaves the rate and other markets alone', () => {
  const { markets, hold } = priced();
  hold(BTCEUR, 0);
  const later = { receivedAt: after(start, 1_000) };
  assert.equal(markets.rateRefreshed(conversionRate({ refreshedAt: later.receivedAt })), true);
  assert.equal(markets.tickerReceived(upstreamTicker(later)), 'on_hold');
  assert.equal(markets.tickerReceived(upstreamTicker({ symbol: ETHEUR, ...later })), undefined);
});

test('an acceptance takes what is held once, and not what is held later', () => {
  const { markets, hold } = priced();
  const jump = (bid: string, at: number) =>
    markets.tickerReceived(
      upstreamTicker({ bid: decimal(bid), ask: decimal(`${Number(bid) + 1}`), receivedAt: after(start, at) }),
    );
  assert.equal(jump('40000', 100), 'held');
  hold(BTCEUR, undefined, 150);
  assert.equal(jump('40000', 200), undefined);
  assert.equal(jump('20000', 300), 'held');
  hold(BTCEUR, undefined, 150);
  assert.equal(jump('20000', 400), 'held', 'the same acceptance again is none');
  hold(BTCEUR, undefined, 450);
  assert.equal(jump('20000', 500), undefined);
  hold(symbol('XXXEUR'), 1, 1);
});

test('an operator’s hold on a market that is not listed is nobody’s', () => {
  const { markets, hold } = priced();
  hold(symbol('XXXEUR'), 1);
  assert.deepEqual([...markets.operatorHolds()], []);
  assert.equal(markets.onHoldSince(symbol('XXXEUR')), after(start, 1));
});

test('a price on other terms is made with their fee and precision, and the usual precision where they have none', () => {
  const { markets } = priced();
  const market = markets.catalogue.find(BTCEUR)!;
  const terms = markets.terms.of(market);
  const priceOn = (changes: object, of = market) => {
    const verdict = markets.pricer.priceOn({ ...markets.terms.of(of), ...changes }, of, start);
    return verdict.kind === 'priced' ? verdict.ticker.buyPrice : verdict.kind;
  };
  const usual = markets.pricer.price(BTCEUR, start);
  assert.equal(priceOn({}), usual.kind === 'priced' && usual.ticker.buyPrice);
  assert.equal(priceOn({ fee: { ...terms.fee, value: decimal('0') } }), '84210.1');
  assert.equal(priceOn({ fee: { ...terms.fee, value: decimal('0') }, precision: { value: 0 } }), '84211');
  const converted = markets.catalogue.find(BTCCZK)!;
  assert.match(
    String(priceOn({}, { ...converted, pricePrecision: 4 })),
    /^\d+$/,
    'one decimal less than its exchange market',
  );
  assert.equal(markets.marginOf(CZK), '1');
});

test('a spread is unusual beside the usual one of the last minutes, which a single wide moment does not change', () => {
  const { markets } = priced();
  let atMs = 0;
  const tick = (bid: string, ask: string, make = upstreamTicker) => {
    atMs += 1_000;
    return markets.tickerReceived(make({ bid: decimal(bid), ask: decimal(ask), receivedAt: after(start, atMs) }));
  };
  for (let second = 0; second < 60; second++) tick('80000', '87000');
  assert.equal(tick('79000', '89000'), 'held', 'over ten percent, and the usual one of a minute ago was tiny');
  for (let second = 0; second < 600; second++) tick('80000', '87000');
  assert.equal(tick('79000', '89000'), undefined, 'after ten minutes of wide ones it is a usual one');
  assert.equal(tick('80000', '87000', polledTicker), undefined);
  assert.equal(markets.rate(EUR), undefined);
});
