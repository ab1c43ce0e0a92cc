import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { silentLog } from '../../ground/log.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { RateOutcome } from '../../market/rate-law.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { ConversionRate } from '../../market/upstream.ts';
import { UpstreamError } from '../wire.ts';
import { judgeRate, type LoadedRate, RateKeeper, RateWitness } from './rate-keeper.ts';

const rate = (mid: string, fixingDate?: string): LoadedRate => ({ mid: mid as DecimalString, fixingDate });

interface Judging {
  readonly outcome?: RateOutcome;
  readonly loadSecond?: () => Promise<LoadedRate>;
}

function setUp(load: () => Promise<LoadedRate>, refreshMs = 300_000, { loadSecond, ...judged }: Judging = {}) {
  const clock = new FakeClock('2026-11-21T10:00:00.000Z');
  const published: ConversionRate[] = [];
  const asked: number[] = [];
  const askedSecond: number[] = [];
  const state = { outcome: 'within' as RateOutcome, expected: [] as boolean[], lines: [] as string[], ...judged };
  const seconds: (string | undefined)[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => void state.lines.push(text) };
  const common = {
    base: 'EUR' as CurrencyCode,
    quote: 'CZK' as CurrencyCode,
    sink: {
      rateRefreshed: (refreshed: ConversionRate, isWitnessExpected = false) => {
        published.push(refreshed);
        state.expected.push(isWitnessExpected);
        return state.outcome;
      },
      rateCompared: ({ mid }: ConversionRate) => void seconds.push(mid),
      rateUnwitnessed: () => void seconds.push(undefined),
    },
    clock,
    randomness: seededRandomness(3),
    log,
    refreshMs,
  };
  const source = (id: string, times: number[], loadOne: () => Promise<LoadedRate>) => ({
    id,
    load: () => {
      times.push(clock.monotonicMs());
      return loadOne();
    },
  });
  const witness = loadSecond && new RateWitness({ ...common, source: source('ecb', askedSecond, loadSecond) });
  const keeper = new RateKeeper({ ...common, source: source('cnb', asked, load) }, witness);
  return { clock, published, asked, askedSecond, seconds, state, keeper };
}

test('a rate is published at once and after every refresh, with the instant it was read', async () => {
  const { clock, published, asked, keeper } = setUp(async () => rate('24.315', '2026-11-20'));
  keeper.start();
  await clock.advance(600_000);
  assert.deepEqual(asked, [0, 300_000, 600_000]);
  assert.equal(published.length, 3);
  assert.deepEqual(published[0], {
    base: 'EUR',
    quote: 'CZK',
    mid: '24.315',
    source: 'cnb',
    fixingDate: '2026-11-20',
    refreshedAt: Date.parse('2026-11-21T10:00:00.000Z'),
  });
  keeper.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a failure is tried again after seconds, then ever more slowly up to the refresh interval, and published to nobody', async () => {
  let works = false;
  const { clock, published, asked, keeper } = setUp(async () => {
    if (!works) throw new UpstreamError('status', 'HTTP status 500');
    return rate('24.315');
  });
  keeper.start();
  await clock.advance(3_600_000);
  const waits = asked.slice(1).map((atMs, index) => atMs - (asked[index] ?? 0));
  assert.ok(waits.every((waitMs) => waitMs >= 5_000 && waitMs <= 300_000));
  assert.ok((waits[0] ?? 0) <= 10_000);
  assert.ok(asked.length >= 12 && asked.length < 60, `${asked.length} attempts in an hour`);
  assert.deepEqual(published, []);
  assert.equal(keeper.health().lastOutcome, 'status: HTTP status 500');
  assert.deepEqual(keeper.health().lastFault, {
    code: 'failed',
    values: { kind: 'status', detail: 'HTTP status 500' },
  });
  works = true;
  await clock.advance(300_000);
  assert.equal(published.length, 1);
  assert.deepEqual([keeper.health().lastOutcome, keeper.health().lastFault], ['ok', undefined]);
  keeper.stop();
});

test('a source’s own retry time is respected', async () => {
  const { clock, asked, keeper } = setUp(async () => {
    throw new UpstreamError('rate_limited', 'HTTP status 429', 900_000);
  });
  keeper.start();
  await clock.advance(899_999);
  assert.equal(asked.length, 1);
  keeper.stop();
});

test('no second request is sent while one is in flight', async () => {
  const { clock, asked, keeper } = setUp(() => new Promise(() => undefined));
  keeper.start();
  await clock.advance(3_600_000);
  assert.equal(asked.length, 1);
  keeper.stop();
});

test('a fixing is refused once its own day is more than ten days back, or ahead', () => {
  const now = new FakeClock('2026-11-21T10:00:00.000Z').now();
  const kindOf = (day: string) => {
    try {
      judgeRate(rate('24.3', day), now);
      return 'taken';
    } catch (error) {
      return error instanceof UpstreamError ? error.kind : 'odd';
    }
  };
  assert.deepEqual(['2026-11-21', '2026-11-11', '2026-11-10', '2026-11-22', '2026-11-23'].map(kindOf), [
    'taken',
    'taken',
    'refused',
    'taken',
    'refused',
  ]);
  assert.deepEqual(['2026-02-30', 'yesterday', '20261121'].map(kindOf), ['malformed', 'malformed', 'malformed']);
});

test('a rate that is zero, negative or absurd is refused', () => {
  const now = new FakeClock().now();
  for (const mid of ['0', '0.000', '-24.3', '1000001', '0.0000001']) {
    assert.throws(() => judgeRate(rate(mid), now), UpstreamError);
  }
  for (const mid of ['24.315', '0.0411', '1', '16500.25']) judgeRate(rate(mid), now);
});

test('a refused rate counts as a failure and leaves the last good one', async () => {
  const answers = [rate('24.315', '2026-11-20'), rate('0', '2026-11-20')];
  const { clock, published, keeper } = setUp(async () => answers.shift() ?? rate('24.4', '2026-11-20'));
  keeper.start();
  await clock.advance(300_000);
  assert.equal(keeper.health().lastOutcome, 'refused: the rate is not plausible');
  assert.deepEqual(keeper.health().lastFault, { code: 'implausible', values: {} });
  await clock.advance(15_000);
  assert.deepEqual(
    published.map(({ mid }) => mid),
    ['24.315', '24.4'],
  );
  keeper.stop();
});

test('the second source is read beside the first at a calm pace, and within a minute while a rate is held', async () => {
  const loadSecond = async () => rate('24.4', '2026-11-20');
  const { clock, asked, askedSecond, seconds, state, keeper } = setUp(async () => rate('24.3'), 1_000, { loadSecond });
  keeper.start();
  await clock.advance(0);
  assert.deepEqual(seconds, ['24.4']);
  await clock.advance(1_800_000);
  assert.deepEqual(askedSecond, [0, 900_000, 1_800_000]);
  assert.equal(state.expected.at(-1), false);
  state.outcome = 'held';
  const heldAtMs = clock.monotonicMs() + 1_000;
  await clock.advance(60_000);
  assert.equal(askedSecond.length, 3);
  await clock.advance(1_000);
  assert.deepEqual(askedSecond.slice(3), [heldAtMs + 60_000]);
  assert.equal(asked.at(-1), clock.monotonicMs(), 'the first is read as often as ever');
  keeper.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a second source that cannot be read stops nothing, and says since when it fails', async () => {
  const loadSecond = async () => {
    throw new UpstreamError('status', 'HTTP status 500');
  };
  const { clock, published, seconds, state, keeper } = setUp(async () => rate('24.3'), 60_000, { loadSecond });
  keeper.start();
  await clock.advance(600_000);
  assert.equal(published.length, 11);
  assert.ok(seconds.length > 3 && seconds.every((mid) => mid === undefined));
  assert.equal(state.expected.at(-1), false, 'nothing waits for it any more');
  const { second, lastOutcome } = keeper.health();
  assert.deepEqual(second, {
    source: 'ecb',
    lastOutcome: 'status: HTTP status 500',
    lastFault: { code: 'failed', values: { kind: 'status', detail: 'HTTP status 500' } },
    failingSince: Date.parse('2026-11-21T10:00:00.000Z'),
  });
  assert.equal(lastOutcome, 'ok');
  keeper.stop();
});

test('a document of an earlier fixing than that in force is a failure that names it, and the next good one is none (fault row 88)', async () => {
  const { clock, state, keeper } = setUp(async () => rate('24.3', '2026-11-19'));
  keeper.start();
  state.outcome = 'older';
  await clock.advance(0);
  assert.equal(keeper.health().lastOutcome, 'refused: the fixing of 2026-11-19 is older than the one in force');
  assert.deepEqual(keeper.health().lastFault, { code: 'fixing_older', values: { fixing: '2026-11-19' } });
  assert.deepEqual(state.lines, ['the rate source was not read: the conversion rate was not refreshed']);
  state.outcome = 'within';
  await clock.advance(300_000);
  assert.deepEqual([keeper.health().lastOutcome, keeper.health().failingSince], ['ok', undefined]);
  keeper.stop();
});

test('the first reading that waits for the second source is read again after two seconds', async () => {
  const loadSecond = () => new Promise<never>(() => undefined);
  const { clock, asked, state, keeper } = setUp(async () => rate('24.3'), 300_000, {
    outcome: 'awaiting',
    loadSecond,
  });
  keeper.start();
  await clock.advance(2_000);
  assert.deepEqual(asked, [0, 2_000]);
  assert.deepEqual(state.expected, [true, true]);
  keeper.stop();
});
