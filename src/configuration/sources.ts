import { checkValue } from './check.ts';
import { type Field, fieldByKey, fieldByVariable, fields, isSection, variablePrefix } from './fields.ts';
import { type Located, type LocatedEntry, locatedAt, type Problem } from './located.ts';
import { didYouMean, nearest } from './near-miss.ts';
import { annotatedSchema } from './schema.ts';
import type { AnnotatedSchema } from './schema-kinds.ts';

/** A checked value of one field, and where it came from. */
export interface Given {
  readonly value: unknown;
  readonly where: string;
}

/** What one source (file, environment, flags) gives, by the field's key. */
export type Layer = Map<string, Given>;

/** A value from the command line: `flag` is how messages name it, `key` the field it sets. */
export interface Flag {
  readonly flag: string;
  readonly key: string;
  readonly value: string;
}

const fileSuffix = '_FILE';

/** Takes the fields out of a configuration file's tree. */
export function readTree(tree: Located, problems: Problem[]): Layer {
  const layer: Layer = new Map();
  if (tree.value !== null) readSection({ layer, problems, schema: annotatedSchema, path: [] }, tree);
  return layer;
}

interface Section {
  readonly layer: Layer;
  readonly problems: Problem[];
  readonly schema: AnnotatedSchema;
  readonly path: readonly string[];
}

function readSection(section: Section, located: Located): void {
  const { layer, problems, schema, path } = section;
  if (!(located.value instanceof Map)) {
    const names = Object.keys(schema.properties ?? {}).join(', ');
    problems.push({
      where: located.where,
      key: path.join('.') || undefined,
      what: `not a map; allowed: the keys ${names}`,
    });
    return;
  }
  for (const [name, entry] of located.value as ReadonlyMap<string, LocatedEntry>) {
    const inner = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    const innerPath = [...path, name];
    const key = innerPath.join('.');
    if (inner === undefined) problems.push({ where: entry.keyWhere, key, what: unknownKey(section, name) });
    else if (!isSection(inner)) take(layer, fieldByKey.get(key)!, entry.located, problems);
    else if (entry.located.value !== null) readSection({ ...section, schema: inner, path: innerPath }, entry.located);
  }
}

/** A key that is at home in another section is as good a guess as a misspelt one. */
function unknownKey({ schema, path }: Section, name: string): string {
  const known = Object.keys(schema.properties ?? {});
  const place = path.length > 0 ? `under ${path.join('.')}` : 'at the top';
  const elsewhere = fields.find((field) => field.path.at(-1) === name)?.key;
  const near = nearest(name, known) === undefined && elsewhere !== undefined ? [elsewhere] : known;
  const hint = near === known ? didYouMean(name, known) : ` Did you mean "${elsewhere}"?`;
  return `unknown key.${hint} Known ${place}: ${known.join(', ')}`;
}

/** Takes the `MDAPI_*` variables. `readFile` is for those that end in `_FILE`, and throws when it cannot. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  problems: Problem[],
): Layer {
  const layer: Layer = new Map();
  const names = Object.keys(environment).filter((name) => name.startsWith(variablePrefix));
  for (const name of names.sort()) {
    const field = fieldByVariable.get(name);
    const where = `environment variable ${name}`;
    if (field !== undefined) take(layer, field, fromText(field, where, environment[name] ?? ''), problems);
    else readFromFile({ name, where, path: environment[name] ?? '', readFile, layer, problems, environment });
  }
  return layer;
}

interface FileVariable {
  readonly name: string;
  readonly where: string;
  readonly path: string;
  readonly readFile: (path: string) => string;
  readonly layer: Layer;
  readonly problems: Problem[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function readFromFile({ name, where, path, readFile, layer, problems, environment }: FileVariable): void {
  const direct = name.slice(0, -fileSuffix.length);
  const field = name.endsWith(fileSuffix) ? fieldByVariable.get(direct) : undefined;
  if (field === undefined) {
    problems.push({ where, key: undefined, what: `no such setting.${didYouMean(name, fieldByVariable.keys())}` });
  } else if (environment[direct] !== undefined) {
    problems.push({ where, key: field.key, what: `given twice; set ${direct} or ${name}, not both` });
  } else {
    try {
      const text = readFile(path).replace(/\r?\n$/, '');
      take(layer, field, fromText(field, `${where} (file ${path})`, text), problems);
    } catch (error) {
      problems.push({
        where,
        key: field.key,
        what: `the file ${JSON.stringify(path)} cannot be read: ${reason(error)}`,
      });
    }
  }
}

/** Takes the values given on the command line. */
export function readFlags(flags: readonly Flag[], problems: Problem[]): Layer {
  const layer: Layer = new Map();
  for (const { flag, key, value } of flags) {
    const field = fieldByKey.get(key);
    if (field === undefined) throw new Error(`no such field: ${key}`);
    take(layer, field, fromText(field, flag, value), problems);
  }
  return layer;
}

function take(layer: Layer, field: Field, located: Located, problems: Problem[]): void {
  const value = checkValue(field.schema, field.key, located, problems);
  if (value !== undefined) layer.set(field.key, { value, where: located.where });
}

/** Text from outside a file has no types: the field says what it is meant to be. */
function fromText({ schema }: Field, where: string, text: string): Located {
  if (schema.type === 'integer' && /^-?\d+$/.test(text)) return { where, value: Number(text), source: text };
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return { where, value: text === 'true' };
  if (schema.items !== undefined && text !== schema.orWord) {
    const items = text.split(',').map((item) => item.trim());
    return locatedAt(where, text.trim() === '' ? [] : items);
  }
  if (schema.values !== undefined) return fromJson(where, text);
  return { where, value: text };
}

function fromJson(where: string, text: string): Located {
  try {
    return locatedAt(where, JSON.parse(text));
  } catch {
    return { where, value: text };
  }
}

/** The system's code for what went wrong (`ENOENT`), which holds nothing of the file. */
export function reason(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return typeof code === 'string' ? code : 'reading failed';
}
