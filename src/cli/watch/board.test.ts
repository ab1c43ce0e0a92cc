import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { spreadPercent, watchedNext } from './board.ts';
import { board, market, windowBody } from './samples.testing.ts';
import { spanText } from './texts.ts';
import { changeLines, changeObjects } from './watch.ts';

describe('what is watched', () => {
  test('is every market that is not delisted, or those named in any case', () => {
    const view = board([market('ADAEUR'), { symbol: 'BTCCZK', status: 'delisted' }, market('BTCEUR')]);
    const symbols = (wanted: string[]) => watchedNext(undefined, view, wanted).rows.map((row) => row.market.symbol);
    assert.deepEqual(symbols([]), ['ADAEUR', 'BTCEUR']);
    assert.deepEqual(symbols(['btceur', 'BTCEUR']), ['BTCEUR']);
  });

  test('refuses every symbol that is not on the board, with the nearest one that is', () => {
    const view = board([market('ADAEUR'), { symbol: 'BTCCZK', status: 'delisted' }, market('BTCEUR')]);
    const refused = (wanted: string[], reason: string, message: string) =>
      assert.throws(() => watchedNext(undefined, view, wanted), { reason, message });
    refused(['btceru'], 'market_unknown', 'There is no market "btceru". Did you mean "BTCEUR"?');
    refused(
      ['BTC/EUR', 'ADAEUR', 'whatever'],
      'market_unknown',
      'There is no market "BTC/EUR". Did you mean "BTCEUR"? There is no market "whatever".',
    );
    refused(['BTCCZK'], 'market_delisted', 'The market BTCCZK is delisted, which is final.');
    assert.deepEqual(watchedNext(undefined, board([]), ['NOSUCH']).rows, [], 'no catalogue, no judgement');
  });
});

test('the spread is exact: 2 (buy − sell) / (buy + sell) in percent, half-even to two decimals', () => {
  assert.equal(spreadPercent('84631.2', '83788.9'), '1.00');
  assert.equal(spreadPercent('100', '100'), '0.00');
  assert.equal(spreadPercent('0.0000000000000000000003', '0.0000000000000000000001'), '100.00');
  const price = fc.bigInt({ min: 1n, max: 10n ** 24n });
  const seed = 20261121;
  fc.assert(
    fc.property(price, price, (one, other) => {
      const [sell, buy] = one < other ? [one, other] : [other, one];
      // In hundredths of a percent, rounded half-even by whole numbers alone.
      const [above, below] = [(buy - sell) * 20_000n, buy + sell];
      const [whole, rest] = [above / below, above % below];
      const up = rest * 2n > below || (rest * 2n === below && whole % 2n === 1n);
      const expected = (whole + (up ? 1n : 0n)).toString().padStart(3, '0');
      // `div` keeps 20 places: a tie that close cannot be told from one beside it, and does not matter.
      return spreadPercent(`${buy}`, `${sell}`) === `${expected.slice(0, -2)}.${expected.slice(-2)}`;
    }),
    { seed, numRuns: 500 },
  );
});

describe('lines', () => {
  test('show everything first, then only what changed', () => {
    const first = watchedNext(undefined, board([market('ADAEUR'), market('BTCEUR')]), []);
    assert.deepEqual(changeLines(first), [
      '2026-11-21T10:00:00.500Z service operational, data 0.4 s old, live',
      '2026-11-21T10:00:00.500Z ADAEUR buy 84631.2 sell 83788.9 spread 1.00 % 24h -1.05 %',
      '2026-11-21T10:00:00.500Z BTCEUR buy 84631.2 sell 83788.9 spread 1.00 % 24h -1.05 %',
    ]);
    const same = watchedNext(
      first,
      board([market('ADAEUR', { timestampMs: 1 }), market('BTCEUR')], { dataAgeMs: 9 }),
      [],
    );
    assert.deepEqual([changeLines(same), changeObjects(same)], [[], []], 'ages are no change');
    const moved = watchedNext(same, board([market('ADAEUR'), market('BTCEUR', { sellPrice: '83789.0' })]), []);
    assert.deepEqual(changeLines(moved), [
      '2026-11-21T10:00:00.500Z BTCEUR buy 84631.2 sell 83789.0 spread 1.00 % 24h -1.05 %',
    ]);
  });

  test('say why there is no price, that a market is paused, and the state of the service', () => {
    const view = board([{ symbol: 'BTCCZK', status: 'paused', unpriced: 'no_rate' }], { feedPath: 'fallback' });
    const { service } = view;
    const troubled = {
      ...view,
      service: { ...service, status: 'maintenance' as const, maintenance: windowBody(-1, 30, 'Upgrade') },
    };
    assert.deepEqual(changeLines(watchedNext(undefined, troubled, [])), [
      '2026-11-21T10:00:00.500Z service maintenance, data 0.4 s old, fallback, maintenance until 2026-11-21 10:30 UTC (30 min left): Upgrade',
      '2026-11-21T10:00:00.500Z BTCCZK paused no price (no rate)',
    ]);
  });

  test('as objects hold the market as the board has it', () => {
    const objects = changeObjects(watchedNext(undefined, board([market('BTCEUR')]), []));
    assert.deepEqual(objects, [
      { event: 'service', ...board([]).service, dataAgeMs: 400, feedPath: 'live' },
      {
        event: 'market',
        ...market('BTCEUR'),
        spreadPercent: '1.00',
        serverTime: '2026-11-21T10:00:00.500Z',
        serverTimeMs: board([]).service.serverTimeMs,
      },
    ]);
  });
});

test('spans of time are short at any length', () => {
  const spans = [-5, 0, 400, 9_949, 9_950, 119_999, 120_000, 7_199_999, 7_200_000, 172_799_999, 172_800_000];
  assert.deepEqual(
    spans.map(spanText).join(', '),
    '0.0 s, 0.0 s, 0.4 s, 9.9 s, 9 s, 119 s, 2 min, 119 min, 2 h, 47 h, 2 d',
  );
});
