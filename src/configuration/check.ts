import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, fields, isMap, isSection, withDefaults } from './schema.ts';
import type { Problem, Source } from './sources.ts';
import { didYouMean, nearest } from './spelling.ts';

/** Everything that is wrong with the values of one source, each by itself. */
export function checkSource(source: Source): Problem[] {
  const data = withDefaults(structuredClone(source.data));
  return findings(annotatedSchema, data, []).map(({ path, schema, value, what, isKey = false }) => ({
    where: source.placeOf(path, isKey ? 'key' : 'value'),
    key: path.length > 0 ? keyOf(path) : undefined,
    what: what ?? wrongValue(schema, value, isKey ? undefined : source.textOf(path)),
  }));
}

interface Finding {
  readonly path: readonly string[];
  readonly schema: AnnotatedSchema;
  readonly value: unknown;
  /** Replaces what is said of the values that are allowed. */
  readonly what?: string;
  /** Whether the name is wrong rather than the value. */
  readonly isKey?: boolean;
}

/** Finds what does not fit the schema, in its order. */
function findings(schema: AnnotatedSchema, value: unknown, path: readonly string[]): readonly Finding[] {
  // A list in the place of a word is judged as a list.
  const list = schema.anyOf?.find(({ type }) => type === 'array');
  if (list !== undefined && Array.isArray(value)) return inList(list, value, path, schema);
  if (Array.isArray(value) && schema.type === 'array') return inList(schema, value, path, schema);
  if (isMap(value) && schema.properties !== undefined) return inMap(schema, schema.properties, value, path);
  if (isMap(value) && schema.propertyNames !== undefined) return inNamed(schema, value, path);
  // A section without settings in it.
  if (value === null && isSection(schema)) return [];
  return fits(schema, value) ? [] : [{ path, schema, value }];
}

/**
 * A list that is wrong because of its items is not wrong by itself.
 * @param whole what is said of the list
 */
function inList(
  { items = {}, minItems = 0 }: AnnotatedSchema,
  values: readonly unknown[],
  path: readonly string[],
  whole: AnnotatedSchema,
): readonly Finding[] {
  if (values.length < minItems) return [{ path, schema: whole, value: values }];
  return values.flatMap((value, index) => findings(items, value, [...path, String(index)]));
}

type Properties = NonNullable<AnnotatedSchema['properties']>;

function inMap(
  schema: AnnotatedSchema,
  properties: Properties,
  values: Readonly<Record<string, unknown>>,
  path: readonly string[],
): readonly Finding[] {
  const known = Object.entries(properties).flatMap(([name, inner]) => {
    if (values[name] !== undefined) return findings(inner, values[name], [...path, name]);
    const isMissing = schema.required?.includes(name) === true;
    return isMissing ? [{ path: [...path, name], schema: inner, value: undefined, what: 'is missing' }] : [];
  });
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(properties, name));
  return [
    ...known,
    ...unknown.map((name) => {
      const at = [...path, name];
      return { path: at, schema, value: values[name], what: unknownKey(at, schema), isKey: true };
    }),
  ];
}

/** A map whose names the operator chooses. */
function inNamed(
  { propertyNames, additionalProperties }: AnnotatedSchema,
  values: Readonly<Record<string, unknown>>,
  path: readonly string[],
): readonly Finding[] {
  return Object.entries(values).flatMap(([name, value]): readonly Finding[] => {
    const at = [...path, name];
    if (!fits(propertyNames!, name)) return [{ path: at, schema: propertyNames!, value: name, isKey: true }];
    return additionalProperties ? findings(additionalProperties, value, at) : [];
  });
}

/** Whether a value that holds no others is one of those that the schema allows. */
function fits(schema: AnnotatedSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((each) => fits(each, value));
  if ('const' in schema) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.type === 'string') return typeof value === 'string' && (schema.fits?.(value) ?? true);
  if (schema.type === 'boolean') return typeof value === 'boolean';
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  return schema.type === 'integer' && Number.isInteger(value) && minimum <= Number(value) && Number(value) <= maximum;
}

/** `sources[0].urls` */
export function keyOf(path: readonly string[]): string {
  return path.join('.').replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
}

/** A key that exists in another section is as good a guess as a misspelt one. */
function unknownKey(path: readonly string[], schema: AnnotatedSchema): string {
  const name = path.at(-1)!;
  const known = Object.keys(schema.properties ?? {});
  const place = path.length > 1 ? `under ${keyOf(path.slice(0, -1))}` : 'at the top';
  const elsewhere = fields.find((field) => field.path.at(-1) === name)?.key;
  const isElsewhere = elsewhere !== undefined && nearest(name, known) === undefined;
  const hint = isElsewhere ? ` Did you mean "${elsewhere}"?` : didYouMean(name, known);
  return `unknown key.${hint} Known ${place}: ${known.join(', ')}`;
}

function wrongValue(schema: AnnotatedSchema, value: unknown, text: string | undefined): string {
  const written = text ?? String(value);
  const hint = endsHint(value) ?? schema.hint?.(written, value) ?? quotesHint(schema, value);
  return `${shown(schema, value, written)} is not ${schema.allowed}${hint === undefined ? '' : `; ${hint}`}`;
}

/** A text that ends in white space is wrong whatever it is: an editor or `echo` put it there, and nobody sees it. */
function endsHint(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === value.trim() || value.trim() === '') return undefined;
  const ends = [value.trimStart() !== value && 'beginning', value.trimEnd() !== value && 'end'].filter(Boolean);
  return `it has white space at its ${ends.join(' and its ')}`;
}

/** YAML reads digits, true and false as such where they stand bare. */
function quotesHint({ type }: AnnotatedSchema, value: unknown): string | undefined {
  const isBare = typeof value === 'number' || typeof value === 'boolean';
  return isBare && type === 'string' ? 'put it in quotes' : undefined;
}

/** An address with a user, and so most likely with a password. */
const holdsCredentials = /:\/\/[^/\s]*@/;

function shown(schema: AnnotatedSchema, value: unknown, text: string): string {
  if (schema.secret === true) return 'the value (not shown)';
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  const written = typeof value === 'string' ? JSON.stringify(value) : text;
  if (holdsCredentials.test(written)) return 'the address with credentials (not shown)';
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}
