import { createRequire } from 'node:module';
import type { Node } from 'yaml';
import type { AnnotatedSchema } from './kinds.ts';
import { type Field, fields, setAt, variablePrefix } from './schema.ts';
import { didYouMean } from './spelling.ts';

/** Something wrong with one value, one key, or several values together. */
export interface Problem {
  readonly where: string;
  /** `undefined` when it concerns a whole source, such as a file that is not YAML. */
  readonly key: string | undefined;
  /** Says what is wrong and what is allowed. Never holds a secret's value. */
  readonly what: string;
}

/** The values that one origin (file, environment, command line) gives, in the form of the schema. */
export interface Source {
  readonly data: unknown;
  /** Where a value or its key was written: `mdapi.yaml:3:9`, `environment variable MDAPI_STORE`, `--store`. */
  readonly placeOf: (path: readonly string[], part?: 'key' | 'value') => string;
  /** The text a number was written as: `0.50`, where the value has become 0.5. */
  readonly textOf: (path: readonly string[]) => string | undefined;
}

/** A value from the command line: `flag` is how messages name it, `key` the field it sets. */
export interface Flag {
  readonly flag: string;
  readonly key: string;
  readonly value: string;
}

/** Loaded where there is a file to read. */
const yaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Reads a YAML 1.2 text. `fileName` is how messages name the file. A text that is not YAML gives no values. */
export function readYaml(text: string, fileName: string, problems: Problem[]): Source {
  const { LineCounter, parseDocument, visit, isScalar } = yaml();
  const lines = new LineCounter();
  // With `silent` a second document would be left out without a word.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const place = (offset: number) => `${fileName}:${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  const refuse = (offset: number, what: string) => problems.push({ where: place(offset), key: undefined, what });
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    // The library's own message can quote the file, and with it a secret; its code cannot.
    refuse(pos[0], faultOf(code));
  }
  visit(document, { Alias: (_, { range }) => void refuse(range?.[0] ?? 0, 'aliases (*name) are not supported') });
  const data = problems.length > 0 ? {} : (document.toJS() ?? {});
  const nodeAt = (path: readonly string[], part: 'key' | 'value') => nodeIn(document.contents, path, part);
  return {
    data,
    placeOf: (path, part = 'value') => place(nodeAt(path, part)?.range?.[0] ?? 0),
    textOf: (path) => {
      const node = nodeAt(path, 'value');
      return isScalar(node) ? node.source : undefined;
    },
  };
}

function faultOf(code: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here (---); a configuration is one: write all in it';
  return `not valid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;
}

/** The node of a value or its key; what is not there stands for the map it is missing from. */
function nodeIn(root: Node | null, path: readonly string[], part: 'key' | 'value'): Node | null {
  const { isMap, isSeq } = yaml();
  let node = root;
  for (const [index, name] of path.entries()) {
    if (isSeq(node)) {
      node = node.items[Number(name)] as Node;
      continue;
    }
    if (!isMap(node)) return node;
    const pair = node.items.find(({ key }) => String(key) === name);
    if (pair === undefined) return node;
    const wantsKey = (part === 'key' && index === path.length - 1) || pair.value === null;
    node = (wantsKey ? pair.key : pair.value) as Node;
  }
  return node;
}

/** The variable that names the configuration file; no setting of it. */
export const fileVariable = 'MDAPI_CONFIG';

/** Reads the `MDAPI_*` variables. `readFile` is for those that end in `_FILE`, and throws when it cannot. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  problems: Problem[],
): Source {
  const given: Given[] = [];
  const names = Object.keys(environment).filter((name) => name.startsWith(variablePrefix) && name !== fileVariable);
  for (const name of names.sort()) {
    const where = `environment variable ${name}`;
    const text = environment[name] ?? '';
    const direct = name.replace(/_FILE$/, '');
    const field = fields.find(({ variable }) => variable === name || variable === direct);
    if (field === undefined) {
      const variables = fields.map(({ variable }) => variable);
      problems.push({ where, key: undefined, what: `no such setting.${didYouMean(name, variables)}` });
    } else if (field.variable === name) {
      given.push({ field, where, text });
    } else if (environment[direct] !== undefined) {
      problems.push({ where, key: field.key, what: `given twice; set ${direct} or ${name}, not both` });
    } else {
      try {
        given.push({ field, where: `${where} (file ${text})`, text: readFile(text).replace(/\r?\n$/, '') });
      } catch (error) {
        const what = `the file ${JSON.stringify(text)} cannot be read: ${reason(error)}`;
        problems.push({ where, key: field.key, what });
      }
    }
  }
  return sourceOf(given);
}

/** Reads the values given on the command line. */
export function readFlags(flags: readonly Flag[]): Source {
  return sourceOf(
    flags.map(({ flag, key, value }) => {
      const field = fields.find((known) => known.key === key);
      if (field === undefined) throw new Error(`no such field: ${key}`);
      return { field, where: flag, text: value };
    }),
  );
}

interface Given {
  readonly field: Field;
  readonly where: string;
  readonly text: string;
}

function sourceOf(given: readonly Given[]): Source {
  const data = {};
  for (const { field, text } of given) setAt(data, field.path, typedValue(field.schema, text));
  const givenAt = (path: readonly string[]) =>
    given.find(({ field }) => field.path.every((name, index) => path[index] === name));
  return {
    data,
    placeOf: (path) => givenAt(path)?.where ?? '',
    textOf: (path) => {
      const found = givenAt(path);
      return found?.field.path.length === path.length ? found.text : undefined;
    },
  };
}

/** Text from outside a file has no types: the field defines what it is meant to be. */
function typedValue(schema: AnnotatedSchema, text: string): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  if (schema.type === 'object') return parseJson(text);
  const isList = schema.type === 'array' || (schema.anyOf !== undefined && text !== schema.default);
  if (!isList) return text;
  if (schema.items?.properties !== undefined && text.trim().startsWith('[')) return parseJson(text);
  return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
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
