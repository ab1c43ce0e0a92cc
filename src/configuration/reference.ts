import { stringify } from 'yaml';
import { checkSource } from './check.ts';
import type { AnnotatedSchema } from './kinds.ts';
import { annotatedSchema, isSection, valueAt } from './schema.ts';
import { type Flag, readFlags } from './sources.ts';

/** `docs/mdapi.yaml`, a complete configuration file; a setting without default is a comment with an example. */
export function exampleYaml(): string {
  const title =
    '# Every setting with its default, or as a comment with an example. Generated from src/configuration/schema.ts.';
  return [title, ...yamlLines(annotatedSchema), ''].join('\n');
}

/** A first configuration file: what was chosen, with what it means, and every other setting as a comment. */
export function firstYaml(flags: readonly Flag[]): string {
  const title =
    '# Made by `mdapi init`. A comment without a sentence is a setting with its default, or with an example.';
  const { data } = readFlags(flags);
  const chosen = new Map(flags.map(({ key }) => [key, valueAt(data, key.split('.'))]));
  return [title, ...yamlLines(annotatedSchema, chosen), ''].join('\n');
}

/** Says what is wrong with a value by itself. */
export function problemOf(flag: Flag): string | undefined {
  return checkSource(readFlags([flag]))[0]?.what;
}

function yamlLines(section: AnnotatedSchema, chosen?: ReadonlyMap<string, unknown>, path = '', indent = ''): string[] {
  return Object.entries(section.properties ?? {}).flatMap(([name, schema]) => {
    const key = `${path}${name}`;
    const isSet =
      chosen === undefined
        ? isSection(schema) || schema.default !== undefined
        : [...chosen.keys()].some((one) => `${one}.`.startsWith(`${key}.`));
    const start = isSet || indent.includes('#') ? indent : `${indent}# `;
    if (isSection(schema)) return [`${start}${name}:`, ...yamlLines(schema, chosen, `${key}.`, `${start}  `)];
    const example = chosen?.get(key) ?? schema.default ?? schema.example;
    const value = stringify(example, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
    const sentences = chosen?.has(key) === true ? (schema.description?.match(/\S.{0,100}(?=\s|$)/g) ?? []) : [];
    return [...sentences.map((line) => `${indent}# ${line}`), `${start}${name}: ${value}`];
  });
}
