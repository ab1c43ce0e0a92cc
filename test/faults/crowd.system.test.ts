import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { contractLimits } from '../../src/contract/limits.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';
import { installed, type ServingProcess } from './serving-process.ts';

const drippers = new URL('./crowd-clients.ts', import.meta.url);
const perAddress = 200;

/** A service with all markets, as it is by default but for the limit of a key. */
async function started(t: TestContext, server: object = {}) {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  t.after(() => simulator.stop());
  const { key, start } = await installed(t, simulator, {
    server: { ...server, overloadDelay: '200ms' },
    markets: { symbols: 'all' },
    limits: { ...contractLimits, key: 1_000_000 },
  });
  const service = await start();
  const api = ApiClient.unasked(service.baseUrl, key);
  await eventually('prices', async () => (await api.outcome('/v1/tickers')) === '200');
  return { service, api, key };
}

function requestFor(path: string, key: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n${headers}\r\n`;
}

/** Nobody was refused for overload, cut, or not let in. */
async function assertNobodyRefused(service: ServingProcess): Promise<void> {
  const metrics = await service.metrics();
  const names = ['requests_shed_total', 'connections_cut_total', 'connections_dropped_total'];
  assert.deepEqual(
    names.map((name) => metrics.value(`mdapi_${name}`)),
    [0, 0, 0],
  );
  assert.equal(metrics.value('mdapi_connections_ended_total', { reason: 'address' }), 0);
  assert.deepEqual(service.failures, []);
}

/** Asks over each connection again and again, all at once, until it is over; every answer has to be a 200. */
async function pollAll(wires: readonly Wire[], request: string, isOver: () => boolean): Promise<number> {
  let answers = 0;
  const poll = async (wire: Wire) => {
    while (!isOver()) {
      assert.equal((await wire.ask(request)).status, 200);
      answers++;
      await pause(sized(100, 1_500));
    }
  };
  await Promise.all(wires.map(poll));
  return answers;
}

test('clients with a key who read at once are all answered, none is cut, and no byte counts as unsent that was taken (fault row 65)', async (t) => {
  const clients = sized(150, 3_000);
  const { service, key } = await started(t, { maxConnectionsPerAddress: 5_000 });
  const wires = await Promise.all(Array.from({ length: clients }, () => Wire.open(service.port)));
  const rounds = sized(4, 20);
  for (const coding of ['', 'Accept-Encoding: gzip\r\n']) {
    const request = requestFor('/v1/tickers', key, coding);
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(wires.map((wire) => wire.ask(request)));
      assert.ok(answers.every(({ status }) => status === 200));
      // What is on its way by then, as it is in a client's poll.
      for (const wire of wires) wire.socket.write(request.slice(0, 1));
      const metrics = await service.metrics();
      assert.equal(metrics.value('mdapi_unsent_answers_bytes'), 0);
      await Promise.all(wires.map((wire) => wire.ask(request.slice(1))));
    }
  }
  await assertNobodyRefused(service);
  for (const wire of wires) wire.close();
});

for (const addresses of [1, 2, 5]) {
  test(`sockets without a key that have read a page and send a byte a second, from ${addresses} address${addresses === 1 ? '' : 'es'}, refuse and cut nobody with a key (fault row 66)`, async (t) => {
    // They take all places there are, and all of the address that a client with a key shares with them.
    const { service, key } = await started(t, { maxConnections: addresses * perAddress });
    const ask = requestFor('/v1/ticker?symbol=BTCEUR', key);
    const wires = await Promise.all(Array.from({ length: 20 }, () => Wire.open(service.port)));
    let isOver = false;
    const polled = pollAll(wires, ask, () => isOver);
    await eventually('they are served', async () => {
      return (await service.metrics()).value('mdapi_connections_open') >= wires.length;
    });
    const args = [service.port, addresses, perAddress].map(String);
    const attack = fork(drippers, args, { execArgv: [] });
    t.after(() => attack.kill('SIGKILL'));
    assert.deepEqual(await Promise.race([once(attack, 'message'), once(attack, 'exit')]), ['read', undefined]);
    const newcomers = sized(100, 1_000);
    for (let come = 0; come < newcomers; come++) {
      const wire = await Wire.open(service.port, come % 2 === 0 ? '127.0.2.1' : undefined);
      assert.equal((await wire.ask(ask)).status, 200);
      wire.close();
      await pause(sized(20, 30));
    }
    isOver = true;
    assert.ok((await polled) > 0);
    assert.ok(wires.every(({ isClosed }) => !isClosed));
    assert.ok((await service.metrics()).value('mdapi_connections_ended_total', { reason: 'evicted' }) > 0);
    await assertNobodyRefused(service);
  });
}

test('a machine that stops the process 300 ms of every 450 makes it refuse nobody, and a missing key is told so (fault row 67)', async (t) => {
  const { service, api } = await started(t);
  const keyless = ApiClient.unasked(service.baseUrl, '');
  const stalls = setInterval(() => {
    service.signal('SIGSTOP');
    setTimeout(() => service.signal('SIGCONT'), 300);
  }, 450);
  t.after(() => {
    clearInterval(stalls);
    service.signal('SIGCONT');
  });
  const isLate = async () =>
    (await service.metrics()).value('mdapi_event_loop_delay_seconds', { percentile: '99' }) > 0.2;
  await eventually('the loop is late', isLate);
  for (let asked = 0; asked < sized(20, 100); asked++) {
    assert.equal(await api.outcome('/v1/time'), '200');
    assert.equal(await api.outcome('/v1/tickers'), '200');
  }
  assert.equal((await keyless.get('/v1/time')).status, 401);
  await assertNobodyRefused(service);
});
