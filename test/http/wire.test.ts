import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, openSocket, readToEnd, splitResponses, type WireResponse } from '../support/http-client.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

describe('below HTTP', () => {
  let api: ListenerHarness;
  before(async () => {
    api = await ListenerHarness.start({ limits: { key: 1_000_000, address: 1_000_000 } });
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
  });
  after(() => api.stop());

  /** The only answer, which must be this problem, and the end of the connection. */
  async function refusedWith(code: string, status: number, bytes: string | Buffer): Promise<WireResponse> {
    const { responses, rest } = await exchange(api.port, bytes);
    assert.equal(responses.length, 1, `one answer to ${JSON.stringify(bytes.toString().slice(0, 80))}`);
    assert.equal(rest.length, 0);
    const response = responses[0]!;
    assert.deepEqual([response.status, json(response).code], [status, code]);
    assert.equal(response.headers.connection, 'close');
    api.validate('GET', '/nowhere', response);
    return response;
  }

  const head = 'Host: a\r\n';

  test('bytes that are not HTTP are 400 BAD_REQUEST and the end of the connection', async () => {
    const clientHello = Buffer.from('16030100a5010000a10303', 'hex');
    const matrix = [
      clientHello,
      'nonsense\r\n\r\n',
      `get /v1/time HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/time HTTP/2.0\r\n${head}\r\n`,
      'GET /v1/time HTTP/1.1\r\n\r\n',
      `GET /v1/time HTTP/1.1\r\n${head}Host: b\r\n\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}X: a\0b\r\n\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}X : a\r\n\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
      `GET /v1/time HTTP/1.1\r\n${head}Content-Length: +5\r\n\r\nhello`,
      `GET /v1/time HTTP/1.1\r\n${head}Content-Length: 5, 5\r\n\r\nhello`,
      `POST /v1/time HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /v1/time HTTP/1.1\r\n${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    ];
    for (const bytes of matrix) await refusedWith('BAD_REQUEST', 400, bytes);
  });

  test('too large a head is 431, whether by one header, by many, or by the target', async () => {
    await refusedWith(
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
      431,
      `GET / HTTP/1.1\r\n${head}X: ${'a'.repeat(9000)}\r\n\r\n`,
    );
    await refusedWith(
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
      431,
      `GET / HTTP/1.1\r\n${head}${'X: a\r\n'.repeat(3000)}\r\n`,
    );
    await refusedWith('REQUEST_HEADER_FIELDS_TOO_LARGE', 431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${head}\r\n`);
  });

  test('an expectation that cannot be met is 417', async () => {
    await refusedWith('EXPECTATION_FAILED', 417, `GET /v1/time HTTP/1.1\r\n${head}Expect: foo\r\n\r\n`);
  });

  test('CONNECT opens no tunnel', async () => {
    const { responses } = await exchange(api.port, `CONNECT example.org:443 HTTP/1.1\r\n${head}\r\n`);
    assert.ok(responses.every(({ status }) => status >= 400));
  });

  test('a request inside a body is never looked at: its key is not counted', async () => {
    const key = api.addKey();
    const inner = api.requestText('/v1/time', { key, headers: { Connection: 'keep-alive' } });
    const outer = (headers: Record<string, string>) =>
      api.requestText('/v1/time', { headers: { Connection: 'keep-alive', ...headers } });
    const chunked = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    const attempts = [
      outer({ 'Content-Length': String(inner.length) }) + inner,
      outer({ 'Content-Length': '1' }) + inner,
      outer({ 'Transfer-Encoding': 'chunked' }) + chunked,
      outer({ 'Transfer-Encoding': 'xchunked' }) + inner,
      outer({ 'Transfer-Encoding': 'chunked, identity' }) + inner,
      outer({ 'Transfer-Encoding': 'chunked' }) + chunked + inner,
      outer({ 'Content-Length': '0', 'Transfer-Encoding': 'chunked' }) + chunked + inner,
    ];
    for (const bytes of attempts) {
      const { responses } = await exchange(api.port, bytes);
      assert.equal(responses.length, 1, bytes.slice(0, 120));
    }
    assert.equal((await api.get('/v1/time', { key })).headers['x-ratelimit-remaining'], '999999');
  });

  test('a GET that announces a gigabyte gets its one answer, and no more than a part is taken', async () => {
    const socket = await openSocket(api.port);
    const ended = readToEnd(socket);
    socket.write(
      api.requestText('/v1/time', { headers: { 'Content-Length': '1000000000', Connection: 'keep-alive' } }),
    );
    const chunk = Buffer.alloc(65_536);
    let sent = 0;
    const write = () => {
      while (!socket.destroyed && sent < 1_000_000_000) {
        sent += chunk.length;
        if (!socket.write(chunk)) return void socket.once('drain', write);
      }
    };
    write();
    const { responses } = splitResponses(await ended);
    assert.ok(responses.length <= 1);
    assert.ok(sent < 50_000_000, `${sent} bytes were sent before the connection was cut`);
  });

  test('a request that comes byte by byte is answered as if it came at once', async () => {
    const text = api.requestText('/v1/ticker?symbol=BTCEUR');
    const whole = (await exchange(api.port, text)).responses[0]!;
    const socket = await openSocket(api.port);
    const ended = readToEnd(socket);
    for (const byte of text) await new Promise((resolve) => socket.write(byte, resolve));
    const sliced = splitResponses(await ended).responses[0]!;
    assert.deepEqual(sliced.body, whole.body);
    assert.deepEqual(Object.keys(sliced.headers), Object.keys(whole.headers));
  });

  test('a malformed request after good ones is answered last', async () => {
    const good = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
    const { responses } = await exchange(api.port, `${good.repeat(5)}garbage\r\n\r\n`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200, 200, 400],
    );
  });

  test('header and query names of the object prototype are ordinary', async () => {
    const headers = { ['__proto__']: 'x', constructor: 'y', prototype: 'z' };
    assert.equal((await api.get('/v1/time?__proto__=1&constructor=2', { headers })).status, 200);
  });

  test('a client that goes away before its answer is counted once and logs nothing', async () => {
    const before = api.listener.counts.byRouteAndStatus.get('/v1/time')?.get(200) ?? 0;
    for (let client = 0; client < 50; client++) {
      const socket = await openSocket(api.port);
      socket.write(api.requestText('/v1/time'));
      socket.resetAndDestroy();
    }
    assert.equal((await api.get('/v1/time')).status, 200);
    const counted = (api.listener.counts.byRouteAndStatus.get('/v1/time')?.get(200) ?? 0) - before;
    assert.ok(counted >= 1 && counted <= 51);
    assert.deepEqual(api.logged, []);
  });
});

describe('time and connections', () => {
  test('a request that drips or never comes is 408 once its time is over, and others are served meanwhile', async () => {
    const api = await ListenerHarness.start({
      clock: systemClock,
      connections: { headersTimeoutMs: 300, requestTimeoutMs: 400, connectionsCheckIntervalMs: 50 },
    });
    const silent = await openSocket(api.port);
    const silentEnd = readToEnd(silent);
    const dripping = await openSocket(api.port);
    const drippingEnd = readToEnd(dripping);
    dripping.write('GET /v1/time HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    const drip = setInterval(() => dripping.write('a'), 20);
    assert.equal((await api.get('/v1/time')).status, 200);
    for (const end of [drippingEnd, silentEnd]) {
      const { responses } = splitResponses(await end);
      const response = responses[0]!;
      assert.deepEqual([response.status, json(response).code], [408, 'REQUEST_TIMEOUT']);
    }
    clearInterval(drip);
    await api.stop();
  });

  test('a client that does not read its answers is cut when its time is over', async () => {
    const api = await ListenerHarness.start({
      clock: systemClock,
      limits: { address: 1_000_000 },
      connections: { writeTimeoutMs: 200 },
    });
    const socket = await openSocket(api.port);
    socket.pause();
    const request = api.requestText('/openapi/v1.json', { headers: { Connection: 'keep-alive' } });
    socket.write(request.repeat(400));
    await eventually('the connection is cut', () => api.listener.connectionFigures().cut > 0);
    assert.equal(api.listener.connectionFigures().open, 0);
    await api.stop();
  });

  test('connections beyond the bound are refused and counted, and those there are served on', async () => {
    const api = await ListenerHarness.start({ clock: systemClock, connections: { maxConnections: 2 } });
    const first = await openSocket(api.port);
    const second = await openSocket(api.port);
    await eventually('both are accepted', () => api.listener.connectionFigures().open === 2);
    const third = await openSocket(api.port);
    await readToEnd(third);
    assert.equal(api.listener.connectionFigures().dropped, 1);
    const end = readToEnd(first);
    first.write(api.requestText('/v1/time'));
    assert.equal(splitResponses(await end).responses[0]?.status, 200);
    second.destroy();
    await api.stop();
  });

  test('a port that is taken rejects the listen with the system’s error', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const api = await ListenerHarness.start();
    await api.stop();
    const { port } = taken.address() as { port: number };
    await assert.rejects(ListenerHarness.start({ port }), { code: 'EADDRINUSE' });
    taken.close();
  });
});

describe('shutting down', () => {
  test('answers under way are finished whole, new ones close their connection, idle ones are closed', async () => {
    const api = await ListenerHarness.start({ clock: systemClock });
    const idle = await openSocket(api.port);
    const idleEnd = readToEnd(idle);
    idle.write(api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } }));
    const half = await openSocket(api.port);
    const halfEnd = readToEnd(half);
    half.write('GET /v1/time HTTP/1.1\r\nHost: a\r\n');
    await eventually('both are accepted', () => api.listener.connectionFigures().open === 2);
    await eventually('the first is answered', () => idle.bytesRead > 0);
    api.listener.drain();
    const draining = await exchange(api.port, api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } }));
    assert.equal(draining.responses[0]?.headers.connection, 'close');
    const closed = api.listener.close(5000);
    assert.equal(splitResponses(await idleEnd).responses.length, 1);
    half.write(`X-EXCHANGE-APIKEY: ${api.key}\r\n\r\n`);
    const last = splitResponses(await halfEnd).responses[0];
    assert.deepEqual([last?.status, last?.headers.connection], [200, 'close']);
    await closed;
  });

  test('a half-sent request does not hold it beyond the deadline', async () => {
    const api = await ListenerHarness.start({ clock: systemClock });
    const half = await openSocket(api.port);
    const end = readToEnd(half);
    half.write('GET /v1/time HTTP/1.1\r\n');
    await eventually('it is accepted', () => api.listener.connectionFigures().open === 1);
    await api.listener.close(50);
    await end;
  });
});
