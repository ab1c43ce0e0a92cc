import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from './eventually.ts';
import { openSocket, readToEnd } from './http-client.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** A server that says what the test lets it say, and the proxy before it. */
async function between(t: TestContext, serve: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const proxy = await TcpProxy.listen({ targetPort: (server.address() as AddressInfo).port });
  t.after(async () => {
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { proxy, sockets };
}

const echo = (socket: Socket) => void socket.pipe(socket);

/** What comes within the deadline, of at least this many bytes. */
function received(socket: Socket, bytes: number): Promise<{ text: string; chunks: number; tookMs: number }> {
  const startedMs = performance.now();
  let text = '';
  let chunks = 0;
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      chunks++;
      if (text.length >= bytes) resolve({ text, chunks, tookMs: performance.now() - startedMs });
    });
    socket.once('close', () => reject(new Error(`closed after ${text.length} bytes`)));
  });
}

describe('the proxy between the tests and the exchange', { concurrency: true }, () => {
  test('passes bytes and both ends on as they are', async (t) => {
    const { proxy } = await between(t, echo);
    const socket = await openSocket(proxy.port);
    const all = readToEnd(socket);
    const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
    socket.end(sent);
    assert.ok((await all).equals(sent));
    await eventually('nothing is left', () => proxy.open === 0);
    assert.equal(proxy.accepted, 1);
  });

  test('latency delays a direction without slowing it down, and jitter never changes the order', async (t) => {
    const { proxy } = await between(t, echo);
    proxy.set('up', { latencyMs: 100, jitterMs: 80 });
    const socket = await openSocket(proxy.port);
    const answer = received(socket, 100);
    for (let turn = 0; turn < 50; turn++) {
      socket.write(String(turn).padStart(2, '0'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { text, tookMs } = await answer;
    assert.equal(text, Array.from({ length: 50 }, (_, turn) => String(turn).padStart(2, '0')).join(''));
    assert.ok(tookMs >= 99 && tookMs < 3_000, `${tookMs} ms`);
  });

  test('bandwidth is kept to', async (t) => {
    const { proxy } = await between(t, echo);
    proxy.set('down', { bytesPerSecond: 100_000 });
    const socket = await openSocket(proxy.port);
    const answer = received(socket, 30_000);
    socket.write(Buffer.alloc(30_000, 'x'));
    const { tookMs } = await answer;
    assert.ok(tookMs >= 240, `${tookMs} ms for 30,000 bytes at 100,000 a second`);
  });

  test('the slicer sends this many bytes at a time', async (t) => {
    const { proxy } = await between(t, echo);
    proxy.set('down', { sliceBytes: 3, sliceDelayMs: 5 });
    const socket = await openSocket(proxy.port);
    const answer = received(socket, 30);
    socket.write('0123456789'.repeat(3));
    const { text, chunks, tookMs } = await answer;
    assert.equal(text, '0123456789'.repeat(3));
    assert.ok(chunks > 3 && chunks <= 10, `${chunks} chunks`);
    assert.ok(tookMs >= 40, `${tookMs} ms`);
  });

  test('the limit closes the connection after exactly this many bytes', async (t) => {
    const { proxy } = await between(t, echo);
    proxy.set('down', { limitBytes: 7 });
    const socket = await openSocket(proxy.port);
    const all = readToEnd(socket);
    socket.write('0123456789');
    assert.equal((await all).toString(), '0123456');
  });

  test('a slow close comes late', async (t) => {
    const { proxy } = await between(t, (socket) => socket.end('bye'));
    proxy.set('down', { slowCloseMs: 150 });
    const startedMs = performance.now();
    const socket = await openSocket(proxy.port);
    await received(socket, 3);
    await new Promise((resolve) => socket.once('end', resolve));
    assert.ok(performance.now() - startedMs >= 149);
  });

  test('a reset arrives as one on both sides', async (t) => {
    const { proxy, sockets } = await between(t, () => {});
    const socket = connect({ host: '127.0.0.1', port: proxy.port });
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
    await eventually('the target is reached', () => sockets.length === 1);
    const targetFailed = new Promise<NodeJS.ErrnoException>((resolve) => sockets[0]!.once('error', resolve));
    proxy.reset();
    assert.deepEqual([(await failed).code, (await targetFailed).code], ['ECONNRESET', 'ECONNRESET']);
  });

  test('a reset of one side is passed on to the other', async (t) => {
    const { proxy, sockets } = await between(t, echo);
    const socket = await openSocket(proxy.port);
    await eventually('the target is reached', () => sockets.length === 1);
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
    sockets[0]!.resetAndDestroy();
    assert.equal((await failed).code, 'ECONNRESET');
  });

  test('a black hole takes bytes and closings of both sides and gives no sign, and what lived through it stays dead', async (t) => {
    const { proxy, sockets } = await between(t, echo);
    const held = await openSocket(proxy.port);
    const first = received(held, 1);
    held.write('a');
    await first;
    proxy.blackHole();
    let heard = 0;
    held.on('data', () => heard++);
    held.on('close', () => heard++);
    held.write('b');
    const inside = await openSocket(proxy.port);
    inside.on('data', () => heard++);
    inside.write('c');
    await eventually('both have reached the target', () => sockets.length === 2);
    sockets[0]!.end('d');
    await proxy.clear();
    held.write('e');
    const fresh = await openSocket(proxy.port);
    const answer = received(fresh, 1);
    fresh.write('f');
    assert.equal((await answer).text, 'f');
    assert.equal(heard, 0);
    assert.deepEqual([held.destroyed, inside.destroyed], [false, false]);
    for (const socket of [held, inside, fresh]) socket.destroy();
    await eventually('nothing is left', () => proxy.open === 0);
  });

  test('new connections are refused while it says so, on the same port taken again after, and open ones go on', async (t) => {
    const { proxy } = await between(t, echo);
    const { port } = proxy;
    const held = await openSocket(port);
    proxy.refuse();
    await assert.rejects(openSocket(port), { code: 'ECONNREFUSED' });
    const answer = received(held, 1);
    held.write('a');
    await answer;
    await proxy.clear();
    await openSocket(port);
    assert.equal(proxy.port, port);
  });

  test('toxics hold for open connections as soon as they are set, and no longer than they are', async (t) => {
    const { proxy } = await between(t, echo);
    const socket = await openSocket(proxy.port);
    for (const latencyMs of [0, 120, 0]) {
      proxy.set('both', { latencyMs });
      const answer = received(socket, 1);
      socket.write('x');
      const { tookMs } = await answer;
      assert.ok(tookMs >= 2 * latencyMs - 2 && tookMs < 2 * latencyMs + 2_000, `${tookMs} ms at ${latencyMs} ms`);
    }
  });
});
