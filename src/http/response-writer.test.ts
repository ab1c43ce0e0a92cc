import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Page } from '../board/page.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Answer, dataPage, instantJson, problem } from './answer.ts';
import { writeAnswer } from './response-writer.ts';

const now = Date.UTC(2026, 10, 23, 12, 0, 0, 999) as EpochMs;
const page = new Page('{"a":1}');
const answers: Readonly<Record<string, Answer>> = {
  '/page': dataPage(page, ['X-Feed-Status', 'operational']),
  '/text': instantJson({ now }),
  '/problem': problem('NOT_FOUND', 'Nothing exists at this path.'),
  '/redirect': { kind: 'redirect', location: '/v1/time' },
};
const context = {
  requestId: 'r',
  now,
  acceptEncoding: undefined,
  closes: false,
  keepAliveSeconds: 75,
  isSecure: true,
  verdict: { allowed: true, limit: 600, remaining: 599, resetSeconds: 7, retryAfterSeconds: 7 },
  errorsUrl: 'https://errors',
};

/** Everything that a server of Node's answers to these bytes. */
async function answered(bytes: string, listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 75_000 }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(bytes);
  const all = await text(socket);
  server.close();
  return all;
}

test('an answer has the same bytes as when Node writes its head, whatever the request wants of the connection', async () => {
  const requests = Object.keys(answers).flatMap((path) => [
    `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    `GET ${path} HTTP/1.0\r\n\r\n`,
    `GET ${path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${page.entityTag('identity')}\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3),
  ]);
  for (const bytes of requests) {
    const heads: { readonly status: number; readonly headers: string[] }[] = [];
    const ours = await answered(bytes, (request, response) => {
      writeAnswer(response, answers[request.url!]!, { ...context, ifNoneMatch: request.headers['if-none-match'] });
    });
    for (const [head] of ours.matchAll(/HTTP\/1\.1 .*?\r\n\r\n/gs)) {
      const [first, ...lines] = head.trimEnd().split('\r\n');
      const own = lines.filter((line) => !/^(Date|Connection|Keep-Alive):/.test(line));
      heads.push({ status: Number(first!.split(' ')[1]), headers: own.flatMap((line) => line.split(': ')) });
    }
    const body = ours.slice(ours.lastIndexOf('\r\n\r\n') + 4);
    const nodes = await answered(bytes, (_request, response) => {
      const { status, headers } = heads.shift()!;
      response.writeHead(status, headers).end(body);
    });
    assert.equal(ours.replaceAll(/^Date: .*$/gm, 'Date'), nodes.replaceAll(/^Date: .*$/gm, 'Date'), bytes);
  }
});

test('the date of an answer is the second in which it is written', async () => {
  const instants = [now, now + 1, now + 2] as EpochMs[];
  const all = await answered('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3), (_request, response) => {
    writeAnswer(response, answers['/text']!, { ...context, now: instants.shift()!, ifNoneMatch: undefined });
  });
  const dates = [...all.matchAll(/^Date: (.*)\r$/gm)].map(([, date]) => date);
  const next = 'Mon, 23 Nov 2026 12:00:01 GMT';
  assert.deepEqual(dates, ['Mon, 23 Nov 2026 12:00:00 GMT', next, next]);
});

/** Status, headers and body of the one answer to a request, and what its writing returned. */
async function one(answer: Answer, more: object = {}) {
  let written: object | undefined;
  const all = await answered('GET / HTTP/1.1\r\nHost: a\r\n\r\n', (_request, response) => {
    written = writeAnswer(response, answer, { ...context, isSecure: false, ifNoneMatch: undefined, ...more });
  });
  const [head, body] = all.split('\r\n\r\n') as [string, string];
  const [status, ...lines] = head.split('\r\n');
  const own = lines.filter(
    (line) => !/^(Date|Keep-Alive|X-Request-Id|X-Content-Type-Options|X-RateLimit-.*):/.test(line),
  );
  return { status, lines: own, body, written };
}

test('every kind of answer has its headers, and says what it wrote', async () => {
  const tag = page.entityTag('identity');
  const open = 'Connection: keep-alive';
  const json = 'Content-Type: application/json';
  const data = ['Cache-Control: private, no-cache', `ETag: ${tag}`, 'Vary: Accept-Encoding'];
  assert.deepEqual(await one(dataPage(page)), {
    status: 'HTTP/1.1 200 OK',
    lines: [...data, json, 'Content-Length: 7', open],
    body: '{"a":1}',
    written: { status: 200, bytes: 7 },
  });
  assert.deepEqual(await one(answers['/page']!, { ifNoneMatch: tag }), {
    status: 'HTTP/1.1 304 Not Modified',
    lines: [...data, 'X-Feed-Status: operational', open],
    body: '',
    written: { status: 304, bytes: 0 },
  });
  assert.deepEqual(await one(instantJson({ now: 'č' })), {
    status: 'HTTP/1.1 200 OK',
    lines: [json, 'Cache-Control: no-store', 'Content-Length: 12', open],
    body: '{"now":"č"}',
    written: { status: 200, bytes: 12 },
  });
  const page404 = { kind: 'text', status: 404, text: 'x', contentType: 'text/html', extraHeaders: ['A', 'b'] } as const;
  assert.deepEqual(await one(page404, { closes: true }), {
    status: 'HTTP/1.1 404 Not Found',
    lines: ['Content-Type: text/html', 'Cache-Control: no-store', 'A: b', 'Content-Length: 1', 'Connection: close'],
    body: 'x',
    written: { status: 404, bytes: 1 },
  });
  assert.deepEqual(await one(answers['/redirect']!), {
    status: 'HTTP/1.1 308 Permanent Redirect',
    lines: ['Location: /v1/time', 'Cache-Control: public, max-age=300', 'Content-Length: 0', open],
    body: '',
    written: { status: 308, bytes: 0 },
  });
});

test('a problem has the headers of its status, and the connection its time', async () => {
  const linesOf = async (answer: Answer, more?: object) => {
    const { lines } = await one(answer, more);
    return lines.filter((line) => !/^(Content-Length|Connection):/.test(line));
  };
  const always = ['Content-Type: application/problem+json', 'Cache-Control: no-store'];
  assert.deepEqual(await linesOf(problem('INVALID_API_KEY', '')), [
    ...always,
    'WWW-Authenticate: ApiKey realm="market-data"',
  ]);
  assert.deepEqual(await linesOf(problem('METHOD_NOT_ALLOWED', '')), [...always, 'Allow: GET, HEAD']);
  assert.deepEqual(await linesOf(problem('RATE_LIMIT_EXCEEDED', '', 17, ['A', 'b'])), [
    ...always,
    'A: b',
    'Retry-After: 17',
  ]);
  const secure = ['Strict-Transport-Security: max-age=31536000', ...always];
  assert.deepEqual(await linesOf(answers['/problem']!, { isSecure: true }), secure);
  const { body, written } = await one(answers['/problem']!);
  const { code, detail, requestId, type } = JSON.parse(body) as Record<string, string>;
  assert.deepEqual(
    [code, detail, requestId, type],
    ['NOT_FOUND', 'Nothing exists at this path.', 'r', 'https://errors/not-found'],
  );
  assert.deepEqual(written, { status: 404, bytes: body.length });
});

test('a page is written in the coding that its client prefers, small or large', async () => {
  for (const long of ['a'.repeat(100), 'ab'.repeat(10_000)]) {
    const coded = dataPage(new Page(long));
    const gzip = await answered('GET / HTTP/1.1\r\nHost: a\r\n\r\n', (_request, response) => {
      writeAnswer(response, coded, { ...context, acceptEncoding: 'gzip', ifNoneMatch: undefined });
    });
    const { byteLength, entityTag } = coded.page.as('gzip');
    assert.match(
      gzip,
      new RegExp(`ETag: ${entityTag}\r\n[^]*Content-Encoding: gzip\r\nContent-Length: ${byteLength}\r\n`),
    );
    assert.equal((await one(coded)).body, long);
  }
});
