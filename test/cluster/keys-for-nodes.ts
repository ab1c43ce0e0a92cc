import assert from 'node:assert/strict';
import type { ServingProcess } from '../faults/serving-process.ts';
import { Wire } from '../support/wire.ts';

/** Nobody else may ask for it meanwhile. */
const path = '/v1/time';
const askedPerKey = 10;
const keysMax = 24;

/** Requests for the path that a node answered. */
async function answeredBy(node: ServingProcess): Promise<number> {
  const { samples } = await node.metrics();
  const ofPath = samples.filter(({ name, labels }) => name === 'mdapi_requests_total' && labels.route === path);
  return ofPath.reduce((sum, { value }) => sum + value, 0);
}

/** Asks on a connection of its own: one that is kept could stay with a node by itself. */
async function ask(key: string, port: number): Promise<void> {
  const wire = await Wire.open(port);
  const response = await wire.ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`);
  wire.close();
  assert.equal(response.status, 200);
}

/** The node that the proxy sends a key to, by its place in `nodes`. Fails where the key went to more than one. */
async function nodeOf(key: string, port: number, nodes: readonly ServingProcess[]): Promise<number> {
  const before = await Promise.all(nodes.map(answeredBy));
  for (let asked = 0; asked < askedPerKey; asked++) await ask(key, port);
  const after = await Promise.all(nodes.map(answeredBy));
  const answered = after.map((count, index) => count - before[index]!);
  assert.deepEqual(answered.filter(Boolean), [askedPerKey], 'one key was sent to several nodes');
  return answered.findIndex(Boolean);
}

/** Whether the proxy sends any of the keys to the node. */
export async function isAsked(node: ServingProcess, port: number, keys: readonly string[]): Promise<boolean> {
  const before = await answeredBy(node);
  for (const key of keys) await ask(key, port);
  return (await answeredBy(node)) > before;
}

/** Gives few keys of which each of the proxies sends one at least to each node: the first, and others if need be. */
export async function keysForNodes(
  ports: readonly number[],
  nodes: readonly ServingProcess[],
  { key, addKey }: { readonly key: string; readonly addKey: () => Promise<string> },
): Promise<readonly string[]> {
  const keys: string[] = [];
  const reached = new Set<string>();
  for (let tried = 0; tried < keysMax; tried++) {
    const next = tried === 0 ? key : await addKey();
    const before = reached.size;
    for (const port of ports) reached.add(`node ${await nodeOf(next, port, nodes)} through ${port}`);
    if (reached.size > before) keys.push(next);
    if (reached.size === ports.length * nodes.length) return keys;
  }
  throw new Error(`${keysMax} keys reach only ${[...reached].join(', ')}`);
}
