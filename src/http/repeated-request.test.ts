import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { digestOf } from '../access/api-key.ts';
import { connected } from './connection.testing.ts';
import type { Reply } from './direct-reply.ts';
import { exchanging, isWhole, key, keyed, large, request } from './exchanges.testing.ts';
import type { RequestHead } from './repeated-request.ts';

describe('a request that comes once more, byte for byte,', () => {
  /** A client whose server knows the request by now. */
  async function polling(t: TestContext, bytes: string) {
    const all = await exchanging(t);
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

  const tagged = (tag: string, name = 'If-None-Match') => request('/v1/large', [keyed, `${name}: ${tag}`, 'X-A: b']);
  const current = large.entityTag('identity');
  const former = `"${'a'.repeat(current.length - 2)}"`;

  test('is not parsed again under another entity tag, and compared with that one', async (t) => {
    const { ask, state } = await polling(t, tagged(former));
    const { parsed } = state;
    const answers: number[] = [];
    for (const tag of [current, current, former, current]) answers.push(...statuses(await ask(tagged(tag))));
    assert.deepEqual(answers, [304, 304, 200, 304]);
    assert.equal(state.parsed, parsed);
  });

  for (const [what, from, to, expected] of [
    ['several tags', tagged(former), tagged(`${former.slice(0, -6)}", "b"`), 200],
    ['a weak one', tagged(`"--${current.slice(1)}`), tagged(`W/${current}`), 304],
    ['spaces around it', tagged(`"--${current.slice(1)}`), tagged(` ${current} `), 304],
    ['any', tagged('"a"'), tagged(' * '), 304],
    ['a longer one', tagged('"a"'), tagged(current), 304],
    ['a line that ends', tagged('"abcdefg"'), tagged('"a"\r\nX:bc'), 200],
    ['another name before it', tagged(former), tagged(current, 'If-None-Katch'), 200],
    ['another value behind it', tagged(former), tagged(current).replace('X-A: b', 'X-A: c'), 304],
    [
      'the tag in two lines',
      tagged(`${former}\r\nIf-None-Match: "b"`),
      tagged(`${current}\r\nIf-None-Match: "b"`),
      304,
    ],
  ] as const)
    test(`is parsed again where more differs than one entity tag: ${what}`, async (t) => {
      const { ask, state } = await polling(t, from);
      const { parsed } = state;
      assert.deepEqual(statuses(await ask(to)), [expected]);
      assert.equal(state.parsed, parsed + 1);
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
      const { client, state } = await exchanging(t);
      const { ask } = client();
      for (let nth = 1; nth <= 6; nth++) {
        await ask(bytes);
        assert.equal(state.parsed, nth);
      }
    });

  test('is answered before whatever came after it, also when it has to be counted elsewhere', async (t) => {
    const { ask, state, socket, all, comes } = await polling(t, known);
    const before = all().length;
    const { promise, resolve } = Promise.withResolvers<void>();
    state.counting = promise;
    const { parsed } = state;
    await ask([known, request('/x')], 0);
    socket.write(known);
    assert.equal(state.parsed, parsed, 'the next waits');
    resolve();
    await comes(() => all().length === before + 3);
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
    const { ask, socket, all, comes, connections } = await polling(t, request('/v1/large'));
    let count = all().length;
    socket.pause();
    for (; connections.unsentBytes() === 0; count++) await ask(request('/v1/large'), 0);
    // Three answers are all that a client may leave behind, and a fourth request waits.
    for (let more = 0; more < 3; more++, count++) await ask(request('/v1/large'), 0);
    assert.equal(connections.unsentBytes(), 3 * large.as('identity').byteLength);
    socket.resume();
    while (connections.unsentBytes() > 0) await setImmediate();
    await comes(() => all().length === count && isWhole(all().at(-1)!, false));
    assert.deepEqual(new Set(statuses(all())), new Set([200]));
    assert.equal((await ask(request('/v1/large'))).length, 1);
  });

  for (const path of ['/v1/large', '/v1/large?new='])
    test(`leaves nothing behind of answers whose client is gone: ${path}`, async (t) => {
      const { ask, socket, connections } = await polling(t, request('/v1/large'));
      socket.pause();
      for (let nth = 0; connections.unsentBytes() < 2 * large.as('identity').byteLength; nth++)
        await ask(request(path === '/v1/large' ? path : path + nth), 0);
      socket.resetAndDestroy();
      while (connections.figures().open > 0) await setImmediate();
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      assert.equal(connections.unsentBytes(), 0);
    });

  test('is the last on its connection while the service drains', async (t) => {
    const { ask, exchanges, ends } = await polling(t, known);
    exchanges.drain();
    const [answer] = await ask(known);
    await ends;
    assert.deepEqual([answer!.status, answer!.connection], [200, 'close']);
  });

  test('changes no answer, however requests follow one another and in whatever pieces they arrive', async (t) => {
    const pool = [
      known,
      known,
      known,
      tagged(former),
      tagged(former),
      tagged(current),
      request('/x'),
      request('/v1/time', [keyed], 'HEAD'),
      request('/', []),
    ];
    const asked = seededRandomness(5);
    const below = (end: number) => asked.bytes(1)[0]! % end;
    const { client, state } = await exchanging(t);
    let repeated = 0;
    for (let round = 0; round < 20; round++) {
      const { socket, all, comes } = client();
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
        await comes(() => all().length === sent.length);
      }
      const statusOf = (bytes: string) => (bytes.includes('GET /x') ? 404 : bytes.includes(current) ? 304 : 200);
      const expected = sent.map(statusOf);
      assert.deepEqual(statuses(all()), expected);
      repeated += sent.length - (state.parsed - parsed);
      socket.destroy();
    }
    assert.ok(repeated > 50, `${repeated} were not parsed`);
  });
});

describe('a connection that knows its last request', () => {
  const bytes = 'GET /\r\n\r\n';

  /** A connection that knows the request, and the replies to it that are due. */
  const knowing = async () => {
    const parts = connected();
    const { socket, connection, send } = parts;
    const replies: Reply[] = [];
    const again = (request: RequestHead, reply: Reply) => {
      connection.took(request, reply);
      connection.answering(reply);
      replies.push(reply);
    };
    connection.decided(true, false);
    socket.whenParsed = () => connection.took({ headers: {} } as RequestHead, {} as Reply, again);
    await send(bytes);
    assert.equal(socket.parsed.length, 1);
    await send(bytes);
    assert.deepEqual([socket.parsed.length, replies.length], [1, 1]);
    return { ...parts, replies };
  };

  test('holds back what comes after it until it is answered, and nothing more is read', async () => {
    const { socket, connection, held, send, replies } = await knowing();
    await send('next');
    assert.ok(socket.isPaused());
    assert.deepEqual([socket.parsed.length, held.ahead > 0, connection.hasMore], [1, true, true]);
    connection.answered(replies[0]!, 0);
    await setImmediate();
    await setImmediate();
    assert.ok(!socket.isPaused());
    assert.deepEqual([socket.parsed.at(-1), held.ahead], ['next', 0]);
  });

  test('is parsed after what came before it and was kept, and answered in its turn', async () => {
    const { socket, connection, replies } = await knowing();
    connection.answered(replies[0]!, 0);
    socket._paused = true;
    socket.emit('data', Buffer.from('GET /next\r\n\r\n'));
    socket._paused = false;
    socket.emit('data', Buffer.from(bytes));
    assert.deepEqual([replies.length, connection.hasMore], [1, false]);
    assert.deepEqual(socket.parsed.slice(1), [`GET /next\r\n\r\n${bytes}`]);
  });

  test('waits like any other one while the server has paused its connection, and is none when the last answer was given', async () => {
    const { socket, connection, replies } = await knowing();
    connection.answered(replies[0]!, 0);
    socket._paused = true;
    socket.emit('data', Buffer.from(bytes));
    assert.deepEqual([replies.length, connection.hasMore], [1, true]);
    const other = await knowing();
    other.connection.answered(other.replies[0]!, 0);
    other.connection.close();
    await other.send(bytes);
    assert.deepEqual([other.replies.length, other.connection.hasMore], [1, false]);
  });
});
