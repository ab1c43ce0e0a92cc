import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { Markets } from './markets.ts';
import {
  after,
  CZK,
  conversionRate,
  currency,
  decimal,
  EUR,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import {
  firstTerms,
  holdingTerms,
  type Term,
  type TermSubject,
  TermsInForce,
  type TermValues,
  termsAt,
} from './terms.ts';

const btceur: TermSubject = { symbol: symbol('BTCEUR'), quote: EUR, isConverted: false };
const btcczk: TermSubject = { symbol: symbol('BTCCZK'), quote: CZK, isConverted: true };
const first = firstTerms(pricingPolicy());

function term(id: string, fromMs: number, values: TermValues, subject?: string): Term {
  const scope = subject === undefined ? 'service' : subject.length === 3 ? 'quote' : 'market';
  return { id, from: after(start, fromMs), scope, subject, values };
}

const fee = (percent: string) => ({ feePercent: decimal(percent) });
const feeAt = (terms: readonly Term[], subject: TermSubject, ms: number) =>
  termsAt([...first, ...terms], subject, after(start, ms)).fee.value;

test('a term holds from its very instant, and until then what held before', () => {
  const terms = [term('a', 0, fee('0.4')), term('b', hourMs, fee('0.3'))];
  assert.deepEqual(
    [-1, 0, hourMs - 1, hourMs].map((ms) => feeAt(terms, btceur, ms)),
    ['0.5', '0.4', '0.4', '0.3'],
  );
});

test('of terms that are listed in any order the one that began last holds', () => {
  const terms = [term('b', hourMs, fee('0.3')), term('a', 0, fee('0.4'))];
  assert.deepEqual(
    [0, hourMs].map((ms) => feeAt(terms, btceur, ms)),
    ['0.4', '0.3'],
  );
});

test('the version of the configured terms is another one for another fee, margin or precision', () => {
  const id = (changes: Parameters<typeof pricingPolicy>[0]) => firstTerms(pricingPolicy(changes))[0]!.id;
  const margin = new Map([[CZK, { via: EUR, marginPercent: decimal('2') }]]);
  const ids = [{}, fee('0.6'), { converted: margin }, { pricePrecision: new Map([[symbol('BTCCZK'), 0]]) }].map(id);
  assert.equal(new Set(ids).size, 4);
  assert.equal(id({}), ids[0]);
  assert.match(ids[0]!, /^cfg_[0-9a-f]{12}$/);
});

test('the narrowest scope holds, however old it is: market, then quote currency, then service', () => {
  const terms = [term('a', 0, fee('0.1'), 'BTCCZK'), term('b', 1, fee('0.2'), 'CZK'), term('c', 2, fee('0.3'))];
  const ethczk = { ...btcczk, symbol: symbol('ETHCZK') };
  assert.deepEqual(
    [btcczk, ethczk, btceur].map((subject) => feeAt(terms, subject, 3)),
    ['0.1', '0.2', '0.3'],
  );
});

test('a value that inherits is the one of the next wider scope again, also as that changes', () => {
  const terms = [
    term('a', 0, fee('0.1'), 'BTCCZK'),
    term('b', 10, { feePercent: 'inherit' }, 'BTCCZK'),
    term('c', 20, fee('0.3')),
  ];
  assert.deepEqual(
    [0, 10, 20].map((ms) => feeAt(terms, btcczk, ms)),
    ['0.1', '0.5', '0.3'],
  );
});

test('a term leaves alone what it does not set', () => {
  const terms = [...first, term('a', 0, { marginPercent: decimal('2') }, 'BTCCZK'), term('b', 1, fee('0.1'), 'BTCCZK')];
  const { margin, fee: own, precision, rounding } = termsAt(terms, btcczk, after(start, 1));
  assert.deepEqual([margin?.value, own.value, precision, rounding], ['2', '0.1', undefined, undefined]);
});

test('of two terms of the same start the later one in the list holds', () => {
  assert.equal(feeAt([term('a', 0, fee('0.1')), term('b', 0, fee('0.2'))], btceur, 0), '0.2');
});

test('the version names exactly the terms that a price is made on, each with its start', () => {
  const [{ id } = { id: '' }] = first;
  assert.match(id, /^cfg_[0-9a-f]{12}$/);
  assert.equal(termsAt(first, btcczk, start).version, id);
  const terms = [...first, term('trm_a', 0, fee('0.1'), 'CZK'), term('trm_b', 1, fee('0.2'), 'ETHCZK')];
  assert.equal(termsAt(terms, btcczk, after(start, 1)).version, `trm_a@2026-11-21T10:00:00.000Z ${id}`);
  const other = firstTerms(pricingPolicy({ feePercent: decimal('0.6') }));
  assert.notEqual(other[0]?.id, id, 'another configuration has another version');
});

test('the next change is the nearest start ahead', () => {
  const terms = [term('a', 0, fee('0.1')), term('b', 20, fee('0.2')), term('c', 10, fee('0.2'))];
  const inForce = new TermsInForce(first);
  inForce.set(terms);
  inForce.advance(after(start, 0));
  assert.equal(inForce.nextAt, after(start, 10));
  inForce.advance(after(start, 20));
  assert.equal(inForce.nextAt, Number.POSITIVE_INFINITY);
});

test('a term of which no value holds any more in its scope is past', () => {
  const [old, margin, newer] = [
    term('a', 0, fee('0.1')),
    term('b', 0, { marginPercent: decimal('2') }, 'CZK'),
    term('c', 1, fee('0.2')),
  ];
  const holding = holdingTerms([...first, old, margin, newer], after(start, 1));
  assert.deepEqual(
    [old, margin, newer].map((each) => holding.has(each)),
    [false, true, true],
  );
});

/** BTC in EUR and CZK with a ticker and a rate, on these terms. */
function priced(terms: readonly Term[]) {
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  markets.tickerReceived(upstreamTicker());
  markets.rateRefreshed(conversionRate());
  markets.applyTerms(terms, start);
  const at = (name: string, now: EpochMs) => {
    const verdict = markets.pricer.price(symbol(name), now);
    return verdict.kind === 'priced'
      ? verdict.ticker.buyPrice
      : verdict.kind === 'unpriced'
        ? verdict.reason
        : 'unknown';
  };
  return { markets, at };
}

test('prices change on the instant, converted ones with them, and decimals change the tick size', () => {
  const { markets, at } = priced([
    term('a', 1_000, fee('0.4')),
    term('b', 2_000, { pricePrecision: 2 }, 'BTCCZK'),
    term('c', 3_000, { marginPercent: decimal('0') }, 'CZK'),
  ]);
  const prices = (ms: number) => [at('BTCEUR', after(start, ms)), at('BTCCZK', after(start, ms))];
  assert.deepEqual(prices(999), ['84631.2', '2078385']);
  assert.deepEqual(prices(1_000), ['84547.0', '2076317']);
  const tickSize = () => markets.catalogue.find(symbol('BTCCZK'))?.tickSize;
  assert.deepEqual([prices(1_999)[1], tickSize()], ['2076317', '1']);
  assert.deepEqual([prices(2_000)[1], tickSize()], ['2076316.45', '0.01']);
  assert.deepEqual([prices(3_000)[1], tickSize()], ['2055758.86', '0.01']);
  assert.deepEqual(prices(999), ['84631.2', '2078385'], 'a clock that was set back');
});

test('`nearest` rounds both prices to the nearest step, half to even', () => {
  const { markets, at } = priced([term('a', 0, { rounding: 'nearest', feePercent: decimal('0') })]);
  markets.tickerReceived(
    upstreamTicker({ bid: decimal('100.25'), ask: decimal('100.35'), receivedAt: after(start, 1) }),
  );
  assert.equal(at('BTCEUR', after(start, 1)), '100.4');
  const { sell } = markets.pricer.explain(symbol('BTCEUR'), after(start, 1))!;
  const made = { code: 'rounding', values: { direction: 'half_even', places: 1 } };
  assert.deepEqual(sell.at(-1), { made, value: '100.2' });
});

test('observers learn on the instant, once, that every price and every market may differ', () => {
  const { markets } = priced([term('a', 10, fee('0.4'))]);
  const events: string[] = [];
  markets.observe({
    tickerChanged: (changed) => events.push(changed),
    marketsChanged: () => events.push('markets'),
  });
  events.length = 0;
  markets.advance(after(start, 9));
  assert.deepEqual(events, []);
  markets.advance(after(start, 10));
  assert.deepEqual(events, ['markets', 'BTCCZK', 'BTCEUR']);
  markets.advance(after(start, 11));
  assert.equal(events.length, 3);
});

test('a market that is no longer converted has neither margin nor precision of its own', () => {
  const terms = [...first, term('a', 0, { pricePrecision: 3, marginPercent: decimal('9') }, 'BTCCZK')];
  const { margin, precision } = termsAt(terms, { ...btcczk, isConverted: false }, start);
  assert.deepEqual([margin, precision], [undefined, undefined]);
  assert.equal(termsAt(terms, { ...btcczk, quote: currency('CZK') }, start).precision?.value, 3);
});
