import { Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { Pointer } from 'typebox/value';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, configurationSchema, fields, isSection, withDefaults } from './schema.ts';
import type { Problem, Source } from './sources.ts';
import { didYouMean, nearest } from './spelling.ts';

/** The validator stops after eight by itself; an operator wants to see all of them. */
Settings.Set({ maxErrors: 1_000 });

/** Everything that is wrong with the values of one source, each by itself. */
export function checkSource(source: Source): Problem[] {
  const data = withDefaults(structuredClone(source.data));
  const problems = new Map<string, Problem>();
  for (const error of Errors(configurationSchema, data)[1]) {
    for (const { path, what, isKey = false } of findings(error, data, source)) {
      const at = path.join('/');
      // A list that is wrong because of its items is not wrong by itself.
      const isReported = [...problems.keys()].some((other) => other === at || other.startsWith(`${at}/`));
      if (isReported) continue;
      const where = source.placeOf(path, isKey ? 'key' : 'value');
      problems.set(at, { where, key: path.length > 0 ? keyOf(path) : undefined, what });
    }
  }
  return [...problems.values()];
}

type ValidationError = ReturnType<typeof Errors>[1][number];

interface Finding {
  readonly path: readonly string[];
  readonly what: string;
  /** Whether the name is wrong rather than the value. */
  readonly isKey?: boolean;
}

function findings(error: ValidationError, data: unknown, source: Source): Finding[] {
  const path = Pointer.Indices(error.instancePath);
  const schemaPath = error.schemaPath.slice(1);
  if (error.keyword === 'boolean') {
    return [{ path, what: unknownKey(path, schemaAt(schemaPath.replace(/\/[^/]*$/, ''))), isKey: true }];
  }
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({ path: [...path, name], what: 'is missing' }));
  }
  const schema = schemaAt(schemaPath);
  const value = Pointer.Get(data, error.instancePath);
  // Others say the same of each key.
  if (error.keyword === 'additionalProperties' || error.keyword === 'propertyNames') return [];
  if (schema.allowed === undefined) return [];
  // A section without settings in it.
  if (isSection(schema) && value === null) return [];
  if (schemaPath.endsWith('/propertyNames')) {
    return [{ path, what: wrongValue(schema, path.at(-1), undefined), isKey: true }];
  }
  return [{ path, what: wrongValue(schema, value, source.textOf(path)) }];
}

function schemaAt(pointer: string): AnnotatedSchema {
  return Pointer.Get(annotatedSchema, pointer) as AnnotatedSchema;
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
