import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { connect, type SecureVersion } from 'node:tls';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import { type HarnessOptions, json, ListenerHarness } from '../support/listener-harness.ts';
import { renewedTls, tlsTexts } from '../support/tls-files.ts';

async function startOverTls(t: TestContext, options: HarnessOptions = {}): Promise<ListenerHarness> {
  const api = await ListenerHarness.start({ clock: systemClock, tls: tlsTexts, ...options });
  t.after(() => api.stop());
  api.list('BTC');
  api.tick('BTC', '50000.00', '50010.00');
  return api;
}

function openTls(port: number, versions: { minVersion?: SecureVersion; maxVersion?: SecureVersion } = {}) {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: tlsTexts.authority, ...versions });
  socket.on('error', () => {});
  return socket;
}

/** Answers to requests on one TLS connection. */
async function askOverTls(api: ListenerHarness, ...requests: readonly string[]) {
  const socket = openTls(api.port);
  const ended = readToEnd(socket);
  socket.write(requests.join(''));
  const { responses, rest } = splitResponses(await ended);
  assert.equal(rest.length, 0);
  return responses;
}

const head = (api: ListenerHarness) => ({ Connection: 'keep-alive', 'X-EXCHANGE-APIKEY': api.key });

describe('over TLS', { concurrency: true }, () => {
  test('every resource is served as the document says, several on one connection, and browsers are told to come back over TLS alone', async (t) => {
    const api = await startOverTls(t);
    const targets = [
      '/v1/time',
      '/v1/status',
      '/v1/markets',
      '/v1/tickers',
      '/v1/ticker?symbol=BTCEUR',
      '/openapi/v1.json',
    ];
    const kept = targets.map((target) => api.requestText(target, { headers: head(api) }));
    const responses = await askOverTls(api, ...kept, api.requestText('/v1/time', { key: null }));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...targets.map(() => 200), 401],
    );
    for (const { headers } of responses) assert.equal(headers['strict-transport-security'], 'max-age=31536000');
    for (const [index, target] of [...targets, '/v1/time'].entries()) api.validate('GET', target, responses[index]!);
    assert.equal(json<{ buyPrice: string }>(responses[4]!).buyPrice, '50260.05');
  });

  test('whoever holds places without ever finishing a handshake makes room for a client that does (fault row 53)', async (t) => {
    const api = await startOverTls(t, { connections: { maxConnections: 2 } });
    const holders = await Promise.all([1, 2].map(() => openSocket(api.port)));
    for (const holder of holders) holder.on('error', () => {});
    await eventually('both hold a place', () => api.listener.connectionFigures().open === 2);
    const [response] = await askOverTls(
      api,
      api.requestText('/v1/time', { headers: { 'X-EXCHANGE-APIKEY': api.key } }),
    );
    assert.equal(response?.status, 200);
    await eventually('one of them is gone', () => holders.some((holder) => holder.closed));
    assert.equal(api.listener.connectionFigures().evicted, 1);
  });

  test('bytes that are not HTTP get their answer there too, and the connection ends', async (t) => {
    const api = await startOverTls(t);
    const [response, ...others] = await askOverTls(api, 'nonsense\r\n\r\n');
    assert.equal(others.length, 0);
    assert.equal(response!.status, 400);
    api.validate('GET', '/nowhere', response!);
  });

  test('a client without TLS gets nothing, and disturbs nobody', async (t) => {
    const api = await startOverTls(t);
    const { responses, rest } = await exchange(api.port, api.requestText('/v1/time'));
    assert.deepEqual(responses, []);
    assert.doesNotMatch(rest.toString('latin1'), /HTTP/);
    assert.equal((await askOverTls(api, api.requestText('/v1/time')))[0]!.status, 200);
    assert.deepEqual(api.logged, []);
  });

  test('TLS 1.2 and 1.3 are spoken, and nothing older', async (t) => {
    const api = await startOverTls(t);
    for (const version of ['TLSv1.3', 'TLSv1.2'] as const) {
      const socket = openTls(api.port, { minVersion: version, maxVersion: version });
      await eventually('a connection', () => socket.getProtocol() === version && socket.authorized);
      socket.destroy();
    }
    const old = openTls(api.port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    await readToEnd(old);
    assert.equal(old.authorized, false);
  });

  test('a peer that never ends its handshake is cut when a head would be (fault row 1)', async (t) => {
    const api = await startOverTls(t, { connections: { headersTimeoutMs: 300 } });
    const silent = await openSocket(api.port);
    const halfway = await openSocket(api.port);
    halfway.write(Buffer.from('16030100a5010000a10303', 'hex'));
    await Promise.all([readToEnd(silent), readToEnd(halfway)]);
    assert.equal((await askOverTls(api, api.requestText('/v1/time')))[0]!.status, 200);
  });

  test('a handshake that is under way when the listener closes does not hold it up (fault row 48)', async (t) => {
    const api = await startOverTls(t, { connections: { headersTimeoutMs: 120_000, requestTimeoutMs: 120_000 } });
    const silent = await openSocket(api.port);
    const cut = readToEnd(silent);
    const idle = openTls(api.port);
    const idleEnded = readToEnd(idle);
    await eventually('both are accepted', () => api.listener.connectionFigures().open === 1);
    await Promise.all([api.listener.close(30_000), cut, idleEnded]);
  });

  test('a renewed certificate is for new connections, and those that are open go on', async (t) => {
    const api = await startOverTls(t);
    const before = openTls(api.port);
    await eventually('a connection', () => before.authorized);
    api.listener.renewCertificate(renewedTls);
    const after = openTls(api.port);
    await eventually('another', () => after.authorized);
    const shown = [before, after].map((socket) => socket.getPeerX509Certificate()?.toString());
    assert.deepEqual(shown, [tlsTexts.cert, renewedTls.cert]);
    for (const socket of [before, after]) {
      const ended = readToEnd(socket);
      socket.write(api.requestText('/v1/time'));
      assert.equal(splitResponses(await ended).responses[0]!.status, 200);
    }
  });
});
