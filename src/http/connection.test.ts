import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as ticks } from 'node:timers/promises';
import { connected, Response, ServedSocket } from './connection.testing.ts';
import { Connection } from './connection.ts';
import type { Reply } from './direct-reply.ts';
import type { RequestHead } from './repeated-request.ts';

test('a parser that the server has paused gets nothing, even when the stream flows, and all of it once it is no longer (fault row 51)', async () => {
  const socket = new ServedSocket();
  const connection = new Connection(socket as unknown as Socket, 'a', { ahead: 0, unsent: 0, waiting: 0 }, () => {});
  const pieces = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
  socket._paused = true;
  socket.write(pieces.join(''));
  await ticks();
  assert.deepEqual(socket.parsed, []);
  assert.equal(connection.hasMore, true);
  socket.resume();
  await ticks();
  assert.deepEqual(socket.parsed, []);
  assert.ok(socket.isPaused(), 'nothing more is read');
  socket._paused = false;
  socket.resume();
  await ticks();
  assert.deepEqual(socket.parsed, pieces);
  assert.equal(connection.hasMore, false);
});

test('a parser that is paused by its first piece gets no second one', async () => {
  const socket = new ServedSocket();
  new Connection(socket as unknown as Socket, 'a', { ahead: 0, unsent: 0, waiting: 0 }, () => {});
  socket.pausesAtFirst = true;
  socket.write('a'.repeat(128));
  await ticks();
  assert.deepEqual(socket.parsed, ['a'.repeat(64)]);
});

describe('how much is parsed at a time', () => {
  const lengths = ({ parsed }: ServedSocket) => parsed.map((piece) => piece.length);

  test('is 64 bytes without a key and 1,024 with one', async () => {
    const { socket, connection, send, arrivals } = connected();
    await send('a'.repeat(150));
    assert.deepEqual(lengths(socket), [64, 64, 22]);
    connection.decided(true, false);
    await send('a'.repeat(1_024));
    await send('a'.repeat(1_025));
    assert.deepEqual(lengths(socket).slice(3), [1_024, 1_024, 1]);
    assert.equal(arrivals(), 0);
  });

  test('is nothing while a request waits; what is kept is counted in memory, and parsed when its turn has come', async () => {
    const { socket, connection, held, send, answer, arrivals } = connected();
    const first = answer(1);
    const done: string[] = [];
    assert.equal(
      connection.takeTurn(() => done.push('second')),
      1,
    );
    assert.equal(
      connection.takeTurn(() => done.push('third')),
      2,
    );
    assert.deepEqual([done, held.waiting], [[], 2]);
    await send('a'.repeat(40));
    assert.ok(socket.isPaused(), 'nothing more is read');
    assert.deepEqual(lengths(socket), []);
    assert.ok(held.ahead >= 40);
    assert.equal(arrivals(), 1);
    connection.socket.emit('data', Buffer.from('a'.repeat(60)));
    assert.equal(connection.isIdle, false);
    assert.equal(connection.continue(), false);
    first.take();
    assert.equal(connection.continue(), true);
    await ticks();
    assert.deepEqual([done, held.waiting, lengths(socket)], [['second', 'third'], 0, [64, 36]]);
    assert.equal(held.ahead, 0);
    assert.ok(!socket.isPaused());
  });

  test('is nothing once the last answer is on its way, and what was kept is given up', async () => {
    const { socket, connection, held, send, answer } = connected();
    answer(1);
    connection.takeTurn(() => assert.fail('it has had its last answer'));
    await send('a'.repeat(100));
    connection.end();
    assert.deepEqual([held.waiting, connection.isClosing], [0, true]);
    await send('a'.repeat(100));
    connection.continue();
    await ticks();
    assert.deepEqual([lengths(socket), held.ahead], [[], 0]);
  });

  test('what a connection holds is free when it ends', async () => {
    const { socket, connection, held, send, answer } = connected();
    answer(1_000);
    connection.takeTurn(() => {});
    await send('a'.repeat(100));
    assert.equal(held.unsent, 1_000);
    socket.destroy();
    await ticks();
    connection.end();
    assert.deepEqual(held, { ahead: 0, unsent: 0, waiting: 0 });
  });

  test('an answer is given back once, though it ends after its connection', async () => {
    const { socket, connection, held, answer } = connected();
    const [first, second] = [answer(1_000), answer(20)];
    first.take();
    socket.destroy();
    await ticks();
    second.take();
    assert.deepEqual([held.unsent, connection.unsentBytes, connection.isIdle], [0, 0, true]);
  });
});

describe('how many answers are made ahead of their client', () => {
  const madeAhead = (isKeyed: boolean, bytesEach: number) => {
    const { connection, answer } = connected();
    connection.decided(isKeyed, false);
    let made = 0;
    while (made < 100) {
      if (connection.takeTurn(() => {}) > 0) return made;
      answer(bytesEach);
      made++;
    }
    return made;
  };

  test('is one without a key, sixteen with one', () => {
    assert.equal(madeAhead(false, 1), 1);
    assert.equal(madeAhead(true, 1), 16);
  });

  test('is fewer where they are large', () => {
    assert.equal(madeAhead(true, 64 * 1024), 4);
    assert.equal(madeAhead(true, 64 * 1024 - 1), 5);
    assert.equal(madeAhead(true, 256 * 1024), 1);
  });

  test('is not bounded while each is taken at once', () => {
    assert.equal(madeAhead(false, 0), 100);
  });

  test('answers count until they are taken, in whichever order', () => {
    const { connection, held, answer } = connected();
    connection.decided(true, false);
    const [first, second, third] = [answer(10), answer(20), answer(30)];
    assert.deepEqual([connection.unsentBytes, held.unsent, connection.isIdle], [60, 60, false]);
    second.take();
    assert.deepEqual([connection.unsentBytes, held.unsent], [40, 40]);
    third.take();
    first.take();
    assert.deepEqual([connection.unsentBytes, held.unsent, connection.isIdle], [0, 0, true]);
  });

  test('answers are found again in whichever order they are written', () => {
    const { connection, held } = connected();
    const responses = [new Response(), new Response(), new Response()];
    for (const response of responses) connection.answering(response as unknown as Reply);
    for (const [index, response] of [...responses.entries()].reverse()) {
      response.writableLength = index;
      connection.answered(response as unknown as Reply, index);
    }
    assert.deepEqual([held.unsent, connection.isIdle], [3, false]);
    responses[1]!.take();
    assert.equal(held.unsent, 2);
    responses[2]!.take();
    assert.deepEqual([held.unsent, connection.isIdle], [0, true]);
    connection.answered(responses[2] as unknown as Reply, 7);
    assert.equal(held.unsent, 0);
  });

  test('the next is asked for when the oldest was taken', () => {
    const { connection, answer } = connected();
    const first = answer(1);
    let asked = 0;
    connection.afterNextTaken(() => asked++);
    assert.equal(asked, 0);
    first.take();
    assert.equal(asked, 1);
    connection.afterNextTaken(() => assert.fail('no answer is due'));
  });
});

describe('a look at a connection', () => {
  const bounds = { writeTimeoutMs: 30_000, idleSweepsMax: 7 };
  const sweeps = (connection: Connection, count: number) =>
    Array.from({ length: count }, () => connection.sweep(0, bounds));

  test('finds one idle without a key after seven quiet looks, and never one that has sent nothing yet', () => {
    const { connection, socket, answer } = connected();
    assert.deepEqual(new Set(sweeps(connection, 20)), new Set([undefined]));
    connection.took({} as RequestHead, {} as Reply);
    assert.equal(connection.sweep(0, bounds), 'idle');
    socket.bytesRead = 1;
    assert.deepEqual(sweeps(connection, 8), [...Array(7).fill(undefined), 'idle']);
    const response = answer(1);
    assert.deepEqual(new Set(sweeps(connection, 20)), new Set([undefined]));
    response.take();
    connection.decided(true, false);
    assert.deepEqual(new Set(sweeps(connection, 20)), new Set([undefined]));
  });

  test('finds one slow whose bytes were not taken in thirty seconds, counted from when they began to wait', () => {
    const { connection, socket } = connected();
    Object.defineProperty(socket, 'writableLength', { value: 1, configurable: true });
    assert.equal(connection.sweep(5_000, bounds), undefined);
    assert.equal(connection.sweep(34_999, bounds), undefined);
    assert.equal(connection.sweep(35_000, bounds), 'slow');
    Object.defineProperty(socket, 'writableLength', { value: 0, configurable: true });
    assert.equal(connection.sweep(36_000, bounds), undefined);
    Object.defineProperty(socket, 'writableLength', { value: 1 });
    assert.equal(connection.sweep(37_000, bounds), undefined);
    assert.equal(connection.sweep(67_000, bounds), 'slow');
  });
});

test('fifty refusals in a row of requests that are sent ahead are the last, one answer or a wait between begins anew', () => {
  const { connection, answer } = connected();
  const refusals = (count: number, weight = 1) =>
    Array.from({ length: count }, () => connection.isLastRefusal(weight)).findIndex((isLast) => isLast);
  answer(1);
  assert.equal(refusals(100), -1, 'the client waits for each');
  answer(1);
  assert.equal(refusals(49), -1);
  assert.equal(connection.isLastRefusal(0), false);
  assert.equal(refusals(100), 49);
  connection.isLastRefusal(0);
  assert.equal(refusals(100, 10), 4);
});

test('a client is established who has a key and was answered until the overload began', () => {
  const established = (...decisions: (readonly [isKeyed: boolean, wasShed: boolean])[]) => {
    const { connection } = connected();
    for (const decision of decisions) connection.decided(...decision);
    assert.equal(connection.isEstablished, false);
    connection.markEstablished();
    return connection.isEstablished;
  };
  assert.equal(established(), false);
  assert.equal(established([false, false]), false);
  assert.equal(established([true, false]), true);
  assert.equal(established([true, false], [false, false]), true);
  assert.equal(established([true, true]), false);
  assert.equal(established([true, true], [true, false]), true);
});
