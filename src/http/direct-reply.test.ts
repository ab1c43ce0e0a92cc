import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DirectReply } from './direct-reply.ts';

/** A reply on a socket that takes what is written when a test says so. */
function replying() {
  const got: Buffer[] = [];
  const taking: (() => void)[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, taken) {
      got.push(chunk);
      taking.push(() => taken());
    },
  });
  const reply = new DirectReply(socket as unknown as Socket);
  let taken = 0;
  const begin = () => {
    reply.begin();
    reply.once('finish', () => taken++);
  };
  begin();
  const take = async () => {
    for (let each = taking.shift(); each !== undefined; each = taking.shift()) {
      each();
      await setImmediate();
    }
  };
  return { socket, reply, begin, take, taken: () => taken, text: () => Buffer.concat(got).toString('latin1') };
}

test('an answer is ended when it is written, and finished when its client has taken it', async () => {
  const { reply, begin, take, taken, text } = replying();
  const state = () => [reply.headersSent, reply.writableEnded, reply.writableFinished, taken()];
  assert.deepEqual(state(), [false, false, false, 0]);
  reply.end('head ', '\xe9', 'latin1', false);
  assert.deepEqual([...state(), reply.writableLength], [true, true, false, 0, 6]);
  await take();
  assert.deepEqual([...state(), reply.writableLength], [true, true, true, 1, 0]);
  begin();
  assert.deepEqual(state(), [false, false, false, 1]);
  reply.end(' head ', Buffer.from('body'), 'latin1', false);
  assert.equal(reply.writableFinished, false);
  await take();
  assert.deepEqual(state(), [true, true, true, 2]);
  assert.equal(text(), 'head \xe9 head body');
});

test('the last answer ends the connection, once it is taken', async () => {
  const { socket, reply, take } = replying();
  let ends = 0;
  Object.assign(socket, { destroySoon: () => ends++ });
  reply.end('head', 'body', 'utf8', true);
  await take();
  assert.equal(ends, 1);
});

test('an answer for a client that has ended the connection is not written, and counts as taken', async () => {
  const { socket, reply, taken, text } = replying();
  socket.end();
  reply.end('head', 'body', 'utf8', false);
  assert.deepEqual([reply.writableEnded, reply.writableFinished, taken(), text()], [true, true, 1, '']);
  await setImmediate();
  assert.equal(socket.errored, null);
});
