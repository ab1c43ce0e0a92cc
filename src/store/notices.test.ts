import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { asEpochMs, type EpochMs } from '../ground/clock.ts';
import type { NoticeRule } from './notices.ts';
import { digestNumber, type EngineFixture, openEngine, refusal, storeTest } from './store.testing.ts';

const minuteMs = 60_000;
const rule: NoticeRule = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 };
/** 10:00 of the fixture's day. */
const at = (minutes: number, milliseconds = 0) =>
  (Date.parse('2026-11-21T10:00:00.000Z') + minutes * minuteMs + milliseconds) as EpochMs;

async function begin(t: TestContext) {
  const fixture = await openEngine(t);
  const account = await fixture.store.accounts.create({ email: 'holder@example.net' });
  const key = await fixture.store.keys.insert({
    accountId: account.id,
    digest: digestNumber(1),
    lastFour: 'x7Qa',
    label: 'bot',
  });
  return { ...fixture, keyId: key.id, accountId: account.id };
}

type Begun = Awaited<ReturnType<typeof begin>>;

async function breach({ store, keyId }: Pick<Begun, 'store' | 'keyId'>, ...minutes: readonly number[]): Promise<void> {
  await store.breaches.add(
    minutes.map((minute) => ({ keyId, minuteStart: at(minute), refused: 2, limitPerMinute: 60 })),
  );
}

/** Decides at an instant, about every minute that is over by then. */
function decide({ store, clock }: Pick<EngineFixture, 'store' | 'clock'>, now: EpochMs, wanted: NoticeRule = rule) {
  clock.jump(now - clock.now());
  const upToMinute = (now - (now % minuteMs) - minuteMs) as EpochMs;
  return store.notices.decide({ rule: wanted, mailed: true, upToMinute, afterMinute: at(-100_000) });
}

describe('breaches', () => {
  storeTest('of the same key and minute are added up, whichever server writes them', async (t) => {
    const begun = await begin(t);
    const other = await begun.openAnother();
    await breach(begun, 0, 1);
    await breach({ store: other, keyId: begun.keyId }, 1, 2);
    const found = await begun.store.breaches.listOf(begun.keyId, at(-1));
    assert.deepEqual(
      found.map(({ minuteStart, refused }) => [(minuteStart - at(0)) / minuteMs, refused]),
      [
        [0, 2],
        [1, 4],
        [2, 2],
      ],
    );
  });

  storeTest('are written in one go, thousands of them, or not at all', async (t) => {
    const { store, keyId } = await begin(t);
    const many = Array.from({ length: 2_500 }, (_, index) => ({
      keyId,
      minuteStart: at(index),
      refused: 1,
      limitPerMinute: 60,
    }));
    await store.breaches.add(many);
    assert.equal((await store.breaches.listOf(keyId, at(-1))).length, 2_500);
    const broken = [...many, { keyId, minuteStart: at(0, 1), refused: 1, limitPerMinute: 60 }];
    await assert.rejects(store.breaches.add(broken), refusal('unexpected'));
    assert.equal((await store.breaches.listOf(keyId, at(-1)))[0]?.refused, 1);
    await store.breaches.prune(at(2_499));
    assert.equal((await store.breaches.listOf(keyId, at(-1))).length, 1);
  });

  storeTest('give the most refused keys first, of the minutes asked for only', async (t) => {
    const { store } = await openEngine(t);
    const minute = (keyId: string, number: number, refused: number) => ({
      keyId,
      minuteStart: asEpochMs(number * 60_000),
      refused,
      limitPerMinute: 60,
    });
    await store.breaches.add([
      minute('key_old', 1, 900),
      minute('key_a', 2, 5),
      minute('key_a', 3, 6),
      minute('key_b', 3, 40),
      minute('key_c', 3, 11),
    ]);
    assert.deepEqual(await store.breaches.mostRefused(asEpochMs(60_000), 3), [
      { keyId: 'key_b', minutes: 1, refused: 40 },
      { keyId: 'key_a', minutes: 2, refused: 11 },
      { keyId: 'key_c', minutes: 1, refused: 11 },
    ]);
    assert.equal((await store.breaches.mostRefused(asEpochMs(0), 1))[0]?.keyId, 'key_old');
  });
});

describe('a notice is decided', () => {
  storeTest('for three breached minutes within an hour, with their figures, and not for two', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 30);
    assert.deepEqual(await decide(begun, at(31)), []);
    await breach(begun, 59);
    const [notice, ...others] = await decide(begun, at(60));
    assert.deepEqual(others, []);
    assert.deepEqual(
      [notice?.status, notice?.keyId, notice?.accountId, notice?.createdAt],
      ['pending', begun.keyId, begun.accountId, at(60)],
    );
    assert.deepEqual(notice?.figures, {
      label: 'bot',
      lastFour: 'x7Qa',
      limitPerMinute: 60,
      breachedMinutes: 3,
      requestsRefused: 6,
      firstMinuteMs: at(0),
      lastMinuteMs: at(59),
      minutes: [0, 30, 59].map((minute) => ({ startMs: at(minute), refused: 2 })),
    });
    assert.match(notice?.id ?? '', /^ntc_[0-9A-Za-z]{16}$/);
  });

  storeTest('not when the first minute began an hour before the last, to the millisecond of the span', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 30, 60);
    assert.deepEqual(await decide(begun, at(61)), []);
    const [notice] = await decide(begun, at(61), { ...rule, withinMs: 3_600_001 });
    assert.equal(notice?.figures.breachedMinutes, 3);
  });

  storeTest('only about minutes that are over', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    assert.deepEqual(await decide(begun, at(3, -1)), []);
    assert.equal((await decide(begun, at(3))).length, 1);
  });

  storeTest('once, and not again for minutes that it reported', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    const often = { ...rule, atMostEveryMs: minuteMs };
    assert.equal((await decide(begun, at(3), often)).length, 1);
    assert.deepEqual(await decide(begun, at(3), often), []);
    await breach(begun, 4, 5);
    assert.deepEqual(await decide(begun, at(6), often), []);
    await breach(begun, 6);
    const [second] = await decide(begun, at(7), often);
    assert.deepEqual([second?.figures.breachedMinutes, second?.figures.firstMinuteMs], [3, at(4)]);
  });

  storeTest(
    'at most once in 24 hours: a minute that ends a millisecond before that makes none, one that ends then does',
    async (t) => {
      const begun = await begin(t);
      await breach(begun, 0, 1, 2);
      // Made at 10:03:00.001, so that the hold ends within a minute, a millisecond after its start.
      await decide(begun, at(3, 1));
      const day = 24 * 60;
      await breach(begun, day, day + 1, day + 2);
      assert.deepEqual(await decide(begun, at(day + 3, 1)), [], 'the last of them ended at 10:03:00.000');
      assert.deepEqual(await decide(begun, at(day + 50)), [], 'and asking later changes nothing');

      const exact = await begin(t);
      await breach(exact, 0, 1, 2);
      await decide(exact, at(3));
      await breach(exact, day, day + 1, day + 2);
      const [second] = await decide(exact, at(day + 3));
      assert.equal(second?.createdAt, at(day + 3));
    },
  );

  storeTest('from breaches during the 24 hours together with the first one after them', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    await decide(begun, at(3));
    const day = 24 * 60;
    await breach(begun, day - 20, day - 10);
    assert.deepEqual(await decide(begun, at(day + 3)), []);
    await breach(begun, day + 3);
    const [second] = await decide(begun, at(day + 4));
    assert.deepEqual([second?.figures.firstMinuteMs, second?.figures.lastMinuteMs], [at(day - 20), at(day + 3)]);
  });

  storeTest('late as it would have been in time, by the next process after a crash', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2, 500);
    const [notice] = await decide(begun, at(600));
    assert.equal(notice?.figures.breachedMinutes, 4);
  });

  storeTest('once by several servers that decide at the same time', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    const stores = [begun.store, await begun.openAnother(), await begun.openAnother(), await begun.openAnother()];
    let isDone = false;
    const deciding = Promise.all(stores.map((store) => decide({ store, clock: begun.clock }, at(3)))).finally(() => {
      isDone = true;
    });
    // Those that find the database locked wait by this clock.
    while (!isDone) await begun.clock.advance(20);
    assert.equal((await deciding).flat().length, 1);
    const held = begun.outside.run(
      `insert into notices select 'ntc_x', key_id, account_id, kind, number, created_at_ms, last_minute_ms, figures, status, 0, 0, null, null, null, null from notices`,
    );
    await assert.rejects(held, /UNIQUE/i, 'the schema itself allows one decision only');
  });

  storeTest('for each key by itself, and not for one that is gone', async (t) => {
    const begun = await begin(t);
    const second = await begun.store.keys.insert({
      accountId: begun.accountId,
      digest: digestNumber(2),
      lastFour: 'bbbb',
    });
    await breach(begun, 0, 1, 2);
    await breach({ store: begun.store, keyId: second.id }, 0, 1, 2);
    await breach({ store: begun.store, keyId: 'key_gone' }, 0, 1, 2);
    const made = await decide(begun, at(3));
    assert.deepEqual(new Set(made.map(({ keyId }) => keyId)), new Set([begun.keyId, second.id]));
  });

  storeTest('as recorded where there is no mail server, and such a one is never claimed', async (t) => {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    begun.clock.jump(3 * minuteMs);
    const [notice] = await begun.store.notices.decide({
      rule,
      mailed: false,
      upToMinute: at(2),
      afterMinute: at(-100),
    });
    assert.equal(notice?.status, 'recorded');
    assert.equal(await begun.store.notices.claim({ leaseMs: 1_000, messageIdDomain: 'example.com' }), undefined);
  });

  storeTest('with at most ten minutes listed, the latest, and all of them counted', async (t) => {
    const begun = await begin(t);
    await breach(begun, ...Array.from({ length: 25 }, (_, index) => index));
    const [notice] = await decide(begun, at(25));
    assert.deepEqual([notice?.figures.breachedMinutes, notice?.figures.requestsRefused], [25, 50]);
    assert.deepEqual(
      notice?.figures.minutes.map(({ startMs }) => startMs),
      Array.from({ length: 10 }, (_, index) => at(15 + index)),
    );
  });
});

describe('the outbox', () => {
  const options = { leaseMs: 120_000, messageIdDomain: 'example.com' };

  async function withNotice(t: TestContext) {
    const begun = await begin(t);
    await breach(begun, 0, 1, 2);
    const [notice] = await decide(begun, at(3));
    return { ...begun, notices: begun.store.notices, id: notice!.id };
  }

  storeTest('gives a notice to one server at a time, and to another after the lease', async (t) => {
    const { notices, openAnother, clock, id } = await withNotice(t);
    const other = (await openAnother()).notices;
    const first = await notices.claim(options);
    assert.deepEqual(
      [first?.id, first?.attempts, first?.messageId, first?.accountEmail],
      [id, 1, `<${id}@example.com>`, 'holder@example.net'],
    );
    clock.jump(119_999);
    assert.equal(await other.claim(options), undefined);
    clock.jump(1);
    const second = await other.claim({ ...options, messageIdDomain: 'elsewhere.example' });
    assert.deepEqual([second?.attempts, second?.messageId], [2, `<${id}@example.com>`]);
    assert.equal(await notices.beginSending(first!, 1_000), false, 'whose lease is over may not send any more');
    assert.equal(await notices.settle(first!, { status: 'sent' }), false);
    assert.equal(await other.beginSending(second!, 1_000), true);
    assert.equal(await other.settle(second!, { status: 'sent' }), true);
    assert.equal(await notices.claim(options), undefined);
  });

  storeTest(
    'never gives out a notice that may have been sent: it becomes unconfirmed, until its sender reports the outcome',
    async (t) => {
      const { notices, clock, id } = await withNotice(t);
      const claim = await notices.claim(options);
      assert.equal(await notices.beginSending(claim!, 60_000), true);
      assert.equal(await notices.beginSending(claim!, 60_000), false);
      clock.jump(59_999);
      assert.equal(await notices.claim(options), undefined);
      assert.equal((await notices.get(id)).status, 'sending');
      clock.jump(1);
      assert.equal(await notices.claim(options), undefined);
      assert.equal((await notices.get(id)).status, 'unconfirmed');
      clock.jump(86_400_000);
      assert.equal(await notices.claim(options), undefined);
      assert.equal(await notices.settle(claim!, { status: 'sent' }), true);
      assert.deepEqual([(await notices.get(id)).status, (await notices.get(id)).lastError], ['sent', undefined]);
    },
  );

  storeTest('gives a postponed notice at its time, to the millisecond', async (t) => {
    const { notices, clock, id } = await withNotice(t);
    const claim = await notices.claim(options);
    const nextAttemptAt = (clock.now() + 30_000) as EpochMs;
    await notices.settle(claim!, { status: 'pending', error: 'busy', nextAttemptAt });
    clock.jump(29_999);
    assert.equal(await notices.claim(options), undefined);
    clock.jump(1);
    assert.equal((await notices.claim(options))?.id, id);
  });

  storeTest('lists the latest first, counts what is to be sent, and prunes only what needs no more work', async (t) => {
    const { notices, id, store, keyId, clock, openAnother: _ } = await withNotice(t);
    assert.equal(await notices.countPending(), 1);
    await breach({ store, keyId }, 5, 6, 7);
    const [second] = await decide({ store, clock }, at(8), { ...rule, atMostEveryMs: minuteMs });
    const ids = async (filter = {}) => (await notices.list({ limit: 10, ...filter })).map((notice) => notice.id);
    assert.deepEqual(await ids(), [second!.id, id]);
    assert.deepEqual(await ids({ limit: 1 }), [second!.id]);
    assert.deepEqual([await ids({ status: 'sent' }), await ids({ keyId: 'key_x' })], [[], []]);
    const claim = await notices.claim(options);
    await notices.settle(claim!, { status: 'failed', error: 'no' });
    await notices.prune(at(1_000));
    assert.deepEqual(await ids(), [second!.id]);
    await assert.rejects(notices.get(id), refusal('notice_unknown'));
  });
});
