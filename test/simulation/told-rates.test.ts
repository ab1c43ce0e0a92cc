import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RateLied, ToldRates } from './told-rates.ts';

const hourMs = 3_600_000;
const lie: RateLied = {
  value: '2500',
  dated: 'dated',
  nextFixingMs: 5_000_000,
  isWitnessed: false,
  isFirst: true,
  isAlone: false,
};

/** Whether a lie that began after an hour may be served so long after it began. */
function mayBeServed(over: Partial<RateLied>, afterMs: number): boolean {
  const rates = new ToldRates('25');
  const lied = { ...lie, ...over };
  rates.lied(lied, hourMs);
  return rates.between(hourMs + afterMs, hourMs + afterMs).includes(lied.value);
}

test('a rate that is far off is never served on the word of one source, in whatever way it is off and however long it says so', () => {
  for (const value of ['2500', '0.25', '0.04', '31', '20'])
    for (const dated of ['dated', 'undated'] as const)
      assert.equal(mayBeServed({ value, dated }, 40 * hourMs), false, value);
  assert.equal(mayBeServed({ isWitnessed: true }, 0), true);
  assert.equal(mayBeServed({ isWitnessed: true, isFirst: false }, 0), false, 'it makes no price');
});

test('one that is off by a tenth is served with the next fixing, or after an hour where there is no date', () => {
  const off = (dated: RateLied['dated'], afterMs: number) => mayBeServed({ value: '27.5', dated }, afterMs);
  assert.deepEqual([off('dated', 5_000_000 - hourMs - 1), off('dated', 5_000_000 - hourMs)], [false, true]);
  assert.deepEqual([off('undated', hourMs - 1), off('undated', hourMs)], [false, true]);
  assert.equal(off('older', 40 * hourMs), false);
});

test('one that is within three percent is served, but for one of an older fixing', () => {
  assert.equal(mayBeServed({ value: '25.7' }, 0), true);
  assert.equal(mayBeServed({ value: '25.7', dated: 'older' }, 40 * hourMs), false);
});

test('what was true, or was said, is served for as long as it may take to be read again', () => {
  const rates = new ToldRates('25');
  rates.rateFrom('26', hourMs);
  const lied = rates.lied({ ...lie, value: '26.1' }, 2 * hourMs);
  lied.untilMs = 3 * hourMs;
  const at = (atMs: number) => rates.between(atMs, atMs);
  assert.deepEqual(at(hourMs - 1), ['25']);
  assert.deepEqual(at(hourMs + 180_000), ['25', '26']);
  assert.deepEqual(at(hourMs + 180_001), ['26']);
  assert.deepEqual(at(3 * hourMs + 180_000), ['26', '26.1']);
  assert.deepEqual(at(3 * hourMs + 180_001), ['26']);
  assert.equal(rates.changedAtMs(9 * hourMs), 2 * hourMs);
});

test('nobody expects converted prices of a rate that cannot be read, or that its first source lies about, for however long', () => {
  const rates = new ToldRates('25');
  rates.lost(true, 0);
  assert.equal(rates.changedAtMs(2 * hourMs), 2 * hourMs);
  rates.lost(false, 3 * hourMs);
  assert.equal(rates.changedAtMs(4 * hourMs), 3 * hourMs);
  const lie = {
    value: '50',
    dated: 'undated',
    nextFixingMs: 0,
    isWitnessed: false,
    isFirst: true,
    isAlone: false,
  } as const;
  const lied = rates.lied(lie, 5 * hourMs);
  rates.lied({ ...lie, isFirst: false }, 5 * hourMs);
  assert.equal(rates.changedAtMs(7 * hourMs), 7 * hourMs);
  lied.untilMs = 8 * hourMs;
  assert.equal(rates.changedAtMs(9 * hourMs), 5 * hourMs, 'the second one makes no price');
});

test('where nothing confirms a rate, nobody expects converted prices after one that is far off', () => {
  const far = { value: '50', dated: 'undated', nextFixingMs: 0, isWitnessed: false, isFirst: true } as const;
  const expectedAfter = (lie: typeof far & { isAlone: boolean }) => {
    const rates = new ToldRates('25');
    rates.lied(lie, 0).untilMs = hourMs;
    return rates.changedAtMs(9 * hourMs) === 0;
  };
  assert.equal(expectedAfter({ ...far, isAlone: false }), true);
  assert.equal(expectedAfter({ ...far, isAlone: true }), false);
});
