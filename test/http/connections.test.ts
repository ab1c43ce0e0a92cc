import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

const keepAlive = { headers: { Connection: 'keep-alive' } };
const keyless = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('what one client may take of the connections', () => {
  test('requests far ahead of their answers are read no further than some, and others are served (fault row 51)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, connections: { writeTimeoutMs: 500 } });
    t.after(() => api.stop());
    const attackers = await Promise.all(Array.from({ length: 60 }, () => openSocket(api.port)));
    for (const attacker of attackers) {
      attacker.pause();
      attacker.write(keyless('/docs').repeat(5_000));
    }
    await eventually('answers wait to be taken', () => api.listener.connections.unsentBytes() > 0);
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.ok(api.listener.connections.unsentBytes() < attackers.length * 512 * 1_024);
    const answered = api.listener.counts.byRouteAndStatus.get('/docs')?.get(200) ?? 0;
    assert.ok(answered <= attackers.length * 200, `${answered} answers`);
    await eventually('all are ended', () => api.listener.connectionFigures().open <= 1);
  });

  test('requests ahead of their answers wait until the client takes some, and are answered in their order', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, limits: { key: 1_000, address: 1_000 } });
    t.after(() => api.stop());
    const client = await openSocket(api.port);
    client.pause();
    // More than the buffers of the system hold.
    client.write(api.requestText('/openapi/v1.json', keepAlive).repeat(70));
    client.write(api.requestText('/v1/time', keepAlive).repeat(329) + api.requestText('/v1/time'));
    await eventually('answers wait to be taken', () => api.listener.connections.unsentBytes() > 0);
    assert.ok(api.listener.connections.unsentBytes() < 1_000_000);
    const { responses, rest } = splitResponses(await readToEnd(client.resume()));
    assert.equal(rest.length, 0);
    assert.equal(responses.length, 400);
    const remaining = responses.slice(70).map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.deepEqual(
      remaining,
      Array.from({ length: 330 }, (_, index) => 999 - index),
    );
  });

  test('fifty refusals in a row of requests sent ahead end the connection, ten of them of pages (fault row 52)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const refusals = { '/': 50, '/v1/time': 50, '/docs': 10 };
    for (const [path, most] of Object.entries(refusals)) {
      const client = await openSocket(api.port);
      client.write(keyless(path).repeat(300));
      const { responses } = splitResponses(await readToEnd(client));
      const refused = responses.filter(({ status }) => status === 401 || status === 429);
      assert.equal(refused.length, most, path);
      assert.equal(responses.at(-1)?.headers.connection, 'close');
    }
  });

  test('one address holds no more connections than configured, and others still get in (fault row 53)', async (t) => {
    const options = { clock: systemClock, connections: { maxConnectionsPerAddress: 3 }, trustedProxies: ['127.0.0.2'] };
    const api = await ListenerHarness.start(options);
    t.after(() => api.stop());
    const held = await Promise.all([1, 2, 3].map(() => Wire.open(api.port)));
    for (const client of held) assert.equal((await client.ask(keyless('/docs'))).status, 200);
    await readToEnd(await openSocket(api.port));
    assert.equal(api.listener.connectionFigures().droppedOfAddress, 1);
    const proxied = await Promise.all([1, 2, 3, 4].map(() => openSocket(api.port, '127.0.0.2')));
    const other = await openSocket(api.port, '127.0.0.3');
    await eventually('the others are accepted', () => api.listener.connectionFigures().open === 8);
    for (const socket of [...proxied, other]) socket.destroy();
    held[0]!.socket.destroy();
    await eventually('its place is free', () => api.listener.connectionFigures().open === 2);
    const again = await Wire.open(api.port);
    assert.equal((await again.ask(keyless('/docs'))).status, 200);
  });

  test('when all places are taken, an idle client without a key makes room for a new one, and one with a key does not (fault row 53)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, connections: { maxConnections: 2 } });
    t.after(() => api.stop());
    const keyed = await Wire.open(api.port);
    assert.equal((await keyed.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    const idle = await Wire.open(api.port);
    assert.equal((await idle.ask(keyless('/docs'))).status, 200);
    const newcomer = await Wire.open(api.port);
    assert.equal((await newcomer.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    await eventually('the idle one is gone', () => idle.isClosed);
    assert.equal((await keyed.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    assert.equal(api.listener.connectionFigures().evicted, 1);
  });

  test('a client without a valid key is promised five seconds of an idle connection, one with a key the configured time', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const client = await Wire.open(api.port);
    assert.equal((await client.ask(keyless('/docs'))).headers['keep-alive'], 'timeout=5');
    const keyed = await client.ask(api.requestText('/v1/time', keepAlive));
    assert.equal(keyed.headers['keep-alive'], 'timeout=75');
    assert.equal((await client.ask(keyless('/docs'))).headers['keep-alive'], 'timeout=75');
  });

  test('a request behind an upgrade in the same segment gets no answer of another: the connection ends (fault row 63)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const client = await openSocket(api.port);
    const upgrade = { headers: { Connection: 'Upgrade', Upgrade: 'websocket' } };
    client.write(api.requestText('/v1/time', upgrade) + api.requestText('/v1/status', keepAlive));
    const { responses } = splitResponses(await readToEnd(client));
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers.connection]),
      [[200, 'close']],
    );
  });

  test('pages are counted per address, generously and apart from the limits of the contract', async (t) => {
    const api = await ListenerHarness.start();
    t.after(() => api.stop());
    const client = await Wire.open(api.port);
    for (let count = 0; count < 240; count++) assert.equal((await client.ask(keyless('/docs'))).status, 200);
    const refused = await client.ask(keyless('/docs'));
    assert.deepEqual([refused.status, refused.headers['x-ratelimit-limit']], [429, '240']);
    assert.equal((await client.ask(keyless('/openapi/v1.json'))).status, 200);
  });
});
