import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate as ticks } from 'node:timers/promises';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Connections } from './connections.ts';
import { Handshakes } from './handshakes.ts';
import type { RequestHead } from './repeated-request.ts';

/** A client's connection as the server has it. */
class ClientSocket extends PassThrough {
  readonly remoteAddress = 'a';
  readonly remotePort: number;
  bytesRead = 0;

  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
    this.on('data', () => {});
  }
}

/** An answer on its way. */
class Response extends EventEmitter {
  writableLength = 0;
  writableEnded = false;
  writableFinished = false;

  take(): void {
    this.writableLength = 0;
    this.writableEnded = true;
    this.writableFinished = true;
    this.emit('finish');
  }
}

class Rig {
  readonly clock = new FakeClock();
  readonly handshakes = new Handshakes();
  readonly connections: Connections;
  /** Whether the connection that was answered last may stay. */
  mayStay = true;
  #ports = 0;

  constructor(bounds: { maxConnections?: number; maxConnectionsPerAddress?: number; unsentBytesMax?: number } = {}) {
    const most = { maxConnections: 100, maxConnectionsPerAddress: 100, writeTimeoutMs: 30_000, unsentBytesMax: 1_000 };
    this.connections = new Connections(this.clock, { ...most, ...bounds }, this.handshakes);
  }

  /** Accepts a connection; `undefined` when it was ended at once. */
  connect(bucket: string | undefined = 'a'): ClientSocket | undefined {
    const socket = new ClientSocket(++this.#ports);
    if (!this.connections.admit(socket as unknown as Socket, bucket)) {
      assert.ok(socket.destroyed);
      return undefined;
    }
    this.connections.add(socket as unknown as Socket, bucket);
    return socket;
  }

  /** Begins an answer on it. @param unsent bytes of it that the client does not take */
  answer(socket: ClientSocket, isKeyed: boolean, unsent = 0): Response {
    const response = new Response();
    const connection = this.connections.taking(socket as unknown as Socket)!;
    const taken = response as unknown as ServerResponse;
    connection.took({} as RequestHead, taken);
    connection.answering(taken);
    this.mayStay = this.connections.mayStay(connection, isKeyed);
    connection.decided(isKeyed, false);
    response.writableLength = unsent;
    connection.answered(taken, unsent);
    return response;
  }

  of(socket: ClientSocket) {
    return this.connections.taking(socket as unknown as Socket)!;
  }
}

describe('a connection that is one too many', () => {
  test('takes the place of the least recent without a key', async () => {
    const rig = new Rig({ maxConnections: 3 });
    const [first, second, third] = [rig.connect()!, rig.connect()!, rig.connect()!];
    rig.answer(first, true);
    rig.answer(second, false);
    rig.answer(third, false);
    rig.answer(second, false);
    assert.notEqual(rig.connect(), undefined);
    assert.deepEqual(
      [first, second, third].map(({ destroyed }) => destroyed),
      [false, false, true],
    );
    assert.deepEqual(
      { ...rig.connections.figures() },
      { open: 3, dropped: 0, droppedOfAddress: 0, evicted: 1, cut: 0, unsentBytes: 0 },
    );
    await ticks();
    assert.equal(rig.connections.figures().open, 3);
  });

  test('is ended when all others have shown a key', () => {
    const rig = new Rig({ maxConnections: 2 });
    for (const socket of [rig.connect()!, rig.connect()!]) rig.answer(socket, true);
    assert.equal(rig.connect(), undefined);
    assert.deepEqual(
      { ...rig.connections.figures() },
      { open: 2, dropped: 1, droppedOfAddress: 0, evicted: 0, cut: 0, unsentBytes: 0 },
    );
  });

  test('takes the place of a handshake where there is no other', () => {
    const rig = new Rig({ maxConnections: 1 });
    const shaking = new ClientSocket(99);
    rig.handshakes.begun(shaking as unknown as Socket);
    assert.equal(rig.connections.figures().open, 1);
    assert.notEqual(rig.connect(), undefined);
    assert.ok(shaking.destroyed);
    assert.equal(rig.connections.figures().evicted, 1);
  });

  test('of one address takes the place of one that rests there; else its first request decides whether it stays (fault row 110)', async () => {
    const rig = new Rig({ maxConnectionsPerAddress: 1 });
    const [other, resting] = [rig.connect('b')!, rig.connect('a')!];
    rig.answer(resting, false);
    const second = rig.connect('a')!;
    assert.deepEqual([other.destroyed, resting.destroyed], [false, true]);
    const beyond = rig.connect('a')!;
    assert.deepEqual([second.destroyed, beyond.destroyed], [false, false]);
    rig.answer(beyond, false);
    assert.equal(rig.mayStay, false);
    assert.equal(rig.connections.figures().droppedOfAddress, 1);
    rig.answer(second, false);
    assert.equal(rig.mayStay, true, 'it was within the bound');
    await ticks();
  });

  test('of one address stays with a valid key, and takes no place of those without one (fault row 110)', () => {
    const rig = new Rig({ maxConnectionsPerAddress: 2 });
    for (let count = 0; count < 50; count++) {
      rig.answer(rig.connect('a')!, true);
      assert.equal(rig.mayStay, true);
    }
    const burst = Array.from({ length: 10 }, () => rig.connect('a')!);
    for (const socket of burst) rig.answer(socket, true);
    assert.ok(burst.every(({ destroyed }) => !destroyed));
    assert.equal(rig.connections.figures().open, 60);
  });

  test('of one address that shows no key is ended once five times the bound are open', async () => {
    const rig = new Rig({ maxConnectionsPerAddress: 2 });
    const sockets = Array.from({ length: 10 }, () => rig.connect('a')!);
    assert.equal(rig.connect('a'), undefined);
    assert.equal(rig.connections.figures().droppedOfAddress, 1);
    sockets[0]!.destroy();
    await ticks();
    assert.notEqual(rig.connect('a'), undefined, 'its place is free again');
  });

  test('of the operator’s own proxies is bounded by all alone', () => {
    const rig = new Rig({ maxConnectionsPerAddress: 1 });
    const sockets = [undefined, undefined, undefined].map(() => {
      const socket = new ClientSocket(1);
      assert.ok(rig.connections.admit(socket as unknown as Socket, undefined));
      return socket;
    });
    assert.ok(sockets.every(({ destroyed }) => !destroyed));
    rig.connections.wasDropped();
    assert.equal(rig.connections.figures().dropped, 1);
  });
});

describe('a look each second', () => {
  test('ends who is idle without a key, and who does not take its answers', async () => {
    const rig = new Rig();
    const [idle, keyed, slow] = [rig.connect()!, rig.connect()!, rig.connect()!];
    rig.answer(idle, false);
    rig.answer(keyed, true);
    rig.answer(slow, true);
    Object.defineProperty(slow, 'writableLength', { value: 1 });
    await rig.clock.advance(6_000);
    assert.equal(idle.destroyed, false);
    await rig.clock.advance(1_000);
    assert.equal(idle.destroyed, true);
    assert.equal(rig.connections.figures().cut, 0);
    await rig.clock.advance(24_000);
    assert.deepEqual([keyed.destroyed, slow.destroyed], [false, true]);
    assert.equal(rig.connections.figures().cut, 1);
  });

  test('cuts the largest slow readers where too much waits in all, and none at the bound', async () => {
    const rig = new Rig({ unsentBytesMax: 1_000 });
    const [small, large] = [rig.connect()!, rig.connect()!];
    rig.answer(small, false, 400);
    rig.answer(large, false, 600);
    await rig.clock.advance(1_000);
    assert.equal(rig.connections.unsentBytes(), 1_000);
    assert.equal(large.destroyed, false);
    const more = rig.answer(rig.connect()!, true, 1);
    await rig.clock.advance(1_000);
    assert.deepEqual([small.destroyed, large.destroyed, rig.connections.figures().cut], [false, true, 1]);
    more.take();
    assert.equal(rig.connections.unsentBytes() < 1_000, true);
  });

  test('is the last once it is stopped', async () => {
    const rig = new Rig();
    const idle = rig.connect()!;
    rig.answer(idle, false);
    rig.connections.stop();
    await rig.clock.advance(60_000);
    assert.equal(idle.destroyed, false);
  });
});

test('bytes sent ahead are bounded in all: one without a key that sends more is cut, one with a key is not', async () => {
  const rig = new Rig();
  const ahead = async (isKeyed: boolean) => {
    const socket = rig.connect()!;
    rig.answer(socket, isKeyed);
    rig.answer(socket, isKeyed, 1);
    const connection = rig.of(socket);
    for (let turn = 0; turn < 16; turn++) rig.answer(socket, isKeyed, 1);
    rig.connections.whenItsTurn(connection, () => {});
    socket.write('a'.repeat(700 * 1024));
    await ticks();
    await ticks();
    return socket;
  };
  const first = await ahead(false);
  assert.equal(first.destroyed, false);
  const keyed = await ahead(true);
  assert.equal(keyed.destroyed, false);
  const last = await ahead(false);
  assert.deepEqual([first.destroyed, keyed.destroyed, last.destroyed], [false, false, true]);
});

test('requests that wait are answered in turns when their clients have taken an answer, all of them in the end', async () => {
  const rig = new Rig();
  const answered: string[] = [];
  const sockets = [rig.connect()!, rig.connect()!];
  const responses = sockets.map((socket) => rig.answer(socket, false, 1));
  for (const [client, socket] of sockets.entries()) {
    for (const number of [1, 2, 3])
      rig.connections.whenItsTurn(rig.of(socket), () => void answered.push(`${client} ${number}`));
  }
  assert.deepEqual(answered, []);
  for (const response of responses) response.take();
  assert.deepEqual(answered, [], 'not at once');
  await ticks();
  await ticks();
  assert.deepEqual(answered.sort(), ['0 1', '0 2', '0 3', '1 1', '1 2', '1 3']);
});

test('a connection whose last answer is on its way takes no request, and those that are gone have none', async () => {
  const rig = new Rig();
  const socket = rig.connect()!;
  rig.of(socket).close();
  assert.equal(rig.of(socket), undefined);
  const gone = rig.connect()!;
  gone.destroy();
  await ticks();
  assert.equal(rig.of(gone), undefined);
});

test('what follows the last answer waits for it', () => {
  const rig = new Rig();
  const socket = rig.connect()!;
  const plain = socket as unknown as Socket;
  const done: string[] = [];
  rig.connections.afterLastAnswer(plain, 'writableFinished', () => done.push('none taken'));
  rig.connections.afterLastAnswer(plain, 'writableEnded', () => done.push('none asked'));
  assert.deepEqual(done.splice(0), ['none taken', 'none asked']);
  const response = rig.answer(socket, false, 1);
  rig.connections.afterLastAnswer(plain, 'writableFinished', () => done.push('taken'));
  response.writableEnded = true;
  rig.connections.afterLastAnswer(plain, 'writableEnded', () => done.push('answered'));
  assert.deepEqual(done, ['answered']);
  response.take();
  assert.deepEqual(done.splice(0), ['answered', 'taken']);
  rig.connections.afterLastAnswer(plain, 'writableFinished', () => done.push('at once'));
  assert.deepEqual(done, ['at once']);
});

test('64 KiB of a body that nobody reads are discarded; more cuts the connection once it has its answer', () => {
  const rig = new Rig();
  const socket = { isDestroyed: false, destroy: () => void Object.assign(socket, { isDestroyed: true }) };
  const body = Object.assign(new PassThrough(), { socket });
  const response = new Response();
  rig.connections.discardBody(body as unknown as IncomingMessage, response as unknown as ServerResponse);
  body.emit('data', Buffer.alloc(64 * 1024));
  assert.ok(!body.isPaused());
  body.emit('data', Buffer.alloc(1));
  assert.deepEqual([body.isPaused(), socket.isDestroyed], [true, false]);
  response.take();
  body.emit('data', Buffer.alloc(1));
  assert.equal(socket.isDestroyed, true);
});

test('a connection that has ended no longer counts, in all or for its address', async () => {
  const rig = new Rig({ maxConnections: 2, maxConnectionsPerAddress: 1 });
  const [first, second] = [rig.connect()!, rig.connect()!];
  rig.answer(second, true);
  first.destroy();
  await ticks();
  assert.equal(rig.connections.figures().open, 1);
  const third = rig.connect()!;
  rig.answer(third, false);
  assert.equal(rig.mayStay, true, 'one place was free');
  assert.equal(rig.connections.figures().open, 2);
});

test('requests that wait are bounded in all: the client of one too many is cut', () => {
  const rig = new Rig();
  const [first, second] = [rig.connect()!, rig.connect()!];
  rig.answer(first, false, 1);
  rig.answer(second, false, 1);
  const wait = (socket: ClientSocket) => rig.connections.whenItsTurn(rig.of(socket), () => {});
  for (let waiting = 0; waiting < 16_384; waiting++) wait(first);
  assert.equal(first.destroyed, false);
  wait(second);
  assert.deepEqual([first.destroyed, second.destroyed, rig.connections.figures().cut], [false, true, 1]);
});

test('clients with a key are established when an overload begins, and what they wait for comes', async () => {
  const rig = new Rig();
  const [keyed, keyless] = [rig.connect()!, rig.connect()!];
  const responses = Array.from({ length: 16 }, () => rig.answer(keyed, true, 1));
  rig.answer(keyless, false);
  rig.connections.markEstablished();
  assert.deepEqual([rig.of(keyed).isEstablished, rig.of(keyless).isEstablished], [true, false]);
  const answered: number[] = [];
  for (const number of [1, 2]) rig.connections.whenItsTurn(rig.of(keyed), () => void answered.push(number));
  responses[0]!.take();
  await ticks();
  assert.deepEqual(answered, [1, 2]);
});

test('a client that takes one answer at a time is answered to the end', async () => {
  const rig = new Rig();
  const socket = rig.connect()!;
  const due = [rig.answer(socket, false, 1)];
  for (let number = 0; number < 5; number++)
    rig.connections.whenItsTurn(rig.of(socket), () => void due.push(rig.answer(socket, false, 1)));
  for (let number = 0; number < 6; number++) {
    assert.equal(due.length, number + 1);
    due[number]!.take();
    await ticks();
    await ticks();
  }
  assert.ok(rig.of(socket).isIdle);
});
