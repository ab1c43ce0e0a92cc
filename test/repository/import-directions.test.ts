import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { filesEnding, isForTests, textOf } from './files.ts';

const readable = ['access', 'board', 'cluster', 'contract', 'feed', 'ground', 'http', 'market', 'notices', 'portal'];
const joined = [
  ...readable,
  'admin',
  'conditions',
  'configuration',
  'history',
  'management',
  'operator',
  'persistence',
  'store',
  'telemetry',
];
/**
 * The rooms that each may import of ours. A room of its own may always import itself; ARCHITECTURE.md shows the same.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  ground: [],
  contract: [],
  market: ['contract', 'ground'],
  feed: ['market', 'ground'],
  board: ['contract', 'market', 'ground'],
  access: ['contract', 'ground'],
  store: ['access', 'contract', 'ground'],
  history: ['board', 'contract', 'market', 'store', 'ground'],
  cluster: ['access', 'contract', 'market', 'ground'],
  notices: ['access', 'board', 'store', 'ground'],
  http: ['access', 'board', 'contract', 'ground'],
  portal: ['board', 'contract', 'http', 'web', 'ground'],
  telemetry: ['http', 'ground'],
  operator: ['access', 'contract', 'history', 'http', 'market', 'notices', 'store', 'ground'],
  persistence: ['access', 'board', 'market', 'operator', 'store', 'ground'],
  conditions: [
    'board',
    'cluster',
    'contract',
    'feed',
    'ground',
    'http',
    'market',
    'notices',
    'configuration',
    'history',
    'operator',
    'persistence',
    'store',
  ],
  management: [...readable, 'conditions', 'configuration', 'history', 'operator', 'persistence', 'store'],
  admin: [...readable, 'conditions', 'configuration', 'history', 'management', 'operator', 'persistence', 'store'],
  configuration: ['contract', 'feed', 'ground', 'market', 'operator'],
  wiring: joined,
  main: [...joined, 'wiring'],
  cli: [...joined, 'wiring', 'main'],
  'exchange-simulator': ['ground'],
  client: [],
  web: [],
};
/** Rooms whose rule stands before they do. */
const toCome = ['client'];

const sources = filesEnding('.ts', 'src', 'exchange-simulator', 'client', 'web').filter((file) => !isForTests(file));

/**
 * `src/http/pipeline.ts` is of `http`, `src/main.ts` of `main`, `test/…` of `test/`: no folder beside `src` is a room
 * of it.
 */
function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  if (top === 'src') return second.replace(/\.ts$/, '');
  return mayImport[top] === undefined || top === 'cluster' ? `${top}/` : top;
}

/** A browser loads no types: a page may take those of any room. */
const typesOfRooms = /^import type [^;]*? from '[^']*\/src\/[^']*';$/gm;

function importsOf(file: string): string[] {
  const text = file.startsWith('web/') ? textOf(file).replaceAll(typesOfRooms, '') : textOf(file);
  const written = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g);
  return [...written].map(([, path = '']) => posix.join(posix.dirname(file), path));
}

test('every room imports only the rooms that stand before it, and nothing that is for tests', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of sources) {
    const room = roomOf(file);
    for (const imported of importsOf(file)) {
      seen++;
      const from = roomOf(imported);
      const allowed = from === room || mayImport[room]?.includes(from) === true;
      if (!allowed || isForTests(imported)) wrong.push(`${file} imports ${imported}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 300, `only ${seen} imports were found`);
});

test('every folder of src is a room with a rule, and every rule is of a room', () => {
  const rooms = new Set(sources.map(roomOf));
  assert.deepEqual(
    [...rooms].filter((room) => mayImport[room] === undefined),
    [],
  );
  assert.deepEqual(
    Object.keys(mayImport).filter((room) => !toCome.includes(room) && !rooms.has(room)),
    [],
  );
});

test('no two rooms import each other, by whatever way round', () => {
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const room of mayImport[from]!) if (!seen.has(room)) reachable(room, seen.add(room));
    return seen;
  };
  assert.deepEqual(
    Object.keys(mayImport).filter((room) => reachable(room).has(room)),
    [],
  );
});

/** What each room within the history may import of the others. */
const below: Readonly<Record<string, readonly string[]>> = {
  segment: [],
  reading: ['segment'],
  record: ['reading', 'segment'],
  query: ['reading', 'segment'],
  ship: ['query', 'reading', 'segment'],
};

test('whoever writes the record and whoever asks it both read it, and neither imports the other', () => {
  const roomWithin = (file: string) => /^src\/history\/(\w+)\//.exec(file)?.[1];
  const wrong = sources.flatMap((file) => {
    const room = roomWithin(file);
    if (room === undefined) return [];
    const rooms = importsOf(file).map(roomWithin);
    const others = rooms.filter((from) => from !== undefined && from !== room && !below[room]?.includes(from));
    return others.map((from) => `${file} imports ${from}`);
  });
  assert.deepEqual(wrong, []);
});

test('the contract, the market room and the board name no platform module but for digests and compression, and none that does I/O', () => {
  const platform = sources
    .filter((file) => ['contract', 'market', 'board'].includes(roomOf(file)))
    .flatMap((file) => [...textOf(file).matchAll(/from '(node:[^']+)'/g)].map(([, name]) => name));
  assert.deepEqual(new Set(platform), new Set(['node:crypto', 'node:zlib']));
});
