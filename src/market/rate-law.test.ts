import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { type RateBelief, RateLaw, type RateOutcome, rateAwaitsMs } from './rate-law.ts';
import { CZK, dayMs, decimal, EUR, hourMs } from './samples.testing.ts';
import type { ConversionRate } from './upstream.ts';

const law = new RateLaw({ ratePercent: decimal('3'), rateCeilingPercent: decimal('20') });
const minuteMs = 60_000;
/** A Monday. */
const monday = Date.parse('2026-11-23T00:00:00Z');

/**
 * `24.3 d1 14:30`: read on the second day at that time, of that day’s fixing; `d1:d0` of the day before’s; `u1` without
 * a date.
 */
function rateOf(text: string, source: string): ConversionRate {
  const [mid = '', days = '', time = '00:00'] = text.split(' ');
  const [read = '', fixed = read] = days.split(':');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const dayAt = (day: string) => monday + Number(day.slice(1)) * dayMs;
  const isDated = days.startsWith('d');
  return {
    base: EUR,
    quote: CZK,
    mid: decimal(mid),
    source,
    fixingDate: isDated ? new Date(dayAt(fixed)).toISOString().slice(0, 10) : undefined,
    refreshedAt: (dayAt(read) + hours * hourMs + minutes * minuteMs) as EpochMs,
  };
}

const read = (text: string) => rateOf(text, 'cnb');
const heard = (text: string) => rateOf(text, 'ecb');

/** A rate that an operator said was right. */
function believed(text: string, changes: RateBelief = {}): RateBelief {
  return { inForce: read(text), anchor: read(text), ...changes };
}

/** Judges readings in a row: `cnb` of the source, `ecb` of the second one, and `ok`, the operator’s acceptance. */
function told(begun: RateBelief, steps: readonly string[]): readonly [(RateOutcome | undefined)[], string | undefined] {
  let belief = begun;
  const outcomes: (RateOutcome | undefined)[] = [];
  for (const step of steps) {
    const [who, ...rest] = step.split(' ');
    const text = rest.join(' ');
    const judgement =
      who === 'cnb'
        ? law.read(belief, read(text))
        : who === 'ecb'
          ? law.compared(belief, heard(text))
          : law.accepted(belief);
    // As a restart or another process would have it.
    belief = JSON.parse(JSON.stringify(judgement.belief)) as RateBelief;
    if (who === 'cnb' || judgement.outcome !== undefined) outcomes.push(judgement.outcome);
  }
  return [outcomes, belief.held?.isContest ? undefined : belief.inForce?.mid];
}

const fromDated: readonly [
  name: string,
  steps: readonly string[],
  outcomes: readonly RateOutcome[],
  inForce: string,
][] = [
  ['within the bound is taken', ['cnb 25.0 d0 15:00'], ['within'], '25.0'],
  ['within the bound downwards too', ['cnb 23.62 d0 15:00'], ['within'], '23.62'],
  ['beyond the bound is held', ['cnb 25.1 d0 15:00'], ['held'], '24.3'],
  ['beyond it waits under the same fixing', ['cnb 26 d1 15:00', 'cnb 26 d1 23:00'], ['held', 'held'], '24.3'],
  ['beyond it is confirmed by the next fixing', ['cnb 26 d1 15:00', 'cnb 26.2 d2 15:00'], ['held', 'fixing'], '26.2'],
  [
    'beyond it is not confirmed by a next fixing that is of another level',
    ['cnb 26 d1 15:00', 'cnb 27.5 d2 15:00', 'cnb 27.4 d3 15:00'],
    ['held', 'held', 'fixing'],
    '27.4',
  ],
  ['goes when the right one is back', ['cnb 26 d1 15:00', 'cnb 24.4 d1 16:00'], ['held', 'within'], '24.4'],
  [
    'beyond the ceiling is confirmed by no fixing',
    ['cnb 29.2 d1 15:00', 'cnb 29.2 d2 15:00', 'cnb 29.2 d3 15:00'],
    ['held', 'held', 'held'],
    '24.3',
  ],
  ['at the ceiling is', ['cnb 29.16 d1 15:00', 'cnb 29.16 d2 15:00'], ['held', 'fixing'], '29.16'],
  [
    'beyond the ceiling downwards is confirmed by none either',
    ['cnb 20.2 d1 15:00', 'cnb 20.2 d2 15:00'],
    ['held', 'held'],
    '24.3',
  ],
  ['beyond the ceiling is confirmed by the operator', ['cnb 2430 d1 15:00', 'ok'], ['held', 'operator'], '2430'],
  [
    'beyond the ceiling is confirmed by the second source, when it comes',
    ['cnb 30 d1 15:00', 'ecb 29.8 d1 16:00'],
    ['held', 'witness'],
    '30',
  ],
  [
    'beyond the ceiling is confirmed by a second source that said it before',
    ['ecb 29.8 d1 14:00', 'cnb 30 d1 15:00'],
    ['witness'],
    '30',
  ],
  [
    'beyond the ceiling is not confirmed by a second source that says another',
    ['cnb 30 d1 15:00', 'ecb 28 d1 16:00', 'cnb 30 d2 15:00'],
    ['held', 'held'],
    '24.3',
  ],
  [
    'beyond the bound is not confirmed by a fixing while the second source has contradicted it since',
    ['cnb 26 d1 15:00', 'ecb 24.3 d1 16:00', 'cnb 26 d2 15:00'],
    ['held', 'held'],
    '24.3',
  ],
  [
    'beyond the bound is confirmed by a fixing where the second source has only spoken before',
    ['ecb 24.3 d0 16:00', 'cnb 26 d1 15:00', 'cnb 26 d2 15:00'],
    ['held', 'fixing'],
    '26',
  ],
  ['of an earlier fixing is refused', ['cnb 24.4 d1 15:00', 'cnb 24.3 d1:d0 16:00'], ['within', 'older'], '24.4'],
  [
    'of an earlier fixing than the held one is refused',
    ['cnb 26 d2 15:00', 'cnb 26 d2:d1 16:00', 'cnb 26 d2 17:00'],
    ['held', 'older', 'held'],
    '24.3',
  ],
  [
    'a hundred times the right one is not confirmed by an old document of the second source',
    ['ecb 2430 d-9:d-9 16:00', 'cnb 2430 d1 15:00'],
    ['held'],
    '24.3',
  ],
];

describe('of a source with dates, a rate', () => {
  for (const [name, steps, outcomes, inForce] of fromDated)
    test(name, () => assert.deepEqual(told(believed('24.3 d0 14:30'), steps), [outcomes, inForce]));
});

/** Equal readings every so many minutes. */
const every = (minutes: number, mid: string, count: number, day = 1) =>
  Array.from({ length: count }, (_, index) => {
    const at = index * minutes;
    return `cnb ${mid} u${day} ${Math.floor(at / 60)}:${at % 60}`;
  });

describe('of a source without dates, a rate', () => {
  const begun = believed('24.3 u0 23:59');
  const last = (steps: readonly string[]) => {
    const [outcomes, inForce] = told(begun, steps);
    return [outcomes.at(-1), inForce];
  };

  test('beyond the bound is confirmed by an hour of equal readings, and not by a minute less', () => {
    assert.deepEqual(last(every(1, '26', 60)), ['held', '24.3']);
    assert.deepEqual(last(every(1, '26', 61)), ['hour', '26']);
  });

  test('beyond the bound is confirmed neither by two readings an hour apart, nor by an hour of which minutes are missing', () => {
    assert.deepEqual(last(['cnb 26 u1 00:00', 'cnb 26 u1 01:00']), ['held', '24.3']);
    assert.deepEqual(last([...every(1, '26', 50), 'cnb 26 u1 00:56', 'cnb 26 u1 01:00']), ['held', '24.3']);
  });

  test('beyond the ceiling is not confirmed by midnight, an hour or a day', () => {
    assert.deepEqual(last([...every(4, '0.0411', 359), ...every(4, '0.0411', 359, 2)]), ['held', '24.3']);
  });

  test('is not confirmed by a clock that is set forward, and a clock set back makes the hour begin anew', () => {
    assert.deepEqual(last(['cnb 26 u1 00:00', 'cnb 26 u3 00:00']), ['held', '24.3']);
    assert.deepEqual(last([...every(1, '26', 30, 2), ...every(1, '26', 60)]), ['held', '24.3']);
    assert.deepEqual(last([...every(1, '26', 30, 2), ...every(1, '26', 61)]), ['hour', '26']);
  });

  test('beyond the bound is not confirmed by an hour in which the second source says another', () => {
    assert.deepEqual(last([...every(1, '26', 30), 'ecb 24.3 u1 00:30', ...every(1, '26', 61)]), ['held', '24.3']);
  });

  test('that goes away in small steps goes no further than the ceiling in a day', () => {
    const steps = Array.from({ length: 60 }, (_, index) => `cnb ${(24.3 * 1.02 ** index).toFixed(4)} u1 00:${index}`);
    const [outcomes, inForce] = told(begun, steps);
    assert.equal(outcomes.at(-1), 'held');
    assert.ok(Number(inForce) < 24.3 * 1.2 && Number(inForce) > 28);
    assert.equal(
      told(begun, [...steps, `cnb ${inForce} u2 00:10`])[0].at(-1),
      'within',
      'and the next day on from there',
    );
  });
});

describe('the first rate ever', () => {
  const judged = (belief: RateBelief, text: string, isExpected = false) => law.read(belief, read(text), isExpected);

  test('is taken with a second source that agrees', () => {
    const { belief, outcome } = judged({ witness: heard('24.3 d0 16:00') }, '24.5 d0 17:00');
    assert.deepEqual([outcome, belief.inForce?.mid, belief.isUnconfirmed], ['witness', '24.5', undefined]);
  });

  test('is held with one that does not, and the right one is taken at once', () => {
    const { belief, outcome } = judged({ witness: heard('24.3 d0 16:00') }, '2430 d0 17:00');
    assert.deepEqual([outcome, belief.inForce, belief.held?.reason], ['held', undefined, 'contradicted']);
    assert.equal(judged(belief, '2430 d5 17:00').outcome, 'held', 'also when the second source has long been silent');
    assert.equal(judged(belief, '24.3 d0 18:00').outcome, 'witness');
    assert.equal(law.accepted(belief).belief.inForce?.mid, '2430');
  });

  test('waits for a second source that has yet to be heard, until it has been, could not be, or two seconds have passed', () => {
    const { belief: waiting, outcome } = judged({}, '24.3 d0 17:00', true);
    assert.deepEqual([outcome, waiting.inForce, waiting.held], ['awaiting', undefined, undefined]);
    assert.equal(law.compared(waiting, heard('24.4 d0 17:00')).outcome, 'witness');
    assert.equal(law.compared(waiting, heard('2440 d0 17:00')).outcome, 'held');
    const silent = law.unwitnessed(waiting);
    assert.deepEqual([silent.outcome, silent.belief.isUnconfirmed], ['first', true]);
    const later = (ms: number) => {
      const rate = read('24.3 d0 17:00');
      return law.read(waiting, { ...rate, refreshedAt: (rate.refreshedAt + ms) as EpochMs }, true).outcome;
    };
    assert.deepEqual([later(rateAwaitsMs - 1), later(rateAwaitsMs)], ['awaiting', 'first']);
  });

  test('without any witness is unconfirmed, and goes with the first reading beyond the ceiling until one of the two is confirmed', () => {
    const { belief: first } = judged({}, '2430 d0 17:00');
    assert.equal(first.isUnconfirmed, true);
    const { belief: apart } = judged(first, '2600 d0 18:00');
    assert.equal(apart.held?.isContest, undefined, 'within the ceiling it stays');
    const { belief: contest } = judged(first, '24.3 d0 18:00');
    assert.equal(contest.held?.isContest, true);
    for (const again of ['2430 d0 19:00', '24.3 d1 18:00', '2430 d1 19:00', '24.3 d9 18:00']) {
      const { belief, outcome } = judged(contest, again);
      assert.deepEqual([outcome, belief.held?.isContest, belief.held?.last.mid], ['held', true, '24.3'], again);
    }
    assert.equal(law.compared(contest, heard('24.2 d0 20:00')).belief.inForce?.mid, '24.3', 'by the second source');
    assert.equal(law.accepted(contest).belief.inForce?.mid, '24.3', 'by the operator');
    const right = law.compared(contest, heard('2431 d0 20:00')).belief;
    assert.deepEqual([right.inForce?.mid, right.held?.isContest, right.isUnconfirmed], ['2430', undefined, undefined]);
    const { belief: kept } = law.kept(contest);
    assert.deepEqual([kept.inForce?.mid, kept.held, kept.isUnconfirmed], ['2430', undefined, undefined]);
  });

  test('that was taken before the second source was heard is none once that contradicts it beyond the ceiling', () => {
    const { belief: first } = judged({}, '2430 d0 17:00');
    const { belief } = law.compared(first, heard('24.3 d0 17:01'));
    assert.deepEqual([belief.inForce, belief.held?.reason, belief.held?.last.mid], [undefined, 'contradicted', '2430']);
    assert.equal(
      law.compared(first, heard('2500 d0 17:01')).belief.isUnconfirmed,
      undefined,
      'one that agrees confirms it',
    );
    assert.equal(law.compared(first, heard('2700 d0 17:01')).belief.inForce?.mid, '2430');
  });

  test('is confirmed by the operator, who takes only what was seen', () => {
    const { belief: first } = judged({}, '24.3 d0 17:00');
    assert.equal(law.accepted(first, decimal('24.4')).belief.isUnconfirmed, undefined);
    assert.equal(law.accepted(first, decimal('26')).belief.isUnconfirmed, true);
    const { belief: held } = judged(law.accepted(first).belief, '26 d0 18:00');
    assert.equal(law.accepted(held, decimal('27')).belief.inForce?.mid, '24.3');
    assert.equal(law.accepted(held, decimal('26.1')).belief.inForce?.mid, '26');
  });
});

test('banks that fix at other hours, and not on each other’s holidays, are compared of one day alone', () => {
  const compared = (rate: string, witness: string, atDay = 0) =>
    law.comparison({ witness: heard(witness) }, read(rate), (monday + atDay * dayMs + 17 * hourMs) as EpochMs);
  assert.deepEqual(compared('24.3 d0 14:30', '24.31 d0 16:00'), { isOfOneTime: true, isAgreed: true });
  assert.deepEqual(compared('25.9 d0 14:30', '24.31 d0:d-3 14:00'), { isOfOneTime: false, isAgreed: false });
  assert.deepEqual(compared('25.9 u0 14:30', '24.31 d0:d-3 14:00'), { isOfOneTime: true, isAgreed: false });
  assert.equal(compared('24.3 d6 14:30', '24.31 d6:d0 16:00', 6), undefined, 'a fixing of last week says nothing');
  assert.equal(compared('24.3 d2 14:30', '24.31 d0 16:00', 2), undefined, 'nor one that was not read for a day');
  assert.equal(compared('24.3 u0 17:00', '24.31 u0 15:59'), undefined, 'nor a price of an hour ago');
});
