import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DecimalString, toBig } from './decimal.ts';
import { Guard } from './guard.ts';
import { bandAround, isWithin, levelOf, type Quote } from './quote.ts';
import { after, decimal, start, symbol } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { type Hearing, SourceAgreement } from './source-agreement.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

const rules = {
  jumpPercent: decimal('10'),
  disagreePercent: decimal('2'),
  ceilingPercent: decimal('100'),
  spreadPercent: decimal('10'),
  ratePercent: decimal('3'),
  confirmAfterMs: 10_000,
  returnAfterMs: 60_000,
};

/** Mostly `true`. */
const mostly = fc.nat({ max: 9 }).map((drawn) => drawn > 0);

/** Mostly prices near 100, some near the edge of a band, a few far off or far apart. */
const anyQuote = fc
  .record({
    bid: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 9_950, max: 10_050 }) },
      { weight: 4, arbitrary: fc.integer({ min: 9_800, max: 10_200 }) },
      fc.integer({ min: 5_000, max: 20_000 }),
    ),
    spread: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0, max: 20 }) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 2_500 }) },
    ),
  })
  .map(({ bid, spread }) => ({ bid: inHundredths(bid), ask: inHundredths(bid + spread) }));

function inHundredths(value: number): DecimalString {
  return decimal((value / 100).toFixed(2));
}

test('the highest price of a band is as many times the lowest as was asked, and its level is in the middle', (t) => {
  check(
    t,
    fc.property(anyQuote, anyQuote, (quote, other) => {
      const band = bandAround(levelOf(quote), toBig(decimal('1.02')));
      assert.equal(toBig(band.low).plus(band.high).minus(levelOf(quote)).abs().lt('1e-15'), true);
      const [low, high] = [toBig(band.low), toBig(band.high)];
      assert.equal(high.eq(low.times('1.02')), true);
      assert.equal(isWithin(band, other), low.lte(other.bid) && high.gte(other.ask));
    }),
    { numRuns: 500 },
  );
});

const anySource = fc.nat({ max: 2 });
const anyStep = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('says' as const), source: anySource, quote: anyQuote, isLive: mostly }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('review' as const), live: fc.tuple(mostly, mostly, mostly) }),
  },
  fc.record({ kind: fc.constant('recall' as const), source: anySource, quote: anyQuote }),
  fc.record({ kind: fc.constantFrom('forget' as const, 'accept' as const, 'taken' as const), source: anySource }),
);

test('sources that stay in their band are doubted no other than if each of their words were compared with all others', (t) => {
  check(
    t,
    fc.property(fc.array(anyStep, { maxLength: 60, size: 'max' }), (steps) => {
      const quick = new SourceAgreement(rules, 3);
      const thorough = new SourceAgreement(rules, 3);
      let live: readonly (boolean | undefined)[] = [];
      let price: Quote | undefined;
      const hearing = (speaker?: number): Hearing => ({
        now: start,
        used: 0,
        price,
        isLive: (index) => (live[index] === undefined ? undefined : live[index] || index === speaker),
      });
      for (const [at, step] of steps.entries()) {
        for (const agreement of [quick, thorough]) {
          // As if it had just been taken over: nothing is known to be calm.
          if (agreement === thorough) thorough.restoreDoubt(0, thorough.doubt(0));
          if (step.kind === 'review') live = step.live;
          if (step.kind === 'review') agreement.review(hearing(), 3, at * 5_000);
          else if (step.kind === 'says')
            agreement.heard(
              step.source,
              step.quote,
              step.isLive ? 'live' : 'fallback',
              hearing(step.isLive ? step.source : undefined),
            );
          else if (step.kind === 'recall') agreement.recall(step.source, step.quote);
          else agreement[step.kind](step.source);
        }
        price = quick.said(0) ?? price;
        for (const index of [0, 1, 2]) {
          assert.deepEqual(quick.doubt(index), thorough.doubt(index));
          assert.equal(quick.isApart(index), thorough.isApart(index));
          assert.equal(quick.isNearMarket(index, hearing()), thorough.isNearMarket(index, hearing()));
        }
        assert.equal(quick.isOpen, thorough.isOpen);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a doubt that is taken over while all are calm ends like any other', () => {
  const agreement = new SourceAgreement(rules, 2);
  const quote = { bid: decimal('100'), ask: decimal('100') };
  const hearing: Hearing = { now: start, isLive: () => true, price: quote, used: 0 };
  for (const index of [0, 1]) agreement.heard(index, quote, 'live', hearing);
  agreement.review(hearing, 2, 0);
  agreement.restoreDoubt(1, { ...quote, reason: 'not_comparable', since: start, isOutvoted: false });
  agreement.review(hearing, 2, 1_000);
  assert.equal(agreement.doubt(1), undefined);
});

test('a ticker near the last one is held no other than if it were judged without the last one’s band', (t) => {
  const BTCEUR = symbol('BTCEUR');
  check(
    t,
    fc.property(
      fc.array(fc.tuple(anyQuote, fc.boolean(), fc.nat({ max: 9 })), { maxLength: 40, size: 'max' }),
      (offers) => {
        const [quick, thorough] = [new Guard(rules), new Guard(rules)];
        let previous: AcceptedTicker | undefined;
        let [known, knownThere]: ReturnType<Guard['judgeTicker']>['doubt'][] = [];
        for (const [index, [quote, isLive, range]] of offers.entries()) {
          const at = after(start, index * 3_000);
          const low24h = decimal(range === 0 ? '40' : range === 1 ? '101' : '99');
          const ticker = { ...quote, low24h, high24h: decimal('102'), capturedAt: at } as AcceptedTicker;
          const offer = { ticker, path: isLive ? ('live' as const) : ('fallback' as const), at };
          const verdict = quick.judgeTicker(BTCEUR, offer, previous, known);
          // A copy of the last one is not known to be in the band.
          const there = thorough.judgeTicker(BTCEUR, offer, previous && { ...previous }, knownThere);
          assert.deepEqual(verdict, there);
          [known, knownThere] = [verdict.doubt, there.doubt];
          if (verdict.isTaken) previous = ticker;
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a source that begins to speak is compared, though all others are calm: prices may be made at once', () => {
  const agreement = new SourceAgreement(rules, 3);
  const quote = { bid: decimal('99.5'), ask: decimal('99.5') };
  const hearing: Hearing = { now: start, isLive: () => true, price: undefined, used: 0 };
  for (const index of [0, 1]) agreement.heard(index, quote, 'fallback', hearing);
  agreement.review(hearing, 3, 0);
  assert.equal(agreement.isOpen, false);
  agreement.heard(2, quote, 'live', hearing);
  assert.equal(agreement.isOpen, true);
});

test('a source that followed the others leaves the level to which it came, and not the one where it was last compared', () => {
  const agreement = new SourceAgreement(rules, 2);
  const hearing: Hearing = { now: start, isLive: () => true, price: undefined, used: 0 };
  const say = (index: number, price: string) =>
    agreement.heard(index, { bid: decimal(price), ask: decimal(price) }, 'live', hearing);
  for (const index of [0, 1]) say(index, '100');
  agreement.review(hearing, 2, 0);
  for (const index of [0, 1]) say(index, '100.9');
  say(1, '98.8');
  assert.equal(agreement.doubt(1)?.reason, 'contradicted');
});

test('a ticker is compared with the last good one, wherever the band of an earlier one is, and with its range', () => {
  const BTCEUR = symbol('BTCEUR');
  const judge = (guard: Guard, price: string, previous: AcceptedTicker | undefined) => {
    const ticker = { bid: decimal(price), ask: decimal(price), low24h: decimal('90'), high24h: decimal('110') };
    const accepted = { ...ticker, capturedAt: start } as AcceptedTicker;
    const { doubt } = guard.judgeTicker(BTCEUR, { ticker: accepted, path: 'live', at: start }, previous, undefined);
    return { accepted, reason: doubt?.reason };
  };
  const guard = new Guard(rules);
  const { accepted: first } = judge(guard, '100', undefined);
  const restored = { ...first, bid: decimal('115'), ask: decimal('115') };
  assert.equal(judge(guard, '101', restored).reason, 'jump', 'another process took 115 meanwhile');
  const lax = new Guard({ ...rules, jumpPercent: decimal('300'), spreadPercent: decimal('300') });
  assert.equal(judge(lax, '41', judge(lax, '100', undefined).accepted).reason, 'range');
});

test('one wide spread does not become the usual one', () => {
  const guard = new Guard(rules);
  const judge = (second: number, bid: string, ask: string, previous?: AcceptedTicker) => {
    const at = after(start, second * 1_000);
    const range = { low24h: decimal('90'), high24h: decimal('110') };
    const ticker = { ...range, bid: decimal(bid), ask: decimal(ask), capturedAt: at } as AcceptedTicker;
    const { doubt } = guard.judgeTicker(symbol('BTCEUR'), { ticker, path: 'live', at }, previous, undefined);
    return { ticker, reason: doubt?.reason };
  };
  const narrow = judge(0, '99.5', '100.5').ticker;
  const wide = judge(1, '97', '103', narrow);
  assert.equal(wide.reason, undefined);
  assert.equal(judge(2, '94', '106', wide.ticker).reason, 'spread', 'twelve times the usual one');
});

test('a word that is recalled replaces none', () => {
  const agreement = new SourceAgreement(rules, 2);
  const said = { bid: decimal('2'), ask: decimal('2.1') };
  agreement.heard(1, said, 'live', { now: start, used: 0, price: undefined, isLive: () => true });
  agreement.recall(1, { bid: decimal('1'), ask: decimal('1.1') });
  assert.equal(agreement.said(1)?.bid, said.bid);
});
