import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../repository/files.ts';

/** What is a matter of one language alone. */
const own = {
  typescript: [
    'Answered',
    'Call',
    'CallOptions',
    'ClientOptions',
    'DecimalString',
    'ErrorCode',
    'Fetch',
    'Hooks',
    'KnownErrorCode',
    'MarketDataClient',
    'MarketStatus',
    'ResponseDetails',
    'ServiceState',
    'Timer',
    'WatchOptions',
    'createClient',
    'pollingIntervalsMs',
    'systemClock',
  ],
  python: ['AsyncClient', 'AsyncWatch', 'Client', 'Components', 'WatchStateKind', '__version__', 'problem_classes'],
};

const inSnakeCase = (name: string) =>
  /^[A-Z]/.test(name) ? name : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test('both clients give the same things the same names', () => {
  const exported = textOf('client/src/index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g);
  const typescript = [...exported].flatMap(([, names = '']) => names.match(/\b(?!type\b)\w+/g) ?? []);
  const [, all = ''] = /__all__ = \[([^\]]*)\]/.exec(textOf('client-python/src/market_data_client/__init__.py')) ?? [];
  const python = [...all.matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
  assert.ok(typescript.length > 50 && python.length > 40);
  assert.deepEqual(
    typescript
      .filter((name) => !own.typescript.includes(name))
      .map(inSnakeCase)
      .toSorted(),
    python.filter((name) => !own.python.includes(name)).toSorted(),
  );
});

test('both clients have the same calls and watches', () => {
  const [, typescript = ''] =
    /export class MarketDataClient \{([\s\S]*?)\n\}/.exec(textOf('client/src/client.ts')) ?? [];
  const members = [...typescript.matchAll(/^ {2}(?:async |get )?([a-z]\w*)[(<]/gm)].map(([, name = '']) => name);
  const isShared = (name: string) => !['constructor', 'toJSON', 'ageMs'].includes(name);
  for (const file of ['_sync', '_async']) {
    const text = textOf(`client-python/src/market_data_client/${file}.py`);
    const [, python = ''] = /^class (?:Async)?Client:\n([\s\S]*)/m.exec(text) ?? [];
    const methods = new Set([...python.matchAll(/^ {4}(?:async )?def ([a-z]\w*)/gm)].map(([, name]) => name));
    assert.ok(members.length > 12, String(members));
    assert.deepEqual(
      members.filter((name) => isShared(name) && !methods.has(inSnakeCase(name))),
      [],
      file,
    );
  }
});
