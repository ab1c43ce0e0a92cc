import { annotatedSchema } from './schema.ts';
import type { AnnotatedSchema } from './schema-kinds.ts';

/** One value of the configuration that can be set by itself: everything but the sections. */
export interface Field {
  /** As in the file: `exchange.urls.rest`. */
  readonly key: string;
  readonly path: readonly string[];
  /** `MDAPI_EXCHANGE_URLS_REST`. With `_FILE` after it, the variable names a file that holds the value. */
  readonly variable: string;
  readonly schema: AnnotatedSchema;
}

export const variablePrefix = 'MDAPI_';

/** `baseUrl` under `server` is `MDAPI_SERVER_BASE_URL`: upper case, words and levels apart by `_`. */
export function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase());
  return variablePrefix + words.join('_');
}

/** A section groups values and cannot be set as a whole from the environment. */
export function isSection(schema: AnnotatedSchema): boolean {
  return schema.properties !== undefined;
}

function fieldsUnder(schema: AnnotatedSchema, path: readonly string[]): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const innerPath = [...path, name];
    if (isSection(inner)) return fieldsUnder(inner, innerPath);
    return [{ key: innerPath.join('.'), path: innerPath, variable: variableOf(innerPath), schema: inner }];
  });
}

/** Every field, in the order of the reference. */
export const fields: readonly Field[] = fieldsUnder(annotatedSchema, []);

export const fieldByKey: ReadonlyMap<string, Field> = new Map(fields.map((field) => [field.key, field]));
export const fieldByVariable: ReadonlyMap<string, Field> = new Map(fields.map((field) => [field.variable, field]));
