import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveSettings } from '../../src/configuration/configuration.ts';
import type { AnnotatedSchema } from '../../src/configuration/kinds.ts';
import { annotatedSchema, fields, type Settings, setAt, withDefaults } from '../../src/configuration/schema.ts';
import { filesEnding, isForTests, textOf } from './files.ts';

/** Looked at only when the configuration is checked: it permits what would be refused without it. */
const readByCheckAlone = ['alerts.destinations.allowHttp', 'alerts.heartbeat.allowHttp'];

/** Read under a name that is computed: the scheme of a page. */
const readByScheme = ['portal.colours.light', 'portal.colours.dark'];

/** Read where those of the rate itself are, as an origin of any rate. */
const readAsOrigin = ['rates.compare.pointer'];

/**
 * Values beside the defaults and examples: of a choice one after the other, so that together they read every setting.
 */
const worlds: readonly Readonly<Record<string, unknown>>[] = [
  { 'rates.source': 'cnb' },
  {
    'rates.source': 'json',
    'rates.compare': { source: 'exchange', market: 'EURCZK' },
    store: 'postgres://mdapi@localhost/mdapi',
  },
  { 'rates.compare': { source: 'json', url: 'https://rates.example.com/x', pointer: '/CZK' } },
  { 'rates.source': 'exchange', 'alerts.destinations': [{ name: 'ops', kind: 'mail', to: 'ops@example.com' }] },
];

/** Settings with a value for each, be it the default or the example. */
function settingsOf(world: Readonly<Record<string, unknown>>): Settings {
  const data = {};
  for (const { key, path, schema } of fields) setAt(data, path, world[key] ?? schema.default ?? schema.example);
  return withDefaults(structuredClone(data)) as Settings;
}

describe('every setting', () => {
  test('is taken into the configuration by its name', () => {
    const taken = new Set(worlds.flatMap((world) => [...namesTaken(settingsOf(world))]));
    const left = namesDeclared(annotatedSchema).filter((name) => !taken.has(name) && !readByCheckAlone.includes(name));
    assert.deepEqual(left, [], 'src/configuration/configuration.ts leaves these out');
  });

  test('is read by what it is for, outside the room that reads the file', () => {
    const names = new Set(worlds.flatMap((world) => [...namesIn(resolveSettings(settingsOf(world), () => '/srv'))]));
    assert.ok(names.size > 100, `only ${names.size} values were found`);
    const isReadElsewhere = (name: string) => readByScheme.includes(name) || readAsOrigin.includes(name);
    const unread = [...names].filter((name) => !isRead(name) && !isReadElsewhere(name));
    assert.deepEqual(unread, [], 'no code reads these');
  });
});

/** The names of all settings, those in items of lists and in maps too: `sources.urls.rest`. */
function namesDeclared(schema: AnnotatedSchema, path: readonly string[] = []): readonly string[] {
  const values = schema.additionalProperties === false ? undefined : schema.additionalProperties;
  const inside = schema.properties ?? schema.items?.properties ?? values?.properties;
  if (inside === undefined) return [path.join('.')];
  return Object.entries(inside).flatMap(([name, inner]) => namesDeclared(inner, [...path, name]));
}

/** The names that resolving settings asks for, and those of what it hands on as it is. */
function namesTaken(settings: Settings): ReadonlySet<string> {
  const taken = new Set<string>();
  const watched = <Value>(value: Value, path: readonly string[], hasItems: boolean): Value => {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {
      get(target, name, receiver) {
        const inner = Reflect.get(target, name, receiver);
        const isInherited = name in target && !Object.hasOwn(target, name);
        if (typeof name === 'symbol' || isInherited) return inner;
        const innerPath = hasItems ? path : [...path, name];
        taken.add(innerPath.join('.'));
        return watched(inner, innerPath, !hasItems && (Array.isArray(inner) || isMap(innerPath)));
      },
    });
  };
  namesIn(resolveSettings(watched(settings, [], false), () => '/srv'));
  return taken;
}

/** The names of all values of the configuration. Items of a list, and values of a map, have the name of the whole. */
function namesIn(value: unknown, path: readonly string[] = [], isItem = false): ReadonlySet<string> {
  const name = path.join('.');
  if (typeof value !== 'object' || value === null) return new Set([name]);
  if (value instanceof Map || Array.isArray(value) || (isMap(path) && !isItem)) {
    const items = value instanceof Map ? value.values() : Object.values(value);
    return new Set([name, ...[...items].flatMap((item) => [...namesIn(item, path, true)])]);
  }
  return new Set(Object.entries(value).flatMap(([own, inner]) => [...namesIn(inner, [...path, own])]));
}

/** Whether the keys of a setting's value are the operator's. */
function isMap(path: readonly string[]): boolean {
  const schema = fields.find(({ key }) => key === path.join('.'))?.schema;
  return schema?.additionalProperties !== undefined && schema.properties === undefined;
}

const readers = filesEnding('.ts', 'src')
  .filter((file) => !isForTests(file) && !file.startsWith('src/configuration/'))
  .map((file) => {
    const text = textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
    return { about: `${file}\n${text}`, code: text.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''") };
  });

/**
 * Whether some code takes a value of this name out of something: `parts.maxHeaderBytes`, `{ maxHeaderBytes }`. A name
 * of one word (`host`) counts only where the code speaks of what the value belongs to (`admin`), or is in its room.
 */
function isRead(name: string): boolean {
  const [own = '', holder = ''] = name.split('.').reverse();
  const taking = new RegExp(`\\.${own}\\b|[{,]\\s*${own}\\s*[,}:=]`);
  const speaking = new RegExp(/[A-Z]/.test(own) ? '' : holder.replace(/s$/, ''), 'i');
  return readers.some(({ about, code }) => taking.test(code) && speaking.test(about));
}
