import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { json, type ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';
import { assertRecovered, assertSound, startHealthy } from './oracle.ts';

/** A healthy answer may take this long meanwhile; the full size is for a machine that has nothing else to do. */
const healthyP99Ms = sized(1000, 50);

/** Sends requests over one connection until stopped; returns the sorted times of the answers. */
async function pollHealthily(api: ListenerHarness, until: () => boolean): Promise<readonly number[]> {
  const wire = await Wire.open(api.port);
  const request = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
  const tookMs: number[] = [];
  while (!until()) {
    const startedMs = performance.now();
    assert.equal((await wire.ask(request)).status, 200);
    tookMs.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  wire.close();
  return tookMs.sort((one, other) => one - other);
}

function assertQuick(tookMs: readonly number[]): void {
  const p99 = tookMs[Math.floor(tookMs.length * 0.99)]!;
  assert.ok(p99 < healthyP99Ms, `p99 of ${tookMs.length} healthy answers was ${p99.toFixed(1)} ms`);
}

test('clients that drip a header line now and then get 408 in time, and a healthy client is served meanwhile (fault row 1)', async (t) => {
  const count = sized(40, 500);
  const headersTimeoutMs = sized(1000, 10_000);
  const checkMs = sized(100, 1000);
  const api = await startHealthy({
    clock: systemClock,
    connections: { headersTimeoutMs, requestTimeoutMs: headersTimeoutMs * 2, connectionsCheckIntervalMs: checkMs },
  });
  t.after(() => api.stop());
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(api.port)));
  const startedMs = performance.now();
  const ends = sockets.map(readToEnd);
  for (const socket of sockets) socket.write('GET /v1/time HTTP/1.1\r\nHost: a\r\n');
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('X-Slow: a\r\n');
  }, 100);
  let over = false;
  const healthy = pollHealthily(api, () => over);
  for (const end of await Promise.all(ends)) {
    const { responses, rest } = splitResponses(end);
    assert.deepEqual([responses.length, rest.length, responses[0]?.status], [1, 0, 408]);
    assertSound(responses[0]!);
    api.validate('GET', '/v1/time', responses[0]!);
  }
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < headersTimeoutMs + checkMs * 2 + 1000, `the last one was closed after ${tookMs} ms`);
  clearInterval(drip);
  over = true;
  assertQuick(await healthy);
  await assertRecovered(api);
});

test('connections that send nothing are closed in time, those beyond the bound at once, and a client that is connected is not touched (fault row 2)', async (t) => {
  const count = sized(150, 2000);
  const maxConnections = sized(100, 1500);
  const headersTimeoutMs = sized(1000, 10_000);
  const api = await startHealthy({
    clock: systemClock,
    connections: {
      maxConnections,
      headersTimeoutMs,
      requestTimeoutMs: headersTimeoutMs * 2,
      connectionsCheckIntervalMs: sized(100, 1000),
    },
  });
  t.after(() => api.stop());
  let over = false;
  const healthy = pollHealthily(api, () => over);
  await eventually('the healthy client is served', () => api.listener.counts.byRouteAndStatus.size > 0);
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(api.port)));
  const ends = await Promise.all(sockets.map(readToEnd));
  const { dropped, evicted } = api.listener.connectionFigures();
  assert.equal(dropped + evicted, count + 1 - maxConnections);
  const answered = ends.map((end) => splitResponses(end).responses).filter((responses) => responses.length > 0);
  assert.equal(answered.length, maxConnections - 1);
  for (const [response] of answered) assert.equal(json(response!).code, 'REQUEST_TIMEOUT');
  over = true;
  assertQuick(await healthy);
  await assertRecovered(api);
});

test('clients that read a byte at a time hold no more than their answers and are cut, and a healthy client is served meanwhile (fault row 3)', async (t) => {
  const count = sized(20, 200);
  const writeTimeoutMs = sized(1000, 5000);
  const api = await startHealthy({ clock: systemClock, connections: { writeTimeoutMs } });
  t.after(() => api.stop());
  const bases = Array.from({ length: 1500 }, (_, index) => `X${index.toString(36).toUpperCase().padStart(3, '0')}`);
  api.list(...bases);
  for (const base of bases) api.tick(base, '50000.00', '50010.00');
  const bodyBytes = (await api.get('/v1/tickers')).body.length;
  const before = memoryBytes();
  let peak = before;
  const sample = setInterval(() => {
    peak = Math.max(peak, memoryBytes());
  }, 50);
  const request = api.requestText('/v1/tickers', { headers: { Connection: 'keep-alive' } });
  const readers = Array.from({ length: count }, () => readSlowly(api.port, request.repeat(20)));
  let over = false;
  const healthy = pollHealthily(api, () => over);
  await eventually('all are cut', () => api.listener.connectionFigures().cut === count, writeTimeoutMs + 30_000);
  over = true;
  assertQuick(await healthy);
  clearInterval(sample);
  for (const reader of readers) reader.stop();
  const perClient = (peak - before) / count;
  assert.ok(perClient < bodyBytes, `${Math.round(perClient)} bytes a client, of a body of ${bodyBytes}`);
  await assertRecovered(api);
});

/** What the process holds, the kernel's buffers aside. */
function memoryBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Sends the request and then takes one byte of the answer ten times a second. */
function readSlowly(port: number, request: string): { stop(): void } {
  const onread = { buffer: Buffer.alloc(1), callback: () => false };
  const socket: Socket = connect({ host: '127.0.0.1', port, onread });
  socket.on('error', () => {});
  socket.write(request);
  const turn = setInterval(() => socket.resume(), 100);
  return {
    stop() {
      clearInterval(turn);
      socket.destroy();
    },
  };
}
