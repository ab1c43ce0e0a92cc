import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMailbox, parseSmtpUrl } from './addresses.ts';
import { load, refusal } from './configuration.testing.ts';

describe('the mail server', () => {
  it('is read with its port, its TLS and its percent-encoded password', () => {
    const none = { credentials: undefined };
    assert.deepEqual(parseSmtpUrl('smtp://mail.example.com'), {
      host: 'mail.example.com',
      port: 587,
      implicitTls: false,
      ...none,
    });
    assert.deepEqual(parseSmtpUrl('smtps://mail.example.com/'), {
      host: 'mail.example.com',
      port: 465,
      implicitTls: true,
      ...none,
    });
    assert.deepEqual(parseSmtpUrl('smtp://[::1]:2525'), { host: '::1', port: 2525, implicitTls: false, ...none });
    assert.deepEqual(parseSmtpUrl('smtps://a%40b:c%3A%2Fd@h:1')?.credentials, { user: 'a@b', password: 'c:/d' });
  });

  it('is nothing else', () => {
    const wrong = [
      'mail.example.com',
      'http://h',
      'smtp://',
      'smtp://h/path',
      'smtp://h?x=1',
      'smtp://h#x',
      'smtp://u@h',
      'smtp://:p@h',
      'smtp://h:0',
      'smtp://h:70000',
      'smtp://u:%zz@h',
      'smtp://h h',
      'SMTP://h\nX',
    ];
    for (const url of wrong) assert.equal(parseSmtpUrl(url), undefined, url);
  });

  it('is set together with a sender, and its password is in no message', () => {
    const smtp = 'smtp://u:hunter2@mail.example.com';
    const { mail } = load({ env: { MDAPI_MAIL_SMTP: smtp, MDAPI_MAIL_FROM: 'Ops <ops@example.com>' } });
    assert.deepEqual(mail?.from, { name: 'Ops', address: 'ops@example.com' });
    assert.equal(load({}).mail, undefined);
    const files = { '/run/smtp': `${smtp}\n` };
    assert.equal(
      load({ files, env: { MDAPI_MAIL_SMTP_FILE: '/run/smtp', MDAPI_MAIL_FROM: 'o@example.com' } }).mail?.smtp
        .credentials?.password,
      'hunter2',
    );
    const alone = refusal({ env: { MDAPI_MAIL_SMTP: smtp } });
    assert.deepEqual(alone, ['environment variable MDAPI_MAIL_SMTP: mail.smtp: needs mail.from as well']);
    assert.match(refusal({ env: { MDAPI_MAIL_FROM: 'o@example.com' } }).join(), /mail\.from: needs mail\.smtp as well/);
    assert.doesNotMatch(refusal({ env: { MDAPI_MAIL_SMTP: `${smtp}/x` } }).join(), /hunter2/);
  });
});

describe('a sender', () => {
  it('is an address, alone or with a name', () => {
    assert.deepEqual(parseMailbox('api@example.com'), { name: '', address: 'api@example.com' });
    assert.deepEqual(parseMailbox('Größe & Co <a.b+c@example.com>'), {
      name: 'Größe & Co',
      address: 'a.b+c@example.com',
    });
  });

  it('is nothing that could begin another header or address', () => {
    for (const text of [
      '',
      'api',
      '@x',
      'a@b@c',
      'a b@x.com',
      'A\nBcc: b@x.com <a@x.com>',
      'A <a@x.com>, B <b@x.com>',
      '"A" <a@x.com>',
      '<a@x.com>',
      'a@x..com',
    ]) {
      assert.equal(parseMailbox(text), undefined, text);
    }
  });
});

describe('when breaches make a notice', () => {
  it('is three minutes within an hour and once in 24 hours, unless configured', () => {
    assert.deepEqual(load({}).notices, { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 });
    const env = { MDAPI_NOTICES_BREACHED_MINUTES: '5', MDAPI_NOTICES_WITHIN: '5m', MDAPI_NOTICES_AT_MOST_EVERY: '7d' };
    assert.deepEqual(load({ env }).notices, { breachedMinutes: 5, withinMs: 300_000, atMostEveryMs: 604_800_000 });
  });

  it('is refused when the minutes cannot lie in the span', () => {
    const lines = refusal({ env: { MDAPI_NOTICES_BREACHED_MINUTES: '6', MDAPI_NOTICES_WITHIN: '5m' } });
    assert.match(lines.join(), /notices\.breachedMinutes: 6 minutes are longer than notices\.within, which is 5m/);
  });
});
