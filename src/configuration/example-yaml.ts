import { stringify } from 'yaml';
import { allowedValues } from './check.ts';
import { isSection } from './fields.ts';
import { annotatedSchema } from './schema.ts';
import type { AnnotatedSchema } from './schema-kinds.ts';

const lineWidth = 100;

/** A complete configuration file: every key with its default, and above each what it means. */
export function exampleYaml(): string {
  const sections = Object.entries(annotatedSchema.properties ?? {});
  return `${sections.map(([name, schema]) => entry(name, schema, '').join('\n')).join('\n\n')}\n`;
}

/** An optional value without default stands as a comment, so that the file as it is gives the defaults. */
function entry(name: string, schema: AnnotatedSchema, indent: string): string[] {
  const comment = wrapped(schema.description ?? '', `${indent}# `);
  if (isSection(schema)) return [...comment, ...section(name, schema, indent)];
  const allowed = wrapped(`Allowed: ${allowedValues(schema)}.`, `${indent}# `);
  const value = schema.default ?? schema.examples?.[0];
  const line = `${name}: ${flow(value)}`;
  return [...comment, ...allowed, schema.default === undefined ? `${indent}# ${line}` : `${indent}${line}`];
}

function section(name: string, schema: AnnotatedSchema, indent: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => entry(key, value, `${indent}  `));
  return [`${indent}${name}:`, ...inner];
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd();
}

function wrapped(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = prefix;
  for (const word of text.replaceAll('`', '').split(' ')) {
    if (line.length > prefix.length && line.length + word.length >= lineWidth) {
      lines.push(line.trimEnd());
      line = prefix;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
