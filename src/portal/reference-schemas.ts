import { type Fragment, type Html, html, joined } from '../html.ts';
import { type Cell, code, table } from './blocks.ts';
import { prose, sentence } from './prose.ts';

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

/** The link to what a reference within the document names. */
export function schemaLink(reference: string): Html {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

/** A schema of the document: its purpose, and its fields or values. */
export function schemaSection(name: string, schema: JsonSchema): Html {
  return html`<h3 id="${schemaAnchor(name)}">${name}</h3>
${prose(schema.description ?? '')}${schema.properties === undefined ? values(schema) : fieldTable(name, schema)}`;
}

function values(schema: JsonSchema): Html {
  const { anyOf, enum: known } = schema;
  if (known !== undefined) return html`<p>Values known today: ${codes(known)}.</p>\n`;
  if (anyOf === undefined) return html`<p>${typeOf(schema)}. ${constraints(schema)}</p>\n`;
  const alternatives = anyOf.map(
    (each) => html`<li>${typeOf(each)}. ${sentence(each.description ?? '')} ${constraints(each)}</li>\n`,
  );
  return html`<p>One of:</p>\n<ul>\n${alternatives}</ul>\n${isOpen(schema) ? openNote : undefined}`;
}

/** Known values, and room for those to come. */
function isOpen({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.some(({ $ref }) => $ref !== undefined) && anyOf.some(({ type }) => type === 'string');
}

const openNote = html`<p class="note"><strong>This set is open.</strong> Version 1 can gain values at any time. Show a value that you do not know,
do not act on it, and do not fail: no closed enumeration in your types, and a default branch in every switch.</p>
`;

function fieldTable(name: string, schema: JsonSchema): Html {
  const rows = fieldRows(schema, '');
  const note = schema.additionalProperties === false ? html`<p>It has no other fields.</p>\n` : undefined;
  return html`${table({ label: `Fields of ${name}`, columns: ['Field', 'Meaning'], rows })}${note}`;
}

/** The fields in order; those of an object within it follow it, with a dot in their name. */
function fieldRows({ properties = {}, required = [] }: JsonSchema, within: string): Cell[][] {
  return Object.entries(properties).flatMap(([name, field]) => [
    [
      nameCell(`${within}${name}`, typeOf(field), required.includes(name)),
      html`${sentence(field.description ?? '')}${constraintLine(field)}`,
    ],
    ...fieldRows(field, `${within}${name}.`),
  ]);
}

/** A name, and below it what it is and whether it must be there. */
export function nameCell(name: string, kind: Fragment, required: boolean): Html {
  return html`<span class="named">${code(name)}</span><p class="quiet small">${kind}, ${required ? 'required' : 'optional'}</p>`;
}

function constraintLine(schema: JsonSchema): Fragment {
  const pieces = constraintPieces(schema);
  return pieces.length === 0 ? undefined : html`<p class="quiet small">${joined(pieces, ' ')}</p>`;
}

/** What a value of the schema is, in a word or two. */
export function typeOf(schema: JsonSchema): Fragment {
  const { $ref, type, format, anyOf, items } = schema;
  if ($ref !== undefined) return schemaLink($ref);
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ');
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  const name = typeof type === 'string' ? type : (type ?? ['any value']).join(' or ');
  const isWidth = format === 'int32' || format === 'int64';
  return isWidth ? `${name} (${format})` : name;
}

/** Pattern, bounds and an example of a value, as sentences. */
export function constraints(schema: JsonSchema): Fragment {
  return joined(constraintPieces(schema), ' ');
}

function constraintPieces(schema: JsonSchema): Html[] {
  const { const: only, enum: known, format, pattern, multipleOf, maxItems, examples = [] } = schema;
  const pieces = [
    only !== undefined && html`Always ${code(String(only))}.`,
    known !== undefined && html`One of ${codes(known)}.`,
    format !== undefined && !format.startsWith('int') && html`Format ${code(format)}.`,
    pattern !== undefined && html`Pattern ${code(pattern)}.`,
    range(schema),
    multipleOf !== undefined && html`A multiple of ${multipleOf}.`,
    maxItems !== undefined && html`At most ${maxItems} entries.`,
    examples.length > 0 && html`Example ${code(String(examples[0]))}.`,
  ];
  return pieces.filter((piece) => piece !== false);
}

function range({ minLength, maxLength, minimum, maximum }: JsonSchema): Html | false {
  if (maxLength !== undefined) {
    return minLength === maxLength
      ? html`${maxLength} characters.`
      : html`${minLength === undefined ? 'At most' : `${minLength} to`} ${maxLength} characters.`;
  }
  return minimum !== undefined && maximum !== undefined && html`From ${minimum} to ${maximum}.`;
}

function codes(values: readonly unknown[]): Fragment {
  return joined(
    values.map((value) => code(String(value))),
    ', ',
  );
}
