import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { minuteMs, type Outbox, openOutbox, pendingNotice, smtpOf, startCourier } from './notices.testing.ts';

const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));

/** A courier in a process of its own, at the outbox's hour of the day. */
function courierProcess(t: TestContext, { path, clock }: Outbox, { port }: MailServer): ChildProcess {
  const program = `
    import { Courier } from ${source('courier.ts')};
    import { openStore } from ${source('../store/store.ts')};
    import { systemRandomness as randomness } from ${source('../ground/clock.ts')};
    import { ShiftedClock } from ${source('../../test/support/shifted-clock.ts')};
    const clock = new ShiftedClock();
    clock.shift(${clock.now()} - clock.now());
    const store = await openStore({ url: 'sqlite:' + ${JSON.stringify(path)}, clock, randomness });
    const server = { host: '127.0.0.1', port: ${port}, implicitTls: false, credentials: undefined };
    const place = { baseUrl: 'https://api.example.com', atMostEveryMs: 86400000, language: 'en' };
    const log = { info() {}, warn() {}, error() {} };
    new Courier({ notices: store.notices, mail: { smtp: server, from: { name: '', address: 'api@example.com' } }, place, clock, randomness, log }).start();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The process may never come so far: that has to fail, and soon. */
async function reached(point: Promise<void>): Promise<void> {
  let isReached = false;
  void point.then(() => {
    isReached = true;
  });
  await eventually('the process is there', () => isReached);
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('a process that is killed while it sends a notice', { concurrency: true }, () => {
  test('before the end of the message loses nothing: another sends it after the lease, once', async (t) => {
    const outbox = await openOutbox(t);
    const notice = await pendingNotice(outbox);
    const server = await MailServer.start(t);
    const contentCame = Promise.withResolvers<void>();
    server.atContent = () => contentCame.resolve();
    // With the database held, the child has to wait before it may send the end.
    server.atRecipient = () => outbox.outside.exec('begin immediate');
    const child = courierProcess(t, outbox, server);
    await reached(contentCame.promise);
    await killed(child);
    outbox.outside.exec('rollback');
    assert.deepEqual([server.whole.length, (await outbox.store.notices.get(notice.id)).status], [0, 'pending']);

    server.atRecipient = () => {};
    startCourier(t, outbox, smtpOf(server));
    await outbox.clock.advance(minuteMs);
    assert.equal(server.whole.length, 0, 'the claim still holds');
    await outbox.clock.advance(minuteMs + 1_000);
    await eventually('sent', async () => (await outbox.store.notices.get(notice.id)).status === 'sent');
    assert.equal(server.accepted.length, 1);
  });

  test('after the end of the message does not have it sent twice', async (t) => {
    const outbox = await openOutbox(t);
    const notice = await pendingNotice(outbox);
    const server = await MailServer.start(t);
    const endCame = Promise.withResolvers<void>();
    server.atEnd = (mail) => {
      server.accepted.push(mail);
      endCame.resolve();
      return new Promise(() => {});
    };
    const child = courierProcess(t, outbox, server);
    await reached(endCame.promise);
    await killed(child);
    assert.equal((await outbox.store.notices.get(notice.id)).status, 'sending');

    server.atEnd = () => undefined;
    startCourier(t, outbox, smtpOf(server));
    for (let minute = 0; minute < 30; minute++) await outbox.clock.advance(minuteMs);
    const { status, lastError } = await outbox.store.notices.get(notice.id);
    assert.deepEqual(
      [status, lastError],
      ['unconfirmed', 'the server that sent it ended before the mail server answered'],
    );
    assert.equal(server.accepted.length, 1);
  });
});
