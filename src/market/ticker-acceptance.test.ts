import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDecimal } from './decimal.ts';
import { after, decimal, polledTicker, start, upstreamTicker } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';
import type { RejectionReason, UpstreamTicker } from './upstream.ts';

function accept(ticker: UpstreamTicker, previous?: AcceptedTicker): AcceptedTicker {
  const judgement = judgeTicker(ticker, previous, 'kraken');
  assert.ok('accepted' in judgement, JSON.stringify(judgement));
  return judgement.accepted;
}

function rejection(ticker: UpstreamTicker, previous?: AcceptedTicker): RejectionReason {
  const judgement = judgeTicker(ticker, previous, 'kraken');
  assert.ok('rejected' in judgement, JSON.stringify(judgement));
  return judgement.rejected;
}

test('a good ticker is taken digit for digit', () => {
  const ticker = upstreamTicker({
    bid: decimal('0.100'),
    ask: decimal('0.100'),
    volume24h: decimal('270638277.50461281'),
  });
  assert.deepEqual(accept(ticker), {
    bid: '0.100',
    ask: '0.100',
    last: '84210.0',
    high24h: '85120.0',
    low24h: '83004.7',
    volume24h: '270638277.50461281',
    vwap24h: '84077.31234',
    priceChangePercent24h: '-1.05',
    source: 'kraken',
    capturedAt: after(start, -40),
    liveReceivedAt: start,
    liveUpstreamTime: after(start, -40),
  });
});

test('each defect of the values is refused with its own reason', () => {
  const defects: [Partial<UpstreamTicker>, RejectionReason][] = [
    [{ bid: undefined }, 'bid_or_ask_missing'],
    [{ ask: undefined }, 'bid_or_ask_missing'],
    [{ bid: decimal('0') }, 'bid_or_ask_not_positive'],
    [{ ask: decimal('0.000') }, 'bid_or_ask_not_positive'],
    [{ bid: decimal('-1') }, 'bid_or_ask_not_positive'],
    [{ bid: decimal('-84210.2') }, 'bid_or_ask_not_positive'],
    [{ bid: decimal('84210.1000001') }, 'crossed'],
    [{ bid: decimal('100000'), ask: decimal('99999.9') }, 'crossed'],
    [{ high24h: undefined }, 'statistics_missing'],
    [{ low24h: undefined }, 'statistics_missing'],
    [{ volume24h: undefined }, 'statistics_missing'],
    [{ high24h: decimal('0') }, 'statistics_missing'],
    [{ low24h: decimal('-1') }, 'statistics_missing'],
    [{ volume24h: decimal('-0.1') }, 'statistics_missing'],
    [{ volume24h: decimal('0'), low24h: decimal('-1') }, 'statistics_missing'],
    [{ high24h: decimal('83004.6') }, 'high_below_low'],
  ];
  for (const [defect, reason] of defects) {
    assert.equal(rejection(upstreamTicker(defect)), reason, JSON.stringify(defect));
    assert.equal(rejection(upstreamTicker(defect), accept(upstreamTicker())), reason, JSON.stringify(defect));
  }
});

test('no bad value of the wire becomes a price or a statistic: the ticker is refused, or the optional field left out', () => {
  const bad = [
    null,
    Number.NaN,
    'NaN',
    'Infinity',
    '-Infinity',
    '1,5',
    '',
    'null',
    undefined,
    84210.1,
    '0x10',
    {},
    '-0',
    '-1',
  ];
  for (const value of bad) {
    const read = parseDecimal(value);
    for (const field of ['bid', 'ask', 'high24h', 'low24h'] as const) rejection(upstreamTicker({ [field]: read }));
    if (value !== '-0') rejection(upstreamTicker({ volume24h: read }));
    for (const field of ['last', 'vwap24h'] as const) {
      assert.equal(accept(upstreamTicker({ [field]: read }))[field], undefined, `${field} ${String(value)}`);
    }
  }
});

test('an exponent on the wire is a number like any other', () => {
  const tiny = upstreamTicker({ bid: parseDecimal('1e-7'), ask: parseDecimal('2E-7') });
  assert.deepEqual([accept(tiny).bid, accept(tiny).ask], ['0.0000001', '0.0000002']);
});

test('a market without trades may have a range of zero', () => {
  const zero = decimal('0.0');
  const quiet = accept(upstreamTicker({ volume24h: zero, high24h: zero, low24h: zero }));
  assert.deepEqual([quiet.high24h, quiet.low24h, quiet.volume24h], ['0.0', '0.0', '0.0']);
});

test('bid and ask may be equal, and are compared by value and not as text', () => {
  accept(upstreamTicker({ bid: decimal('10.0'), ask: decimal('10.00') }));
  accept(upstreamTicker({ bid: decimal('9.9'), ask: decimal('10') }));
});

test('a live frame with an earlier upstream time than the last one is out of order; a repeated time is not', () => {
  const last = accept(upstreamTicker({ upstreamTime: after(start, -40) }));
  const later = after(start, 10);
  assert.equal(rejection(upstreamTicker({ receivedAt: later, upstreamTime: after(start, -41) }), last), 'out_of_order');
  assert.equal(
    rejection(upstreamTicker({ receivedAt: later, upstreamTime: after(start, -60_000) }), last),
    'out_of_order',
  );
  const same = accept(
    upstreamTicker({ receivedAt: later, upstreamTime: after(start, -40), bid: decimal('84209.8') }),
    last,
  );
  assert.equal(same.bid, '84209.8');
});

test('a duplicate frame changes nothing', () => {
  const once = accept(upstreamTicker());
  assert.deepEqual(accept(upstreamTicker(), once), once);
});

test('a rejected ticker changes nothing, so the next good one is accepted', () => {
  const last = accept(upstreamTicker());
  rejection(upstreamTicker({ receivedAt: after(start, 1000), bid: undefined }), last);
  const next = accept(upstreamTicker({ receivedAt: after(start, 500), upstreamTime: after(start, 460) }), last);
  assert.equal(next.capturedAt, after(start, 460));
});

test('a polled answer never replaces a live frame that came after the poll was sent', () => {
  const last = accept(upstreamTicker());
  const polled = (askedMs: number) =>
    polledTicker({ askedAt: after(start, askedMs), receivedAt: after(start, 400), bid: decimal('1') });
  assert.equal(rejection(polled(-1), last), 'older_than_live');
  assert.equal(rejection(polled(-60_000), last), 'older_than_live');
  assert.equal(accept(polled(0), last).bid, '1');
  assert.equal(accept(polled(1), last).bid, '1');
});

test('a polled answer that the exchange dates before the last live frame comes from a cache, and is out of order (fault row 76)', () => {
  const live = accept(upstreamTicker());
  const polled = (agoMs: number) =>
    polledTicker({ askedAt: after(start, 1_000), receivedAt: after(start, 1_200), upstreamTime: after(start, -agoMs) });
  assert.equal(rejection(polled(3_600_000), live), 'out_of_order');
  assert.equal(accept(polled(1_000), live).capturedAt, live.capturedAt, 'whole seconds are no cache');
  assert.equal(accept(polled(3_600_000)).capturedAt, after(start, -3_600_000), 'the first one has its own time');
});

test('polled answers do not supersede each other by time, and leave the live times as they were', () => {
  const live = accept(upstreamTicker());
  const first = accept(polledTicker({ askedAt: after(start, 10), receivedAt: after(start, 400) }), live);
  const second = accept(polledTicker({ askedAt: after(start, 5), receivedAt: after(start, 500) }), first);
  assert.deepEqual([second.liveReceivedAt, second.liveUpstreamTime], [live.liveReceivedAt, live.liveUpstreamTime]);
  assert.equal(second.capturedAt, after(start, 10), 'it was asked for before the first');
});

test('a polled answer that a cache had before the last one was made is out of order, whether the exchange dates it or not', () => {
  const first = accept(polledTicker({ askedAt: start, receivedAt: after(start, 200) }));
  const polled = (madeMs: number) => polledTicker({ askedAt: after(start, madeMs), receivedAt: after(start, 5_200) });
  assert.equal(rejection(polled(-25_000), first), 'out_of_order');
  assert.equal(accept(polled(-2_000), first).capturedAt, start, 'the age that a cache gives is of whole seconds');
  const dated = accept(polledTicker({ askedAt: start, receivedAt: after(start, 200), upstreamTime: start }));
  const older = { ...polled(-25_000), upstreamTime: after(start, -25_000) };
  assert.equal(rejection(older, dated), 'out_of_order');
  assert.equal(accept({ ...older, askedAt: after(start, 5_000) }, dated).capturedAt, start, 'no trade since');
  const setBack = { ...polled(-25_000), receivedAt: after(start, -20_000) };
  assert.equal(accept(setBack, first).capturedAt, setBack.receivedAt, 'that clock orders nothing');
});

test('after the wall clock was set back by an hour, live frames and polled answers are still taken', () => {
  const before = accept(upstreamTicker());
  const setBack = after(start, -3_600_000);
  const polled = accept(polledTicker({ receivedAt: setBack, bid: decimal('84000') }), before);
  assert.equal(polled.bid, '84000');
  const live = accept(
    upstreamTicker({ receivedAt: setBack, upstreamTime: after(start, 100), bid: decimal('84001') }),
    polled,
  );
  assert.equal(live.bid, '84001');
  assert.equal(live.capturedAt, setBack, 'no time is ahead of the clock');
});

test('with the exchange’s clock and ours set back together, the next live frame is in order and has its own time', () => {
  const setBack = after(start, -86_400_000);
  const frame = upstreamTicker({ receivedAt: setBack, upstreamTime: after(setBack, -40), bid: decimal('84001') });
  const first = accept(frame, accept(upstreamTicker()));
  assert.equal(first.capturedAt, setBack);
  assert.equal(
    accept({ ...frame, receivedAt: after(setBack, 60), upstreamTime: after(setBack, 20) }, first).capturedAt,
    after(setBack, 20),
  );
});

test('a poll whose answer is handled just after a live frame takes no time back', () => {
  const live = accept(upstreamTicker({ upstreamTime: undefined }));
  const polled = accept(polledTicker({ askedAt: after(start, -20), receivedAt: after(start, -5) }), live);
  assert.equal(polled.capturedAt, start);
});

test('where the upstream gives no time, or one before 1970, a frame is of its receipt and a poll of when it was asked', () => {
  assert.equal(accept(upstreamTicker({ upstreamTime: undefined })).capturedAt, start);
  assert.equal(accept(polledTicker()).capturedAt, after(start, -300));
  assert.equal(accept(upstreamTicker({ upstreamTime: after(start, -start - 1) })).capturedAt, start);
  assert.equal(accept(upstreamTicker({ upstreamTime: after(start, -start) })).capturedAt, 0);
});

test('an upstream time in the future is clamped to the receipt and does not block the frames after it', () => {
  const ahead = accept(upstreamTicker({ upstreamTime: after(start, 86_400_000) }));
  assert.equal(ahead.capturedAt, start);
  const next = accept(upstreamTicker({ receivedAt: after(start, 1000), upstreamTime: after(start, 960) }), ahead);
  assert.equal(next.capturedAt, after(start, 960));
});

test('whatever comes in whatever order, the capture time never goes back, is never ahead of the receipt, and bad values never get in', (t) => {
  const value = fc
    .constantFrom(undefined, '-1', '0', '0.00', '1', '1.50', '2', '3')
    .map((text) => text && decimal(text));
  const anyTicker = fc.record({
    bid: value,
    ask: value,
    high24h: value,
    volume24h: value,
    path: fc.constantFrom('live' as const, 'fallback' as const),
    upstreamLagMs: fc.option(fc.integer({ min: -5_000, max: 5_000 }), { nil: undefined }),
    askedBeforeMs: fc.integer({ min: 0, max: 3_000 }),
    passedMs: fc.integer({ min: 0, max: 1_000 }),
  });
  check(
    t,
    fc.property(fc.array(anyTicker, { maxLength: 30 }), (arrivals) => {
      let receivedAt = start;
      let last: AcceptedTicker | undefined;
      let lastLiveAt: number | undefined;
      for (const { path, upstreamLagMs, askedBeforeMs, passedMs, ...values } of arrivals) {
        receivedAt = after(receivedAt, passedMs);
        const askedAt = path === 'live' ? receivedAt : after(receivedAt, -askedBeforeMs);
        const upstreamTime =
          path === 'live' && upstreamLagMs !== undefined ? after(receivedAt, -upstreamLagMs) : undefined;
        const judgement = judgeTicker(
          upstreamTicker({ ...values, path, upstreamTime, askedAt, receivedAt }),
          last,
          'kraken',
        );
        if ('rejected' in judgement) continue;
        const { accepted } = judgement;
        assert.ok(accepted.capturedAt <= receivedAt, 'ahead of the receipt');
        assert.ok(last === undefined || accepted.capturedAt >= last.capturedAt, 'went back');
        assert.ok(Number(accepted.bid) > 0 && Number(accepted.bid) <= Number(accepted.ask));
        assert.ok(path === 'live' || lastLiveAt === undefined || lastLiveAt <= askedAt, 'older than live');
        if (path === 'live') lastLiveAt = receivedAt;
        last = accepted;
      }
    }),
    { numRuns: 1_000 },
  );
});
