import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../ground/clock.ts';
import { refusal } from '../store.testing.ts';
import { usualTimeouts } from './client.ts';
import { postgresLocationOf } from './location.ts';
import { ConnectionPool } from './pool.ts';

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const authenticationOk = message('R', Buffer.alloc(4));
const readyForQuery = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

test('a connection that the server ends in the packet that completes its handshake fails whoever asked, and nobody else', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticationOk, readyForQuery, ended])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const location = postgresLocationOf(
    `postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d?sslmode=disable`,
  );
  const pool = new ConnectionPool(location, { clock: systemClock, timeouts: usualTimeouts, connectionsMax: 2 });
  t.after(() => pool.end());
  for (let round = 0; round < 2; round++) {
    await assert.rejects(pool.connect(), refusal('unreachable'));
  }
});
