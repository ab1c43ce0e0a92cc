import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { findHttpFault, type ParserError, parserProblem, writeRawProblem } from './malformed-request.ts';

interface Head {
  readonly version?: readonly [number, number];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The code and detail of what is wrong with a head. */
function faultOf({ version: [httpVersionMajor, httpVersionMinor] = [1, 1], headers = { host: 'a' } }: Head) {
  const fault = findHttpFault({ httpVersionMajor, httpVersionMinor, headers } as unknown as IncomingMessage);
  return fault && [fault.code, fault.detail];
}

test('a head is HTTP/1.0 or 1.1, has one Host, which 1.0 may leave out, a Transfer-Encoding that ends in chunked, and an If-None-Match of at most 4,096 characters (fault row 113)', () => {
  const missing = ['BAD_REQUEST', 'The Host header is missing.'];
  const long = ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'The If-None-Match header is longer than accepted.'];
  const known: readonly (readonly [Head, readonly string[] | undefined])[] = [
    [{}, undefined],
    [{ version: [1, 0], headers: {} }, undefined],
    [{ version: [1, 0], headers: { host: 'a' } }, undefined],
    [{ headers: {} }, missing],
    [{ version: [2, 0] }, ['BAD_REQUEST', 'The HTTP version is not 1.0 or 1.1.']],
    [{ version: [0, 9] }, ['BAD_REQUEST', 'The HTTP version is not 1.0 or 1.1.']],
    [{ headers: { host: 'a, b' } }, ['BAD_REQUEST', 'The Host header is given more than once.']],
    ...['', 'a.example:8080', '[::1]:80', '127.0.0.1', 'a_b~'].map(
      (host) => [{ headers: { host } }, undefined] as const,
    ),
    ...['a b', 'a/b', 'a@b', 'a:b', '[::1', 'a\tb', 'ä'].map(
      (host) => [{ headers: { host } }, ['BAD_REQUEST', 'The Host header is not a host.']] as const,
    ),
    ...['chunked', 'gzip, chunked', 'gzip,\tChunked'].map(
      (coding) => [{ headers: { host: 'a', 'transfer-encoding': coding } }, undefined] as const,
    ),
    ...['gzip', 'chunked, gzip', 'xchunked', ''].map(
      (coding) =>
        [
          { headers: { host: 'a', 'transfer-encoding': coding } },
          ['BAD_REQUEST', 'The Transfer-Encoding does not end in chunked.'],
        ] as const,
    ),
    [{ headers: { host: 'a', 'if-none-match': 'x'.repeat(4_096) } }, undefined],
    [{ headers: { host: 'a', 'if-none-match': 'x'.repeat(4_097) } }, long],
  ];
  for (const [head, fault] of known) assert.deepEqual(faultOf(head), fault, JSON.stringify(head).slice(0, 80));
});

/** The code and detail of the answer to bytes that the parser refused. */
function problemOf(code: string, bytes?: string) {
  const rawPacket = bytes === undefined ? undefined : Buffer.from(bytes, 'latin1');
  const { code: answered, detail } = parserProblem({ code, rawPacket } as ParserError);
  return [answered, detail];
}

test('bytes that are no request are answered by what the parser found', () => {
  const malformed = ['BAD_REQUEST', 'The request is not well-formed HTTP.'];
  const tooLarge = ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'The request line and headers are larger than accepted.'];
  assert.deepEqual(problemOf('HPE_INVALID_VERSION'), malformed);
  assert.deepEqual(problemOf('HPE_HEADER_OVERFLOW'), tooLarge);
  const late = ['REQUEST_TIMEOUT', 'The request was not received completely in time.'];
  assert.deepEqual(problemOf('ERR_HTTP_REQUEST_TIMEOUT'), late);
});

test('an unknown method in a request that is well-formed is a method that is not allowed, anything else is malformed', () => {
  const notAllowed = 'METHOD_NOT_ALLOWED';
  const known: readonly (readonly [string | undefined, string])[] = [
    ['FOO / HTTP/1.1\r\n', notAllowed],
    ['F-o.o! /v1/ticker?symbol=BTCEUR HTTP/1.0\r\nHost: a\r\n\r\n', notAllowed],
    ['FOO / HTTP/1.2\r\n', 'BAD_REQUEST'],
    ['FOO / HTTP/2.0\r\n', 'BAD_REQUEST'],
    ['FOO v1 HTTP/1.1\r\n', 'BAD_REQUEST'],
    ['FOO /a b HTTP/1.1\r\n', 'BAD_REQUEST'],
    [' FOO / HTTP/1.1\r\n', 'BAD_REQUEST'],
    ['F(O / HTTP/1.1\r\n', 'BAD_REQUEST'],
    ['FOO / HTTP/1.1', 'BAD_REQUEST'],
    ['GET / HTTP/1.1\r\n', 'BAD_REQUEST'],
    ['', 'BAD_REQUEST'],
    [undefined, 'BAD_REQUEST'],
    [`FOO /${'a'.repeat(4_096)} HTTP/1.1\r\n`, 'BAD_REQUEST'],
  ];
  for (const [bytes, code] of known)
    assert.equal(problemOf('HPE_INVALID_METHOD', bytes)[0], code, `${bytes?.slice(0, 60)}`);
});

test('a problem on a connection without a parser is whole, and its end', async () => {
  const server = createServer((socket) => {
    const { code, detail, ...rest } = parserProblem({ code: 'HPE_INVALID_METHOD' } as ParserError);
    writeRawProblem(socket, { ...rest, code, detail }, 'r-1', 'https://errors');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It sends nothing and keeps its side open: the server has to end the connection by itself.
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  const [head, body] = (await text(socket)).split('\r\n\r\n');
  socket.destroy();
  server.close();
  await once(server, 'close');
  assert.deepEqual(head!.split('\r\n'), [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json',
    'Cache-Control: no-store',
    'X-Request-Id: r-1',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${body!.length}`,
    'Connection: close',
  ]);
  const { code, requestId, type } = JSON.parse(body!) as Record<string, string>;
  assert.deepEqual([code, requestId, type], ['BAD_REQUEST', 'r-1', 'https://errors/bad-request']);
});
