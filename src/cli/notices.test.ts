import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { MailServer, readMail } from '../../test/support/mail-server.ts';
import { type EpochMs, systemClock } from '../ground/clock.ts';
import { openStore } from '../store/store.ts';
import { newOperator, type Operator } from './cli.testing.ts';

const password = 'Tr0ub4dor-and-3';
const minuteMs = 60_000;

/** A notice in the operator's database, about a key that was made on the command line. */
async function withNotice(operator: Operator): Promise<{ id: string; keyId: string }> {
  const account = await operator.json<{ id: string }>('accounts', 'create', '--email', 'holder@example.net');
  const key = await operator.json<{ id: string }>('keys', 'create', '--account', account.id, '--label', 'a <b>bot</b>');
  const store = await openStore({
    url: `sqlite:${operator.directory}/mdapi.sqlite`,
    clock: systemClock,
    randomness: seededRandomness(1),
  });
  const now = systemClock.now();
  const upToMinute = (now - (now % minuteMs) - minuteMs) as EpochMs;
  const minutes = [2, 1, 0].map((ago) => (upToMinute - ago * minuteMs) as EpochMs);
  await store.breaches.add(
    minutes.map((minuteStart) => ({ keyId: key.id, minuteStart, refused: 7, limitPerMinute: 60 })),
  );
  const rule = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 };
  const afterMinute = (upToMinute - 10 * minuteMs) as EpochMs;
  const [notice] = await store.notices.decide({ rule, mailed: false, upToMinute, afterMinute });
  await store.close();
  return { id: notice!.id, keyId: key.id };
}

describe('mdapi notices', { concurrency: true }, () => {
  test('list shows what is in the outbox, as a table and as JSON', async (t) => {
    const operator = newOperator(t);
    const { id, keyId } = await withNotice(operator);
    const table = await operator.text('notices', 'list');
    assert.match(table, /^ID +STATE +CREATED +KEY +REFUSED +ACCOUNT +NOTE\n/);
    assert.match(table, new RegExp(`${id} +recorded .* 21 in 3 min +holder@example.net`));
    const { notices } = await operator.json<{ notices: Record<string, unknown>[] }>(
      'notices',
      'list',
      '--status',
      'recorded',
      '--key',
      keyId,
    );
    assert.equal(notices.length, 1);
    const { status, requestsRefused, minutes, label, accountEmail, attempts } = notices[0]!;
    assert.deepEqual(
      [status, requestsRefused, label, accountEmail, attempts],
      ['recorded', 21, 'a <b>bot</b>', 'holder@example.net', 0],
    );
    assert.equal((minutes as unknown[]).length, 3);
    assert.match(await operator.text('notices', 'list', '--status', 'sent'), /^No notices\.\n$/);
    for (const wrong of [
      ['--status', 'lost'],
      ['--limit', '0'],
    ]) {
      assert.equal((await operator.mdapi('notices', 'list', ...wrong)).exitCode, 2);
    }
  });

  test('preview shows a notice, or an example, in both forms, and sends nothing', async (t) => {
    const operator = newOperator(t, { MDAPI_SERVER_BASE_URL: 'https://api.example.com/', MDAPI_LIMITS_KEY: '90' });
    const example = await operator.text('notices', 'preview');
    assert.match(
      example,
      /^From: \(mail\.from is not configured\)\nTo: client@example\.com\nSubject: API key "trading bot"/,
    );
    assert.match(example, /limit of the key is 90 requests per minute/);
    assert.ok(example.includes('https://api.example.com/docs#limits'));
    const { id } = await withNotice(operator);
    const own = await operator.text('notices', 'preview', '--notice', id);
    assert.match(own, /To: holder@example\.net\n/);
    assert.match(own, /API key "a <b>bot<\/b>" ending in/);
    const html = await operator.text('notices', 'preview', '--notice', id, '--html');
    assert.match(html, /^<!doctype html>/);
    assert.ok(html.includes('a &#60;b&#62;bot&#60;/b&#62;') && !html.includes('<b>bot'));
    const { subject, text } = await operator.json<{ subject: string; text: string }>(
      'notices',
      'preview',
      '--notice',
      id,
    );
    assert.ok(own.includes(subject) && text.includes('21 requests'));
    assert.equal((await operator.mdapi('notices', 'preview', '--notice', 'ntc_none')).exitCode, 4);
  });

  test('send-test sends an example through the configured mail server', async (t) => {
    const server = await MailServer.start(t);
    const operator = newOperator(t, {
      MDAPI_MAIL_SMTP: `smtp://127.0.0.1:${server.port}`,
      MDAPI_MAIL_FROM: 'Ops <ops@example.com>',
    });
    const sent = await operator.json<{ accepted: boolean; messageId: string }>(
      'notices',
      'send-test',
      '--to',
      'me@example.net',
    );
    const { headers } = readMail(server.accepted[0]?.raw ?? '');
    assert.deepEqual([sent.accepted, sent.messageId], [true, headers.get('message-id')]);
    assert.match(headers.get('subject') ?? '', /^Test: API key "trading bot"/);
    assert.deepEqual(server.accepted[0]?.to, ['me@example.net']);
    assert.match(
      await operator.text('notices', 'send-test', '--to', 'me@example.net'),
      /^The mail server accepted the message to me@example\.net\./,
    );
  });

  test('send-test says why it failed, and never the password', async (t) => {
    const server = await MailServer.start(t, {
      options: { allowInsecureAuth: true, onAuth: (_auth, _session, callback) => callback(new Error(`${password}?`)) },
    });
    const env = {
      MDAPI_MAIL_SMTP: `smtp://mdapi:${password}@127.0.0.1:${server.port}`,
      MDAPI_MAIL_FROM: 'ops@example.com',
    };
    const refused = await newOperator(t, env).mdapi('notices', 'send-test', '--to', 'me@example.net', '--json');
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /The message was not sent: login refused \(535\)/);
    assert.equal(JSON.parse(refused.stdout).error.reason, 'mail_not_sent');
    const bare = await newOperator(t).mdapi('notices', 'send-test', '--to', 'me@example.net');
    assert.match(bare.stderr, /No mail server is configured\. Set mail\.smtp and mail\.from\./);
    const wrong = await newOperator(t, env).mdapi('notices', 'send-test', '--to', 'a,b@example.net');
    assert.equal(wrong.exitCode, 2);
    const broken = { ...env, MDAPI_MAIL_SMTP: `smtp://mdapi:${password}@host/path` };
    const refusedUrl = await newOperator(t, broken).mdapi('notices', 'list');
    assert.deepEqual([refusedUrl.exitCode, refusedUrl.stderr.includes('MDAPI_MAIL_SMTP')], [3, true]);
    for (const { stdout, stderr } of [refused, wrong, refusedUrl]) assert.ok(!`${stdout}${stderr}`.includes(password));
  });
});
