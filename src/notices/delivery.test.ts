import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { MailServer } from '../../test/support/mail-server.ts';
import { tlsFiles, tlsTexts } from '../../test/support/tls-files.ts';
import { type Delivery, deliver, needsTls, type SmtpServer } from './delivery.ts';
import { smtpOf } from './notices.testing.ts';

const message = Buffer.from('From: api@example.com\r\nSubject: hello\r\n\r\n.a line that begins with a dot\r\n');
const envelope = { from: 'api@example.com', to: 'holder@example.net' };
const password = 'Tr0ub4dor:and/3@';
const credentials = { user: 'mdapi', password };

interface SendOptions {
  readonly mayEnd?: () => Promise<boolean>;
  readonly signal?: AbortSignal;
}

function send(
  server: SmtpServer,
  { mayEnd = async () => true, signal = new AbortController().signal }: SendOptions = {},
) {
  return deliver({ server, envelope, message, mayEnd, signal });
}

function reasonOf(delivery: Delivery): string {
  return 'reason' in delivery ? delivery.reason : '';
}

describe('handing a message over', { concurrency: true }, () => {
  test('gives the server exactly the message', async (t) => {
    const server = await MailServer.start(t);
    assert.deepEqual(await send(smtpOf(server)), { kind: 'accepted' });
    assert.equal(server.accepted[0]?.raw, message.toString());
  });

  test('asks whether it may end only once the server takes the content, and nothing is accepted before the answer', async (t) => {
    const server = await MailServer.start(t);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const sending = send(smtpOf(server), {
      mayEnd: () => {
        asked.resolve();
        return answer.promise;
      },
    });
    await asked.promise;
    assert.equal(server.whole.length, 0);
    answer.resolve(true);
    assert.equal((await sending).kind, 'accepted');
    server.refuse = { recipient: 550 };
    let isAsked = false;
    const mayEnd = async () => {
      isAsked = true;
      return true;
    };
    assert.equal((await send(smtpOf(server), { mayEnd })).kind, 'refused');
    assert.equal(isAsked, false);
  });

  test('that may not end is withdrawn, and the server accepts nothing', async (t) => {
    const server = await MailServer.start(t);
    assert.deepEqual(await send(smtpOf(server), { mayEnd: async () => false }), { kind: 'withdrawn' });
    const broken = await send(smtpOf(server), { mayEnd: () => Promise.reject(new Error('the database is gone')) });
    assert.deepEqual([broken.kind, server.sessions], ['postponed', 2]);
    await send(smtpOf(server));
    assert.equal(server.whole.length, 1);
  });

  test('cut off in the middle of the content is postponed: nothing can have been accepted', async (t) => {
    const server = await MailServer.start(t);
    server.atContent = (connection) => connection.destroy();
    const delivery = await send(smtpOf(server), { mayEnd: () => new Promise(() => {}) });
    assert.deepEqual([delivery.kind, server.whole.length], ['postponed', 0]);
  });

  test('broken off before its end is postponed, after its end unanswered', async (t) => {
    const server = await MailServer.start(t);
    const early = new AbortController();
    const never = () => {
      early.abort();
      return new Promise<boolean>(() => {});
    };
    assert.equal((await send(smtpOf(server), { mayEnd: never, signal: early.signal })).kind, 'postponed');
    const late = new AbortController();
    server.atEnd = () => {
      late.abort();
      return new Promise(() => {});
    };
    assert.equal((await send(smtpOf(server), { signal: late.signal })).kind, 'unanswered');
    assert.equal((await send(smtpOf(server), { signal: AbortSignal.abort() })).kind, 'postponed');
  });

  test('cut off after its end without an answer is unanswered', async (t) => {
    const server = await MailServer.start(t);
    server.atEnd = (_mail, connection) => {
      connection.destroy();
      return 451;
    };
    assert.equal((await send(smtpOf(server))).kind, 'unanswered');
  });

  test('is refused for good by 5xx to sender, recipient or content, and postponed by 4xx', async (t) => {
    const each = [550, 553, 552, 450, 452].map(async (code) => {
      const server = await MailServer.start(t);
      const kind = code >= 500 ? 'refused' : 'postponed';
      server.refuse = { mail: code };
      assert.equal((await send(smtpOf(server))).kind, kind);
      server.refuse = { recipient: code };
      assert.equal((await send(smtpOf(server))).kind, kind);
      server.refuse = {};
      server.atEnd = () => code;
      const delivery = await send(smtpOf(server));
      assert.equal(delivery.kind, kind);
      assert.match(reasonOf(delivery), new RegExp(`^refused at DATA: ${code} `));
    });
    await Promise.all(each);
  });

  test('to a server that wants a login first, or refuses it, is postponed: the message is not at fault', async (t) => {
    const server = await MailServer.start(t, {
      options: {
        allowInsecureAuth: true,
        onAuth: (_auth, _session, callback) =>
          callback(new Error(`no: ${password} ${Buffer.from(password).toString('base64')}`)),
      },
    });
    const wrong = await send({ ...smtpOf(server), credentials });
    assert.deepEqual(wrong, { kind: 'postponed', reason: 'login refused (535)', serverFault: true });
    server.refuse = { mail: 530 };
    const without = await send(smtpOf(server));
    assert.deepEqual([without.kind, 'serverFault' in without && without.serverFault], ['postponed', true]);
  });

  test('to nobody, to a server that hangs up or speaks nonsense is postponed', async (t) => {
    const greetings = ['', '554 go away\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n', '421 busy\r\n'];
    for (const greeting of greetings) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.end(greeting);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      t.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      const delivery = await send({ host: '127.0.0.1', port, implicitTls: false, credentials: undefined });
      assert.deepEqual(
        [delivery.kind, 'serverFault' in delivery && delivery.serverFault],
        ['postponed', true],
        greeting,
      );
    }
    const closed = await MailServer.start(t);
    await closed.close();
    assert.match(reasonOf(await send(smtpOf(closed))), /ECONNREFUSED/);
  });

  test('logs in with the user and the password as they are', async (t) => {
    const seen: unknown[] = [];
    const server = await MailServer.start(t, {
      options: {
        allowInsecureAuth: true,
        authOptional: false,
        onAuth: ({ username, password: given }, _session, callback) => {
          seen.push([username, given]);
          callback(null, { user: username });
        },
      },
    });
    assert.equal((await send({ ...smtpOf(server), credentials })).kind, 'accepted');
    assert.deepEqual(seen, [[credentials.user, password]]);
  });

  test('repeats no password that a server puts into its answers', async (t) => {
    const forms = [password, encodeURIComponent(password), Buffer.from(`\0mdapi\0${password}`).toString('base64')];
    const server = await MailServer.start(t, {
      options: { allowInsecureAuth: true, onAuth: (_auth, _session, callback) => callback(null, { user: 'x' }) },
    });
    server.answer = Object.assign(new Error(forms.join(' ')), { responseCode: 550 });
    const delivery = await send({ ...smtpOf(server), credentials });
    assert.equal(delivery.kind, 'refused');
    assert.match(reasonOf(delivery), /\(not shown\)/);
    for (const form of forms) assert.ok(!reasonOf(delivery).includes(form), form);
  });
});

describe('TLS to the mail server', () => {
  const certificate = { key: tlsTexts.key, cert: tlsTexts.cert };

  const secured = (server: MailServer, more: Partial<SmtpServer> = {}): SmtpServer => ({
    ...smtpOf(server),
    tls: { ca: tlsTexts.authority },
    ...more,
  });

  test('is used from the start with smtps, and by STARTTLS when the server offers it', async (t) => {
    for (const implicitTls of [true, false]) {
      let isSecure = false;
      const options = {
        ...certificate,
        secure: implicitTls,
        hideSTARTTLS: false,
        onSecure: (...[, , done]: unknown[]) => {
          isSecure = true;
          (done as () => void)();
        },
      };
      const server = await MailServer.start(t, { options });
      assert.deepEqual(await send(secured(server, { implicitTls })), { kind: 'accepted' });
      assert.ok(isSecure);
    }
  });

  test('with a certificate of no trusted authority is no delivery, and nothing is sent in the clear instead', async (t) => {
    for (const implicitTls of [true, false]) {
      const server = await MailServer.start(t, {
        options: { ...certificate, secure: implicitTls, hideSTARTTLS: false },
      });
      const delivery = await send({ ...smtpOf(server), implicitTls });
      assert.equal(delivery.kind, 'postponed');
      assert.match(reasonOf(delivery), /unable to verify the first certificate/);
      assert.equal(server.whole.length, 0);
    }
  });

  test('with a certificate of its own is a delivery once that is named, or any of a local relay is taken (fault row 105)', async (t) => {
    for (const implicitTls of [true, false]) {
      const server = await MailServer.start(t, {
        options: { ...certificate, secure: implicitTls, hideSTARTTLS: false },
      });
      const relay = { ...smtpOf(server), implicitTls };
      assert.match(
        reasonOf(await send(relay)),
        /certificate.*\(mail\.caFile names one of its own, mail\.anyCertificate/,
      );
      assert.deepEqual(await send({ ...relay, takesAnyCertificate: true }), { kind: 'accepted' });
      assert.deepEqual(await send({ ...relay, caFile: tlsFiles.authority }), { kind: 'accepted' });
      const unreadable = await send({ ...relay, caFile: '/nowhere/relay.pem' });
      assert.equal(unreadable.kind, 'postponed');
      assert.match(reasonOf(unreadable), /the file \/nowhere\/relay\.pem \(mail\.caFile\) cannot be read/);
      assert.equal(server.whole.length, 2);
    }
  });

  test('that fails in its handshake is no delivery', async (t) => {
    const server = await MailServer.start(t);
    const delivery = await send({ ...smtpOf(server), implicitTls: true });
    assert.equal(delivery.kind, 'postponed');
  });

  test('is insisted on where a password would go over a network', () => {
    const server = { host: 'mail.example.com', port: 587, implicitTls: false, credentials };
    assert.equal(needsTls(server), true);
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.1.2.3'])
      assert.equal(needsTls({ ...server, host }), false);
    assert.equal(needsTls({ ...server, credentials: undefined }), false);
  });

  test('that is insisted on and not offered is no delivery, and no password is sent', async (t) => {
    const seen: unknown[] = [];
    const onAuth = (auth: unknown) => seen.push(auth);
    const options = { allowInsecureAuth: true, disabledCommands: ['STARTTLS'], onAuth } as SMTPServerOptions;
    const server = await MailServer.start(t, { options });
    // Leads to this machine, but is none of the spellings by which one trusts it.
    const delivery = await send({ ...smtpOf(server), host: '::ffff:127.0.0.1', credentials });
    assert.equal(delivery.kind, 'postponed');
    assert.match(reasonOf(delivery), /STARTTLS/);
    assert.deepEqual(seen, []);
  });
});
