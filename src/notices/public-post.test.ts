import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { tlsTexts } from '../../test/support/tls-files.ts';
import { postToPublic, publicLookup, strangersUrl } from './public-post.ts';
import { sendWebhook } from './webhook.ts';

const never = new AbortController().signal;

/** A resolver that gives these addresses for every name. */
function giving(...addresses: readonly string[]): LookupFunction {
  return (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

async function resolved(...addresses: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    publicLookup(giving(...addresses))('hooks.example.com', {}, (error) => resolve(error?.code ?? 'public'));
  });
}

describe('a webhook of a stranger', () => {
  test('has a name, https and nothing else', () => {
    const accepted = [
      'https://hooks.example.com/a?b=c',
      'https://hooks.example.com',
      'https://xn--bcher-kva.example/x',
    ];
    for (const url of accepted) assert.ok(strangersUrl(url), url);
    const refused = [
      ...['http://hooks.example.com/', 'ftp://hooks.example.com/', 'hooks.example.com', '', 'https://'],
      ...[
        'https://127.0.0.1/',
        'https://2130706433/',
        'https://0x7f.1/',
        'https://[::1]/',
        'https://[::ffff:10.0.0.1]/',
      ],
      ...[
        'https://localhost/',
        'https://localhost./',
        'https://hooks.example.com:8443/',
        'https://a:b@hooks.example.com/',
      ],
      ...['https://169.254.169.254/latest/', 'https://10.0.0.1.', `https://hooks.example.com/${'x'.repeat(500)}`],
    ];
    for (const url of refused) assert.equal(strangersUrl(url), undefined, url);
  });

  test('is reached at public addresses alone, and not when one of several is none', async () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])
      assert.equal(await resolved(address), 'public', address);
    const reserved = [
      ...[
        '127.0.0.1',
        '10.1.2.3',
        '172.16.0.1',
        '192.168.1.1',
        '169.254.169.254',
        '100.64.0.1',
        '0.0.0.0',
        '224.0.0.1',
      ],
      ...[
        '255.255.255.255',
        '::1',
        '::',
        'fe80::1',
        'fd00::1',
        '::ffff:127.0.0.1',
        '::ffff:1.1.1.1',
        '64:ff9b::7f00:1',
      ],
      ...['2002:7f00:1::', '2001::1', '2001:db8::1', 'ff02::1'],
    ];
    for (const address of reserved) assert.equal(await resolved(address), 'ENOTPUBLIC', address);
    assert.equal(await resolved('1.1.1.1', '10.0.0.1'), 'ENOTPUBLIC');
  });

  test('gets nothing where its name leads to this machine', async (t) => {
    let connections = 0;
    const server = createServer({ cert: tlsTexts.cert, key: tlsTexts.key }, (_request, response) => response.end());
    server.on('connection', () => connections++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const url = `https://localhost:${port}/`;
    assert.deepEqual(
      await sendWebhook({ url, id: 'dlv_1', body: '{}', post: postToPublic() }, new FakeClock(), never),
      {
        kind: 'postponed',
        reason: 'ENOTPUBLIC',
      },
    );
    assert.equal(connections, 0);
  });

  test('gets its message over TLS; a redirect is not followed, and an answer without an end is cut', async (t) => {
    const bodies: string[] = [];
    let open = 0;
    const server = createServer({ cert: tlsTexts.cert, key: tlsTexts.key }, async (request, response) => {
      for await (const chunk of request) bodies.push(String(chunk));
      if (request.url === '/redirect') response.writeHead(307, { location: '/hook' }).end();
      else response.writeHead(200).write('x'.repeat(100_000));
    });
    server.on('connection', (socket) => {
      open++;
      socket.on('close', () => open--);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const post = postToPublic({ ca: tlsTexts.authority, lookup: giving('127.0.0.1') });
    const send = (path: string) =>
      sendWebhook(
        { url: `https://localhost:${port}${path}`, id: 'dlv_1', body: '{"n":1}', post },
        new FakeClock(),
        never,
      );
    assert.deepEqual(await send('/hook'), { kind: 'accepted' });
    assert.deepEqual(await send('/redirect'), { kind: 'postponed', reason: 'HTTP 307: redirects are not followed' });
    await eventually('the connections are closed', () => open === 0);
    assert.deepEqual(bodies, ['{"n":1}', '{"n":1}']);
  });
});
