import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, type Field, fields, isSection } from './schema.ts';

/** `docs/configuration.md`, from the schema alone. */
export function configurationReference(): string {
  const sections = Object.entries(annotatedSchema.properties ?? {}).map(([name, schema]) => {
    const own = fields.filter((field) => field.path[0] === name);
    const title = isSection(schema) ? `${schema.description}\n\n` : '';
    return `## \`${name}\`\n\n${title}${list(own)}`;
  });
  const introduction = readFileSync(new URL('introduction.txt', import.meta.url), 'utf8');
  return [introduction, ...sections].join('\n');
}

function list(own: readonly Field[]): string {
  const entries = own.map(({ key, schema }) => {
    const initial = schema.default === undefined ? (schema.whenAbsent ?? 'none') : code(schema.default);
    // A range shows by itself what it is one of, and so do a word and an address.
    const allowed = (schema.allowed ?? '')
      .replace(
        /^a (whole number|duration|decimal) from |^one of |^true or false$|,? without credentials or fragment$/,
        '',
      )
      .replace(' printable characters without spaces at the ends', ' characters');
    const sentences = [
      `\`${key}\` (${initial}${allowed && `; ${allowed}`}):`,
      schema.description,
      // The complete file shows those of settings without a default.
      schema.example === undefined || schema.default === undefined ? '' : `Example: ${code(schema.example)}.`,
      schema.secret === true ? '*Secret.*' : '',
      schema.security === undefined ? '' : `**Security:** ${schema.security}`,
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
  return [title, ...yamlLines(annotatedSchema, ''), ''].join('\n');
}

function yamlLines(section: AnnotatedSchema, indent: string): string[] {
  return Object.entries(section.properties ?? {}).flatMap(([name, schema]) => {
    if (isSection(schema)) return [`${indent}${name}:`, ...yamlLines(schema, `${indent}  `)];
    const value = stringify(schema.default ?? schema.example, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    return `${indent}${schema.default === undefined ? '# ' : ''}${name}: ${value}`;
  });
}
