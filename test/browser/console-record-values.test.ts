import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  distinctGaps,
  merged,
  piecesOfSpan,
  slotsOf,
  stepsOf,
  usualStepOf,
} from '../../web/console/market/candle-spans.ts';
import { instantOf, keyTextOf, requestIdOf, symbolOf } from '../../web/console/record/questions.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noonMs = Date.parse('2026-11-22T12:00:00Z');

describe('what the console asks of the record', () => {
  test('a span is asked for in pieces that fit an answer, follow each other and cut no candle', () => {
    for (const days of [1 / 24, 1, 7, 30, 365]) {
      const span = { fromMs: noonMs - days * dayMs + 12_345, toMs: noonMs };
      for (const step of stepsOf(span)) {
        const pieces = piecesOfSpan(span, step);
        assert.ok(pieces[0]!.fromMs <= span.fromMs && pieces.at(-1)!.toMs === span.toMs);
        for (const [at, { fromMs, toMs }] of pieces.entries()) {
          assert.equal(fromMs % step.ms, 0);
          assert.ok(at === 0 || fromMs === pieces[at - 1]!.toMs);
          assert.ok(toMs - fromMs <= 7 * dayMs && (toMs - fromMs) / step.ms <= 1_500);
        }
      }
    }
  });

  test('a candle is usually of a minute over an hour, and of longer over longer', () => {
    const usual = (ms: number) => usualStepOf({ fromMs: noonMs - ms, toMs: noonMs }).name;
    assert.deepEqual([hourMs, dayMs, 7 * dayMs, 30 * dayMs, 3_650 * dayMs].map(usual), ['1m', '5m', '1h', '4h', '1d']);
  });

  test('a step without a candle keeps its place', () => {
    const [step] = stepsOf({ fromMs: noonMs, toMs: noonMs + hourMs });
    const candle = { fromMs: noonMs + 120_000 };
    const slots = slotsOf([candle], { fromMs: noonMs, toMs: noonMs + 240_000 }, step!);
    assert.deepEqual(
      slots.map((slot) => slot.candle !== undefined),
      [false, false, true, false],
    );
  });

  test('a live chart takes new readings of a candle and of a gap in place of the old ones, and drops what is past', () => {
    const [step] = stepsOf({ fromMs: noonMs, toMs: noonMs + hourMs });
    const candle = (minute: number, changes: number) => ({ fromMs: noonMs + minute * 60_000, changes });
    const known = [candle(0, 1), candle(1, 2), candle(2, 3)];
    const span = { fromMs: noonMs + 90_000, toMs: noonMs + 210_000 };
    const candles = merged(known, [candle(2, 4), candle(3, 5)], span, step!);
    assert.deepEqual(
      candles.map(({ changes }) => changes),
      [2, 4, 5],
    );
    const gap = (fromMs: number, toMs: number | null) => ({ fromMs, toMs });
    const gaps = [gap(noonMs, noonMs + 1), gap(noonMs + 100_000, null), gap(noonMs + 100_000, noonMs + 110_000)];
    assert.deepEqual(distinctGaps(gaps, span), [gaps[2]]);
  });

  test('ids, symbols and instants are read as people have them', () => {
    const id = '6f1c2a9e4b7d4f08a3c5e1d2b4f60718';
    assert.equal(requestIdOf(` ${id.toUpperCase()} `), id);
    assert.equal(requestIdOf(id.slice(1)), undefined);
    assert.equal(symbolOf('btc/czk'), 'BTCCZK');
    assert.equal(symbolOf('!'), undefined);
    assert.equal(instantOf('2026-11-22T12:00:00.003Z'), noonMs + 3);
    assert.equal(instantOf('2026-11-22T13:00:00.003+01:00'), noonMs + 3);
    assert.equal(instantOf(String(noonMs)), noonMs);
    for (const wrong of ['', 'noon', '2026', '2026-13-45T12:00Z']) assert.equal(instantOf(wrong), undefined, wrong);
  });

  test('of a whole key only its last four characters go into an address', () => {
    assert.equal(keyTextOf('mdk_0123456789abcdefghijABCDEFGHIJ01xxx7Qa'), 'x7Qa');
    assert.equal(keyTextOf('…x7Qa'), 'x7Qa');
    assert.equal(keyTextOf('key_4fGh72Kq0ZsTn1Lw'), 'key_4fGh72Kq0ZsTn1Lw');
  });
});
