import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nextPoll, noPoll } from '../../web/console/board/moves.ts';
import { queryOf, type Selectable, selected, selectionOf } from '../../web/console/board/selection.ts';
import { piecesOf, summaryOf } from '../../web/console/feed/spans.ts';
import { verdictOf } from '../../web/console/feed/verdict.ts';
import { compareDecimals, directionOf, grouped, signedPercent } from '../../web/console/format/decimal.ts';
import { spanText } from '../../web/console/format/time.ts';
import { bucketsOf, topCodes } from '../../web/console/pages/buckets.ts';
import { linePieces } from '../../web/console/parts/pictures.ts';

const gap = '\u202f';

describe('what the console shows', () => {
  test('a decimal keeps every digit and gets groups', () => {
    const long = '1234567890123456789.000000000000000001';
    assert.equal(grouped(long).replaceAll(gap, ''), long);
    assert.equal(grouped('-1234.50'), `−1${gap}234.50`);
    assert.equal(grouped('999.1234'), '999.1234');
    assert.equal(grouped('n/a'), 'n/a');
  });

  test('a percentage has its sign, but zero has none', () => {
    assert.equal(signedPercent('0.21'), '+0.21\u00a0%');
    assert.equal(signedPercent('-0.21'), '−0.21\u00a0%');
    assert.equal(signedPercent('0.00'), '0.00\u00a0%');
    assert.deepEqual(['0.1', '-0.1', '-0.00'].map(directionOf), ['up', 'down', 'none']);
  });

  test('decimals are ordered exactly, whatever their length', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const decimal = (scaled: bigint): string => {
      const text = String(scaled < 0n ? -scaled : scaled).padStart(13, '0');
      return `${scaled < 0n ? '-' : ''}${text.slice(0, -12)}.${text.slice(-12)}`;
    };
    fc.assert(
      fc.property(digits, digits, (one, other) => {
        const order = Math.sign(compareDecimals(decimal(one), decimal(other)));
        assert.equal(order, one < other ? -1 : one > other ? 1 : 0);
      }),
    );
    assert.equal(compareDecimals('1.50', '1.5'), 0);
    assert.equal(compareDecimals('-0.0', '0'), 0);
  });

  test('a span has two units at most and is never negative', () => {
    const spans = [-5, 400, 59_900, 125_000, 7_800_000, 190_800_000].map(spanText);
    assert.deepEqual(
      spans.map((text) => text.replaceAll('\u00a0', ' ')),
      ['0.0 s', '0.4 s', '59 s', '2 min', '2 h 10 min', '2 d 5 h'],
    );
  });
});

function market(symbol: string, { buyPrice }: { buyPrice?: string } = {}): Selectable {
  const ticker = buyPrice === undefined ? null : { buyPrice, sellPrice: buyPrice };
  return { symbol, quote: symbol.slice(-3), status: 'trading', ticker, spreadPercent: null, ageMs: null };
}

describe('the board', () => {
  const markets = [market('AAAEUR', { buyPrice: '9.5' }), market('BBBEUR', { buyPrice: '10.0' }), market('CCCCZK')];
  const symbolsOf = (query: string) =>
    selected(markets, selectionOf(new URLSearchParams(query))).map(({ symbol }) => symbol);

  test('is filtered by text, status, quote and a missing price', () => {
    assert.deepEqual(symbolsOf('q=bbb,cc'), ['BBBEUR', 'CCCCZK']);
    assert.deepEqual(symbolsOf('quote=CZK'), ['CCCCZK']);
    assert.deepEqual(symbolsOf('status=paused'), []);
    assert.deepEqual(symbolsOf('price=none'), ['CCCCZK']);
  });

  test('is sorted by value, and what has none stands last either way', () => {
    assert.deepEqual(symbolsOf('sort=buy'), ['AAAEUR', 'BBBEUR', 'CCCCZK']);
    assert.deepEqual(symbolsOf('sort=buy&order=down'), ['BBBEUR', 'AAAEUR', 'CCCCZK']);
  });

  test('comes back as it was from its address', () => {
    const query = { q: 'eth btc', status: 'paused', quote: 'CZK', price: 'none', sort: 'change', order: 'down' };
    assert.deepEqual(queryOf(selectionOf(new URLSearchParams(query))), query);
  });

  test('knows which way a price went last, and in which look', () => {
    const first = nextPoll(noPoll, [market('AAAEUR', { buyPrice: '9.5' })]);
    assert.equal(first.moves.get('AAAEUR')?.buy, undefined);
    const second = nextPoll(first, [market('AAAEUR', { buyPrice: '10.0' })]);
    const third = nextPoll(second, [market('AAAEUR', { buyPrice: '10.00' })]);
    assert.deepEqual([second.moves.get('AAAEUR')?.buy, second.moves.get('AAAEUR')?.buyPoll], ['up', 2]);
    assert.deepEqual([third.moves.get('AAAEUR')?.buy, third.moves.get('AAAEUR')?.buyPoll], ['up', 2]);
    const fourth = nextPoll(third, [market('AAAEUR', { buyPrice: '9.99' })]);
    assert.deepEqual([fourth.moves.get('AAAEUR')?.buy, fourth.moves.get('AAAEUR')?.buyPoll], ['down', 4]);
  });
});

describe('what was', () => {
  test('a day is shown in buckets of minutes, what is not known as a gap', () => {
    const minuteMs = 60_000;
    const nowMs = 2_000 * minuteMs;
    const minute = (agoMinutes: number, more = {}) => ({
      atMs: nowMs - agoMinutes * minuteMs,
      requests: 10,
      errors: {},
      p50Ms: 1,
      p99Ms: 2,
      held: 0,
      ...more,
    });
    const short = bucketsOf([minute(3, { errors: { A: 1, B: 2 } }), minute(0, { held: 2, p99Ms: null })], nowMs);
    assert.equal(short.length, 30);
    assert.deepEqual(
      short.slice(-5).map(({ sum }) => sum && [sum.requestsPerMinute, sum.p99Ms, sum.held]),
      [undefined, [10, 2, 0], undefined, undefined, [10, 0, 2]],
    );
    assert.deepEqual(topCodes(short, 1), ['B']);
    const day = Array.from({ length: 1_440 }, (_, at) => minute(1_439 - at));
    const long = bucketsOf(day, nowMs);
    assert.deepEqual([long.length, long.every(({ sum }) => sum?.requestsPerMinute === 10)], [96, true]);
  });

  test('where values are missing, the small line of a market has a gap', () => {
    assert.deepEqual(linePieces([1, 2, null, null, 3, 2]), ['0.0,22.0 19.2,12.0', '76.8,2.0 96.0,12.0']);
    assert.deepEqual(linePieces([null, 0, 5, 10], [0, 20]), ['32.0,22.0 64.0,17.0 96.0,12.0']);
  });

  test('a source is judged by what is wrong with it first of all', () => {
    type Judged = Parameters<typeof verdictOf>[0];
    type State = NonNullable<Judged['flow']>['state'];
    const judged = (state: State, symbolsSubscribed = 4, more: Partial<Judged> = {}) => {
      const health = { symbolsSubscribed, symbolsWanted: 4 };
      return verdictOf({ paused: false, doubts: [], flow: { state }, health, served: { polled: 0 }, ...more });
    };
    assert.equal(judged('flowing'), 'all right');
    assert.equal(judged('flowing', 3), 'some markets missing');
    assert.equal(judged('flowing', 3, { served: { polled: 1 } }), 'some over REST');
    assert.equal(judged('flowing', 3, { doubts: [{}], served: { polled: 1 } }), 'doubted');
    assert.equal(judged('polled', 3, { doubts: [{}] }), 'over REST');
    assert.equal(judged('silent', 3, { doubts: [{}] }), 'no data');
    assert.equal(judged('silent', 0, { paused: true, flow: null }), 'paused');
    assert.equal(judged('silent', 0, { flow: null }), 'in another process');
  });

  test('spans of the feed are cut to a day, and the one that lasts ends now', () => {
    const hourMs = 3_600_000;
    const nowMs = 100 * hourMs;
    const span = (state: 'live' | 'silent', fromMs: number, toMs: number | null) =>
      ({ state, from: '', fromMs, to: null, toMs }) as const;
    const spans = [
      span('live', 0, 50 * hourMs),
      span('live', 70 * hourMs, 78 * hourMs),
      span('silent', 78 * hourMs, null),
    ];
    const pieces = piecesOf(spans, nowMs);
    assert.deepEqual(
      pieces.map(({ fromMs, toMs }) => [fromMs / hourMs, toMs / hourMs]),
      [
        [76, 78],
        [78, 100],
      ],
    );
    assert.equal(
      summaryOf(pieces).replaceAll('\u00a0', ' '),
      'The feed in the last 24 hours: live 2 h, fallback 0.0 s, no data 22 h.',
    );
  });
});
