import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decimal, symbol } from '../market/samples.testing.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { ListedStatus } from '../market/upstream.ts';
import { asStep, type ListedPair, type ListingChoice, PairDirectory, selectMarkets } from './market-listing.ts';
import { UpstreamError } from './wire.ts';

const pair = (base: string, quote = 'EUR'): ListedPair => ({
  id: `${base}-${quote}`,
  base,
  quote,
  status: 'trading',
  terms: () => ({
    pricePrecision: 1,
    amountPrecision: 1,
    tickSize: decimal('0.1'),
    minOrderSize: decimal('0.1'),
    minOrderValue: undefined,
  }),
});

/** The operator's names, `undefined` for what is left out. */
const select = (pairs: readonly ListedPair[], assets: Readonly<Record<string, string | undefined>>) => {
  const choice = { quotes: ['EUR'], symbols: 'all', assets: new Map(Object.entries(assets)) };
  return selectMarkets(pairs, choice as unknown as ListingChoice);
};

describe('the assets of a source', () => {
  it('are left out of markets and names where the operator says so, as base and as quote', () => {
    const { markets, names, skipped } = select([pair('BTC'), pair('LUNA'), pair('ETH', 'LUNA')], { LUNA: undefined });
    assert.deepEqual([markets.map(({ symbol }) => symbol), skipped], [['BTCEUR'], []]);
    assert.deepEqual(
      names.map(({ symbol }) => symbol),
      ['BTCEUR'],
    );
  });

  it('have the operator’s name in the market, and the source’s own in what it is asked', () => {
    const { markets, names } = select([pair('LUNA'), pair('BTC', 'EURX')], { LUNA: 'LUNC', EURX: 'EUR' });
    assert.deepEqual(
      markets.map(({ symbol, base, quote }) => [symbol, base, quote]),
      [
        ['LUNCEUR', 'LUNC', 'EUR'],
        ['BTCEUR', 'BTC', 'EUR'],
      ],
    );
    const directory = new PairDirectory();
    directory.add(names);
    assert.equal(directory.byLiveName.get('LUNA-EUR')?.symbol, 'LUNCEUR');
    assert.equal(directory.bySymbol.get(symbol('LUNCEUR'))?.id, 'LUNA-EUR');
  });

  it('can exchange their names', () => {
    const { markets } = select([pair('AAA'), pair('BBB')], { AAA: 'BBB', BBB: 'AAA' });
    assert.deepEqual(
      markets.map(({ base }) => base),
      ['BBB', 'AAA'] as CurrencyCode[],
    );
  });

  it('that would be two markets of one symbol are reported, and the first is offered', () => {
    const { markets, skipped } = select([pair('LUNA'), pair('LUNC')], { LUNA: 'LUNC' });
    assert.deepEqual([markets.length, skipped.map(({ name }) => name)], [1, ['LUNC-EUR']]);
    const both = select([pair('LUNA'), pair('LUNC')], { LUNA: 'LUNC', LUNC: undefined });
    assert.deepEqual([both.markets.length, both.skipped.length], [1, 0]);
  });
});

it('pairs that come and go are forgotten beyond fifty thousand, those missing for longest first (fault row 97)', () => {
  const directory = new PairDirectory();
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const id = `${prefix}${index}`;
      return { id, liveName: `${id}-live`, symbol: symbol(`${id}EUR`) };
    });
  const known = named('K', 200);
  for (let load = 0; load < 200; load++) {
    directory.add([...known, ...named(`F${load}X`, 400)]);
    assert.ok(directory.byId.has('K0'));
  }
  for (const names of [directory.bySymbol, directory.byId, directory.byLiveName]) assert.equal(names.size, 50_000);
  assert.deepEqual(
    [directory.byId.has('K0'), directory.byId.has('F199X0'), directory.byLiveName.has('F0X0-live')],
    [true, true, false],
  );
  directory.add(named('L', 60_000));
  assert.deepEqual([directory.bySymbol.size, directory.byId.has('L0')], [60_000, true], 'never one that is listed');
});

describe('of several pairs of one symbol', () => {
  const named = (id: string, status: ListedStatus): ListedPair => ({ ...pair('BTC'), id, status });
  const chosen = (...pairs: readonly ListedPair[]) => {
    const { markets, names, skipped } = select(pairs, {});
    return [markets.map(({ status }) => status), names.map(({ id }) => id), skipped.map(({ name }) => name)];
  };

  it('the one that trades is the market, wherever it stands; then the one that may (fault row 95)', () => {
    const [ended, paused, trading] = [named('OLD', 'ended'), named('HALTED', 'paused'), named('BTC', 'trading')];
    for (const pairs of [
      [ended, paused, trading],
      [trading, ended, paused],
    ])
      assert.deepEqual(chosen(...pairs).slice(0, 2), [['trading'], ['BTC']]);
    assert.deepEqual(chosen(ended, trading)[2], ['OLD'], 'the other is reported');
    assert.deepEqual(chosen(ended, paused, pair('ETH')).slice(0, 2), [
      ['paused', 'trading'],
      ['HALTED', 'ETH-EUR'],
    ]);
  });

  it('one without the terms of a market does not stand for it (fault row 95)', () => {
    const unreadable = {
      ...named('NEW', 'trading'),
      terms: () => {
        throw new UpstreamError('malformed', 'no tick');
      },
    };
    assert.deepEqual(chosen(unreadable, named('BTC', 'trading')), [['trading'], ['BTC'], ['NEW']]);
    assert.deepEqual(chosen({ ...unreadable, status: 'ended' }, pair('ETH')), [['trading'], ['NEW', 'ETH-EUR'], []]);
  });

  it('prices of one that lost its place are of no market any more', () => {
    const directory = new PairDirectory();
    const add = (...pairs: readonly ListedPair[]) => directory.add(select(pairs, {}).names);
    add(named('OLD', 'trading'), named('BTC', 'paused'));
    add(named('OLD', 'ended'), named('BTC', 'trading'));
    assert.deepEqual([...directory.byId.keys()], ['BTC']);
    assert.deepEqual([...directory.byLiveName.keys()], ['BTC']);
    assert.equal(directory.bySymbol.get(symbol('BTCEUR'))?.id, 'BTC');
  });
});

it('a list in which nothing trades ends no market: the exchange stands still', () => {
  const ended = (base: string): ListedPair => ({ ...pair(base), status: 'ended' });
  const statuses = (...pairs: readonly ListedPair[]) => select(pairs, {}).markets.map(({ status }) => status);
  assert.deepEqual(statuses(ended('BTC'), ended('ETH')), ['paused', 'paused']);
  assert.deepEqual(statuses(ended('BTC'), pair('ETH')), ['ended', 'trading']);
  assert.deepEqual(statuses(ended('BTC'), pair('ETH', 'USD')), ['ended'], 'also one of another quote currency');
});

it('a step loses its trailing zeros and keeps its places', () => {
  assert.deepEqual(asStep('0.01000000'), { size: '0.01', places: 2 });
  assert.deepEqual(asStep('1.00'), { size: '1', places: 0 });
  assert.deepEqual(asStep('25'), { size: '25', places: 0 });
  for (const value of ['0', '0.00', '-1', 'x', null, true, `0.${'0'.repeat(18)}1`])
    assert.equal(asStep(value), undefined);
});
