import { type Cell, type Content, code, heading, paragraph, table } from './blocks.ts';

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
  readonly maxItems?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Values known today of a set that can grow. */
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly examples?: readonly unknown[];
}

/** The anchor of a schema on the reference page. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** The link to what a reference within the document names, as Markdown. */
export function schemaLink(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return `[${name}](#${schemaAnchor(name)})`;
}

/** A schema of the document: its purpose, and its fields or values. */
export function schemaSection(name: string, schema: JsonSchema): Content {
  const content = schema.properties === undefined ? values(schema) : fields(name, schema);
  return [heading(3, name, schemaAnchor(name)), schema.description ?? '', content];
}

function values(schema: JsonSchema): Content {
  const known = schema['x-extensible-enum'];
  if (known === undefined) return sentences(`${typeOf(schema)}.`, constraints(schema));
  return [`Values known today: ${codes(known)}.`, openNote];
}

const openNote = paragraph(
  'note',
  '**This set is open.** Version 1 can gain values at any time. If you meet a value that you do not know, show it, do not act on it, and do not fail: no closed enumeration in your types, and a default branch in every switch.',
);

function fields(name: string, schema: JsonSchema): Content {
  const rows = fieldRows(schema, '');
  const note = schema.additionalProperties === false ? 'It has no other fields.' : '';
  return [table({ label: `Fields of ${name}`, columns: ['Field', 'Meaning'], rows }), note];
}

/** The fields in order; those of an object within it follow it, with a dot in their name. */
function fieldRows({ properties = {}, required = [] }: JsonSchema, within: string): Cell[][] {
  return Object.entries(properties).flatMap(([name, field]): Cell[][] => [
    [
      nameCell(`${within}${name}`, typeOf(field), required.includes(name)),
      { text: field.description ?? '', note: constraints(field) },
    ],
    ...fieldRows(field, `${within}${name}.`),
  ]);
}

/** A name, and below it what it is and whether it must be there. */
export function nameCell(name: string, kind: string, required: boolean): Cell {
  return { text: code(name), isWord: true, note: `${kind}, ${required ? 'required' : 'optional'}` };
}

/** What a value of the schema is, in a word or two. */
export function typeOf({ $ref, type, format, anyOf, items }: JsonSchema): string {
  if ($ref !== undefined) return schemaLink($ref);
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  const name = typeof type === 'string' ? type : (type ?? ['any value']).join(' or ');
  return format?.startsWith('int') ? `${name} (${format})` : name;
}

/** Pattern, bounds and an example of a value, as sentences; `undefined` where there are none. */
export function constraints(schema: JsonSchema): string | undefined {
  const { const: only, enum: known, format, pattern, multipleOf, maxItems, examples = [] } = schema;
  const text = sentences(
    only !== undefined && `Always ${code(String(only))}.`,
    known !== undefined && `One of ${codes(known)}.`,
    format !== undefined && !format.startsWith('int') && `Format ${code(format)}.`,
    pattern !== undefined && `Pattern ${code(pattern)}.`,
    range(schema),
    multipleOf !== undefined && `A multiple of ${multipleOf}.`,
    maxItems !== undefined && `At most ${maxItems} entries.`,
    examples.length > 0 && `Example ${code(String(examples[0]))}.`,
  );
  return text === '' ? undefined : text;
}

function range({ minLength, maxLength, minimum, maximum }: JsonSchema): string | false {
  if (maxLength !== undefined) {
    if (minLength === maxLength) return `${maxLength} characters.`;
    return `${minLength === undefined ? 'At most' : `${minLength} to`} ${maxLength} characters.`;
  }
  return minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}.`;
}

/** Joins the pieces that have text. */
export function sentences(...pieces: readonly (string | false | undefined)[]): string {
  return pieces.filter((piece) => piece !== false && piece !== undefined && piece !== '').join(' ');
}

function codes(values: readonly unknown[]): string {
  return values.map((value) => code(String(value))).join(', ');
}
