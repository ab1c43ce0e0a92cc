import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { PriceOutcome } from './client-ticker.ts';
import { Markets, type MarketsObserver } from './markets.ts';
import type { PricingPolicy } from './pricing.ts';
import {
  after,
  CZK,
  conversionRate,
  currency,
  dayMs,
  decimal,
  EUR,
  everyEuroMarket,
  hourMs,
  polledTicker,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { MarketSymbol } from './symbol.ts';
import type { UpstreamTicker } from './upstream.ts';

const BTCEUR = symbol('BTCEUR');
const BTCCZK = symbol('BTCCZK');
const ETHEUR = symbol('ETHEUR');
const ETHCZK = symbol('ETHCZK');

function bookWithMarkets(policy: Partial<PricingPolicy> = {}): Markets {
  const markets = new Markets(pricingPolicy(policy), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  return markets;
}

/** With a ticker of BTCEUR and a rate, both from `start`. */
function bookWithPrices(policy: Partial<PricingPolicy> = {}): Markets {
  const markets = bookWithMarkets(policy);
  assert.equal(markets.tickerReceived(upstreamTicker()), undefined);
  markets.rateRefreshed(conversionRate());
  return markets;
}

function ethTicker(changes: Partial<UpstreamTicker> = {}): UpstreamTicker {
  return upstreamTicker({ symbol: ETHEUR, bid: decimal('2500'), ask: decimal('2501'), ...changes });
}

function reading(verdict: PriceOutcome): string {
  if (verdict.kind === 'priced') return `${verdict.ticker.buyPrice}/${verdict.ticker.sellPrice}`;
  return verdict.kind === 'unpriced' ? verdict.reason : verdict.kind;
}

function read(markets: Markets, name: MarketSymbol, now: EpochMs = start): string {
  return reading(markets.pricer.price(name, now));
}

/** Notes what an observer gets, one line each. */
function observed(markets: Markets): string[] {
  const notes: string[] = [];
  const observer: MarketsObserver = {
    tickerChanged: (name) => notes.push(name),
    marketsChanged: () => notes.push('markets'),
  };
  markets.observe(observer);
  notes.length = 0;
  return notes;
}

test('a market without a ticker, one without a rate and an unknown one are distinguished', () => {
  const markets = bookWithMarkets();
  assert.equal(read(markets, BTCEUR), 'no_ticker');
  assert.equal(read(markets, BTCCZK), 'no_ticker');
  assert.equal(read(markets, symbol('NOPEEUR')), 'unknown_symbol');
  markets.tickerReceived(upstreamTicker());
  assert.equal(read(markets, BTCEUR), '84631.2/83788.8');
  assert.equal(read(markets, BTCCZK), 'no_rate');
  markets.rateRefreshed(conversionRate());
  assert.equal(read(markets, BTCCZK), '2078385/2016952');
  assert.equal(read(markets, ETHCZK), 'no_ticker');
});

test('converted prices end exactly with the validity of the rate, and exchange markets are not affected (fault row 40)', () => {
  const markets = bookWithPrices();
  const end = after(start, 96 * hourMs);
  assert.equal(read(markets, BTCCZK, after(end, -1)), '2078385/2016952');
  assert.equal(read(markets, BTCCZK, end), 'no_rate');
  assert.equal(read(markets, BTCCZK, after(end, 365 * dayMs)), 'no_rate');
  for (const instant of [after(end, -1), end, after(end, 365 * dayMs)]) {
    assert.equal(read(markets, BTCEUR, instant), '84631.2/83788.8');
  }
});

test('converted prices return with the next rate, at the new one (fault row 40)', () => {
  const markets = bookWithPrices();
  const late = after(start, 97 * hourMs);
  assert.equal(read(markets, BTCCZK, late), 'no_rate');
  markets.rateRefreshed(conversionRate({ mid: decimal('24.5'), fixingDate: '2026-11-25', refreshedAt: late }));
  assert.equal(read(markets, BTCCZK, late), '2094198/2032298');
  assert.equal(read(markets, BTCCZK, after(late, 96 * hourMs - 1)), '2094198/2032298');
  assert.equal(read(markets, BTCCZK, after(late, 96 * hourMs)), 'no_rate');
});

test('a rate read again from an unchanged fixing is good until the fixing’s own day is over 10 days old, and no longer', () => {
  const markets = bookWithPrices();
  const fixedAt = Date.parse('2026-11-20T00:00:00.000Z') as EpochMs;
  for (let day = 1; day <= 12; day++) markets.rateRefreshed(conversionRate({ refreshedAt: after(start, day * dayMs) }));
  assert.equal(read(markets, BTCCZK, after(fixedAt, 10 * dayMs)), '2078385/2016952');
  assert.equal(read(markets, BTCCZK, after(fixedAt, 10 * dayMs + 1)), 'no_rate');
  assert.equal(read(markets, BTCEUR, after(fixedAt, 10 * dayMs + 1)), '84631.2/83788.8');
});

test('a rate for a pair that is not configured is ignored: nothing is guessed from it', () => {
  const markets = bookWithMarkets();
  markets.tickerReceived(upstreamTicker());
  markets.rateRefreshed(conversionRate({ base: currency('USD') }));
  markets.rateRefreshed(conversionRate({ quote: currency('HUF') }));
  assert.equal(read(markets, BTCCZK), 'no_rate');
  assert.equal(markets.rate(CZK), undefined);
});

test('the rate in use can be read with the end of its validity', () => {
  const markets = bookWithPrices();
  assert.deepEqual(markets.rate(CZK), { rate: conversionRate(), validUntil: after(start, 96 * hourMs) });
  assert.equal(markets.rate(EUR), undefined);
});

test('the margin and the fee of the policy are in the prices', () => {
  const converted = new Map([[CZK, { via: EUR, marginPercent: decimal('0') }]]);
  const markets = bookWithPrices({ feePercent: decimal('0'), converted });
  assert.equal(read(markets, BTCEUR), '84210.1/84209.9');
  assert.equal(read(markets, BTCCZK), '2047569/2047563');
});

test('a paused market keeps its price, a delisted one is unknown at once, with the markets derived from it', () => {
  const markets = bookWithPrices();
  markets.marketChanged(BTCEUR, { status: 'paused' });
  assert.equal(read(markets, BTCEUR), '84631.2/83788.8');
  markets.applyControls([{ symbol: BTCEUR, operatorPaused: false, delistedAt: start }]);
  assert.equal(read(markets, BTCEUR), 'unknown_symbol');
  assert.equal(read(markets, BTCCZK), 'unknown_symbol');
  assert.equal(markets.pricer.explain(BTCEUR, start), undefined);
});

test('a converted market delisted on its own leaves its exchange market alone', () => {
  const markets = bookWithPrices();
  markets.applyControls([{ symbol: BTCCZK, operatorPaused: false, delistedAt: start }]);
  assert.equal(read(markets, BTCCZK), 'unknown_symbol');
  assert.equal(read(markets, BTCEUR), '84631.2/83788.8');
});

test('tickers are taken for exchange markets that are offered, and for no others', () => {
  const markets = bookWithMarkets();
  assert.equal(markets.tickerReceived(upstreamTicker({ symbol: symbol('NOPEEUR') })), 'unknown_market');
  assert.equal(markets.tickerReceived(upstreamTicker({ symbol: BTCCZK })), 'unknown_market');
  markets.applyControls([{ symbol: BTCEUR, operatorPaused: false, delistedAt: start }]);
  assert.equal(markets.tickerReceived(upstreamTicker()), 'unknown_market');
  assert.equal(markets.tickerReceived(ethTicker()), undefined);
});

test('a refused ticker says why and leaves the last good price', () => {
  const markets = bookWithPrices();
  const later = after(start, 1000);
  assert.equal(markets.tickerReceived(upstreamTicker({ receivedAt: later, bid: undefined })), 'bid_or_ask_missing');
  assert.equal(markets.tickerReceived(upstreamTicker({ receivedAt: later, bid: decimal('90000') })), 'crossed');
  assert.equal(markets.tickerReceived(polledTicker({ receivedAt: after(start, 100) })), 'older_than_live');
  assert.equal(read(markets, BTCEUR), '84631.2/83788.8');
});

test('a market that never had a good ticker has no price, however many bad ones come', () => {
  const markets = bookWithMarkets();
  markets.tickerReceived(upstreamTicker({ ask: decimal('0') }));
  markets.tickerReceived(upstreamTicker({ high24h: undefined }));
  assert.equal(read(markets, BTCEUR), 'no_ticker');
});

test('a market whose price rounds to zero says so, and its finer one has a price', () => {
  const markets = bookWithMarkets({ pricePrecision: new Map([[BTCCZK, 4]]) });
  markets.rateRefreshed(conversionRate());
  markets.tickerReceived(upstreamTicker({ bid: decimal('0.0201'), ask: decimal('0.0202') }));
  assert.equal(read(markets, BTCEUR), 'rounds_to_zero');
  assert.equal(read(markets, BTCCZK), '0.4986/0.4814');
});

test('an observer is notified of every market whose price a ticker, a reference price or a rate changes, and of no other', () => {
  const markets = bookWithMarkets();
  const notes = observed(markets);
  const heard = (change: () => void) => {
    notes.length = 0;
    change();
    return [...notes].sort();
  };
  assert.deepEqual(
    heard(() => markets.tickerReceived(upstreamTicker())),
    [BTCCZK, BTCEUR],
  );
  assert.deepEqual(
    heard(() => markets.tickerReceived(upstreamTicker({ bid: undefined }))),
    [],
  );
  const prices = { price1hAgo: decimal('1'), price24hAgo: undefined, price7dAgo: undefined };
  assert.deepEqual(
    heard(() => markets.referencePricesChanged(ETHEUR, prices)),
    [ETHCZK, ETHEUR],
  );
  assert.deepEqual(
    heard(() => markets.rateRefreshed(conversionRate())),
    [BTCCZK, ETHCZK],
  );
  assert.deepEqual(
    heard(() => markets.rateRefreshed(conversionRate({ quote: currency('HUF') }))),
    [],
  );
});

test('an observer is notified of every change of the list, after it has changed', () => {
  const markets = bookWithPrices();
  const states: string[] = [];
  markets.observe({
    tickerChanged: () => {},
    marketsChanged: () => states.push(`${markets.catalogue.find(BTCEUR)?.status}`),
  });
  markets.marketChanged(BTCEUR, { status: 'paused' });
  markets.catalogueLoaded([upstreamMarket('BTC')], after(start, 1));
  markets.applyControls([{ symbol: BTCEUR, operatorPaused: false, delistedAt: start }]);
  assert.deepEqual(states, ['trading', 'paused', 'trading', 'delisted']);
});

test('a late observer is notified of everything that exists, and several get the same notifications', () => {
  const markets = bookWithPrices();
  const notes: string[][] = [[], []];
  for (const each of notes) {
    markets.observe({ tickerChanged: (name) => each.push(name), marketsChanged: () => each.push('markets') });
  }
  assert.deepEqual(notes[0], ['markets', BTCCZK, BTCEUR, ETHCZK, ETHEUR]);
  for (const each of notes) each.length = 0;
  markets.tickerReceived(ethTicker());
  assert.deepEqual(notes[0], [ETHCZK, ETHEUR]);
  assert.deepEqual(notes[1], notes[0]);
});

test('the next change by time alone is the end of a rate or of a listing, whichever is first', () => {
  const markets = bookWithMarkets();
  assert.equal(markets.nextChangeAt(start), Number.POSITIVE_INFINITY);
  markets.rateRefreshed(conversionRate());
  const rateEnd = after(start, 96 * hourMs);
  assert.equal(markets.nextChangeAt(start), rateEnd);
  assert.equal(markets.nextChangeAt(after(rateEnd, -1)), rateEnd);
  assert.equal(markets.nextChangeAt(rateEnd), Number.POSITIVE_INFINITY);
  markets.applyControls([{ symbol: BTCEUR, operatorPaused: false, delistedAt: after(start, -30 * dayMs + 5) }]);
  assert.equal(markets.nextChangeAt(start), after(start, 5));
  assert.equal(markets.nextChangeAt(after(start, 5)), rateEnd);
});

test('an explanation ends at the served prices and names the rate, its source and its age', () => {
  const markets = bookWithPrices();
  const explained = markets.pricer.explain(BTCCZK, start)!;
  assert.equal(explained.market, markets.catalogue.find(BTCCZK));
  assert.deepEqual([explained.bid, explained.ask, explained.capturedAt], ['84209.9', '84210.1', after(start, -40)]);
  assert.deepEqual(explained.conversion, {
    rate: conversionRate(),
    validUntil: after(start, 96 * hourMs),
    marginPercent: '1',
  });
  assert.equal(`${explained.buy.at(-1)!.value}/${explained.sell.at(-1)!.value}`, read(markets, BTCCZK));
  const plain = markets.pricer.explain(BTCEUR, start)!;
  assert.equal(plain.conversion, undefined);
  assert.deepEqual(
    plain.buy.map(({ value }) => value),
    ['84210.1', '84631.1505', '84631.2'],
  );
  assert.deepEqual(
    plain.sell.map(({ value }) => value),
    ['84209.9', '83788.8505', '83788.8'],
  );
});

test('a market without a price has no explanation', () => {
  const markets = bookWithPrices();
  assert.equal(markets.pricer.explain(ETHEUR, start), undefined);
  assert.equal(markets.pricer.explain(symbol('NOPEEUR'), start), undefined);
  assert.equal(markets.pricer.explain(BTCCZK, after(start, 96 * hourMs)), undefined);
});

test('a book restored from records and contents gives the same answers with the same times', () => {
  const markets = bookWithPrices();
  markets.referencePricesChanged(BTCEUR, {
    price1hAgo: decimal('84000'),
    price24hAgo: undefined,
    price7dAgo: undefined,
  });
  const again = new Markets(pricingPolicy(), everyEuroMarket);
  const notes = observed(again);
  again.restore({ records: markets.catalogue.records(), ...markets.contents() });
  assert.deepEqual([...new Set(notes)].sort(), [BTCCZK, BTCEUR, ETHCZK, ETHEUR, 'markets']);
  for (const name of [BTCEUR, BTCCZK, ETHEUR, ETHCZK]) {
    for (const instant of [start, after(start, 96 * hourMs)]) {
      assert.deepEqual(again.pricer.price(name, instant), markets.pricer.price(name, instant));
    }
  }
  assert.equal(again.tickerReceived(polledTicker({ receivedAt: after(start, 100) })), 'older_than_live');
});

test('a restored rate whose configuration was removed is not used', () => {
  const again = new Markets(pricingPolicy({ converted: new Map() }), everyEuroMarket);
  const before = bookWithPrices();
  again.restore({ records: before.catalogue.records(), ...before.contents() });
  assert.equal(read(again, BTCCZK), 'unknown_symbol');
  assert.equal(again.rate(CZK), undefined);
  assert.equal(read(again, BTCEUR), '84631.2/83788.8');
});
