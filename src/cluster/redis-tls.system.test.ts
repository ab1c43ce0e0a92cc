import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { eventually } from '../../test/support/eventually.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { tlsFiles, tlsTexts } from '../../test/support/tls-files.ts';
import { LimitingNode } from './limiting-node.testing.ts';

/** A server that speaks TLS on a port of its own. */
async function startOverTls(t: TestContext) {
  const port = await fixedPort();
  const files = [
    '--tls-cert-file',
    tlsFiles.cert,
    '--tls-key-file',
    tlsFiles.key,
    '--tls-ca-cert-file',
    tlsFiles.authority,
  ];
  const redis = await RedisServer.start(t, '--tls-port', String(port), ...files, '--tls-auth-clients', 'no');
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
