import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import type { BreachRecord } from '../access/key-records.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Store } from '../store/store.ts';
import { from, minuteMs, type Outbox, openOutbox, place, rule, smtpOf } from './notices.testing.ts';
import { BreachRecorder, Notifier, type NotifierOptions } from './notifier.ts';

/** Refusals that a request path would have gathered. */
class Refusals {
  #gathered: BreachRecord[] = [];

  add(keyId: string, now: EpochMs, refused = 5): void {
    this.#gathered.push({ keyId, minuteStart: (now - (now % minuteMs)) as EpochMs, refused, limitPerMinute: 60 });
  }

  drain(): BreachRecord[] {
    return this.#gathered.splice(0);
  }
}

function notifier(
  t: TestContext,
  outbox: Outbox,
  mail: NotifierOptions['mail'],
  store: Store = outbox.store,
  randomness = seededRandomness(9),
) {
  const source = new Refusals();
  const made = new Notifier({ store, source, rule, mail, clock: outbox.clock, randomness, log: outbox.log });
  made.start(place);
  t.after(() => made.stop());
  return { notifier: made, source };
}

/** Time passes slowly while real sockets do their part. */
function until(outbox: Outbox, what: string, probe: () => boolean | Promise<boolean>): Promise<boolean> {
  return eventually(what, async () => {
    await outbox.clock.advance(50);
    return probe();
  });
}

describe('repeated breaches', { concurrency: true }, () => {
  test('in three minutes make one mail, a few seconds after the third minute', async (t) => {
    const outbox = await openOutbox(t);
    const server = await MailServer.start(t);
    const { notifier: running, source } = notifier(t, outbox, { smtp: smtpOf(server), from });
    for (let minute = 0; minute < 3; minute++) {
      source.add(outbox.keyId, outbox.clock.now());
      await outbox.clock.advance(minuteMs);
    }
    assert.deepEqual(await outbox.store.notices.list({ limit: 9 }), [], 'the third minute has only just ended');
    await outbox.clock.advance(4_000);
    await until(outbox, 'the mail', () => server.accepted.length === 1);
    await until(outbox, 'the figures', () => running.figures().pending === 0);
    assert.deepEqual(running.figures(), {
      decided: 1,
      attempts: { sent: 1, failed: 0, postponed: 0, unconfirmed: 0 },
      pending: 0,
      isFailing: false,
    });
    for (let minute = 0; minute < 5; minute++) {
      source.add(outbox.keyId, outbox.clock.now());
      await outbox.clock.advance(minuteMs);
    }
    assert.equal(server.accepted.length, 1, 'no other within 24 hours');
  });

  test('seen by several servers on one database are added up, decided once and mailed once', async (t) => {
    const outbox = await openOutbox(t);
    const server = await MailServer.start(t);
    const mail = { smtp: smtpOf(server), from };
    const servers: ReturnType<typeof notifier>[] = [];
    for (const seed of [1, 2, 3]) {
      servers.push(notifier(t, outbox, mail, await outbox.openAnother(), seededRandomness(seed)));
    }
    for (let minute = 0; minute < 3; minute++) {
      for (const { source } of servers) source.add(outbox.keyId, outbox.clock.now());
      await outbox.clock.advance(minuteMs);
    }
    await until(outbox, 'the mail', () => server.accepted.length > 0);
    await outbox.clock.advance(3 * minuteMs);
    await until(outbox, 'sent', async () => (await outbox.store.notices.list({ limit: 9 }))[0]?.status === 'sent');
    const notices = await outbox.store.notices.list({ limit: 9 });
    assert.deepEqual(
      notices.map(({ figures }) => figures.requestsRefused),
      [45],
    );
    assert.equal(server.accepted.length, 1);
    assert.equal(
      servers.reduce((sum, { notifier: each }) => sum + each.figures().decided, 0),
      1,
    );
  });

  test('that another server writes minutes late, when the database can be reached again, still make their notice', async (t) => {
    const outbox = await openOutbox(t);
    const { notifier: running } = notifier(t, outbox, undefined);
    await outbox.clock.advance(2 * minuteMs);
    const late = [1, 2, 3].map((minute) => outbox.clock.now() + minute * minuteMs);
    await outbox.clock.advance(12 * minuteMs);
    assert.equal(running.figures().decided, 0);
    const breach = (at: number) => {
      return { keyId: outbox.keyId, minuteStart: (at - (at % minuteMs)) as EpochMs, refused: 5, limitPerMinute: 60 };
    };
    await (await outbox.openAnother()).breaches.add(late.map(breach));
    await outbox.clock.advance(minuteMs);
    assert.equal(running.figures().decided, 1);
  });

  test('without a mail server are recorded, with one warning when the service starts', async (t) => {
    const outbox = await openOutbox(t);
    const { source } = notifier(t, outbox, undefined);
    for (let minute = 0; minute < 4; minute++) {
      source.add(outbox.keyId, outbox.clock.now());
      await outbox.clock.advance(minuteMs);
    }
    await outbox.clock.advance(10 * minuteMs);
    assert.deepEqual(
      (await outbox.store.notices.list({ limit: 9 })).map(({ status }) => status),
      ['recorded'],
    );
    const warnings = outbox.logged.filter(({ level }) => level !== 'info').map(({ message }) => message);
    assert.deepEqual(warnings, [
      'no mail server is configured (mail.smtp): notices to key holders are recorded, not sent',
    ]);
  });

  test('of a process that ended before it could decide are decided by the next', async (t) => {
    const outbox = await openOutbox(t);
    const first = notifier(t, outbox, undefined);
    for (let minute = 0; minute < 3; minute++) {
      first.source.add(outbox.keyId, outbox.clock.now());
      if (minute < 2) await outbox.clock.advance(minuteMs);
    }
    await first.notifier.stop();
    await outbox.clock.advance(5 * 3_600_000);
    notifier(t, outbox, undefined);
    await outbox.clock.advance(2_000);
    const [notice] = await outbox.store.notices.list({ limit: 9 });
    assert.equal(notice?.figures.breachedMinutes, 3);
  });

  test('wait for a database that cannot be written, and are complete when it can', async (t) => {
    const outbox = await openOutbox(t);
    const { source } = notifier(t, outbox, undefined);
    for (let minute = 0; minute < 2; minute++) {
      source.add(outbox.keyId, outbox.clock.now());
      await outbox.clock.advance(minuteMs);
    }
    outbox.outside.exec('begin immediate');
    source.add(outbox.keyId, outbox.clock.now());
    await outbox.clock.advance(7_000);
    source.add(outbox.keyId, outbox.clock.now());
    await outbox.clock.advance(7_000);
    assert.equal(outbox.logged.filter(({ level }) => level === 'error').length, 1, 'said once');
    outbox.outside.exec('rollback');
    await outbox.clock.advance(minuteMs);
    assert.equal((await outbox.store.notices.list({ limit: 9 }))[0]?.figures.requestsRefused, 20);
  });
});

test('what cannot be written is kept up to a bound, each minute once', async () => {
  const source = new Refusals();
  const written: BreachRecord[] = [];
  let isBroken = true;
  const add = async (counts: readonly BreachRecord[]) => {
    if (isBroken) throw new Error('no');
    written.push(...counts);
  };
  const recorder = new BreachRecorder(source, { add }, 2);
  const now = 60_000 as EpochMs;
  for (const keyId of ['key_a', 'key_b', 'key_a', 'key_c', 'key_a']) {
    source.add(keyId, now, 1);
    await assert.rejects(recorder.flush(now));
  }
  isBroken = false;
  await recorder.flush(now);
  await recorder.flush(now);
  assert.deepEqual(
    written.map(({ keyId, refused }) => [keyId, refused]),
    [
      ['key_a', 3],
      ['key_b', 1],
    ],
  );
});
