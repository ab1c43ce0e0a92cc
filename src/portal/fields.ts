import { type Cell, type Content, code, table } from './blocks.ts';
import { translate } from './language.ts';
import type { Site } from './site.ts';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Values known today of a set that can grow. */
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

/** Every field of a body in its order; those within an object or a list follow it, under its name and a dot. */
export function fieldTable(site: Site, label: string, schema: JsonSchema): Content {
  const rows = fieldRows(site, schema, '');
  if (rows.length === 0) return '';
  return table({ label, columns: ['Field', 'Meaning'], rows: rows.map(({ cells }) => cells), kind: 'fields' });
}

/** Whether a value of the schema, or of one within it, can be one that is not known today. */
export function hasOpenValues(site: Site, schema: JsonSchema): boolean {
  return fieldRows(site, schema, '').some(({ isOpen }) => isOpen);
}

interface Row {
  readonly cells: readonly Cell[];
  readonly isOpen: boolean;
}

function fieldRows(site: Site, schema: JsonSchema, within: string): Row[] {
  const { properties = {}, required = [] } = resolve(site, schema);
  return Object.entries(properties).flatMap(([name, written]): Row[] => {
    const { schema: field, isNullable } = unwrapped(site, written);
    const path = `${within}${name}`;
    const values = field['x-extensible-enum'] ?? [];
    const text = translate(site, written.description ?? field.description ?? '');
    const kind = typeOf(site, field, isNullable);
    const row = {
      cells: [nameCell(site, path, kind, required.includes(name)), { text, note: notes(site, written, field, values) }],
      isOpen: values.length > 0,
    };
    const inner = field.items === undefined ? field : resolve(site, field.items);
    return [row, ...fieldRows(site, inner, field.items === undefined ? `${path}.` : `${path}[].`)];
  });
}

/** Gives the schema that a reference of the document leads to; the schema itself where it is none. */
function resolve({ document }: Site, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  return document.components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] as JsonSchema;
}

/** The schema without its reference and without its null. */
function unwrapped(site: Site, schema: JsonSchema): { readonly schema: JsonSchema; readonly isNullable: boolean } {
  const { anyOf = [] } = schema;
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  const isNullable = anyOf.length === 2 && others.length === 0;
  return { schema: resolve(site, isNullable ? only! : schema), isNullable };
}

/** A name, and below it what it is and whether it must be there. */
export function nameCell(site: Site, name: string, kind: string, required: boolean): Cell {
  return { text: code(name), note: `${kind}, ${translate(site, required ? 'required' : 'optional')}` };
}

/** Says what a value of the schema is, in a word or two. */
function typeOf(site: Site, { type = [], format }: JsonSchema, isNullable = false): string {
  const or = translate(site, 'or');
  const name = [type].flat().join(` ${or} `);
  return `${format?.startsWith('int') ? `${name} (${format})` : name}${isNullable ? ` ${or} null` : ''}`;
}

function notes(site: Site, written: JsonSchema, field: JsonSchema, values: readonly unknown[]): string | undefined {
  const [example] = written.examples ?? field.examples ?? [];
  const text = sentences(
    values.length > 0 && translate(site, 'Values known today: {values}.', { values: codes(values) }),
    values.length === 0 &&
      example !== undefined &&
      translate(site, 'Example {example}.', { example: code(String(example)) }),
  );
  return text === '' ? undefined : text;
}

/** Type, constraints and an example of a parameter or a header. */
export function valueNote(site: Site, schema: JsonSchema, example: unknown): string {
  return sentences(
    translate(site, 'Type {type}.', { type: typeOf(site, schema) }),
    constraints(site, schema),
    translate(site, 'Example {example}.', { example: code(String(example)) }),
  );
}

/** Pattern, bounds and values, as sentences. */
function constraints(site: Site, schema: JsonSchema): string {
  const { enum: known, pattern, multipleOf } = schema;
  return sentences(
    known !== undefined && translate(site, 'One of {values}.', { values: codes(known) }),
    pattern !== undefined && translate(site, 'Pattern {pattern}.', { pattern: code(pattern) }),
    range(site, schema),
    multipleOf !== undefined && translate(site, 'A multiple of {number}.', { number: multipleOf }),
  );
}

function range(site: Site, { minLength, maxLength, minimum, maximum }: JsonSchema): string | false {
  if (minLength !== undefined && maxLength !== undefined)
    return translate(site, '{min} to {max} characters.', { min: minLength, max: maxLength });
  if (minimum === undefined || maximum === undefined) return false;
  return translate(site, 'From {min} to {max}.', { min: minimum, max: maximum });
}

/** Joins the pieces that have text. */
function sentences(...pieces: readonly (string | false | undefined)[]): string {
  return pieces.filter((piece) => piece !== false && piece !== undefined && piece !== '').join(' ');
}

function codes(values: readonly unknown[]): string {
  return values.map((value) => code(String(value))).join(', ');
}
