import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { digestOf, generateApiKey } from '../access/api-key.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { type Limits, MemoryLimits } from '../access/limits.ts';
import { Page } from '../board/page.ts';
import { silentLog } from '../log.ts';
import { dataPage, instantJson } from './answer.ts';
import type { AnsweredRequest, ServedRequest } from './answered-request.ts';
import { Connections } from './connections.ts';
import { Exchanges } from './exchanges.ts';
import { Handshakes } from './handshakes.ts';
import { answerRequests } from './http-server.ts';
import type { Overload, Shed } from './overload.ts';
import { RequestCounts } from './request-counts.ts';
import { requestIds } from './request-ids.ts';
import type { ReadModel, Resource } from './resource.ts';

const key = generateApiKey(seededRandomness(1));
const keyed = `X-EXCHANGE-APIKEY: ${key}`;

const large = new Page(JSON.stringify('x'.repeat(100_000)));

/** One request as bytes. */
function request(path: string, headers: readonly string[] = [keyed], start = 'GET'): string {
  return `${[`${start} ${path} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`;
}

/** A server of Node's whose requests are answered by exchanges, with all that they report. */
async function rig(t: TestContext) {
  const clock = new FakeClock();
  const counts = new RequestCounts();
  const answered: AnsweredRequest[] = [];
  const served: ServedRequest[] = [];
  const logged: object[] = [];
  const state = {
    shed: 'none' as Shed,
    isStoreBroken: false,
    counting: undefined as Promise<void> | undefined,
    parsed: 0,
  };
  const limits = new MemoryLimits(seededRandomness(3), { key: 1_000, address: 1_000, failedAuthentication: 1_000 });
  const takeForKey: Limits['takeForKey'] = (match, now) => {
    const verdict = MemoryLimits.prototype.takeForKey.call(limits, match, now);
    return state.counting === undefined ? verdict : state.counting.then(() => verdict);
  };
  const bounds = { maxConnections: 9, maxConnectionsPerAddress: 9, writeTimeoutMs: 9_000, unsentBytesMax: 9_000 };
  const connections = new Connections(clock, bounds, new Handshakes(() => undefined));
  const keys = new KeyDirectory();
  keys.upsert({ digest: digestOf(key), keyId: 'key_1', usable: true, expiresAt: undefined, limitPerMinute: undefined });
  const resource = (route: string, answer: Resource['answer']): [string, Resource] => [
    route,
    { route, answersInMaintenance: true, answer },
  ];
  const exchanges = new Exchanges({
    routes: {
      keyed: new Map([
        resource('/v1/time', ({ now }) => instantJson({ now })),
        resource('/v1/nothing', () => undefined as never),
        resource('/v1/large', () => dataPage(large)),
      ]),
      keyless: new Map([resource('/', () => instantJson({}))]),
      uncounted: new Map([
        ['/form', { ...resource('/form', () => instantJson({}))[1], submit: async () => instantJson({}) }],
      ]),
    },
    errorsUrl: 'https://errors',
    gate: {
      keys,
      limits: Object.assign(limits, { takeForKey }),
      refreshKeys: () => (state.isStoreBroken ? Promise.reject(new Error('broken')) : undefined),
    },
    addresses: new ClientAddresses([]),
    readModel: {} as ReadModel,
    ids: requestIds(seededRandomness(2)),
    onAnswered: (each) => void answered.push(each),
    onServed: (each) => void served.push(each),
    clock,
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
    connections,
    overload: { shed: () => state.shed } as unknown as Overload,
    counts,
    isSecure: false,
    keepAliveSeconds: 75,
  });
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false });
  server.on('connection', (socket) => connections.add(socket, undefined));
  server.on('request', () => state.parsed++);
  answerRequests(server, exchanges);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    connections.stop();
    server.closeAllConnections();
    server.close();
  });
  /** Sends bytes. Gives the answers that came, up to so many or to the end of the connection, each with its head and body. */
  const send = async (bytes: string, count = 1) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    let heads = 0;
    socket.on('data', (piece: Buffer) => {
      heads += piece.toString().split('HTTP/1.1 ').length - 1;
      if (heads >= count) socket.end();
    });
    socket.write(bytes);
    return answersIn(await text(socket));
  };
  /** A client that keeps its connection. */
  const client = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
    const got: Buffer[] = [];
    const ends = once(socket, 'close');
    socket.on('error', () => {}).on('data', (piece: Buffer) => got.push(piece));
    const all = () => answersIn(Buffer.concat(got).toString('latin1'));
    /** Sends pieces, each once the one before was read, and gives the answers from then on, once there are so many. */
    const ask = async (pieces: string | readonly string[], count = 1) => {
      const before = all().length;
      const isHead = [pieces].flat()[0]!.startsWith('HEAD');
      for (const piece of [pieces].flat()) {
        const read = once(server, 'bytes');
        socket.write(piece);
        await read;
      }
      const isDone = () => all().length >= before + count && (count === 0 || isWhole(all().at(-1)!, isHead));
      while (!isDone() && !socket.destroyed) await Promise.race([once(socket, 'data'), ends]);
      return all().slice(before);
    };
    return { socket, ask, all, ends };
  };
  server.on('connection', (socket) => socket.prependListener('data', () => server.emit('bytes')));
  return { clock, counts, keys, answered, served, logged, state, connections, exchanges, send, client };
}

function isWhole({ status, lines, body }: ReturnType<typeof answersIn>[number], isOfHead: boolean): boolean {
  return isOfHead || status === 304 || body.length >= Number(lines.get('Content-Length'));
}

function answersIn(all: string) {
  return all
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => {
      const [head, body] = answer.split('\r\n\r\n') as [string, string];
      const lines = new Map(head.split('\r\n').map((line) => line.split(': ') as [string, string]));
      return { status: Number(head.slice(9, 12)), connection: lines.get('Connection'), lines, body, head };
    });
}

test('an answer is counted once and reported with its key, to the record with what was asked', async (t) => {
  const { send, answered, served, counts, clock } = await rig(t);
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
      ...{ requestId: ids[0], at: clock.now(), durationMs: 0, route: '/v1/time', status: 200, code: undefined },
      bytes: time[0]!.body.length,
      keyId: 'key_1',
    },
    {
      ...{ requestId: ids[1], at: clock.now(), durationMs: 0, route: '/', status: 200, code: undefined },
      bytes: 2,
      keyId: undefined,
    },
    {
      ...{ requestId: ids[2], at: clock.now(), durationMs: 0, route: 'unmatched', status: 404, code: 'NOT_FOUND' },
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
  const { send } = await rig(t);
  const [[withKey], [without]] = [await send(request('/v1/time')), await send(request('/', []))];
  assert.deepEqual([withKey!.lines.get('Keep-Alive'), without!.lines.get('Keep-Alive')], ['timeout=75', 'timeout=5']);
});

test('a request with a body, for another protocol or with a fault in its head is the last on its connection', async (t) => {
  const { send } = await rig(t);
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
  const { send, logged, state, counts } = await rig(t);
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
  const { send, exchanges } = await rig(t);
  exchanges.drain();
  // Longer than what is parsed at a time, so that the second is known to be there when the first is answered.
  const answers = await send(request(`/?${'a'.repeat(200)}`, []).repeat(2), 2);
  assert.deepEqual(
    answers.map(({ connection }) => connection),
    ['keep-alive', 'close'],
  );
});

test('refusals of requests that are sent ahead end the connection at the fiftieth, of overload at the fifth', async (t) => {
  const { send, state, counts } = await rig(t);
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
  const { send, counts } = await rig(t);
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

describe('a request that comes once more, byte for byte,', () => {
  /** A client whose server knows the request by now. */
  async function polling(t: TestContext, bytes: string) {
    const all = await rig(t);
    const { client, state } = all;
    const poller = client();
    for (let nth = 0; nth < 4; nth++) await poller.ask(bytes);
    const before = state.parsed;
    await poller.ask(bytes);
    assert.equal(state.parsed, before, 'it is known');
    return { ...all, ...poller };
  }
  const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);

  for (const [what, bytes] of [
    ['a text', request('/v1/time?a=b')],
    ['bytes', request('/v1/large')],
    ['compressed bytes', request('/v1/large', [keyed, 'Accept-Encoding: gzip'])],
    ['nothing, for its client has it', request('/v1/large', [keyed, `If-None-Match: ${large.entityTag('identity')}`])],
    ['a failure', request('/v1/nothing')],
  ] as const)
    test(`is not parsed again, and answered as before: with ${what}`, async (t) => {
      const { clock, ask, all, state, answered, served } = await polling(t, bytes);
      const { parsed } = state;
      await clock.advance(1_000);
      await ask(bytes);
      assert.equal(state.parsed, parsed);
      const answers = all();
      const ids = answers.map(({ lines }) => lines.get('X-Request-Id'));
      assert.equal(new Set(ids).size, 6);
      const left = answers.map(({ lines }) => lines.get('X-RateLimit-Remaining'));
      if (what !== 'a failure') assert.deepEqual(left, ['999', '998', '997', '996', '995', '994']);
      const shape = ({ head, body }: (typeof answers)[number]) =>
        (head + body).replaceAll(/[0-9a-f]{32}|emaining: \d+|eset: \d+|Date: .*|"now":\d+/g, '');
      assert.deepEqual(new Set(answers.map(shape)).size, 1);
      assert.deepEqual(
        answered.map(({ requestId }) => requestId),
        ids,
      );
      const dates = answers.map(({ lines }) => Date.parse(lines.get('Date')!));
      assert.equal(dates.at(-1)! - dates.at(0)!, 1_000);
      if (what !== 'a failure') assert.deepEqual(served.map(({ request }) => request).slice(-2), [5, 6]);
    });

  test('is decided anew: a key that was withdrawn is refused, and so is whoever is shed', async (t) => {
    const { ask, keys, state } = await polling(t, request('/v1/time'));
    const { parsed } = state;
    state.shed = 'all';
    const shed = await ask(request('/v1/time'));
    state.shed = 'none';
    keys.remove(digestOf(key));
    const refused = await ask(request('/v1/time'));
    assert.deepEqual(statuses([...shed, ...refused]), [503, 401]);
    assert.equal(state.parsed, parsed);
  });

  const known = request('/v1/time');
  for (const [what, pieces, expected, then] of [
    ['two at once', [known + known, known + known], [200, 200, 200, 200], 200],
    ['in two pieces', [known.slice(0, 40), known.slice(40)], [200], 200],
    ['as the rest of another', ['GET /x HTTP/1.1\r\nX-A: ', known], [404], 200],
    ['after an empty line', [`\r\n${known}`], [200], 200],
    ['after the beginning of one', ['GET', known], [400], undefined],
    ['as a form', [request('/form', [keyed, `Content-Length: ${known.length}`], 'POST'), known], [200], 200],
  ] as const)
    test(`means what it meant only where it is alone: ${what}`, async (t) => {
      const { ask, ends, all } = await polling(t, known);
      const before = all().length;
      assert.deepEqual(statuses(await ask(pieces, expected.length)), expected);
      if (then === undefined) await ends;
      else assert.deepEqual(statuses(await ask(known)), [then]);
      assert.equal(all().length, before + expected.length + (then === undefined ? 0 : 1));
    });

  for (const [what, bytes] of [
    ['without a key', request('/', [])],
    ['for a head', request('/v1/time', [keyed], 'HEAD')],
    ['with a method that is refused', request('/v1/time', [keyed], 'DELETE')],
  ] as const)
    test(`is parsed again: ${what}`, async (t) => {
      const { client, state } = await rig(t);
      const { ask } = client();
      for (let nth = 1; nth <= 6; nth++) {
        await ask(bytes);
        assert.equal(state.parsed, nth);
      }
    });

  test('is answered before whatever came after it, also when it has to be counted elsewhere', async (t) => {
    const { ask, state, socket, all } = await polling(t, known);
    const before = all().length;
    const { promise, resolve } = Promise.withResolvers<void>();
    state.counting = promise;
    const { parsed } = state;
    await ask([known, request('/x')], 0);
    socket.write(known);
    assert.equal(state.parsed, parsed, 'the next waits');
    resolve();
    while (all().length < before + 3) await once(socket, 'data');
    assert.deepEqual(statuses(all().slice(before)), [200, 404, 200]);
  });

  test('needs no answer when its client is gone by then', async (t) => {
    const { ask, state, socket, connections, logged, answered } = await polling(t, known);
    const { promise, resolve } = Promise.withResolvers<void>();
    state.counting = promise;
    const before = answered.length;
    await ask(known, 0);
    socket.resetAndDestroy();
    while (connections.figures().open > 0) await setImmediate();
    resolve();
    while (answered.length === before) await setImmediate();
    assert.deepEqual(logged, []);
    assert.equal(connections.unsentBytes(), 0);
  });

  test('waits for a client that does not read, as any answer does', async (t) => {
    const { ask, socket, all, connections } = await polling(t, request('/v1/large'));
    let count = all().length;
    socket.pause();
    for (; connections.unsentBytes() === 0; count++) await ask(request('/v1/large'), 0);
    // Three answers are all that a client may leave behind, and a fourth request waits.
    for (let more = 0; more < 3; more++, count++) await ask(request('/v1/large'), 0);
    assert.equal(connections.unsentBytes(), 3 * large.as('identity').byteLength);
    socket.resume();
    while (all().length < count || !isWhole(all().at(-1)!, false)) await once(socket, 'data');
    assert.deepEqual(new Set(statuses(all())), new Set([200]));
    while (connections.unsentBytes() > 0) await setImmediate();
    assert.equal((await ask(request('/v1/large'))).length, 1);
  });

  test('is the last on its connection while the service drains', async (t) => {
    const { ask, exchanges, ends } = await polling(t, known);
    exchanges.drain();
    const [answer] = await ask(known);
    await ends;
    assert.deepEqual([answer!.status, answer!.connection], [200, 'close']);
  });

  test('changes no answer, however requests follow one another and in whatever pieces they arrive', async (t) => {
    const pool = [known, known, known, request('/x'), request('/v1/time', [keyed], 'HEAD'), request('/', [])];
    const asked = seededRandomness(5);
    const below = (end: number) => asked.bytes(1)[0]! % end;
    const { client, state } = await rig(t);
    let repeated = 0;
    for (let round = 0; round < 20; round++) {
      const { socket, all, ends } = client();
      const sent: string[] = [];
      const { parsed } = state;
      while (sent.length < 30) {
        const bytes = sent.length > 0 && below(2) === 0 ? sent.at(-1)! : pool[below(pool.length)]!;
        const count = below(8) === 0 ? 2 : 1;
        sent.push(...Array.from({ length: count }, () => bytes));
        const together = bytes.repeat(count);
        const cut = below(4) === 0 ? below(together.length) : 0;
        for (const piece of [together.slice(0, cut), together.slice(cut)]) {
          socket.write(piece);
          await setImmediate();
        }
        while (all().length < sent.length) await Promise.race([once(socket, 'data'), ends]);
      }
      const expected = sent.map((bytes) => (bytes.includes('GET /x') ? 404 : 200));
      assert.deepEqual(statuses(all()), expected);
      repeated += sent.length - (state.parsed - parsed);
      socket.destroy();
    }
    assert.ok(repeated > 50, `${repeated} were not parsed`);
  });
});
