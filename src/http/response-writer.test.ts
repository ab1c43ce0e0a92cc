import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Page } from '../board/page.ts';
import type { EpochMs } from '../clock.ts';
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
  ...{ requestId: 'r', now, acceptEncoding: undefined, closes: false, keepAliveSeconds: 75, isSecure: true },
  ...{
    verdict: { allowed: true, limit: 600, remaining: 599, resetSeconds: 7, retryAfterSeconds: 7 },
    errorsUrl: 'https://errors',
  },
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
