import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as ticks } from 'node:timers/promises';
import { Connection } from './connection.ts';

/** A stream with the one private member of an HTTP server's socket that matters here. */
class ServedSocket extends PassThrough {
  _paused = false;
  pausesAtFirst = false;
  readonly parsed: string[] = [];

  constructor() {
    super();
    this.on('data', (piece: Buffer) => {
      // Node's own assertion, which ends the process.
      assert.ok(!this._paused, 'bytes reach a parser that is paused');
      this.parsed.push(piece.toString());
      this._paused = this.pausesAtFirst;
    });
  }
}

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
