import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { assertSound } from '../faults/oracle.ts';
import { eventually } from '../support/eventually.ts';
import { exchange } from '../support/http-client.ts';
import { json } from '../support/listener-harness.ts';
import { needsNginx } from '../support/nginx.ts';
import { Wire } from '../support/wire.ts';
import { NodesBehindNginx } from './nodes-behind-nginx.ts';

const refused: readonly [what: string, request: string, status: number, code: string][] = [
  ['no HTTP', 'HELLO\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a version there is not', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', 400, 'BAD_REQUEST'],
  ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'BAD_REQUEST'],
  ['an unknown coding', 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a large body', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n', 400, 'BAD_REQUEST'],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['a long line', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'],
  ['a long header', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'REQUEST_HEADER_FIELDS_TOO_LARGE'],
];

describe('nginx as it is shipped', needsNginx, () => {
  let simulator: ExchangeSimulator;
  let cluster: NodesBehindNginx;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 10 });
    const t = { after: (run: () => unknown) => cleanups.unshift(run) };
    cluster = await NodesBehindNginx.start(t, simulator);
  });
  after(async () => {
    for (const run of cleanups) await run();
    await simulator.stop();
  });

  test('passes every coding of a body with its own entity tag', async () => {
    const tags = new Set<string | undefined>();
    const wire = await Wire.open(cluster.nginx.port);
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const response = await wire.ask(cluster.request('GET', '/v1/markets', `Accept-Encoding: ${coding}`));
      assert.equal(response.headers['content-encoding'] ?? 'identity', coding);
      tags.add(response.headers.etag);
    }
    wire.close();
    assert.equal(tags.size, 4);
  });

  test('passes the address of the client to the nodes, whatever the client claims', async () => {
    const wire = await Wire.open(cluster.nginx.port);
    // A node that Redis keeps waiting counts alone for a moment, hence the repetition.
    await eventually('four answers counted one after the other, for one address', async () => {
      const counts: number[] = [];
      for (const claim of ['6.6.6.1', '6.6.6.2', '6.6.6.3', '6.6.6.4']) {
        const { headers } = await wire.ask(`GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${claim}\r\n\r\n`);
        counts.push(Number(headers['x-ratelimit-remaining']));
      }
      return counts.every((count, index) => count === counts[0]! - index);
    });
    wire.close();
  });

  for (const [what, request, status, code] of refused) {
    test(`answers ${what} in the form of every other error`, async () => {
      const { responses } = await exchange(cluster.nginx.port, request);
      const [response] = responses;
      assertSound(response!);
      const { type, ...problem } = json<{ type: string; code: string }>(response!);
      assert.deepEqual([response!.status, problem.code], [status, code]);
      assert.ok(type.startsWith(`${cluster.api.baseUrl}/errors/`), type);
    });
  }

  test('has no paths of its own', async () => {
    const wire = await Wire.open(cluster.nginx.port);
    const response = await wire.ask('GET /.errors/bad-request HTTP/1.1\r\nHost: a\r\n\r\n');
    wire.close();
    assertSound(response);
    assert.equal(json(response).code, 'NOT_FOUND');
  });

  test('logs no key and no query', async () => {
    const wire = await Wire.open(cluster.nginx.port);
    const { headers } = await wire.ask(cluster.request('GET', `/v1/ticker?symbol=${cluster.api.key}`));
    wire.close();
    const id = headers['x-request-id']!;
    await eventually('the request is logged', () => cluster.nginx.accessLog.includes(`request=${id}`));
    assert.ok(!cluster.nginx.accessLog.includes(cluster.api.key));
    assert.ok(!cluster.nginx.errorLog.includes(cluster.api.key));
  });

  test('answers 503 as documented while no node is there, and serves again once one is', async () => {
    for (const node of cluster.nodes) await cluster.stop(node);
    const wire = await Wire.open(cluster.nginx.port);
    for (const method of ['GET', 'GET', 'GET', 'HEAD']) {
      const response = await wire.ask(cluster.request(method, '/v1/tickers'));
      cluster.validate(method, '/v1/tickers', response);
      assertSound(response, method === 'GET');
      assert.equal(response.status, 503);
    }
    await cluster.startAgain(cluster.nodes[0]!);
    const again = async () => (await wire.ask(cluster.request('GET', '/v1/tickers'))).status === 200;
    await eventually('it serves again', again);
    wire.close();
  });
});
