import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { Wire } from '../support/wire.ts';
import { installed, type ServingProcess } from './serving-process.ts';

describe('a service that gets SIGTERM', { concurrency: 2 }, () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 500 });
  });
  after(() => simulator.stop());

  /** A process that serves prices, and the request its key allows. */
  async function started(t: TestContext, server: object = {}) {
    const { key, start } = await installed(t, simulator, {
      server: { shutdownDeadline: '10s', ...server },
      markets: { symbols: 'all' },
    });
    const service = await start();
    const api = await ApiClient.of(service.baseUrl, key);
    await eventually('prices', async () => (await api.outcome('/v1/tickers')) === '200');
    const { host } = new URL(service.baseUrl);
    const ask = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
    return { service, api, ask };
  }

  test('finishes every answer under way to the last byte, says so on the last one, and is unready meanwhile (fault row 48)', async (t) => {
    const { service, api, ask } = await started(t, { shutdownDeadline: '1m' });
    const reader = await slowReader(service, ask('/v1/tickers'));
    service.signal('SIGTERM');
    await eventually('it is unready', async () => (await service.admin('/readyz')).status === 503);
    await eventually('no connection is taken any more', () => isRefused(service.port));
    const all = readToEnd(reader);
    reader.resume();
    const { responses, rest } = splitResponses(await all);
    assert.equal(rest.length, 0, 'no answer is cut');
    for (const response of responses) api.validate('GET', '/v1/tickers', response);
    assert.ok(responses.every(({ status }) => status === 200));
    const closing = responses.map(({ headers }) => headers.connection === 'close');
    assert.deepEqual([closing.indexOf(true), responses.length < pipelined], [responses.length - 1, true]);
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.deepEqual(service.failures, []);
  });

  test('is unready at once and keeps taking connections until balancers look elsewhere, where configured (fault row 48)', async (t) => {
    const { service, ask } = await started(t, { drainDelay: '3s' });
    service.signal('SIGTERM');
    await eventually('it is unready', async () => (await service.admin('/readyz')).status === 503);
    const late = await Wire.open(service.port);
    const { status, headers } = await late.ask(ask('/v1/time'));
    assert.deepEqual([status, headers.connection], [200, 'close']);
    assert.deepEqual(await service.ended, { code: 0, signal: null });
  });

  test('closes idle connections soon and ends well before its deadline (fault row 48)', async (t) => {
    const { service, ask } = await started(t, { shutdownDeadline: '5m' });
    const idle = await Promise.all(Array.from({ length: 20 }, () => Wire.open(service.port)));
    for (const wire of idle.slice(0, 10)) assert.equal((await wire.ask(ask('/v1/time'))).status, 200);
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    await eventually('all are closed', () => idle.every((wire) => wire.isClosed));
  });

  test('ends at once with 143 on a second signal (fault row 48)', async (t) => {
    const { service, ask } = await started(t, { shutdownDeadline: '5m' });
    await slowReader(service, ask('/v1/tickers'));
    service.signal('SIGTERM');
    await eventually('it is unready', async () => (await service.admin('/readyz')).status === 503);
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, { code: 143, signal: null });
  });

  test('answers a request whose second half comes late and closes its connection; one that never comes does not hold it (fault row 48)', async (t) => {
    const { service, ask } = await started(t, { shutdownDeadline: '2s' });
    const request = ask('/v1/time');
    const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.open(service.port)));
    for (const wire of wires) wire.socket.write(request.slice(0, 40));
    await eventually('all are accepted', async () => {
      return (await service.metrics()).value('mdapi_connections_open') === wires.length;
    });
    // The halves may have been accepted and not yet read: an answer on another connection comes after them.
    const other = await Wire.open(service.port);
    await other.ask(request);
    service.signal('SIGTERM');
    await eventually('it is unready', async () => (await service.admin('/readyz')).status === 503);
    const late = await wires[0]!.ask(request.slice(40));
    assert.deepEqual([late.status, late.headers.connection], [200, 'close']);
    const stoppingMs = performance.now();
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.ok(performance.now() - stoppingMs < 8_000);
    await eventually('all are closed', () => wires.every((wire) => wire.isClosed));
  });

  test('answers pipelined requests whole and in order, up to the end of the connection (fault row 48)', async (t) => {
    const { service, ask } = await started(t);
    const socket = await openSocket(service.port);
    const all = readToEnd(socket);
    let written = 0;
    const pipeline = setInterval(() => {
      for (let turn = 0; turn < 20 && socket.writable; turn++, written++) socket.write(ask('/v1/time'));
    }, 1);
    t.after(() => clearInterval(pipeline));
    await eventually('answers come', () => socket.bytesRead > 100_000);
    service.signal('SIGTERM');
    const { responses, rest } = splitResponses(await all);
    clearInterval(pipeline);
    assert.ok(responses.length > 100 && responses.length <= written);
    const closing = responses.map(({ headers }) => headers.connection === 'close');
    // None says so when the connection was idle, between two requests, at the very moment.
    assert.ok([-1, responses.length - 1].includes(closing.indexOf(true)));
    // A reset for what was written after the last answer may take the end of that answer with it on its way.
    assert.ok(rest.length === 0 || closing.indexOf(true) === -1);
    const remaining = responses.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.ok(remaining.every((left, index) => index === 0 || left < remaining[index - 1]! || left > 990_000));
    assert.deepEqual(await service.ended, { code: 0, signal: null });
  });

  test('cuts a client that does not read when the deadline comes, and still exits with 0 (fault row 48)', async (t) => {
    const { service, ask } = await started(t, { shutdownDeadline: '500ms' });
    await slowReader(service, ask('/v1/tickers'));
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, { code: 0, signal: null });
  });
});

const pipelined = 1_000;

/** A client that asks for far more than the sockets between can hold, and reads nothing. */
async function slowReader(service: ServingProcess, request: string): Promise<Socket> {
  const socket = await openSocket(service.port);
  socket.pause();
  socket.write(request.repeat(pipelined), 'latin1');
  const answered = async () =>
    (await service.metrics()).value('mdapi_requests_total', { route: '/v1/tickers', status: '200' });
  let seen = -1;
  await eventually('the connection is full', async () => {
    const before = seen;
    seen = await answered();
    return seen > 1 && seen === before;
  });
  return socket;
}

/** Whether nobody listens at the port. */
async function isRefused(port: number): Promise<boolean> {
  try {
    (await openSocket(port)).destroy();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  }
}
