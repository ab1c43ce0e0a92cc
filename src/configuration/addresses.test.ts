import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMailbox, parseRedisUrl, parseSmtpUrl } from './addresses.ts';
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

  it('may show any certificate only where it is of this machine or a private network (fault row 105)', () => {
    const settings = (smtp: string, more: Record<string, string> = {}) => ({
      MDAPI_MAIL_SMTP: smtp,
      MDAPI_MAIL_FROM: 'o@example.com',
      MDAPI_MAIL_ANY_CERTIFICATE: 'true',
      ...more,
    });
    for (const host of ['localhost', '127.0.0.1', '10.1.2.3', '172.31.0.1', '[fd00::1]', 'relay', 'relay.internal'])
      assert.equal(load({ env: settings(`smtp://${host}`) }).mail?.smtp.takesAnyCertificate, true, host);
    for (const host of ['mail.example.com', '8.8.8.8', '172.32.0.1', '[2001:db8::1]', 'relay.internal.example.com']) {
      const [line] = refusal({ env: settings(`smtp://u:hunter2@${host}`) });
      assert.match(
        line!,
        /mail\.anyCertificate: is for relays of this machine or a private network, .* set mail\.caFile$/,
      );
      assert.doesNotMatch(line!, /hunter2/);
    }
    const both = refusal({ env: settings('smtp://relay', { MDAPI_MAIL_CA_FILE: '/relay.pem' }) });
    assert.match(both.join(), /mail\.anyCertificate: has no meaning beside mail\.caFile/);
    assert.match(refusal({ env: { MDAPI_MAIL_ANY_CERTIFICATE: 'true' } }).join(), /needs mail\.smtp as well/);
    assert.match(
      refusal({ env: { MDAPI_MAIL_CA_FILE: '/relay.pem' } }).join(),
      /mail\.caFile: needs mail\.smtp as well/,
    );
    const named = { ...settings('smtp://mail.example.com', { MDAPI_MAIL_CA_FILE: '/relay.pem' }) };
    const { MDAPI_MAIL_ANY_CERTIFICATE: _, ...env } = named;
    assert.equal(load({ env }).mail?.smtp.caFile, '/relay.pem');
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
    const sealTo = refusal({ env: { MDAPI_HISTORY_SEAL_TO: 'o@example.com' } });
    assert.deepEqual(sealTo, ['environment variable MDAPI_HISTORY_SEAL_TO: history.sealTo: needs mail.smtp as well']);
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
    for (const mark of ['\x1b', '\x7f', '\u061c', '\u200f', '\u202e', '\u2066']) {
      for (const text of [`a${mark}b@c.d`, `a@b${mark}c.d`, `N${mark}ame <a@c.d>`, `Name <a${mark}b@c.d>`])
        assert.equal(parseMailbox(text), undefined, JSON.stringify(text));
    }
  });
});

describe('when breaches make a notice', () => {
  it('is three minutes within an hour and once in 24 hours, unless configured', () => {
    const usual = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000, language: 'en' };
    assert.deepEqual(load({}).notices, usual);
    const minutes = { MDAPI_NOTICES_BREACHED_MINUTES: '5', MDAPI_NOTICES_WITHIN: '5m' };
    const env = { ...minutes, MDAPI_NOTICES_AT_MOST_EVERY: '7d', MDAPI_NOTICES_LANGUAGE: 'cs' };
    const other = { breachedMinutes: 5, withinMs: 300_000, atMostEveryMs: 604_800_000, language: 'cs' };
    assert.deepEqual(load({ env }).notices, other);
  });

  it('is refused when the minutes cannot lie in the span', () => {
    const lines = refusal({ env: { MDAPI_NOTICES_BREACHED_MINUTES: '6', MDAPI_NOTICES_WITHIN: '5m' } });
    assert.match(lines.join(), /notices\.breachedMinutes: 6 minutes are longer than notices\.within, which is 5m/);
  });
});

const plain = {
  host: 'redis',
  port: 6379,
  tls: false,
  tlsFiles: { ca: undefined, cert: undefined, key: undefined },
  user: undefined,
  password: undefined,
  database: 0,
};

describe('the address of a Redis server', () => {
  const written: Readonly<Record<string, ReturnType<typeof parseRedisUrl>>> = {
    'redis://redis': plain,
    'redis://redis/': plain,
    'redis://redis:6380/3': { ...plain, port: 6380, database: 3 },
    'rediss://redis': { ...plain, tls: true },
    'redis://:p%40ss%2Fw@redis': { ...plain, password: 'p@ss/w' },
    'rediss://redis?sslrootcert=/ca.pem': { ...plain, tls: true, tlsFiles: { ...plain.tlsFiles, ca: '/ca.pem' } },
    'rediss://redis/0?sslcert=/a%20b.pem&sslkey=/key.pem': {
      ...plain,
      tls: true,
      tlsFiles: { ca: undefined, cert: '/a b.pem', key: '/key.pem' },
    },
    'rediss://mdapi:secret@[fd00::1]:7000/12': {
      ...plain,
      host: 'fd00::1',
      port: 7000,
      tls: true,
      user: 'mdapi',
      password: 'secret',
      database: 12,
    },
  };
  for (const [text, expected] of Object.entries(written)) {
    it(`is read from ${text}`, () => assert.deepEqual(parseRedisUrl(text), expected));
  }

  const refused = [
    '',
    'redis',
    'redis:6379',
    'redis://',
    'redis://:6379',
    'http://redis',
    'redis://redis:0',
    'redis://redis/a',
    'redis://redis/1/2',
    'redis://redis?db=1',
    'redis://redis#1',
    'redis://redis?sslrootcert=/ca.pem',
    'rediss://redis?db=1',
    'rediss://redis?sslcert=/cert.pem',
    'rediss://redis?sslrootcert=ca.pem',
    'rediss://redis?sslrootcert=/a.pem&sslrootcert=/b.pem',
    'rediss://redis?sslrootcert=/a.pem#1',
    'redis://user@redis',
    'redis://:%zz@redis',
    'redis://a b',
  ];
  for (const text of refused) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseRedisUrl(text), undefined));
  }

  it('is none unless configured, and comes from a file like any secret', () => {
    assert.equal(load({}).redis, undefined);
    const files = { '/run/secrets/redis': 'redis://:secret@redis\n' };
    const { redis } = load({ files, env: { MDAPI_REDIS_FILE: '/run/secrets/redis' } });
    assert.deepEqual(redis, { ...plain, password: 'secret' });
  });

  it('lets several processes of one host share a port', () => {
    const env = { MDAPI_REDIS: 'redis://redis', MDAPI_SERVER_REUSE_PORT: 'true' };
    assert.equal(load({ env }).server.reusePort, true);
    assert.equal(load({}).server.reusePort, false);
  });

  it('is shown to nobody when it is wrong', () => {
    assert.throws(
      () => load({ env: { MDAPI_REDIS: 'redis://user:hunter2@redis/x' } }),
      (error: Error) => /redis/.test(error.message) && !/hunter2/.test(error.message),
    );
  });
});
