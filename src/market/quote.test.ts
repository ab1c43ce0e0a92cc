import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DecimalString, toBig } from './decimal.ts';
import { Evidence, Guard } from './guard.ts';
import { guardRules } from './market-rig.testing.ts';
import { MarketSource } from './market-source.ts';
import { type Circumstances, Peers } from './peers.ts';
import { bandAround, isWithin, levelOf, type Quote } from './quote.ts';
import { after, decimal, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { Source } from './source.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

const rules = { ...guardRules, returnAfterMs: 60_000 };

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

/** Sources of one market that are compared by `rules`. */
class Compared {
  readonly sources: readonly MarketSource[];
  readonly peers: Peers;

  constructor(count: number) {
    this.sources = Array.from({ length: count }, (_, index) => new MarketSource(new Source(`${index}`)));
    this.peers = new Peers(rules, this.sources);
  }

  /** A review found them live. */
  live(): this {
    for (const source of this.sources) source.candidate = { reach: 'live', exclusion: undefined, isProven: true };
    return this;
  }

  circumstances(price?: Quote, sender?: number): Circumstances {
    return { now: start, used: this.sources[0], price, sender: this.sources[sender ?? -1] };
  }

  /** All that can be asked of them. */
  found(price: Quote | undefined) {
    const ofEach = this.sources.map((source) => ({
      doubt: source.doubts.byPeers,
      isApart: this.peers.isApart(source),
      isNearMarket: this.peers.isNearMarket(source, this.circumstances(price)),
    }));
    return { isOpen: this.peers.isOpen, ofEach };
  }
}

test('sources that stay in their band are doubted no other than if each of their quotes were compared with all others', (t) => {
  check(
    t,
    fc.property(fc.array(anyStep, { maxLength: 60, size: 'max' }), (steps) => {
      const [quick, thorough] = [new Compared(3), new Compared(3)];
      let price: Quote | undefined;
      for (const [at, step] of steps.entries()) {
        for (const compared of [quick, thorough]) {
          const { peers, sources } = compared;
          // As if it had just been taken over: nothing is known to be calm.
          if (compared === thorough) peers.restoreDoubt(sources[0]!, sources[0]!.doubts.byPeers);
          if (step.kind === 'review') {
            for (const [index, source] of sources.entries())
              source.candidate = { reach: step.live[index] ? 'live' : 'polled', exclusion: undefined, isProven: true };
            peers.review(compared.circumstances(price), 3, at * 5_000);
            continue;
          }
          const source = sources[step.source]!;
          if (step.kind === 'says') {
            const circumstances = compared.circumstances(price, step.isLive ? step.source : undefined);
            peers.quoted(source, step.quote, step.isLive ? 'live' : 'fallback', circumstances);
          } else if (step.kind === 'recall') peers.recall(source, step.quote);
          else if (step.kind === 'forget') source.quote = undefined;
          else peers[step.kind](source);
        }
        price = quick.sources[0]!.quote ?? price;
        assert.deepEqual(quick.found(price), thorough.found(price));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a doubt that is taken over while all are calm ends like any other', () => {
  const { peers, sources } = new Compared(2).live();
  const quote = { bid: decimal('100'), ask: decimal('100') };
  const circumstances: Circumstances = { now: start, price: quote, used: sources[0] };
  for (const source of sources) peers.quoted(source, quote, 'live', circumstances);
  peers.review(circumstances, 2, 0);
  peers.restoreDoubt(sources[1]!, { ...quote, reason: 'not_comparable', since: start, isOutvoted: false });
  peers.review(circumstances, 2, 1_000);
  assert.equal(sources[1]!.doubts.byPeers, undefined);
});

test('a ticker near the last one is held no other than if it were judged without the last one’s band', (t) => {
  check(
    t,
    fc.property(
      fc.array(fc.tuple(anyQuote, fc.boolean(), fc.nat({ max: 9 })), { maxLength: 40, size: 'max' }),
      (offers) => {
        const guard = new Guard(rules);
        const [quick, thorough] = [new Evidence(), new Evidence()];
        let previous: AcceptedTicker | undefined;
        let [known, knownThere]: ReturnType<Guard['judgeTicker']>['doubt'][] = [];
        for (const [index, [quote, isLive, range]] of offers.entries()) {
          const at = after(start, index * 3_000);
          const low24h = decimal(range === 0 ? '40' : range === 1 ? '101' : '99');
          const ticker = { ...quote, low24h, high24h: decimal('102'), capturedAt: at } as AcceptedTicker;
          const offer = { ticker, path: isLive ? ('live' as const) : ('fallback' as const), at };
          const verdict = guard.judgeTicker(quick, offer, previous, known);
          // A copy of the last one is not known to be in the band.
          const there = guard.judgeTicker(thorough, offer, previous && { ...previous }, knownThere);
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
  const { peers, sources } = new Compared(3).live();
  const quote = { bid: decimal('99.5'), ask: decimal('99.5') };
  const circumstances: Circumstances = { now: start, price: undefined, used: sources[0] };
  for (const source of sources.slice(0, 2)) peers.quoted(source, quote, 'fallback', circumstances);
  peers.review(circumstances, 3, 0);
  assert.equal(peers.isOpen, false);
  peers.quoted(sources[2]!, quote, 'live', circumstances);
  assert.equal(peers.isOpen, true);
});

test('a source that followed the others leaves the level to which it came, and not the one where it was last compared', () => {
  const { peers, sources } = new Compared(2).live();
  const circumstances: Circumstances = { now: start, price: undefined, used: sources[0] };
  const say = (source: MarketSource, price: string) =>
    peers.quoted(source, { bid: decimal(price), ask: decimal(price) }, 'live', circumstances);
  for (const source of sources) say(source, '100');
  peers.review(circumstances, 2, 0);
  for (const source of sources) say(source, '100.9');
  say(sources[1]!, '98.8');
  assert.equal(sources[1]!.doubts.byPeers?.reason, 'contradicted');
});

test('a ticker is compared with the last good one, wherever the band of an earlier one is, and with its range', () => {
  const judge = (guard: Guard, evidence: Evidence, price: string, previous: AcceptedTicker | undefined) => {
    const ticker = { bid: decimal(price), ask: decimal(price), low24h: decimal('90'), high24h: decimal('110') };
    const accepted = { ...ticker, capturedAt: start } as AcceptedTicker;
    const { doubt } = guard.judgeTicker(evidence, { ticker: accepted, path: 'live', at: start }, previous, undefined);
    return { accepted, reason: doubt?.reason };
  };
  const [guard, evidence] = [new Guard(rules), new Evidence()];
  const { accepted: first } = judge(guard, evidence, '100', undefined);
  const restored = { ...first, bid: decimal('115'), ask: decimal('115') };
  assert.equal(judge(guard, evidence, '101', restored).reason, 'jump', 'another process took 115 meanwhile');
  const lax = new Guard({ ...rules, jumpPercent: decimal('300'), spreadPercent: decimal('300') });
  const wide = new Evidence();
  assert.equal(judge(lax, wide, '41', judge(lax, wide, '100', undefined).accepted).reason, 'range');
});

test('one wide spread does not become the usual one', () => {
  const [guard, evidence] = [new Guard(rules), new Evidence()];
  const judge = (second: number, bid: string, ask: string, previous?: AcceptedTicker) => {
    const at = after(start, second * 1_000);
    const range = { low24h: decimal('90'), high24h: decimal('110') };
    const ticker = { ...range, bid: decimal(bid), ask: decimal(ask), capturedAt: at } as AcceptedTicker;
    const { doubt } = guard.judgeTicker(evidence, { ticker, path: 'live', at }, previous, undefined);
    return { ticker, reason: doubt?.reason };
  };
  const narrow = judge(0, '99.5', '100.5').ticker;
  const wide = judge(1, '97', '103', narrow);
  assert.equal(wide.reason, undefined);
  assert.equal(judge(2, '94', '106', wide.ticker).reason, 'spread', 'twelve times the usual one');
});

test('a quote that is recalled replaces none', () => {
  const { peers, sources } = new Compared(2).live();
  const [used, other] = sources as [MarketSource, MarketSource];
  const said = { bid: decimal('2'), ask: decimal('2.1') };
  peers.quoted(other, said, 'live', { now: start, used, price: undefined });
  peers.recall(other, { bid: decimal('1'), ask: decimal('1.1') });
  assert.equal(other.quote?.bid, said.bid);
});
