import { readFileSync } from 'node:fs';
import { annotatedSchema, type Field, fields, isSection } from '../../src/configuration/schema.ts';

/** `docs/configuration.md`, from the schema alone. */
export function configurationReference(): string {
  const introduction = readFileSync(new URL('configuration-introduction.txt', import.meta.url), 'utf8');
  const sections = Object.entries(annotatedSchema.properties ?? {}).map(([name, schema]) => {
    const own = fields.filter((field) => field.path[0] === name);
    const title = isSection(schema) ? `${schema.description}\n\n` : '';
    return `## \`${name}\`\n\n${title}${list(own)}`;
  });
  return [introduction, ...sections].join('\n');
}

function list(own: readonly Field[]): string {
  const entries = own.map(({ key, schema }) => {
    const { description = '', whenAbsent = 'none', security, example } = schema;
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
