import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { Installation } from '../support/mdapi-process.ts';
import { ServiceHarness } from '../support/service-harness.ts';

async function serving(t: TestContext) {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  t.after(() => simulator.stop());
  return Installation.for(t, simulator).serveLive();
}

describe('`mdapi serve` told to stop', { concurrency: true }, () => {
  test('is unready, lets idle connections go, cuts a half-sent request at its deadline, and ends with 0', async (t) => {
    const { server, api, adminUrl, key } = await serving(t);
    const idle = await openSocket(api.port);
    const idleEnd = readToEnd(idle);
    idle.write(`GET /v1/time HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`);
    await eventually('it is answered', () => idle.bytesRead > 0);
    const halfSent = await openSocket(api.port);
    const halfSentEnd = readToEnd(halfSent);
    halfSent.write('GET /v1/time HTTP/1.1\r\nHost: a\r\n');
    assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200);

    const toldMs = performance.now();
    server.kill('SIGTERM');
    const draining = await eventually('it is unready', async () => {
      const response = await fetch(`${adminUrl}/readyz`, { headers: { Connection: 'close' } });
      return response.status === 503 && ((await response.json()) as { phase: string; ready: boolean });
    });
    assert.deepEqual([draining.phase, draining.ready], ['draining', false]);
    assert.equal((await fetch(`${adminUrl}/livez`, { headers: { Connection: 'close' } })).status, 200);
    assert.equal(splitResponses(await idleEnd).responses.length, 1);
    await eventually('it takes no more connections', () =>
      openSocket(api.port).then(
        (socket) => void socket.destroy(),
        () => true,
      ),
    );
    await halfSentEnd;
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.ok(performance.now() - toldMs < 6_000, 'the deadline of a second, and the end of the process');
  });

  test('twice by SIGTERM ends at once', async (t) => {
    const { server, api, adminUrl } = await serving(t);
    const halfSent = await openSocket(api.port);
    halfSent.write('GET /v1/time HTTP/1.1\r\n');
    server.kill('SIGTERM');
    await eventually(
      'it drains',
      async () => (await fetch(`${adminUrl}/readyz`, { headers: { Connection: 'close' } })).status === 503,
    );
    server.kill('SIGTERM');
    assert.deepEqual(await server.ended, { code: 143, signal: null });
  });
});

test('a service that has stopped leaves no socket and no timer behind, however often it starts', async (t) => {
  const service = await ServiceHarness.start(t);
  const open = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Pipe/.test(name)).length;
  await service.stopService();
  await eventually('the sockets are closed', () => service.simulator.state().connections.length === 0);
  const before = open();
  for (let round = 0; round < 3; round++) {
    await service.startService();
    await service.untilLive();
    await service.stopService();
  }
  await eventually('nothing more is open than before', () => open() <= before);
});
