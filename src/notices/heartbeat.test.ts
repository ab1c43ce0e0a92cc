import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { takeWayOut } from '../feed/ways-out.ts';
import { Heartbeat, heartbeatMetrics, sendHeartbeat } from './heartbeat.ts';

/** A switch that counts who asks it, and what was logged. */
async function begin(t: TestContext, more: { readonly method?: 'GET' | 'POST' } = {}) {
  const state = { status: 200 as number | 'silent', isReady: true };
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    if (state.status !== 'silent') response.writeHead(state.status, { location: '/elsewhere' }).end('OK');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const clock = new FakeClock();
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: write, info: write, warn: write, error: write };
  const url = `http://127.0.0.1:${port}/ping/T0P`;
  const heartbeat = { url, everyMs: 60_000, method: more.method ?? 'GET', unreadyForMs: 120_000 } as const;
  const beating = new Heartbeat({ clock, log, heartbeat, isReady: () => state.isReady });
  beating.start();
  t.after(() => beating.stop());
  const attempts = () => beating.figures()?.attempts;
  /** Waits until so many attempts have ended. */
  const ended = (count: number) =>
    eventually(`${count} attempts`, () => (attempts()?.accepted ?? 0) + (attempts()?.failed ?? 0) === count);
  return { state, asked, clock, logged, beating, ended, attempts };
}

describe('a heartbeat', { concurrency: true }, () => {
  test('is sent at the start and then each minute, as its switch wants it', async (t) => {
    const { asked, clock, ended, logged } = await begin(t, { method: 'POST' });
    await ended(1);
    await clock.advance(60_000);
    await ended(2);
    await clock.advance(59_999);
    assert.deepEqual(asked, ['POST /ping/T0P', 'POST /ping/T0P']);
    assert.deepEqual(logged, []);
  });

  test('that is not accepted is said once, without its URL, and again when it is', async (t) => {
    const { state, clock, ended, logged, attempts, asked } = await begin(t);
    await ended(1);
    state.status = 500;
    for (let minute = 2; minute <= 4; minute++) {
      await clock.advance(60_000);
      await ended(minute);
    }
    state.status = 302;
    await clock.advance(60_000);
    await ended(5);
    state.status = 204;
    await clock.advance(60_000);
    await ended(6);
    assert.deepEqual(attempts(), { accepted: 2, failed: 4 });
    assert.equal(asked.length, 6, 'no redirect is followed');
    assert.deepEqual(
      logged.map((line) => line.split(':')[0]),
      ['the heartbeat is not accepted', 'the heartbeat is accepted again {}'],
    );
    assert.ok(!logged.join().includes('T0P'));
  });

  test('that hangs is given up after ten seconds', async (t) => {
    const { state, clock, ended, logged, asked } = await begin(t);
    await ended(1);
    state.status = 'silent';
    await clock.advance(60_000);
    await eventually('it is asked', () => asked.length === 2);
    await clock.advance(10_000);
    await ended(2);
    assert.match(logged.join(), /no answer in 10000 ms/);
  });

  test('stops once the process was unready for too long, says so, and goes on when it is ready again', async (t) => {
    const { state, asked, clock, logged, beating, ended } = await begin(t);
    await ended(1);
    state.isReady = false;
    for (let beat = 2; beat <= 3; beat++) {
      await clock.advance(60_000);
      await ended(beat);
    }
    await clock.advance(600_000);
    assert.equal(asked.length, 3);
    const stopped = heartbeatMetrics.metrics.find(({ name }) => name === 'heartbeat_stopped');
    assert.equal(stopped?.read(beating.figures()), 1);
    state.isReady = true;
    await clock.advance(60_000);
    await ended(4);
    assert.deepEqual(
      logged.map((line) => line.replace(/ \{.*/, '')),
      [
        'this process has been unready for too long: its heartbeat stops',
        'this process is ready again: its heartbeat goes on',
      ],
    );
  });

  test('names the failure and never the URL where its switch cannot be reached', async (t) => {
    const { clock } = await begin(t);
    const dead = { url: 'http://127.0.0.1:1/T0P', method: 'GET' } as const;
    await assert.rejects(sendHeartbeat(dead, clock, new AbortController().signal), (error: Error) => {
      assert.match(error.message, /^(ECONNREFUSED|no connection)$/);
      return true;
    });
  });
});

test('a heartbeat takes the proxy that leads out', async (t) => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const { restore } = takeWayOut({ proxy: `http://127.0.0.1:${port}`, noProxy: undefined }, {});
  t.after(restore);
  const far = { url: 'https://switch.invalid/ping/T0P', method: 'GET' } as const;
  await assert.rejects(sendHeartbeat(far, new FakeClock(), new AbortController().signal));
  assert.deepEqual(asked, ['switch.invalid:443']);
});
