import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { Handshakes } from './handshakes.ts';

/** A connection before its handshake. */
class Accepted extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  isDestroyed = false;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

const socketOf = (accepted: Accepted) => accepted as unknown as Socket;

function begun(...peers: (readonly [address: string, port: number])[]) {
  const handshakes = new Handshakes();
  const sockets = peers.map((peer) => new Accepted(...peer));
  for (const socket of sockets) handshakes.begun(socketOf(socket));
  return { handshakes, sockets };
}

test('a handshake is counted until it is done or its connection has ended', () => {
  const { handshakes, sockets } = begun(['a', 1], ['a', 2], ['b', 1]);
  assert.equal(handshakes.size, 3);
  handshakes.done({ remoteAddress: 'a', remotePort: 2 } as Socket);
  assert.equal(handshakes.size, 2);
  sockets[0]!.emit('close');
  sockets[1]!.emit('close');
  assert.equal(handshakes.size, 1);
});

test('the late end of a connection is not that of the next one from the same port', () => {
  const { handshakes, sockets } = begun(['a', 1], ['a', 1]);
  sockets[0]!.emit('close');
  assert.equal(handshakes.size, 1);
  sockets[1]!.emit('close');
  assert.equal(handshakes.size, 0);
});

test('the oldest makes room, and is gone at once', () => {
  const { handshakes, sockets } = begun(['a', 1], ['b', 1], ['b', 2]);
  const cut = () => sockets.map(({ isDestroyed }) => isDestroyed);
  assert.equal(handshakes.cutOldest(), true);
  assert.deepEqual([cut(), handshakes.size], [[true, false, false], 2]);
  assert.equal(handshakes.cutOldest(), true);
  assert.deepEqual([cut(), handshakes.size], [[true, true, false], 1]);
  handshakes.cut();
  assert.deepEqual(cut(), [true, true, true]);
  handshakes.done({ remoteAddress: 'b', remotePort: 2 } as Socket);
  assert.equal(handshakes.cutOldest(), false);
});
