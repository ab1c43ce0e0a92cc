import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectorKinds } from '../../src/feed/connectors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every exchange that can be configured has its conformance test beside the connector', () => {
  const exchanges = Object.keys(connectorKinds).filter((kind) => connectorKinds[kind]!.urls.rest !== '');
  const missing = exchanges
    .map((kind) => `src/feed/${kind}/conformance.test.ts`)
    .filter((file) => !existsSync(`${root}${file}`));
  assert.deepEqual(missing, []);
});

test('every connector can be configured', () => {
  const folders = globSync('src/feed/*/connector.ts', { cwd: root }).map((file) => file.split('/')[2]!);
  const missing = folders.filter((kind) => !Object.hasOwn(connectorKinds, kind));
  assert.deepEqual(missing, [], 'without an entry in src/feed/connectors.ts');
});

test('every recording is in the list that says where recordings are from', () => {
  const list = readFileSync(`${root}exchange-simulator/recordings/README.md`, 'utf8');
  const missing = globSync('*.{json,jsonl}', { cwd: `${root}exchange-simulator/recordings` }).filter(
    (file) => !list.includes(`\`${file}\``),
  );
  assert.deepEqual(missing, [], 'not in exchange-simulator/recordings/README.md');
});
