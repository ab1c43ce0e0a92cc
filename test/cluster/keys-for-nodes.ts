import assert from 'node:assert/strict';
import type { ServingProcess } from '../faults/serving-process.ts';
import { Wire } from '../support/wire.ts';

const askedPerKey = 10;
const keysMax = 24;

/** Requests with a key that a node answered, whatever for. */
async function answeredBy(node: ServingProcess, path: string): Promise<number> {
  const { samples } = await node.metrics();
  const ofPath = samples.filter(({ name, labels }) => name === 'mdapi_requests_total' && labels.route === path);
  return ofPath.reduce((sum, { value }) => sum + value, 0);
}

/**
 * The node that the proxy sends a key to, by its place in `nodes`. Fails where the key went to more than one.
 * @param port of the proxy
 */
async function nodeOf(key: string, port: number, nodes: readonly ServingProcess[]): Promise<number> {
  const before = await Promise.all(nodes.map((node) => answeredBy(node, '/v1/time')));
  // Connections of their own: one that is kept could stay with a node by itself.
  for (let asked = 0; asked < askedPerKey; asked++) {
    const wire = await Wire.open(port);
    const response = await wire.ask(`GET /v1/time HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`);
    wire.close();
    assert.equal(response.status, 200);
  }
  const after = await Promise.all(nodes.map((node) => answeredBy(node, '/v1/time')));
  const answered = after.map((count, index) => count - before[index]!);
  assert.deepEqual(answered.filter(Boolean), [askedPerKey], 'one key was sent to several nodes');
  return answered.findIndex(Boolean);
}

/** Makes keys until each of the proxies sends one at least to each node, and returns them. */
export async function keysForNodes(
  ports: readonly number[],
  nodes: readonly ServingProcess[],
  makeKey: () => Promise<string>,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const reached = new Set<string>();
  while (reached.size < ports.length * nodes.length) {
    assert.ok(keys.length < keysMax, `${keysMax} keys reach only ${[...reached].join(', ')}`);
    const key = await makeKey();
    keys.push(key);
    for (const port of ports) reached.add(`node ${await nodeOf(key, port, nodes)} through ${port}`);
  }
  return keys;
}
