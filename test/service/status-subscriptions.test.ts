import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { after } from '../../src/market/samples.testing.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer, readMail } from '../support/mail-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const address = 'reader@example.net';
const hourMs = 3_600_000;
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A service with a mail server, and its visitors. */
async function begin(t: TestContext) {
  const mail = await MailServer.start(t);
  const settings = {
    'mail.smtp': `smtp://127.0.0.1:${mail.port}`,
    'mail.from': 'Market data <api@example.com>',
    'portal.name': 'Example Exchange',
    'portal.subscriptions': 'mail,webhook',
  };
  const harness = await ServiceHarness.start(t, { settings, untilLive: false });
  const { baseUrl } = harness.service;
  const get = async (path: string) => (await fetch(`${baseUrl}${path}`, { headers: { accept: 'text/html' } })).text();
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(fields).toString();
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', body, headers: { ...form, ...headers } });
    const { status } = answer;
    return { status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
  };
  const ask = (target: string, path = '/status/subscribe') => post(path, { kind: 'mail', target });
  /** The mails so far once there are so many. */
  const mails = async (count: number) => {
    await eventually(`${count} mails`, () => mail.accepted.length >= count);
    return mail.accepted.map(({ raw }) => readMail(raw));
  };
  const linkIn = (text: string) => /https?:\S+\?token=([\w-]+)/.exec(text)!;
  const subscribe = async (target = address, path = '/status/subscribe') => {
    const before = mail.accepted.length;
    await ask(target, path);
    const text = (await mails(before + 1)).at(-1)!.text;
    const { status } = await post(path.replace('subscribe', 'confirm'), { token: linkIn(text)[1]! });
    assert.equal(status, 200);
  };
  const announce = (description: string, fromMs = hourMs, toMs = 2 * hourMs) =>
    harness.withStore(({ windows }) => {
      const at = (offset: number) => after(harness.clock.now(), offset);
      return windows.announce({ from: at(fromMs), to: at(toMs), description });
    });
  return { harness, mail, mails, get, post, ask, linkIn, subscribe, announce, baseUrl };
}

describe('a subscription to the status', { concurrency: true }, () => {
  test('is asked for on a page without scripts, in English and in Czech, which the status page leads to', async (t) => {
    const { get, baseUrl } = await begin(t);
    const { headers } = await fetch(`${baseUrl}/status/subscribe`, { headers: { accept: 'text/html' } });
    assert.match(headers.get('content-security-policy')!, /form-action 'self'/);
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    assert.ok((await get('/status')).includes('href="/status/subscribe"'));
    assert.ok((await get('/cs/status')).includes('href="/cs/status/subscribe"'));
    const page = await get('/status/subscribe');
    assert.match(page, /<form class="subscribe" method="post" action="\/status\/subscribe">/);
    assert.match(page, /<input type="email" id="mail" name="target" required="required"/);
    assert.match(page, /<input type="url" id="webhook"/);
    const czech = await get('/cs/status/subscribe');
    assert.match(czech, /action="\/cs\/status\/subscribe"/);
    assert.ok(czech.includes('Odeb&#237;rat</button>'), czech);
  });

  test('begins when the button behind the link of its mail is pressed, not when the link is followed', async (t) => {
    const { harness, ask, mails, get, post, linkIn, announce } = await begin(t);
    const asked = await ask(address);
    assert.equal(asked.status, 200);
    assert.ok(asked.text.includes('Check your mail'));
    const [received] = await mails(1);
    assert.equal(
      received!.headers.get('subject'),
      `Please confirm: status updates of Example Exchange (${harness.service.baseUrl})`,
    );
    const [url, token = ''] = linkIn(received!.text);
    const page = await get(new URL(url).pathname + new URL(url).search);
    assert.match(page, new RegExp(`name="token" value="${token}"`));
    const list = () => harness.withStore(({ subscriptions }) => subscriptions.list());
    assert.equal((await list())[0]!.confirmedAt, undefined);
    await announce('Before.');
    assert.ok((await post('/status/confirm', { token })).text.includes('You are subscribed'));
    assert.ok((await post('/status/confirm', { token })).text.includes('You are subscribed'), 'a second click');
    assert.notEqual((await list())[0]!.confirmedAt, undefined);
  });

  test('tells a window that is announced, with one click to unsubscribe, after which nothing of it is left', async (t) => {
    const { harness, subscribe, mails, announce, post, baseUrl } = await begin(t);
    await subscribe();
    await announce('New disks.');
    const announced = (await mails(2))[1]!;
    assert.equal(announced.headers.get('subject'), 'Example Exchange: Maintenance announced: New disks.');
    const [, unsubscribe = ''] = /^<(.*)>$/.exec(announced.headers.get('list-unsubscribe') ?? '') ?? [];
    assert.ok(unsubscribe.startsWith(`${baseUrl}/status/unsubscribe?token=`), unsubscribe);
    assert.equal(announced.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    assert.ok(announced.text.includes(unsubscribe));
    const { pathname, search } = new URL(unsubscribe);
    const one = await post(pathname + search, { 'List-Unsubscribe': 'One-Click' });
    assert.equal(one.status, 200);
    const rows = await harness.withStore(async ({ subscriptions, subscriptionMessages }) => [
      await subscriptions.list(),
      await subscriptionMessages.list({ limit: 9 }),
    ]);
    assert.deepEqual(rows, [[], []]);
    const again = await post(pathname + search, { 'List-Unsubscribe': 'One-Click' });
    assert.equal(again.status, 400);
    assert.ok(again.text.includes('You have unsubscribed already'));
    const lines = harness.logged.join('\n');
    assert.ok(!lines.includes(address) && !lines.includes('reader@') && !lines.includes(search));
    assert.ok(!(await (await fetch(`${harness.service.adminUrl}/metrics`)).text()).includes('reader@'));
  });

  test('is told in Czech to who asked in Czech', async (t) => {
    const { subscribe, mails, announce } = await begin(t);
    await subscribe(address, '/cs/status/subscribe');
    await announce('New disks.');
    const [asked, announced] = await mails(2);
    assert.match(asked!.headers.get('subject')!, /^Potvrďte prosím: stav služby Example Exchange/);
    assert.ok(announced!.headers.get('subject')!.endsWith('Oznámena údržba: New disks.'));
    assert.match(announced!.text, /Zrušit odběr: http\S+\/cs\/status\/unsubscribe\?token=/);
  });

  test('is answered alike whether the address is known, was asked, or is new, and asks nobody twice at once', async (t) => {
    const { harness, subscribe, ask, mail, mails } = await begin(t);
    await subscribe();
    const fresh = await ask('other@example.net');
    await mails(2);
    for (const target of [address, 'other@example.net', 'Other+tag@example.net'])
      assert.deepEqual(await ask(target), fresh);
    assert.equal(mail.accepted.length, 2);
    const asked = await harness.withStore(({ subscriptionMessages }) => subscriptionMessages.list({ limit: 9 }));
    assert.equal(asked.length, 2);
    const malformed = await ask('nobody');
    assert.equal(malformed.status, 400);
    assert.ok(malformed.text.includes('Messages cannot be sent to this address.'));
  });

  test('can be asked for five times an hour by one client, and then later', async (t) => {
    const { ask, harness } = await begin(t);
    for (let count = 0; count < 5; count++) assert.equal((await ask(`r${count}@example.net`)).status, 200);
    const refused = await ask('r6@example.net');
    assert.equal(refused.status, 429);
    const seconds = Number(refused.retryAfter);
    assert.ok(seconds >= 1 && seconds <= 3_600, refused.text);
    assert.equal(JSON.parse(refused.text).code, 'RATE_LIMIT_EXCEEDED');
    harness.clock.shift(seconds * 1_000);
    assert.equal((await ask('r6@example.net')).status, 200);
  });

  test('cannot be asked for from a page of another site, or in a form that is too long', async (t) => {
    const { post, harness, baseUrl } = await begin(t);
    const fields = { kind: 'mail', target: address };
    const from = (headers: Record<string, string>) =>
      post('/status/subscribe', fields, headers).then(({ status }) => status);
    assert.equal(await from({ 'Sec-Fetch-Site': 'cross-site' }), 400);
    assert.equal(await from({ 'Sec-Fetch-Site': 'same-site' }), 400);
    assert.equal(await from({ Origin: 'https://evil.example' }), 400);
    assert.equal(await from({ Origin: 'null' }), 400);
    assert.equal((await post('/status/subscribe', { ...fields, more: 'x'.repeat(5_000) })).status, 400);
    assert.equal((await fetch(`${baseUrl}/status`, { method: 'POST', body: 'x' })).status, 405);
    assert.deepEqual(await harness.withStore(({ subscriptions }) => subscriptions.list()), []);
    assert.equal(await from({ 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }), 200);
    assert.equal(await from({ Origin: new URL(baseUrl).origin }), 200);
  });

  test('is not confirmed by a link of 24 hours ago', async (t) => {
    const { ask, mails, linkIn, post, harness } = await begin(t);
    await ask(address);
    const token = linkIn((await mails(1))[0]!.text)[1]!;
    harness.clock.shift(24 * hourMs + 1_000);
    const late = await post('/status/confirm', { token });
    assert.equal(late.status, 400);
    assert.ok(late.text.includes('no longer valid'));
  });

  test('leaves digests of its tokens alone in the store', async (t) => {
    const { ask, mails, linkIn, harness } = await begin(t);
    await ask(address);
    const token = linkIn((await mails(1))[0]!.text)[1]!;
    const { DatabaseSync } = await import('node:sqlite');
    using db = new DatabaseSync(`${harness.directory}/mdapi.sqlite`);
    const rows = db.prepare('select * from subscription_tokens').all();
    assert.deepEqual(
      rows.map(({ digest }) => digest),
      [hash('sha256', token)],
    );
    const all = ['subscriptions', 'subscription_tokens', 'subscription_messages'];
    const text = JSON.stringify(all.map((table) => db.prepare(`select * from ${table}`).all()));
    assert.ok(!text.includes(token));
  });

  test('is on offer only where it is configured and there is a mail server', async (t) => {
    const harness = await ServiceHarness.start(t, { untilLive: false });
    const { baseUrl } = harness.service;
    assert.equal((await fetch(`${baseUrl}/status/subscribe`)).status, 404);
    assert.ok(!(await (await fetch(`${baseUrl}/status`)).text()).includes('subscribe'));
  });
});
