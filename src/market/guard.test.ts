import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { Evidence, Guard } from './guard.ts';
import { guardRules, marketsWith } from './market-rig.testing.ts';
import {
  after,
  CZK,
  conversionRate,
  dayMs,
  decimal,
  polledTicker,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { MarketSymbol } from './symbol.ts';
import type { UpstreamTicker } from './upstream.ts';

const BTCEUR = symbol('BTCEUR');
const BTCCZK = symbol('BTCCZK');
const minuteMs = 60_000;

/** A book with a guard, a good price of 50000 / 50010 and a good rate, and a clock that tests move. */
class Guarded {
  readonly guard = new Guard(guardRules);
  readonly markets = marketsWith({ guard: this.guard });
  now: EpochMs = start;

  constructor() {
    this.markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
    assert.equal(this.live('50000', '50010'), undefined);
    assert.equal(this.markets.rateRefreshed(conversionRate()), true);
    this.markets.rates.accept(CZK);
  }

  live(bid: string, ask: string, changes: Partial<UpstreamTicker> = {}) {
    return this.#offer(upstreamTicker, bid, ask, changes);
  }

  polled(bid: string, ask: string) {
    return this.#offer(polledTicker, bid, ask, {});
  }

  #offer(make: typeof upstreamTicker, bid: string, ask: string, changes: Partial<UpstreamTicker>) {
    const range = { high24h: decimal('51000'), low24h: decimal('49000') };
    return this.markets.tickerReceived(
      make({ ...range, bid: decimal(bid), ask: decimal(ask), receivedAt: this.now, ...changes }),
    );
  }

  rate(mid: string, fixingDate = '2026-11-20') {
    return this.markets.rateRefreshed(conversionRate({ mid: decimal(mid), fixingDate, refreshedAt: this.now }));
  }

  wait(byMs: number): this {
    this.now = after(this.now, byMs);
    return this;
  }

  /** Bid and ask that clients' prices are made from, or why there is none. */
  served(name: MarketSymbol = BTCEUR): string {
    const verdict = this.markets.pricer.price(name, this.now);
    if (verdict.kind === 'priced') {
      const { bid, ask } = this.markets.pricer.explain(name, this.now)!;
      return `${bid}/${ask}`;
    }
    return verdict.kind === 'unpriced' ? verdict.reason : verdict.kind;
  }

  reason() {
    return this.markets.doubts().get(BTCEUR)?.reason;
  }
}

for (const { what, bid, ask, reason } of [
  { what: 'a bid of 1 and an ask of 1,000,000', bid: '1', ask: '1000000', reason: 'jump' },
  { what: 'a price a thousand times itself', bid: '50000000', ask: '50010000', reason: 'jump' },
  { what: 'a thousandth of the price', bid: '50', ask: '50.01', reason: 'jump' },
  { what: 'a price 11 % lower', bid: '44500', ask: '44510', reason: 'jump' },
  { what: 'a spread far beyond the usual one around the same middle', bid: '45000', ask: '55010', reason: 'spread' },
  { what: 'a bid of 1 beside an ask that leaves the middle where it was', bid: '1', ask: '100009', reason: 'range' },
]) {
  test(`${what} is held: clients keep the last good price with its own time (fault row 55)`, () => {
    const market = new Guarded();
    const before = market.markets.pricer.price(BTCEUR, market.now);
    assert.equal(market.wait(100).live(bid, ask), 'held');
    assert.deepEqual(market.markets.pricer.price(BTCEUR, market.now), before);
    const held = { reason, since: market.now, values: [bid, ask] };
    assert.deepEqual(market.markets.doubts().get(BTCEUR), { ...held, unpricedFrom: after(market.now, 5 * minuteMs) });
    assert.equal(market.guard.counts[reason as 'jump'], 1);
    assert.equal(market.wait(100).live('50001', '50011'), undefined);
    assert.equal(market.served(), '50001/50011');
    assert.equal(market.reason(), undefined);
  });
}

test('a value with more than 40 digits is refused outright, in a price or in a statistic (fault row 55)', () => {
  const market = new Guarded();
  const absurd = decimal(`1${'0'.repeat(60)}`);
  assert.equal(market.live(absurd, absurd), 'absurd_digits');
  assert.equal(market.live('50000', '50010', { volume24h: absurd }), 'absurd_digits');
  assert.equal(market.live('50000', '50010', { volume24h: decimal('270638277.50461281') }), undefined);
});

test('what moves by less is served at once', () => {
  const market = new Guarded();
  for (const [bid, ask] of [
    ['45500', '45510'],
    ['49500', '49510'],
    ['47500', '51800'],
  ]) {
    assert.equal(market.wait(100).live(bid!, ask!), undefined);
  }
});

test('a real crash of many ticks that each move a few percent is served at every tick', () => {
  const market = new Guarded();
  for (let bid = 50_000; bid > 20_000; bid = Math.floor(bid * 0.96)) {
    const range = { low24h: decimal(`${Math.min(49_000, bid)}`) };
    assert.equal(market.wait(200).live(`${bid}`, `${bid + 10}`, range), undefined, `${bid}`);
  }
});

test('a level that stays is taken once live and REST have agreed on it for ten seconds', () => {
  const market = new Guarded();
  assert.equal(market.live('40000', '40010'), 'held');
  assert.equal(market.wait(400).polled('40000', '40010'), 'held');
  for (let second = 1; second < 10; second++) {
    assert.equal(market.wait(1_000).live(`${40_000 - second * 100}`, `${40_010 - second * 100}`), 'held');
    assert.equal(market.served(), '50000/50010');
  }
  assert.equal(market.wait(900).live('39000', '39010'), undefined);
  assert.equal(market.served(), '39000/39010');
  assert.equal(market.wait(100).live('39100', '39110'), undefined);
});

test('a level that only one of live and REST shows is never taken', () => {
  const market = new Guarded();
  for (let second = 0; second < 60; second++) assert.equal(market.wait(1_000).live('40000', '40010'), 'held');
  assert.equal(market.served(), '50000/50010');
});

test('while REST has the good price it is served, and the level on the live connection starts over', () => {
  const market = new Guarded();
  for (let second = 0; second < 600; second++) {
    assert.equal(market.wait(500).live('40000', '40010'), 'held');
    assert.equal(market.wait(500).polled('50002', '50012'), undefined);
    assert.equal(market.served(), '50002/50012');
    assert.equal(market.reason(), 'jump');
  }
  assert.equal(market.guard.counts.jump, 1);
  assert.equal(market.live('50003', '50013'), undefined);
  assert.equal(market.reason(), undefined);
});

test('a path that has not repeated its held price for thirty seconds no longer contradicts the good one of the other', () => {
  const market = new Guarded();
  assert.equal(market.live('40000', '40010'), 'held');
  assert.equal(market.wait(30_000).polled('50002', '50012'), undefined);
  assert.equal(market.reason(), 'jump');
  assert.equal(market.wait(1).polled('50003', '50013'), undefined);
  assert.equal(market.reason(), undefined);
});

test('a level that REST contradicted in between waits again', () => {
  const market = new Guarded();
  assert.equal(market.live('40000', '40010'), 'held');
  assert.equal(market.wait(9_000).polled('50000', '50010'), undefined);
  assert.equal(market.wait(1_000).polled('40000', '40010'), 'held');
  assert.equal(market.live('40000', '40010'), 'held');
  assert.equal(market.wait(9_000).live('40000', '40010'), undefined);
});

for (const [bid, ask, next] of [
  ['26000', '26010', '26001'],
  ['99000', '99010', '99001'],
] as const) {
  test(`a price of ${bid} that was taken is not held again because the 24-hour range does not have it yet`, () => {
    const market = new Guarded();
    market.live(bid, ask);
    market.wait(400).polled(bid, ask);
    assert.equal(market.wait(10_000).live(bid, ask), undefined);
    assert.equal(market.wait(100).live(next, ask), undefined);
  });
}

test('a level that jumps again waits again', () => {
  const market = new Guarded();
  market.live('40000', '40010');
  market.polled('40000', '40010');
  assert.equal(market.wait(9_000).live('30000', '30010'), 'held');
  assert.equal(market.wait(1_000).polled('30000', '30010'), 'held');
  assert.equal(market.wait(8_000).live('30000', '30010'), 'held');
  assert.equal(market.wait(1_000).live('30000', '30010'), undefined);
});

test('a spread over half the price is never taken by itself, but the operator can take it', () => {
  const market = new Guarded();
  for (let second = 0; second < 30; second++) {
    assert.equal(market.wait(500).live('35000', '65010'), 'held');
    assert.equal(market.wait(500).polled('35000', '65010'), 'held');
  }
  market.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: market.now }]);
  assert.equal(market.wait(500).live('35000', '65010'), undefined);
  assert.equal(market.wait(500).live('35001', '65010'), undefined, 'it is the usual one from now on');
});

test('a market held for five minutes has no price until it is good again', () => {
  const market = new Guarded();
  market.live('40000', '40010');
  const until = after(market.now, 5 * minuteMs);
  assert.equal(market.markets.nextChangeAt(market.now), until);
  market.wait(5 * minuteMs - 1).live('40000', '40010');
  assert.equal(market.served(), '50000/50010');
  assert.deepEqual([market.wait(1).served(), market.served(BTCCZK)], ['held', 'held']);
  market.live('50000', '50010');
  assert.equal(market.served(), '50000/50010');
});

test('after ten seconds of silence only the 24-hour range says what is possible', () => {
  const market = new Guarded();
  assert.equal(market.wait(9_000).live('40000', '40010'), 'held');
  assert.equal(market.live('50000', '50010'), undefined);
  assert.equal(market.wait(11_000).live('40000', '40010'), undefined);
  assert.equal(market.wait(11_000).live('150000', '150010'), 'held');
  assert.equal(market.reason(), 'range');
});

for (const [bid, ask] of [
  ['14000000', '14000010'],
  ['100011', '100021'],
  ['24990', '25000'],
] as const) {
  test(`a source that is alone is never taken at ${bid}, beyond double or half, however long it insists, unless the operator accepts it (fault row 73)`, () => {
    const market = new Guarded();
    for (let second = 0; second < 120; second++) {
      assert.equal(market.wait(500).live(bid, ask), 'held');
      assert.equal(market.wait(500).polled(bid, ask), 'held');
    }
    market.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: market.now }]);
    assert.equal(market.wait(500).live(bid, ask), undefined);
  });
}

test('a source that is alone is taken at one and a half times its price once it lasts, live and over REST', () => {
  const market = new Guarded();
  assert.equal(market.wait(500).live('75000', '75010'), 'held');
  assert.equal(market.wait(500).polled('75000', '75010'), 'held');
  assert.equal(market.wait(9_000).live('75000', '75010'), 'held');
  assert.equal(market.wait(500).live('75000', '75010'), undefined);
});

test('the first ticker of a market is judged by its own range', () => {
  const market = new Guarded();
  const eth = { symbol: symbol('ETHEUR'), high24h: decimal('2100'), low24h: decimal('1900') };
  assert.equal(market.live('1', '1000000', eth), 'held');
  assert.equal(market.live('2000', '2001', eth), undefined);
});

test('what another process held goes on as long as it lasted there', () => {
  const market = new Guarded();
  const held = { reason: 'jump', since: start, values: [decimal('40000')], unpricedFrom: after(start, 1_000) } as const;
  market.markets.doubtChanged(BTCEUR, held);
  assert.equal(market.live('40000', '40010'), 'held');
  assert.equal(market.wait(1_000).served(), 'held');
});

test("the operator's hold freezes a price as it is, and a held market has none after five minutes", () => {
  const market = new Guarded();
  const hold = (name: MarketSymbol, heldAt: EpochMs | undefined) =>
    market.markets.applyHolds([{ symbol: name, heldAt, acceptedAt: undefined }]);
  hold(BTCCZK, market.now);
  assert.equal(market.wait(100).live('50001', '50011'), 'on_hold');
  assert.equal(market.rate('24.4'), false, 'a hold on a converted market is one on its rate too');
  assert.equal(market.served(), '50000/50010');
  const subjects = market.markets.withheldFor(market.markets.catalogue.find(BTCCZK)!);
  assert.deepEqual(
    subjects.map(({ subject, reason }) => `${subject} ${reason}`),
    ['BTCEUR operator', 'CZK operator'],
  );
  assert.equal(market.wait(5 * minuteMs).served(BTCCZK), 'held');
  hold(BTCCZK, undefined);
  assert.equal(market.live('50001', '50011'), undefined);
  assert.equal(market.rate('24.4'), true);
  assert.equal(market.served(), '50001/50011');
});

test('a rate more than 3 % from the one in force is held until another fixing agrees, under 20 % (fault row 55)', () => {
  const market = new Guarded();
  const mid = () => market.markets.rate(CZK)?.rate.mid;
  assert.equal(market.wait(1_000).rate('2.4315'), false);
  assert.equal(market.rate('25.1'), false);
  assert.deepEqual(market.markets.doubts().get(CZK)?.values, ['25.1']);
  assert.equal(market.rate('24.9'), true);
  assert.equal(market.markets.doubts().size, 0);
  assert.equal(market.wait(dayMs).rate('26.5', '2026-11-21'), false);
  assert.equal(market.wait(minuteMs).rate('26.5', '2026-11-21'), false);
  assert.equal(mid(), '24.9');
  assert.equal(market.wait(dayMs).rate('26.6', '2026-11-22'), true, 'a second fixing agrees');
});

test('the operator takes a held rate by any market that is converted with it', () => {
  const market = new Guarded();
  assert.equal(market.rate('2.4315'), false);
  market.markets.applyHolds([{ symbol: BTCCZK, heldAt: undefined, acceptedAt: market.now }]);
  assert.equal(market.markets.rate(CZK)?.rate.mid, '2.4315');
});

test('nothing in the recorded traffic of the exchange is held', () => {
  const recordings = new URL('../../exchange-simulator/recordings/', import.meta.url);
  const lines = (file: string) => readFileSync(new URL(file, recordings), 'utf8').trim().split('\n');
  const frames = lines('ws-v1-ticker-2021-04-17.jsonl')
    .map((line) => JSON.parse(line) as { receivedAt: number; frame: unknown[] })
    .filter(({ frame }) => frame[2] === 'ticker')
    .map(({ receivedAt, frame }) => {
      const { a, b, l, h } = frame[1] as Record<'a' | 'b' | 'l' | 'h', string[]>;
      const at = Math.round(receivedAt * 1_000) as EpochMs;
      return { name: frame[3] as MarketSymbol, at, bid: b[0]!, ask: a[0]!, low24h: l[1]!, high24h: h[1]! };
    });
  const guard = new Guard(guardRules);
  const last = new Map<MarketSymbol, ReturnType<typeof acceptedOf>>();
  const evidence = new Map<MarketSymbol, Evidence>();
  for (const frame of frames) {
    const ticker = acceptedOf(frame);
    const verdict = guard.judgeTicker(
      evidence.getOrInsertComputed(frame.name, () => new Evidence()),
      { ticker, path: 'live', at: frame.at },
      last.get(frame.name),
      undefined,
    );
    assert.deepEqual(verdict, { isTaken: true, doubt: undefined });
    last.set(frame.name, ticker);
  }
  assert.equal(frames.length, 18);
});

function acceptedOf({ at, ...values }: Record<'bid' | 'ask' | 'low24h' | 'high24h', string> & { at: EpochMs }) {
  const bid = decimal(values.bid);
  const [ask, low24h, high24h] = [decimal(values.ask), decimal(values.low24h), decimal(values.high24h)];
  const rest = { last: undefined, volume24h: decimal('1'), vwap24h: undefined, priceChangePercent24h: undefined };
  return {
    bid,
    ask,
    low24h,
    high24h,
    ...rest,
    source: 'kraken',
    capturedAt: at,
    liveReceivedAt: at,
    liveUpstreamTime: undefined,
  };
}
