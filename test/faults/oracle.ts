import assert from 'node:assert/strict';
import { errorTable } from '../../src/contract/errors.ts';
import { eventually } from '../support/eventually.ts';
import type { WireResponse } from '../support/http-client.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

const requestIdShape = /^[0-9a-f]{32}$/;
const members = ['type', 'title', 'status', 'code', 'detail', 'requestId'];

/**
 * What must hold of any answer, whatever was sent: never a 500, an identifier of ours, and every
 * error in the Error shape with the same status and identifier twice. `hasBody` is false for HEAD.
 */
export function assertSound(response: WireResponse, hasBody = true): void {
  const { status, headers, body } = response;
  const seen = `${status} ${JSON.stringify(headers)} ${body.toString('latin1').slice(0, 300)}`;
  assert.ok(status < 500 || status === 503, seen);
  assert.match(headers['x-request-id'] ?? '', requestIdShape, seen);
  if (status < 400 || !hasBody) return;
  assert.equal(headers['content-type'], 'application/problem+json', seen);
  const problem = json(response);
  assert.deepEqual(Object.keys(problem), members, seen);
  assert.equal(problem.status, status, seen);
  assert.equal(problem.requestId, headers['x-request-id'], seen);
  assert.match(String(problem.type), /^https?:\/\/[^/]+\/errors\/[a-z-]+$/, seen);
  assert.equal(errorTable[problem.code as keyof typeof errorTable].status, status, seen);
  if (status === 503 || status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, seen);
}

/** After a fault: the listener answers a healthy client, holds no connection and logged no failure. */
export async function assertRecovered(api: ListenerHarness): Promise<void> {
  assert.equal((await api.get('/v1/time', { key: api.addKey() })).status, 200);
  await eventually('every connection is gone', () => api.listener.connectionFigures().open === 0);
  assert.deepEqual(api.logged, []);
}

/** A harness over two markets, made for many requests, which is judged as a whole when it stops. */
export async function startHealthy(
  options: Parameters<typeof ListenerHarness.start>[0] = {},
): Promise<ListenerHarness> {
  const plenty = 1_000_000;
  const limits = { key: plenty, address: plenty, failedAuthentication: plenty, ...options.limits };
  const api = await ListenerHarness.start({ ...options, limits });
  api.list('BTC', 'ETH');
  api.tick('BTC', '50000.00', '50010.00');
  api.rate('24.315');
  return api;
}
