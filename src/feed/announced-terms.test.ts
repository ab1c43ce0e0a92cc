import assert from 'node:assert/strict';
import { afterEach, describe, it, test } from 'node:test';
import { decimal, symbol, upstreamMarket } from '../market/samples.testing.ts';
import { AnnouncedTerms } from './announced-terms.ts';
import { FeedRig } from './feed-rig.testing.ts';
import { FinerPrices } from './finer-prices.ts';

const BTCEUR = symbol('BTCEUR');
const finer = { pricePrecision: 9, tickSize: decimal('0.000000001') };

describe('announced terms', () => {
  it('are those that differ from what is known, whatever zeros end them (fault row 96)', () => {
    const terms = new AnnouncedTerms();
    assert.equal(terms.seen(BTCEUR, finer, 0), undefined, 'nothing is known of it yet');
    terms.loaded(upstreamMarket('BTC'), 0);
    assert.equal(terms.seen(BTCEUR, { pricePrecision: 1, tickSize: decimal('0.10') }, 1), undefined);
    assert.deepEqual(terms.seen(BTCEUR, { ...finer, amountPrecision: 8 }, 2), finer);
    assert.equal(terms.seen(BTCEUR, finer, 3), undefined, 'once');
  });

  it('hold against a load that was asked for before, and not against a later one (fault row 96)', () => {
    const terms = new AnnouncedTerms();
    terms.loaded(upstreamMarket('BTC'), 0);
    terms.seen(BTCEUR, finer, 5);
    assert.equal(terms.loaded(upstreamMarket('BTC'), 4).pricePrecision, 9);
    assert.equal(terms.loaded(upstreamMarket('BTC'), 6).pricePrecision, 1);
    assert.deepEqual(terms.seen(BTCEUR, finer, 7), finer);
  });
});

describe('a price that is finer than the list says', () => {
  const ticker = (bid: string, ask = bid) => ({ symbol: BTCEUR, bid: decimal(bid), ask: decimal(ask) });
  const listed = (pricePrecision: number) => ({ symbol: BTCEUR, pricePrecision });

  it('asks for a load; zeros at its end, and one of an unknown market, do not (fault row 96)', () => {
    const prices = new FinerPrices();
    assert.equal(prices.seen(ticker('1.23'), 0), false);
    prices.known(listed(1));
    for (const coarse of ['1', '1.2', '1.20000000', '100']) assert.equal(prices.seen(ticker(coarse), 0), false);
    assert.equal(prices.seen(ticker('1.2', '1.21'), 0), true);
    assert.equal(prices.seen(ticker('1.21'), 9_999), false);
  });

  it('asks ever more rarely while the list does not explain it, and at once after a change of the list (fault row 96)', () => {
    const prices = new FinerPrices();
    prices.known(listed(1));
    const asked: number[] = [];
    for (let second = 0; second <= 3_600; second++) {
      if (!prices.seen(ticker('1.21'), second * 1_000)) continue;
      asked.push(second);
      prices.known(listed(1));
      prices.loaded(second * 1_000);
    }
    assert.deepEqual(asked.slice(0, 5), [0, 10, 30, 70, 150]);
    assert.ok(asked.length <= 12, `${asked.length} loads in an hour`);
    prices.known(listed(2));
    assert.equal(prices.seen(ticker('1.21'), 3_601_000), false);
    assert.equal(prices.seen(ticker('1.211'), 3_601_000), true);
  });
});

describe('a finer tick of a running market', () => {
  let rig: FeedRig;
  afterEach(() => rig.stop());
  const precision = () => rig.sink.markets.catalogue.find(symbol('C0EUR'))?.pricePrecision;
  const loads = () => rig.sink.catalogues.length;
  const announce = (frame: string) => rig.exchange.peer.send(frame);
  const instrument = (members: string) =>
    `{"channel":"instrument","type":"update","data":{"assets":[],"pairs":[{"symbol":"C0/EUR","base":"C0","quote":"EUR","status":"online",${members}}]}}`;

  it('holds as soon as the exchange announces it, with every digit (fault row 96)', async () => {
    rig = new FeedRig();
    await rig.startLive();
    announce(instrument('"qty_precision":8,"price_precision":9,"price_increment":0.000000001'));
    await rig.arrive();
    const { pricePrecision, tickSize, amountPrecision, minOrderSize } = rig.sink.markets.catalogue.find(
      symbol('C0EUR'),
    )!;
    assert.deepEqual([pricePrecision, tickSize, amountPrecision, minOrderSize], [9, '0.000000001', 8, '1']);
    announce(
      instrument('"qty_precision":4,"qty_min":0.00250,"cost_min":0.45,"price_precision":"x","price_increment":0'),
    );
    await rig.arrive();
    const market = rig.sink.markets.catalogue.find(symbol('C0EUR'))!;
    assert.deepEqual(
      [market.pricePrecision, market.amountPrecision, market.minOrderSize, market.minOrderValue],
      [9, 4, '0.0025', '0.45'],
    );
    assert.equal(loads(), 1);
  });

  it('is found in the list within ten seconds where nothing announces it, and asked for in vain ever more rarely (fault row 96)', async () => {
    rig = new FeedRig();
    await rig.startLive();
    let decimals = 2;
    rig.exchange.rest = (call) => {
      if (call !== 'AssetPairs') return rig.rest(call);
      const pairs = rig.pairs() as Record<string, { pair_decimals: number }>;
      pairs.C0EUR!.pair_decimals = decimals;
      return { body: JSON.stringify({ error: [], result: pairs }) };
    };
    await rig.live(6_000, () => rig.update('C0'));
    assert.equal(loads(), 1);
    decimals = 9;
    await rig.live(10_000, () => rig.update('C0', '0.000012345'));
    assert.equal(precision(), 9);
    assert.equal(loads(), 2);
    await rig.live(120_000, () => rig.update('C0', '0.0000123456'));
    assert.ok(loads() <= 6, `${loads()} loads`);
  });
});

test('the price of a market has the announced digits (fault row 96)', async () => {
  const rig = new FeedRig();
  try {
    await rig.startLive();
    rig.update('C0', '0.000012345');
    await rig.arrive();
    const { markets } = rig.sink;
    const sell = () => {
      const outcome = markets.pricer.price(symbol('C0EUR'), rig.clock.now());
      return outcome.kind === 'priced' ? outcome.ticker.sellPrice : outcome.kind;
    };
    assert.equal(sell(), 'unpriced', 'of two decimals nothing is left');
    rig.exchange.peer.send(
      '{"channel":"instrument","type":"update","data":{"pairs":[{"symbol":"C0/EUR","quote":"EUR","status":"online","price_precision":9}]}}',
    );
    await rig.arrive();
    assert.equal(sell(), '0.000012283');
  } finally {
    await rig.stop();
  }
});
