import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { sized } from '../faults/full-size.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, openSocket, readToEnd, splitResponses, type WireResponse } from '../support/http-client.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

describe('below HTTP', () => {
  let api: ListenerHarness;
  before(async () => {
    const plenty = 1_000_000;
    api = await ListenerHarness.start({ limits: { key: plenty, address: plenty, failedAuthentication: plenty } });
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

  test('bytes that are not HTTP are 400 BAD_REQUEST and the end of the connection (fault row 6)', async () => {
    const clientHello = Buffer.from('16030100a5010000a10303', 'hex');
    const matrix = [
      clientHello,
      'nonsense\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /v1/time\r\n\r\n',
      `GET\t/v1/time HTTP/1.1\r\n${head}\r\n`,
      `GET v1/time HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/\xff HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/time HTTP/1.2\r\n${head}\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}X\r\n\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}: a\r\n\r\n`,
      `GET /v1/time HTTP/1.1\r\n${head}X: a\x0bb\r\n\r\n`,
      `FOO v1/time HTTP/1.1\r\n${head}\r\n`,
      `FOO /v1/time HTTP/2.0\r\n${head}\r\n`,
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

  test('too large a head is 431, whether by one header, by many, or by the target (fault row 7)', async () => {
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

  test('an If-None-Match as long as the document allows is taken, and a longer one is 431 (fault row 7)', async () => {
    const asking = (length: number) => `GET / HTTP/1.1\r\n${head}If-None-Match: ${'a'.repeat(length)}\r\n`;
    const { responses } = await exchange(api.port, `${asking(4_096)}Connection: close\r\n\r\n`);
    assert.equal(responses[0]?.status, 200);
    await refusedWith('REQUEST_HEADER_FIELDS_TOO_LARGE', 431, `${asking(4_097)}\r\n`);
  });

  test('an expectation that cannot be met is 417 (fault row 6)', async () => {
    await refusedWith('EXPECTATION_FAILED', 417, `GET /v1/time HTTP/1.1\r\n${head}Expect: foo\r\n\r\n`);
  });

  test('a method that HTTP does not know, and CONNECT, are 405 with the methods allowed, for any path and without a key (fault row 6)', async () => {
    const requests = [
      `FOO /v1/time HTTP/1.1\r\n${head}\r\n`,
      `get /v1/time HTTP/1.1\r\n${head}\r\n`,
      `GETS /nowhere HTTP/1.0\r\n\r\n`,
      `CONNECT example.org:443 HTTP/1.1\r\n${head}\r\n`,
      `CONNECT /v1/time HTTP/1.1\r\n${head}\r\n${'x'.repeat(20_000)}`,
    ];
    for (const bytes of requests) {
      const response = await refusedWith('METHOD_NOT_ALLOWED', 405, bytes);
      assert.equal(response.headers.allow, 'GET, HEAD', bytes.slice(0, 40));
    }
  });

  test('what was asked before a method that HTTP does not know has its answer first', async () => {
    const first = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
    const connect = await exchange(api.port, `${first}CONNECT a:1 HTTP/1.1\r\n${head}\r\n`, ['GET', 'CONNECT']);
    assert.deepEqual(
      connect.responses.map(({ status }) => status),
      [200, 405],
    );
  });

  test('a request hidden in another by a disputed length, coding or line end is never looked at: its key is not counted (fault row 5)', async () => {
    const key = api.addKey();
    const hidden = api.requestText('/v1/time', { key, headers: { Connection: 'keep-alive' } });
    const framing = {
      refused: [
        'Content-Length: 4\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 4',
        'Content-Length: 0\r\nTransfer-Encoding: chunked',
        'Content-Length: 5\r\nContent-Length: 5',
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: +5',
        'Content-Length: -5',
        'Content-Length: 0x5',
        'Content-Length: 5, 5',
        'Content-Length: 99999999999999999999',
        'Transfer-Encoding: chunked, identity',
        'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
        'Transfer-Encoding : chunked',
        'Transfer-Encoding:\r\n chunked',
        'X: a\r\n b',
        'X: a\nTransfer-Encoding: chunked',
        'X: a\rTransfer-Encoding: chunked',
        'X: a\0\r\nTransfer-Encoding: chunked',
      ],
      answeredAndClosed: [
        'Content-Length: 1',
        `Content-Length: ${hidden.length}`,
        'Transfer-Encoding: xchunked',
        'Transfer-Encoding: identity',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue\r\nTransfer-Encoding: chunked',
      ],
    };
    const bodies = [
      '0\r\n\r\n',
      '5;a\nhello\r\n0\r\n\r\n',
      '5\nhello\n0\n\n',
      '-5\r\nhello\r\n0\r\n\r\n',
      'fffffffffffffffff\r\nhello\r\n0\r\n\r\n',
      `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      `0\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`,
      '',
    ];
    for (const method of ['GET', 'POST']) {
      const start = `${method} /v1/time HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${api.key}\r\n`;
      for (const body of bodies) {
        for (const lines of framing.refused)
          await refusedWith('BAD_REQUEST', 400, `${start}${lines}\r\n\r\n${body}${hidden}`);
        for (const lines of framing.answeredAndClosed) {
          const { responses, rest } = await exchange(api.port, `${start}${lines}\r\n\r\n${body}${hidden}`);
          assert.deepEqual([responses.length, rest.length], [1, 0], `${lines} ${body}`);
          assert.equal(responses[0]?.headers.connection, 'close', `${lines} ${body}`);
          api.validate(method, '/v1/time', responses[0]!);
        }
      }
    }
    assert.equal((await api.get('/v1/time', { key })).headers['x-ratelimit-remaining'], '999999');
  });

  for (const [name, framing] of Object.entries({
    length: 'Content-Length: 1000000000',
    chunks: 'Transfer-Encoding: chunked',
  })) {
    test(`a request that announces a gigabyte by its ${name} gets its one answer, and little more than 64 KiB is read (fault row 4)`, async () => {
      const seen: Socket[] = [];
      const note = (message: unknown) => seen.push((message as { socket: Socket }).socket);
      subscribe('http.server.request.start', note);
      const socket = await openSocket(api.port);
      const ended = readToEnd(socket);
      socket.write(`GET /v1/time HTTP/1.1\r\n${head}X-EXCHANGE-APIKEY: ${api.key}\r\n${framing}\r\n\r\n`);
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')]);
      let sent = 0;
      const write = () => {
        while (!socket.destroyed && sent < 1_000_000_000) {
          sent += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', write);
        }
      };
      write();
      const { responses, rest } = splitResponses(await ended);
      unsubscribe('http.server.request.start', note);
      assert.deepEqual([responses.length, rest.length, responses[0]?.status], [1, 0, 200]);
      assert.equal(responses[0]?.headers.connection, 'close');
      assert.equal(seen.length, 1);
      // What is read at a time is 64 KiB too, so the last read may go beyond the bound by as much.
      assert.ok(seen[0]!.bytesRead <= 3 * 65_536, `${seen[0]!.bytesRead} bytes were read`);
    });
  }

  test('a request that comes byte by byte, or in two parts split anywhere, is answered as if it came at once (fault row 8)', async () => {
    const text = api.requestText('/v1/ticker?symbol=BTCEUR');
    const send = async (parts: readonly string[]) => {
      const socket = await openSocket(api.port);
      const ended = readToEnd(socket);
      for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
      const bytes = (await ended).toString('latin1');
      return bytes.replace(/^(X-Request-Id|X-RateLimit-Remaining|Date): .*$/gm, '$1');
    };
    const whole = await send([text]);
    assert.match(whole, /^HTTP\/1\.1 200 /);
    assert.equal(await send([...text]), whole);
    for (let at = 1; at < text.length; at++)
      assert.equal(await send([text.slice(0, at), text.slice(at)]), whole, `at ${at}`);
  });

  test('a malformed request after good ones is answered last', async () => {
    const good = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
    const { responses } = await exchange(api.port, `${good.repeat(5)}garbage\r\n\r\n`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200, 200, 400],
    );
  });

  test('header and query names of the object prototype are ordinary, and so are values of any byte (fault row 12)', async () => {
    const headers = { ['__proto__']: 'x', constructor: 'y', prototype: 'z' };
    assert.equal((await api.get('/v1/time?__proto__=1&constructor=2', { headers })).status, 200);
    const bytes = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index)).join('');
    assert.equal((await api.get('/v1/time', { headers: { 'X-Bytes': bytes, Accept: bytes } })).status, 200);
    assert.equal(
      (await api.get('/v1/markets', { headers: { 'Accept-Encoding': bytes, 'If-None-Match': bytes } })).status,
      200,
    );
    assert.deepEqual(Object.keys(Object.prototype), []);
  });

  test('a client that resets before its answer is counted at most once, on its own address, and logs nothing (fault row 11)', async () => {
    const answered = () => api.listener.counts.byRouteAndStatus.get('unmatched')?.get(401) ?? 0;
    const before = answered();
    const clients = sized(100, 1000);
    for (let client = 0; client < clients; client++) {
      const socket = await openSocket(api.port);
      socket.write(api.requestText('/v1/time', { key: 'wrong' }));
      if (client % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    await eventually('all are gone', () => api.listener.connectionFigures().open === 0);
    const counted = answered() - before;
    assert.ok(counted <= clients, `${counted} answers to ${clients} requests`);
    const { headers } = await api.get('/v1/time', { key: 'wrong' });
    assert.equal(headers['x-ratelimit-remaining'], String(1_000_000 - before - counted - 1));
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
    socket.write(request.repeat(100));
    await eventually('the connection is cut', () => api.listener.connectionFigures().cut > 0);
    await eventually('it is gone', () => api.listener.connectionFigures().open === 0);
    await api.stop();
  });

  test('connections beyond the bound are refused and counted, and the open ones are served', async () => {
    const api = await ListenerHarness.start({ clock: systemClock, connections: { maxConnections: 2 } });
    const [first, second] = [await Wire.open(api.port), await Wire.open(api.port)];
    const ask = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
    for (const client of [first, second]) assert.equal((await client.ask(ask)).status, 200);
    await readToEnd(await openSocket(api.port));
    assert.equal(api.listener.connectionFigures().dropped, 1);
    for (const client of [first, second]) assert.equal((await client.ask(ask)).status, 200);
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
