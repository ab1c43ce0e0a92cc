import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { MailServer, readMail } from '../../test/support/mail-server.ts';
import type { NoticeStatus } from '../store/notices.ts';
import { from, minuteMs, type Outbox, openOutbox, pendingNotice, smtpOf, startCourier } from './notices.testing.ts';

async function settled({ store }: Outbox, id: string, status: NoticeStatus) {
  return eventually(`the notice is ${status}`, async () => {
    const notice = await store.notices.get(id);
    return notice.status === status ? notice : undefined;
  });
}

/** Waits for an attempt that failed and will be made again. */
async function postponed({ store, clock }: Outbox, id: string, attempts = 1) {
  return eventually('the attempt was postponed', async () => {
    const notice = await store.notices.get(id);
    return notice.attempts === attempts && notice.nextAttemptAt > clock.now() ? notice : undefined;
  });
}

async function begin(t: TestContext) {
  const outbox = await openOutbox(t);
  const notice = await pendingNotice(outbox);
  const server = await MailServer.start(t);
  return { outbox, notice, server };
}

/** Longer than any first retry takes. */
async function nothingMore(outbox: Outbox, server: MailServer, count: number): Promise<void> {
  await outbox.clock.advance(2 * minuteMs);
  assert.equal(server.accepted.length, count);
}

describe('a notice', { concurrency: true }, () => {
  test('is delivered once, to the address of the account, and marked as sent', async (t) => {
    const { outbox, notice, server } = await begin(t);
    const courier = startCourier(t, outbox, smtpOf(server));
    const sent = await settled(outbox, notice.id, 'sent');
    assert.equal(sent.sentAt, outbox.clock.now());
    assert.equal(sent.attempts, 1);
    const [mail] = server.accepted;
    assert.deepEqual([mail?.from, mail?.to], [from.address, ['holder@example.net']]);
    await nothingMore(outbox, server, 1);
    assert.deepEqual(courier.counts, { sent: 1, failed: 0, postponed: 0, unconfirmed: 0 });
  });

  test('is a message of a program, in text and HTML, with the key, the figures, advice and the limits page', async (t) => {
    const { outbox, notice, server } = await begin(t);
    startCourier(t, outbox, smtpOf(server));
    const { messageId } = await settled(outbox, notice.id, 'sent');
    const { headers, text, html } = readMail(server.accepted[0]!.raw);
    assert.equal(messageId, `<${notice.id}@example.com>`);
    assert.deepEqual(
      ['message-id', 'auto-submitted', 'from', 'to', 'subject', 'date'].map((name) => headers.get(name)),
      [
        messageId,
        'auto-generated',
        'Market data <api@example.com>',
        'holder@example.net',
        'API key "bot" ending in x7Qa exceeds its limit of 60 requests per minute',
        'Sat, 21 Nov 2026 10:00:00 +0000',
      ],
    );
    for (const body of [text, html]) {
      for (const part of [
        'ending in x7Qa',
        '30 requests with it were refused',
        '3 minutes between 2026-11-21 09:57 UTC and',
        '10 requests refused',
        'Retry-After',
        'https://api.example.com/docs#limits',
      ]) {
        assert.ok(body.includes(part), part);
      }
    }
  });

  test('goes to the address the account has when it is sent', async (t) => {
    const { outbox, notice, server } = await begin(t);
    outbox.outside.exec(`update accounts set email = 'new@example.net'`);
    startCourier(t, outbox, smtpOf(server));
    await settled(outbox, notice.id, 'sent');
    assert.deepEqual(server.accepted[0]?.to, ['new@example.net']);
  });

  test('is in the language of the account, else in that of the service', async (t) => {
    const { outbox, notice, server } = await begin(t);
    await outbox.store.accounts.update(outbox.accountId, { language: 'cs' });
    startCourier(t, outbox, smtpOf(server));
    await settled(outbox, notice.id, 'sent');
    assert.match(readMail(server.accepted[0]!.raw).text, /^Dobrý den,/);
  });

  for (const step of ['mail', 'recipient'] as const) {
    test(`whose ${step === 'mail' ? 'sender' : 'recipient'} is refused for good fails at once and is not tried again`, async (t) => {
      const { outbox, notice, server } = await begin(t);
      server.refuse = { [step]: 550 };
      startCourier(t, outbox, smtpOf(server));
      const failed = await settled(outbox, notice.id, 'failed');
      assert.match(failed.lastError ?? '', /^refused at (MAIL FROM|RCPT TO): 550 refused by the test/);
      server.refuse = {};
      await nothingMore(outbox, server, 0);
    });

    test(`whose ${step === 'mail' ? 'sender' : 'recipient'} is refused for now is tried again after half a minute`, async (t) => {
      const { outbox, notice, server } = await begin(t);
      server.refuse = { [step]: 451 };
      startCourier(t, outbox, smtpOf(server));
      const { nextAttemptAt } = await postponed(outbox, notice.id);
      const delayMs = nextAttemptAt - outbox.clock.now();
      assert.ok(delayMs >= 15_000 && delayMs <= 30_000, String(delayMs));
      server.refuse = {};
      await outbox.clock.advance(14_000);
      assert.equal(server.sessions, 1);
      await outbox.clock.advance(17_000);
      await settled(outbox, notice.id, 'sent');
      await nothingMore(outbox, server, 1);
    });
  }

  test('that is refused after its content fails for good by 5xx and is tried again after 4xx, with the same Message-ID', async (t) => {
    const { outbox, notice, server } = await begin(t);
    server.atEnd = () => 451;
    startCourier(t, outbox, smtpOf(server));
    await postponed(outbox, notice.id);
    server.atEnd = () => undefined;
    await outbox.clock.advance(31_000);
    await settled(outbox, notice.id, 'sent');
    const ids = server.whole.map(({ raw }) => readMail(raw).headers.get('message-id'));
    assert.deepEqual(ids, [`<${notice.id}@example.com>`, `<${notice.id}@example.com>`]);

    const other = await begin(t);
    other.server.atEnd = () => 554;
    startCourier(t, other.outbox, smtpOf(other.server));
    const failed = await settled(other.outbox, other.notice.id, 'failed');
    assert.match(failed.lastError ?? '', /^refused at DATA: 554/);
    await nothingMore(other.outbox, other.server, 0);
  });

  test('is not sent twice when the connection is cut after its end, before the answer', async (t) => {
    for (const isAccepted of [true, false]) {
      const { outbox, notice, server } = await begin(t);
      server.atEnd = (mail, connection) => {
        if (isAccepted) server.accepted.push(mail);
        connection.destroy();
        return 451;
      };
      const courier = startCourier(t, outbox, smtpOf(server));
      const unconfirmed = await settled(outbox, notice.id, 'unconfirmed');
      assert.match(unconfirmed.lastError ?? '', /Connection closed/);
      assert.equal(outbox.logged.at(-1)?.message, 'whether a notice was accepted is not known; it is not sent again');
      server.atEnd = () => undefined;
      await nothingMore(outbox, server, isAccepted ? 1 : 0);
      assert.equal(courier.counts.unconfirmed, 1);
    }
  });

  test('counts as sent when the connection is cut right after the answer', async (t) => {
    const { outbox, notice, server } = await begin(t);
    server.atEnd = (_mail, connection) => {
      const write = connection.write.bind(connection) as (...parts: unknown[]) => boolean;
      connection.write = ((...parts: unknown[]) => {
        const flushed = write(...parts);
        connection.destroySoon();
        return flushed;
      }) as Socket['write'];
      return undefined;
    };
    startCourier(t, outbox, smtpOf(server));
    await settled(outbox, notice.id, 'sent');
    await nothingMore(outbox, server, 1);
  });

  test('waits while the mail server is down, and is sent when it is up again', async (t) => {
    const { outbox, notice, server } = await begin(t);
    const { port } = server;
    await server.close();
    startCourier(t, outbox, { ...smtpOf(server), port });
    const waiting = await postponed(outbox, notice.id);
    assert.match(waiting.lastError ?? '', /ECONNREFUSED/);
    const again = await MailServer.start(t, { port });
    await outbox.clock.advance(61_000);
    await settled(outbox, notice.id, 'sent');
    await nothingMore(outbox, again, 1);
  });

  test('is given up after four days', async (t) => {
    const { outbox, notice, server } = await begin(t);
    server.refuse = { recipient: 450 };
    startCourier(t, outbox, smtpOf(server));
    await postponed(outbox, notice.id);
    outbox.clock.jump(4 * 86_400_000 - 2_000 - (outbox.clock.now() - notice.createdAt));
    await outbox.clock.advance(1_999);
    assert.equal(outbox.clock.now() - notice.createdAt, 4 * 86_400_000 - 1);
    await postponed(outbox, notice.id, 2);
    await outbox.clock.advance(minuteMs + 1);
    const { lastError, attempts } = await settled(outbox, notice.id, 'failed');
    assert.match(lastError ?? '', /^given up: refused at RCPT TO: 450/);
    assert.equal(attempts, 3);
  });

  test('to an address that no envelope can carry, or to an account that is gone, fails with the reason', async (t) => {
    for (const [change, reason] of [
      [`update accounts set email = 'a@x.com>,<b@y.com'`, 'no mail can be sent to this address'],
      [`pragma foreign_keys = off; delete from accounts`, 'the account is gone'],
    ] as const) {
      const { outbox, notice, server } = await begin(t);
      outbox.outside.exec(change);
      startCourier(t, outbox, smtpOf(server));
      assert.equal((await settled(outbox, notice.id, 'failed')).lastError, reason);
      assert.equal(server.sessions, 0);
    }
  });
});
