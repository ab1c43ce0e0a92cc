import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Guard } from './guard.ts';
import { guardRules, marketsWith } from './market-rig.testing.ts';
import { after, CZK, conversionRate, dayMs, decimal, hourMs, start } from './samples.testing.ts';

const minuteMs = 60_000;

/** A book whose rate is read from a source that a test speaks for. */
function rates(fixings: 'dated' | 'undated') {
  const markets = marketsWith({ guard: new Guard(guardRules) });
  let nowMs: number = start;
  const read = (mid: string, fixingDate = new Date(nowMs).toISOString().slice(0, 10)) =>
    markets.rateRefreshed(
      conversionRate({
        mid: decimal(mid),
        source: fixings === 'dated' ? 'cnb' : 'json',
        fixingDate: fixings === 'dated' ? fixingDate : undefined,
        refreshedAt: after(start, nowMs - start),
      }),
    );
  return {
    markets,
    read,
    /** Reads the right rate, and an operator says that it is. */
    begin() {
      assert.equal(read('24.315'), true);
      markets.rates.accept(CZK);
    },
    wait(ms: number) {
      nowMs += ms;
    },
    served: () => {
      const known = markets.rate(CZK);
      return known !== undefined && nowMs < known.validUntil ? known.rate.mid : undefined;
    },
  };
}

describe('a rate that is beyond the ceiling', () => {
  for (const [name, wrong] of [
    ['a hundred times the right one', '2431.5'],
    ['a hundredth of it', '0.24315'],
    ['the other way round', '0.041127'],
  ] as const) {
    test(`(${name}) is not taken at midnight from a source without dates, and the right one at once (fault row 87)`, () => {
      const { begin, read, wait, served } = rates('undated');
      begin();
      for (let at = 0; at < 3 * dayMs; at += 10 * minuteMs) {
        wait(10 * minuteMs);
        assert.equal(read(wrong), false);
      }
      assert.equal(served(), '24.315');
      assert.equal(read('24.32'), true);
      assert.equal(served(), '24.32');
    });

    test(`(${name}) is not taken with any later fixing (fault row 87)`, () => {
      const { begin, read, wait, served } = rates('dated');
      begin();
      for (let day = 0; day < 3; day++) {
        wait(dayMs);
        assert.equal(read(wrong), false);
      }
      assert.equal(served(), '24.315');
    });

    test(`(${name}) is no rate either when the good one has run out (fault row 87)`, () => {
      for (const fixings of ['dated', 'undated'] as const) {
        const { begin, read, wait, served } = rates(fixings);
        begin();
        wait(97 * hourMs);
        assert.equal(read(wrong), false);
        assert.equal(served(), undefined);
        assert.equal(read('24.1'), true, 'a rate near the last good one of any age is good');
        assert.equal(served(), '24.1');
      }
    });

    test(`(${name}) as the first ever takes the prices away with the first reading of another (fault row 87)`, () => {
      const { read, wait, served } = rates('undated');
      read(wrong);
      wait(minuteMs);
      assert.equal(read('24.315'), false);
      assert.equal(served(), undefined);
      wait(minuteMs);
      assert.equal(read(wrong), false, 'it is not confirmed by coming back');
      assert.equal(served(), undefined);
    });
  }
});

test('a document with an earlier fixing than the one in force is refused (fault row 88)', () => {
  const { read, wait, served } = rates('dated');
  read('24.3', '2026-11-20');
  wait(minuteMs);
  assert.equal(read('24.4', '2026-11-21'), true);
  wait(minuteMs);
  assert.equal(read('24.3', '2026-11-20'), false);
  assert.equal(served(), '24.4');
});
