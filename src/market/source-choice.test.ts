import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toBig } from './decimal.ts';
import { after, decimal, start, upstreamTicker } from './samples.testing.ts';
import { type Candidate, chooseSource, LiveStreak, medianTicker, type Reach } from './source-choice.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';

const live: Candidate = { reach: 'live', exclusion: undefined, isProven: true };
const back: Candidate = { ...live, isProven: false };
const polled: Candidate = { reach: 'polled', exclusion: undefined, isProven: false };
const silent: Candidate = { reach: 'silent', exclusion: undefined, isProven: false };

test('the first live source that nothing keeps out makes the price', () => {
  assert.equal(chooseSource([live, live], undefined), 0);
  assert.equal(chooseSource([silent, live, live], undefined), 1);
  for (const exclusion of ['not_listed', 'not_trading', 'held', 'no_price'] as const) {
    assert.equal(chooseSource([{ ...live, exclusion }, live], 0), 1, exclusion);
  }
});

test('a live source comes before one that is polled, and a polled one before none', () => {
  assert.equal(chooseSource([polled, live], 0), 1);
  assert.equal(chooseSource([polled, polled], 1), 0);
  assert.equal(chooseSource([silent, polled], 0), 1);
});

test('where no source delivers the one in use stays, and without one there is none', () => {
  assert.equal(chooseSource([silent, silent], 1), 1);
  assert.equal(chooseSource([silent, silent], undefined), undefined);
});

test('a better source that was lost takes over only once it has proven itself, but before having none', () => {
  assert.equal(chooseSource([back, live], 1), 1);
  assert.equal(chooseSource([live, live], 1), 0);
  assert.equal(chooseSource([back, silent], 1), 0);
  assert.equal(chooseSource([back, { ...live }, silent], 2), 1, 'one that was never lost before one that was');
});

test('a source proves itself by a whole span without a break, unless it was never lost', () => {
  const streak = new LiveStreak();
  const notes = [
    [true, 0, true],
    [true, 500, true],
    [false, 1_000, false],
    [true, 2_000, false],
    [true, 61_999, false],
    [true, 62_000, true],
    [false, 62_500, false],
    [true, 63_000, false],
  ] as const;
  for (const [isLive, nowMs, isProven] of notes) assert.equal(streak.note(isLive, nowMs, 60_000), isProven, `${nowMs}`);
});

test('whatever sources do, prices change their source at most once in a return span for each loss of one', () => {
  const reach = fc.constantFrom<Reach>('live', 'polled', 'silent');
  const history = fc.array(fc.tuple(reach, reach, reach), { minLength: 2, maxLength: 200 });
  fc.assert(
    fc.property(history, (steps) => {
      const constancies = steps[0]!.map(() => new LiveStreak());
      let current: number | undefined;
      for (const [second, reaches] of steps.entries()) {
        const candidates = reaches.map((each, index): Candidate => {
          return {
            reach: each,
            exclusion: undefined,
            isProven: constancies[index]!.note(each === 'live', second * 1_000, 60_000),
          };
        });
        const before = current;
        current = chooseSource(candidates, current);
        const best = Math.max(...reaches.map(rank));
        if (best > 0) assert.equal(rank(reaches[current!]!), best, 'nothing better delivers');
        if (before === undefined || current === before || reaches[before] !== 'live') continue;
        assert.ok(
          current! < before && candidates[current!]!.isProven,
          'a live source is left for a proven better one alone',
        );
      }
    }),
    { numRuns: 300 },
  );
});

function rank(reach: Reach): number {
  return ['silent', 'polled', 'live'].indexOf(reach);
}

function accepted(source: string, bid: string, ask: string, agoMs = 0): AcceptedTicker {
  const receivedAt = after(start, -agoMs);
  const ticker = upstreamTicker({ bid: decimal(bid), ask: decimal(ask), receivedAt, upstreamTime: receivedAt });
  const judgement = judgeTicker(ticker, undefined, source);
  assert.ok('accepted' in judgement);
  return judgement.accepted;
}

test('a median has the middle bid and the middle ask to the last digit, and the oldest time', () => {
  const first = accepted('kraken', '100.1', '100.3');
  const second = accepted('bitvavo', '101.0', '101.5', 2_000);
  const third = accepted('okx', '200', '300', 1_000);
  const { bid, ask, source, capturedAt } = medianTicker([first, second, third]);
  assert.deepEqual(
    [bid, ask, source, capturedAt],
    ['101', '101.5', 'median(kraken,bitvavo,okx)', after(start, -2_000)],
  );
  const two = medianTicker([first, second]);
  assert.deepEqual([two.bid, two.ask], ['100.55', '100.9'], 'of two the middle between them');
  assert.equal(medianTicker([first]), first);
});

test('a median is never crossed, lies between the lowest and the highest, and statistics are the first source’s', () => {
  const price = fc.integer({ min: 1, max: 1_000_000 });
  const quote = fc.tuple(price, fc.integer({ min: 0, max: 1_000 }));
  fc.assert(
    fc.property(fc.array(quote, { minLength: 1, maxLength: 6 }), (quotes) => {
      const [first, ...others] = quotes.map(([bid, spread], index) =>
        accepted(`s${index}`, `${bid}`, `${bid + spread}`),
      );
      const made = medianTicker([first!, ...others]);
      assert.ok(toBig(made.bid).gt(0) && toBig(made.bid).lte(made.ask));
      const bids = quotes.map(([bid]) => bid);
      assert.ok(toBig(made.bid).gte(Math.min(...bids)) && toBig(made.bid).lte(Math.max(...bids)));
      assert.deepEqual([made.high24h, made.volume24h], [first!.high24h, first!.volume24h]);
    }),
    { numRuns: 200 },
  );
});
