import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { type FetchBounds, fetchText, type RefusedAnswer, readRetryAfter } from './bounded-fetch.ts';
import { UpstreamError } from './wire.ts';

const servers: Server[] = [];
const never = new AbortController().signal;

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(address: string, clock = new FakeClock(), signal = never, refused?: FetchBounds['refused']) {
  return fetchText(address, { clock, timeoutMs: 5_000, bodyBytesMax: 1_000, signal, refused });
}

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof UpstreamError);
  return error;
}

test('a 2xx answer is given with the instants of request and answer', async () => {
  const host = await serve((_request, response) => response.end('{"a":1}'));
  const clock = new FakeClock();
  const answer = await ask(`http://${host}/`, clock);
  assert.deepEqual(answer, { text: '{"a":1}', askedAt: clock.now(), receivedAt: clock.now() });
});

test('an answer from a cache was asked for when the cache had it', async () => {
  const clock = new FakeClock();
  for (const [age, ageMs] of [
    ['7', 7_000],
    ['soon', 0],
    ['-3', 0],
  ] as const) {
    const host = await serve((_request, response) => response.setHeader('Age', age).end('{}'));
    const { askedAt, receivedAt } = await ask(`http://${host}/`, clock);
    assert.deepEqual([askedAt, receivedAt], [clock.now() - ageMs, clock.now()], age);
  }
});

test('an answer that does not come, or stops half-way, ends at the deadline of the injected clock', async () => {
  let asked = 0;
  const host = await serve((request, response) => {
    asked++;
    if (request.url === '/half') response.write('{"a":');
  });
  for (const path of ['/none', '/half']) {
    const clock = new FakeClock();
    const before = asked;
    const failure = failureOf(ask(`http://${host}${path}`, clock));
    await eventually('the request arrived', () => asked > before);
    await clock.advance(5_000);
    assert.equal((await failure).kind, 'timeout');
    assert.equal(clock.pendingTimers, 0);
  }
});

test('a body beyond the bound is cut off, compressed or not', async () => {
  const host = await serve((request, response) => {
    if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(5_000_000)));
    else response.end('x'.repeat(1_001));
  });
  for (const path of ['/plain', '/gzip']) {
    assert.equal((await failureOf(ask(`http://${host}${path}`))).kind, 'too_large');
  }
});

test('429 and 418 are rate limits with the time to wait, other failures a status', async () => {
  const host = await serve((request, response) => {
    const [, status, seconds] = (request.url ?? '').split('/');
    if (seconds !== undefined) response.setHeader('retry-after', seconds);
    response.writeHead(Number(status)).end('<html>secret</html>');
  });
  const outcomes: unknown[] = [];
  for (const path of ['/429/7', '/418/2', '/429', '/500', '/503/3', '/404']) {
    const { kind, message, retryAfterMs } = await failureOf(ask(`http://${host}${path}`));
    outcomes.push([kind, message, retryAfterMs]);
  }
  assert.deepEqual(outcomes, [
    ['rate_limited', 'HTTP status 429', 7_000],
    ['rate_limited', 'HTTP status 418', 2_000],
    ['rate_limited', 'HTTP status 429', undefined],
    ['status', 'HTTP status 500', undefined],
    ['status', 'HTTP status 503', 3_000],
    ['status', 'HTTP status 404', undefined],
  ]);
});

test('an error is what the caller makes of its status, its body and what its headers ask for', async () => {
  const host = await serve((request, response) => {
    response.writeHead(400, request.url === '/days' ? { 'retry-after': '259200' } : {}).end('{"code":"400.002"}');
  });
  const refused = ({ status, text, retryAfterMs }: RefusedAnswer) =>
    new UpstreamError('rate_limited', `${status} ${text}`, retryAfterMs);
  const failure = await failureOf(ask(`http://${host}/`, new FakeClock(), never, refused));
  assert.deepEqual([failure.kind, failure.message], ['rate_limited', '400 {"code":"400.002"}']);
  const days = await failureOf(ask(`http://${host}/days`, new FakeClock(), never, refused));
  assert.equal(days.retryAfterMs, 3 * 86_400_000, 'a ban can be for days');
});

test('Retry-After is read as seconds or as a date, never negative and never over an hour', () => {
  const now = new FakeClock('2026-11-21T10:00:00.000Z').now();
  const read = (header: string | undefined) => readRetryAfter(header, now);
  assert.equal(read('Sat, 21 Nov 2026 10:00:30 GMT'), 30_000);
  assert.equal(read('Sat, 21 Nov 2026 09:00:00 GMT'), 0);
  assert.equal(read('999999'), 3_600_000);
  assert.equal(read('soon'), undefined);
  assert.equal(read(undefined), undefined);
});

test('credentials in a URL are sent, and appear in no error', async () => {
  let authorization: string | undefined;
  const host = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.writeHead(500).end();
  });
  const refused = await failureOf(ask(`http://user:pa%20ss@${host}/path?token=hidden`));
  assert.equal(authorization, `Basic ${Buffer.from('user:pa ss').toString('base64')}`);
  servers.splice(0).forEach((server) => {
    server.closeAllConnections();
    server.close();
  });
  const unreachable = await failureOf(ask(`http://user:pa%20ss@${host}/path?token=hidden`));
  assert.equal(unreachable.kind, 'network');
  for (const error of [refused, unreachable]) assert.doesNotMatch(inspect(error, { depth: 9 }), /pa ss|pa%20ss|hidden/);
});

test('a redirect, a body that is not UTF-8 and a broken connection are failures', async () => {
  const host = await serve((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: '/' }).end();
    else if (request.url === '/bytes') response.end(Buffer.from([0xff, 0xfe]));
    else request.socket.destroy();
  });
  const kinds: string[] = [];
  for (const path of ['/redirect', '/bytes', '/broken'])
    kinds.push((await failureOf(ask(`http://${host}${path}`))).kind);
  assert.deepEqual(kinds, ['status', 'malformed', 'network']);
});

test('the caller can cancel at any time', async () => {
  let asked = false;
  const host = await serve(() => {
    asked = true;
  });
  const controller = new AbortController();
  const failure = failureOf(ask(`http://${host}/`, new FakeClock(), controller.signal));
  await eventually('the request arrived', () => asked);
  controller.abort();
  assert.equal((await failure).kind, 'aborted');
  assert.equal((await failureOf(ask(`http://${host}/`, new FakeClock(), controller.signal))).kind, 'aborted');
});
