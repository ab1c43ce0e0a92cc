import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredRequest, ServedRequest } from './answered-request.ts';
import { exchanging, keyed, request } from './exchanges.testing.ts';

test('an answer is counted once and reported with its key, to the record with what was asked', async (t) => {
  const { send, answered, served, counts, clock } = await exchanging(t);
  const [time, root, lost] = [
    await send(request('/v1/time?a=b')),
    await send(request('/', [])),
    await send(request('/x')),
  ];
  assert.deepEqual(
    [time, root, lost].map(([answer]) => answer!.status),
    [200, 200, 404],
  );
  const ids = [time, root, lost].map(([answer]) => answer!.lines.get('X-Request-Id'));
  assert.deepEqual(answered, [
    {
      requestId: ids[0],
      at: clock.now(),
      durationMs: 0,
      route: '/v1/time',
      status: 200,
      code: undefined,
      bytes: time[0]!.body.length,
      keyId: 'key_1',
    },
    {
      requestId: ids[1],
      at: clock.now(),
      durationMs: 0,
      route: '/',
      status: 200,
      code: undefined,
      bytes: 2,
      keyId: undefined,
    },
    {
      requestId: ids[2],
      at: clock.now(),
      durationMs: 0,
      route: 'unmatched',
      status: 404,
      code: 'NOT_FOUND',
      bytes: lost[0]!.body.length,
      keyId: undefined,
    },
  ] as AnsweredRequest[]);
  const [{ answer, ...rest }] = served as [ServedRequest];
  assert.equal(served.length, 1);
  assert.equal(answer.kind, 'text');
  assert.deepEqual(rest, {
    request: rest.request,
    keyId: 'key_1',
    now: clock.now(),
    query: 'a=b',
    route: '/v1/time',
    status: 200,
  });
  assert.deepEqual([...counts.byCode], [['NOT_FOUND', 1]]);
  assert.deepEqual(
    [...counts.byRouteAndStatus].map(([route, each]) => [route, ...each]),
    [
      ['/v1/time', [200, 1]],
      ['/', [200, 1]],
      ['unmatched', [404, 1]],
    ],
  );
});

test('a connection is promised 75 s with a key and 5 s without', async (t) => {
  const { send } = await exchanging(t);
  const [[withKey], [without]] = [await send(request('/v1/time')), await send(request('/', []))];
  assert.deepEqual([withKey!.lines.get('Keep-Alive'), without!.lines.get('Keep-Alive')], ['timeout=75', 'timeout=5']);
});

test('a request with a body, for another protocol or with a fault in its head is the last on its connection', async (t) => {
  const { send } = await exchanging(t);
  const lasts = [
    [`${request('/v1/time', [keyed, 'Content-Length: 3'])}abc`, 200],
    [`${request('/v1/time', [keyed, 'Transfer-Encoding: chunked'])}0\r\n\r\n`, 200],
    [request('/v1/time', [keyed, 'Connection: Upgrade', 'Upgrade: websocket']), 200],
    [request('/v1/time', [keyed, 'Host: b']), 400],
    [request('/v1/time', [keyed, 'Expect: x']), 417],
  ] as const;
  for (const [bytes, status] of lasts) {
    const answers = await send(bytes + request('/v1/time'), 2);
    assert.deepEqual(
      answers.map((each) => [each.status, each.connection]),
      [[status, 'close']],
      bytes,
    );
  }
  const empty = await send(request('/v1/time', [keyed, 'Content-Length: 0']) + request('/v1/time'), 2);
  assert.deepEqual(
    empty.map((each) => each.status),
    [200, 200],
  );
});

test('a failure is a problem document and a line of the log, whether it comes at once or later', async (t) => {
  const { send, logged, state, counts } = await exchanging(t);
  const [none] = await send(request('/v1/nothing'));
  state.isStoreBroken = true;
  const [rejected] = await send(request('/v1/time', ['X-EXCHANGE-APIKEY: mdk_unknown']));
  for (const answer of [none!, rejected!]) {
    assert.equal(answer.status, 500);
    assert.equal(JSON.parse(answer.body).code, 'INTERNAL_ERROR');
    assert.equal(JSON.parse(answer.body).requestId, answer.lines.get('X-Request-Id'));
  }
  assert.equal(logged.length, 2);
  assert.deepEqual([...counts.byCode], [['INTERNAL_ERROR', 2]]);
});

test('while it drains the last answer to a client closes its connection, and those sent before it do not', async (t) => {
  const { send, exchanges } = await exchanging(t);
  exchanges.drain();
  // Longer than what is parsed at a time, so that the second is known to be there when the first is answered.
  const answers = await send(request(`/?${'a'.repeat(200)}`, []).repeat(2), 2);
  assert.deepEqual(
    answers.map(({ connection }) => connection),
    ['keep-alive', 'close'],
  );
});

test('refusals of requests that are sent ahead end the connection at the fiftieth, of overload at the fifth', async (t) => {
  const { send, state, counts } = await exchanging(t);
  const refused = await send(request('/v1/time', []).repeat(80), 80);
  assert.deepEqual(
    [refused.length, refused.at(-1)!.connection, refused.at(-2)!.connection],
    [50, 'close', 'keep-alive'],
  );
  const lost = await send(request('/x', []).repeat(80), 80);
  assert.equal(lost.length, 80);
  state.shed = 'all';
  const shed = await send(request('/').repeat(80), 80);
  assert.deepEqual([shed.length, shed.at(-1)!.status, shed.at(-1)!.connection], [5, 503, 'close']);
  assert.equal(counts.shed, 5);
});

test('bytes that are no request, and a tunnel, are refused after the answers that are due, and end the connection', async (t) => {
  const { send, counts } = await exchanging(t);
  const malformed = await send(`${request('/v1/time')}nonsense\r\n\r\n`, 2);
  assert.deepEqual(
    malformed.map((each) => [each.status, each.connection]),
    [
      [200, 'keep-alive'],
      [400, 'close'],
    ],
  );
  const tunnel = await send(`${request('/v1/time')}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nmore`, 2);
  assert.deepEqual(
    tunnel.map((each) => [each.status, each.connection]),
    [
      [200, 'keep-alive'],
      [405, 'close'],
    ],
  );
  assert.equal(JSON.parse(tunnel[1]!.body).code, 'METHOD_NOT_ALLOWED');
  assert.deepEqual(
    counts.byRouteAndStatus.get('unmatched'),
    new Map([
      [400, 1],
      [405, 1],
    ]),
  );
  assert.deepEqual(
    [...counts.byCode],
    [
      ['BAD_REQUEST', 1],
      ['METHOD_NOT_ALLOWED', 1],
    ],
  );
});
