import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { connectorKinds } from '../feed/connectors.ts';
import { checkSource } from './check.ts';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, type Field, fields, isSection, valueAt } from './schema.ts';
import { type Flag, readFlags } from './sources.ts';

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
  return [title, ...yamlLines(annotatedSchema, readNotes()), ''].join('\n');
}

/** A first configuration file: what was chosen, with what it means, and every other setting as a comment. */
export function firstYaml(flags: readonly Flag[]): string {
  const title =
    '# Made by `mdapi init`. A comment without a sentence is a setting with its default, or with an example.';
  const { data } = readFlags(flags);
  const chosen = new Map(flags.map(({ key }) => [key, valueAt(data, key.split('.'))]));
  return [title, ...yamlLines(annotatedSchema, readNotes(), chosen), ''].join('\n');
}

/** Says what is wrong with a value by itself. */
export function problemOf(flag: Flag): string | undefined {
  return checkSource(readFlags([flag]))[0]?.what;
}

function yamlLines(
  section: AnnotatedSchema,
  notes: ReadonlyMap<string, Notes>,
  chosen?: ReadonlyMap<string, unknown>,
  path = '',
  indent = '',
): string[] {
  return Object.entries(section.properties ?? {}).flatMap(([name, schema]) => {
    const key = `${path}${name}`;
    const isSet =
      chosen === undefined
        ? isSection(schema) || schema.default !== undefined
        : [...chosen.keys()].some((one) => `${one}.`.startsWith(`${key}.`));
    const start = isSet || indent.includes('#') ? indent : `${indent}# `;
    if (isSection(schema)) return [`${start}${name}:`, ...yamlLines(schema, notes, chosen, `${key}.`, `${start}  `)];
    const example = chosen?.get(key) ?? schema.default ?? notes.get(key)?.example;
    const value = stringify(example, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    const sentences = chosen?.has(key) === true ? (notes.get(key)?.description.match(/\S.{0,100}(?=\s|$)/g) ?? []) : [];
    return [...sentences.map((line) => `${indent}# ${line}`), `${start}${name}: ${value}`];
  });
}
