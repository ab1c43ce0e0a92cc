import { stringify } from 'yaml';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, type Field, fields, isSection } from './schema.ts';

const introduction = `# Configuration

<!-- Generated from src/configuration/schema.ts. Change that and run \`npm run generate\`. -->

Everything has a default; [mdapi.yaml](mdapi.yaml) has them all, to copy what you change. The first of these that gives a value wins:

1. the command line (\`--store\` and the options of \`mdapi help serve\`),
2. the environment: \`MDAPI_\` and the key, so that \`MDAPI_SERVER_BASE_URL\` is \`server.baseUrl\`,
3. the file: \`mdapi.yaml\` in the working directory, or the one that \`--config\` names,
4. the default.

An unknown key or \`MDAPI_…\` variable and an invalid value prevent the start, with exit code 3. Every problem is reported with its line and
column, or its variable.

- **Decimals are text**: write \`feePercent: "0.5"\` with quotes. A bare number would pass through binary floating point.
- **Durations** carry their unit: \`250ms\`, \`10s\`, \`5m\`, \`96h\`, \`7d\`.
- **In the environment** lists are separated by commas (\`MDAPI_MARKETS_QUOTES=EUR,USD\`) and maps are JSON
  (\`MDAPI_PRICING_CONVERTED='{"CZK":{"via":"EUR","marginPercent":"1"}}'\`). A list or map replaces the whole one below it.
- **Secrets from files**: a variable with \`_FILE\` after its name, such as \`MDAPI_STORE_FILE\`, names a file that holds the value (one final line
  break is cut). Use it for values marked *secret*, which are never printed; PostgreSQL's password can also come from \`PGPASSFILE\`.
- **Relative paths** in the file are relative to the file, all others to the working directory.

Each entry: key (default; what is allowed): meaning. An http or WebSocket URL has no credentials and no fragment.
`;

/** `docs/configuration.md`, from the schema alone. */
export function configurationReference(): string {
  const sections = Object.entries(annotatedSchema.properties ?? {}).map(([name, schema]) => {
    const own = fields.filter((field) => field.path[0] === name);
    const title = isSection(schema) ? `${schema.description}\n\n` : '';
    return `## \`${name}\`\n\n${title}${list(own)}`;
  });
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
