import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Limits } from '../../src/access/limits.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

const keepAlive = { headers: { Connection: 'keep-alive' } };
const keyless = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('what one client may take of the connections', () => {
  test('requests far ahead of their answers are read no further than some, and others are served (fault row 51)', async (t) => {
    const options = { connections: { writeTimeoutMs: 500 }, limits: { address: 1_000_000 } };
    const api = await ListenerHarness.start({ clock: systemClock, ...options });
    t.after(() => api.stop());
    const attackers = await Promise.all(Array.from({ length: 10 }, () => openSocket(api.port)));
    for (const attacker of attackers) {
      attacker.pause();
      attacker.write(keyless('/openapi/v1.json').repeat(5_000));
    }
    await eventually('answers wait to be taken', () => api.listener.connections.unsentBytes() > 0);
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.ok(api.listener.connections.unsentBytes() < attackers.length * 512 * 1_024);
    const answered = api.listener.counts.byRouteAndStatus.get('/openapi/v1.json')?.get(200) ?? 0;
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

  test('requests that wait for their turn are bounded in all, and others are served', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, limits: { key: 1_000_000, address: 1_000_000 } });
    t.after(() => api.stop());
    const request = api.requestText('/openapi/v1.json', keepAlive);
    const clients = await Promise.all(Array.from({ length: 60 }, () => Wire.open(api.port)));
    for (const { socket } of clients) socket.on('error', () => {});
    for (const client of clients) assert.equal((await client.ask(request)).status, 200);
    for (const { socket } of clients) socket.pause().write(request.repeat(600));
    await eventually('one too many is cut', () => api.listener.connectionFigures().cut > 0);
    assert.equal((await api.get('/v1/time')).status, 200);
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

  test('an answer counts as unsent until it is taken, and no longer, whatever the client sends then (fault rows 65 and 66)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const clients = await Promise.all([1, 2, 3].map(() => Wire.open(api.port)));
    for (const client of clients) {
      assert.equal((await client.ask(keyless('/docs'))).status, 200);
      client.socket.write('G');
    }
    await eventually('the byte is read', () => clients.every(({ socket }) => socket.writableLength === 0));
    assert.equal(api.listener.connections.unsentBytes(), 0);
  });

  test('the bytes that wait are given back when a connection ends', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, limits: { address: 1_000 } });
    t.after(() => api.stop());
    const client = await openSocket(api.port);
    client.pause();
    client.write(api.requestText('/openapi/v1.json', keepAlive).repeat(300));
    await eventually('answers wait to be taken', () => api.listener.connections.unsentBytes() > 0);
    client.destroy();
    await eventually('nothing waits', () => api.listener.connections.unsentBytes() === 0);
  });

  test('when too many bytes wait, slow readers without a key are cut, and one with a key is not (fault row 66)', async (t) => {
    const limits = { key: 1_000, address: 1_000_000 };
    // Nothing is looked at before all of them wait.
    const clock = new FakeClock();
    const api = await ListenerHarness.start({ clock, limits, memoryBytes: 8 * 2 ** 20 });
    t.after(() => api.stop());
    const keyed = await Wire.open(api.port);
    assert.equal((await keyed.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    api.list(...Array.from({ length: 1_000 }, (_, index) => `X${index}`));
    const asked = [...Array.from({ length: 100 }, () => '/v1/markets'), '/v1/status'];
    const requests = asked.map((target) => api.requestText(target, keepAlive));
    keyed.socket.pause();
    const answers = keyed.askAll(requests);
    await eventually('its answers wait', () => api.listener.connections.unsentBytes() > 0);
    const slow = await Promise.all(Array.from({ length: 12 }, () => openSocket(api.port)));
    for (const socket of slow) socket.pause().write(keyless('/openapi/v1.json').repeat(300));
    await eventually('too many bytes wait', () => api.listener.connections.unsentBytes() > 2 ** 20);
    await clock.advance(1_000);
    await eventually('few enough bytes wait', () => api.listener.connections.unsentBytes() <= 2 ** 20);
    const { cut } = api.listener.connectionFigures();
    assert.ok(cut > 0 && cut <= slow.length, `${cut} are cut`);
    assert.equal(keyed.isClosed, false);
    for (const socket of slow) socket.destroy();
    keyed.socket.resume();
    assert.ok((await answers).every(({ status }) => status === 200));
  });

  test('one address holds no more connections than configured: the one without a key that asked longest ago goes, those with a key do not count, and other addresses come in (fault rows 53, 66 and 110)', async (t) => {
    const options = { clock: systemClock, connections: { maxConnectionsPerAddress: 3 }, trustedProxies: ['127.0.0.2'] };
    const api = await ListenerHarness.start(options);
    t.after(() => api.stop());
    const dripping = await Promise.all([1, 2, 3].map(() => Wire.open(api.port)));
    for (const client of dripping) assert.equal((await client.ask(keyless('/docs'))).status, 200);
    for (const { socket } of dripping) socket.write('G');
    assert.equal((await dripping[0]!.ask(keyless('/docs').slice(1))).status, 200);
    const held: Wire[] = [];
    for (let count = 0; count < 4; count++) {
      const client = await Wire.open(api.port);
      held.push(client);
      assert.equal((await client.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    }
    await eventually('its place is taken', () => dripping[1]!.isClosed);
    assert.deepEqual([dripping[0]!.isClosed, dripping[2]!.isClosed], [false, false]);
    assert.equal(api.listener.connectionFigures().evicted, 1);
    const proxied = await Promise.all([1, 2, 3, 4].map(() => openSocket(api.port, '127.0.0.2')));
    const other = await openSocket(api.port, '127.0.0.3');
    await eventually('the others are accepted', () => api.listener.connectionFigures().open === 11);
    for (const socket of [...proxied, other]) socket.destroy();
    const again = await Wire.open(api.port);
    assert.equal((await again.ask(keyless('/docs'))).status, 200);
    for (const client of held) assert.equal(client.isClosed, false);
  });

  test('500 keys from one address have a connection each, and who has no key beyond the bound is told why (fault row 110)', async (t) => {
    const options = { clock: systemClock, connections: { maxConnectionsPerAddress: 200 } };
    const api = await ListenerHarness.start({ ...options, limits: { address: 1_000, failedAuthentication: 1_000 } });
    t.after(() => api.stop());
    const opened = await Promise.all(Array.from({ length: 500 }, () => Wire.open(api.port)));
    const answers = await Promise.all(
      opened.map((client) => client.ask(api.requestText('/v1/time', { ...keepAlive, key: api.addKey() }))),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const strangers = await Promise.all(Array.from({ length: 300 }, () => Wire.open(api.port)));
    await eventually('all are accepted', () => api.listener.connectionFigures().open === 800);
    const told = await Promise.all(strangers.map((client) => client.ask(keyless('/docs'))));
    const refused = told.filter(({ status }) => status === 503);
    assert.equal(told.length - refused.length, 200);
    for (const { headers, body } of refused) {
      assert.equal(headers.connection, 'close');
      assert.match(String(headers['retry-after']), /^[1-9]/);
      assert.match(body.toString(), /Too many connections from this address have shown no API key/);
    }
    const again = await Promise.all(opened.map((client) => client.ask(api.requestText('/v1/time', keepAlive))));
    assert.ok(again.every(({ status }) => status !== 503));
  });

  test('when all places are taken by sockets that drip a request, each new client still gets in (fault row 66)', async (t) => {
    const api = await ListenerHarness.start({ clock: systemClock, connections: { maxConnections: 4 } });
    t.after(() => api.stop());
    const dripping = await Promise.all([1, 2, 3, 4].map(() => Wire.open(api.port)));
    for (const client of dripping) assert.equal((await client.ask(keyless('/docs'))).status, 200);
    for (const { socket } of dripping) socket.write('GET /docs HTTP/1.1\r\nHost: a');
    const keyed = await Promise.all([1, 2, 3, 4].map(() => Wire.open(api.port)));
    for (const client of keyed) {
      assert.equal((await client.ask(api.requestText('/v1/time', keepAlive))).status, 200);
    }
    const { evicted, dropped } = api.listener.connectionFigures();
    assert.deepEqual([evicted, dropped], [4, 0]);
    await readToEnd(await openSocket(api.port));
    assert.equal(api.listener.connectionFigures().dropped, 1);
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

  test('good requests before bytes that are no HTTP, in one piece, are answered, also while each is being counted (fault row 113)', async (t) => {
    for (const isSlow of [false, true]) {
      const api = await ListenerHarness.start({
        clock: systemClock,
        sharedLimits(memory) {
          const limits: Limits = memory;
          const takeForKey = memory.takeForKey.bind(memory);
          limits.takeForKey = (match, now) => {
            const verdict = takeForKey(match, now);
            return isSlow ? new Promise((resolve) => setImmediate(() => resolve(verdict))) : verdict;
          };
          return limits;
        },
      });
      t.after(() => api.stop());
      for (const good of [keyless('/docs'), api.requestText('/v1/time', keepAlive)]) {
        const client = await openSocket(api.port);
        client.write(`${good.repeat(3)}NOT HTTP\r\n\r\n`);
        const statuses = (await readToEnd(client)).toString().match(/(?<=HTTP\/1\.1 )\d+/g);
        assert.deepEqual(statuses?.slice(0, 3), ['200', '200', '200']);
        assert.match(statuses?.[3] ?? '', /^40[05]$/);
      }
    }
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
