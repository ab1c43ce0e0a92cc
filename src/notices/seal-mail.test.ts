import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { silentLog } from '../ground/log.ts';
import { from, smtpOf } from './notices.testing.ts';
import { SealMailer } from './seal-mail.ts';

const head = 'c0ffee'.repeat(11).slice(0, 64);
const seal = { day: '2026-11-21', chain: 1, segment: 4_711, head };

async function begin(t: TestContext, environment?: string) {
  const server = await MailServer.start(t);
  const clock = new FakeClock();
  const logged: string[] = [];
  const note = (_fields: object, message: string) => void logged.push(message);
  const log = { ...silentLog, info: note, warn: note, error: note };
  const to = { name: 'Compliance', address: 'compliance@example.net' };
  const mailer = new SealMailer({
    mail: { smtp: smtpOf(server), from },
    to,
    environment,
    clock,
    randomness: seededRandomness(4),
    log,
  });
  t.after(() => mailer.stop());
  return { server, clock, logged, mailer };
}

test('the hash of a day is mailed as plain text, in one piece', async (t) => {
  const { server, logged, mailer } = await begin(t);
  mailer.send(seal);
  await eventually('it is accepted', () => logged.includes('the hash of the record was mailed'));
  const [mail] = server.accepted;
  assert.deepEqual([mail?.from, mail?.to], [from.address, ['compliance@example.net']]);
  assert.match(mail!.raw, /^Content-Type: text\/plain/m);
  assert.match(mail!.raw, /^Subject: Record of 2026-11-21: segment 4711 of chain 1\r$/m);
  assert.match(mail!.raw, /^Auto-Submitted: auto-generated\r$/m);
  assert.ok(mail!.raw.includes(`\r\n${head}\r\n`), mail!.raw);
  assert.ok(!mail!.raw.includes('text/html'));
});

test('the mail of a test says that it is of one, and its text stays what it is read by', async (t) => {
  const { server, logged, mailer } = await begin(t, 'Test');
  mailer.send(seal);
  await eventually('it is accepted', () => logged.includes('the hash of the record was mailed'));
  assert.match(server.accepted[0]!.raw, /^Subject: \[Test\] Record of 2026-11-21: segment 4711 of chain 1\r$/m);
  assert.ok(server.accepted[0]!.raw.includes(`\r\n${head}\r\n`));
});

test('the mail of a hash is tried again where the server cannot take it now, and not where it refuses for good', async (t) => {
  const { server, clock, logged, mailer } = await begin(t);
  server.refuse = { recipient: 451 };
  mailer.send(seal);
  await eventually('the first attempt has failed', () => logged.length === 1 && clock.pendingTimers === 1);
  server.refuse = {};
  await clock.advance(30_000);
  await eventually('the second succeeds', () => server.accepted.length === 1);
  server.refuse = { recipient: 550 };
  mailer.send(seal);
  await eventually('it is given up', () => logged.some((message) => message.endsWith('is not tried again')));
});

test('a stop does not wait for a mail server', async (t) => {
  const { server, mailer } = await begin(t);
  let isHeld = false;
  server.atEnd = () => {
    isHeld = true;
    return new Promise(() => {});
  };
  mailer.send(seal);
  await eventually('the server has the message and gives no answer', () => isHeld);
  await mailer.stop();
  assert.equal(server.accepted.length, 0);
});
