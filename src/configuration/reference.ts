import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { connectorKinds } from '../feed/connectors.ts';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, type Field, fields, isSection } from './schema.ts';

/** The documentation of a setting or a section. */
export interface Notes {
  readonly description: string;
  /** The value that holds when none is given, where it depends on others. */
  readonly whenAbsent?: string;
  /** Why a careless value is dangerous. */
  readonly security?: string;
  readonly example?: unknown;
}

/** The notes of every setting and section that has some, by key. */
export function readNotes(): ReadonlyMap<string, Notes> {
  const text = textOf('settings.yaml').replaceAll('{kinds}', Object.keys(connectorKinds).join(', '));
  const written = Object.entries<string | Notes>(parse(text));
  return new Map(written.map(([key, notes]) => [key, typeof notes === 'string' ? { description: notes } : notes]));
}

function textOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** `docs/configuration.md`, from the schema alone. */
export function configurationReference(): string {
  const notes = readNotes();
  const sections = Object.entries(annotatedSchema.properties ?? {}).map(([name, schema]) => {
    const own = fields.filter((field) => field.path[0] === name);
    const title = isSection(schema) ? `${notes.get(name)!.description}\n\n` : '';
    return `## \`${name}\`\n\n${title}${list(own, notes)}`;
  });
  return [textOf('introduction.txt'), ...sections].join('\n');
}

function list(own: readonly Field[], notes: ReadonlyMap<string, Notes>): string {
  const entries = own.map(({ key, schema }) => {
    const { description, whenAbsent = 'none', security, example } = notes.get(key)!;
    const initial = schema.default === undefined ? whenAbsent : code(schema.default);
    // A range shows by itself what it is one of, and so does a word; the introduction says what holds of most texts.
    const allowed = (schema.allowed ?? '')
      .replace(/^a (whole number|duration|decimal) from |^one of |^true or false$| such as (EUR|BTCEUR)\b/g, '')
      .replace(/^an http:\/\/ or https:\/\/ URL\b.*|^a path$|^an IP address or a host name$|^1 to 300 printable.*/, '')
      .replace(/,? without credentials or fragment$/, '')
      .replace(' printable characters without spaces at the ends', ' characters');
    const sentences = [
      `\`${key}\` (${initial}${allowed && `; ${allowed}`}):`,
      description,
      // The complete file shows those of settings without a default.
      example === undefined || schema.default === undefined ? '' : `Example: ${code(example)}.`,
      schema.secret === true ? '*Secret.*' : '',
      security === undefined ? '' : `**Security:** ${security}`,
    ];
    return `- ${sentences.filter((sentence) => sentence !== '').join(' ')}\n`;
  });
  return entries.join('');
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** `docs/mdapi.yaml`, a complete configuration file; a setting without default is a comment with an example. */
export function exampleYaml(): string {
  const title =
    '# Every setting with its default, or as a comment with an example. Generated from src/configuration/schema.ts.';
  return [title, ...yamlLines(annotatedSchema, [], readNotes()), ''].join('\n');
}

function yamlLines(section: AnnotatedSchema, path: readonly string[], notes: ReadonlyMap<string, Notes>): string[] {
  const indent = '  '.repeat(path.length);
  return Object.entries(section.properties ?? {}).flatMap(([name, schema]) => {
    const inner = [...path, name];
    if (isSection(schema)) return [`${indent}${name}:`, ...yamlLines(schema, inner, notes)];
    const initial = schema.default ?? notes.get(inner.join('.'))?.example;
    const value = stringify(initial, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    return `${indent}${schema.default === undefined ? '# ' : ''}${name}: ${value}`;
  });
}
