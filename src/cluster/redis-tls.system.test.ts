import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { clientTlsFiles, tlsFiles, tlsTexts } from '../../test/support/tls-files.ts';
import { LimitingNode } from './limiting-node.testing.ts';
import { type RedisAddress, RedisConnection } from './redis-connection.ts';

/** A server that speaks TLS on a port of its own. */
async function startOverTls(t: TestContext, clients: 'yes' | 'no' = 'no') {
  const port = await fixedPort();
  const files = [
    '--tls-cert-file',
    tlsFiles.cert,
    '--tls-key-file',
    tlsFiles.key,
    '--tls-ca-cert-file',
    clientTlsFiles.cert,
  ];
  const redis = await RedisServer.start(t, '--tls-port', String(port), ...files, '--tls-auth-clients', clients);
  return { redis, port };
}

/** Does what an operator does with `NODE_EXTRA_CA_CERTS`, which a process reads when it starts. */
function trustAuthority(t: TestContext): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, tlsTexts.authority]);
  t.after(() => setDefaultCACertificates(before));
}

test(
  'a server whose certificate is its host’s, from a trusted authority, is counted with over TLS',
  needsRedis,
  async (t) => {
    trustAuthority(t);
    const { redis, port } = await startOverTls(t);
    for (const host of ['localhost', '127.0.0.1']) {
      const node = LimitingNode.start(t, redis, { address: { host, port, tls: true } });
      await eventually('counting in Redis', () => node.isUp);
      await node.take();
      assert.equal(node.limits.figures().countedShared, 1);
    }
  },
);

test(
  'a certificate of no trusted authority is refused with the reason, and each node counts alone',
  needsRedis,
  async (t) => {
    const { redis, port } = await startOverTls(t);
    const node = LimitingNode.start(t, redis, { address: { host: 'localhost', port, tls: true } });
    await eventually('the reason is logged', () => node.logged.length > 0);
    assert.match(node.logged[0]!, /certificate/);
    assert.ok((await node.take()).allowed);
    assert.equal(node.isUp, false);
  },
);

test(
  'a server that wants a client certificate is counted with once it is named, and said to want one before (fault row 105)',
  needsRedis,
  async (t) => {
    const { redis, port } = await startOverTls(t, 'yes');
    const ca = tlsFiles.authority;
    const { cert, key } = clientTlsFiles;
    const start = (tlsFiles: NonNullable<RedisAddress['tlsFiles']>) =>
      LimitingNode.start(t, redis, { address: { host: 'localhost', port, tls: true, tlsFiles } });
    const shown = start({ ca, cert, key });
    await eventually('counting in Redis', () => shown.isUp);
    await shown.take();
    assert.equal(shown.limits.figures().countedShared, 1);
    const refused = [
      [
        start({ ca }),
        /(alert certificate required|handshake).*the server wants another client certificate: name it with sslcert/,
      ],
      [start({ ca, cert: '/nowhere.pem', key }), /the file \/nowhere\.pem \(sslcert of redis\) cannot be read/],
    ] as const;
    for (const [node, words] of refused) {
      await eventually('the reason is logged', () => node.logged.length > 0);
      assert.match(node.logged[0]!, words);
      assert.ok((await node.take()).allowed);
      assert.equal(node.isUp, false);
    }
  },
);

test('the handshake names the host that is wanted, as servers behind one address need it', async (t) => {
  trustAuthority(t);
  const server = createServer({ cert: tlsTexts.cert, key: tlsTexts.key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'secureConnection');
  const address = { host: 'localhost', port, tls: true, user: undefined, password: undefined, database: 0 };
  LimitingNode.start(t, { address } as RedisServer);
  const [socket] = await connected;
  assert.equal(socket.servername, 'localhost');
});

test('a client certificate that is refused after the handshake is no reason to connect again at once (fault row 105)', async (t) => {
  const server = createServer({ cert: tlsTexts.cert, key: tlsTexts.key, requestCert: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  let connections = 0;
  server.on('tlsClientError', () => connections++);
  server.on('secureConnection', () => connections++);
  const { port } = server.address() as AddressInfo;
  const clock = new FakeClock();
  const lost: string[] = [];
  const address = {
    host: 'localhost',
    port,
    tls: true,
    tlsFiles: { ca: tlsFiles.authority },
    user: undefined,
    password: undefined,
    database: 0,
  };
  const connection = new RedisConnection(address, clock, seededRandomness(1), {
    opened: () => assert.fail('nothing was answered'),
    lost: (reason) => lost.push(reason),
  });
  t.after(() => connection.stop());
  connection.start();
  for (let attempt = 1; attempt <= 6; attempt++) {
    await eventually(`attempt ${attempt} is refused`, () => lost.length === attempt);
    const attempts = connections;
    if (attempt === 6) await clock.advance(400);
    assert.equal(connections, attempts, 'half a second later there is no other attempt');
    await clock.advance(1_000);
  }
  assert.match(lost[0]!, /the server wants another client certificate/);
});
