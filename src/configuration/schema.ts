import type { Static } from 'typebox';
import { type AnnotatedSchema, subsection } from './kinds.ts';
import { admin } from './settings/admin.ts';
import { operatorConsole } from './settings/console.ts';
import { feed } from './settings/feed.ts';
import { limits } from './settings/limits.ts';
import { logs, telemetry, timeZone } from './settings/logs.ts';
import { guard, markets, pricing, rates, sources } from './settings/market.ts';
import { alerts, mail, notices } from './settings/messages.ts';
import { network } from './settings/network.ts';
import { portal } from './settings/portal.ts';
import { server } from './settings/server.ts';
import { dataDir, history, redis, store } from './settings/store.ts';

/** The whole configuration as it is written: what is accepted, its defaults, and what each setting means. */
export const configurationSchema = subsection({
  server,
  admin,
  console: operatorConsole,
  portal,
  dataDir,
  store,
  redis,
  markets,
  sources,
  pricing,
  rates,
  guard,
  history,
  limits,
  mail,
  notices,
  alerts,
  feed,
  network,
  logs,
  telemetry,
  timeZone,
});

/** Every value as written, defaults filled in, each valid by itself. */
export type Settings = Static<typeof configurationSchema>;

/** The same schema as plain data. */
export const annotatedSchema = configurationSchema as unknown as AnnotatedSchema;

/** One value of the configuration that can be set by itself: everything but the sections. */
export interface Field {
  /** The path in the file: `server.baseUrl`. */
  readonly key: string;
  readonly path: readonly string[];
  /** `MDAPI_SERVER_BASE_URL`. With `_FILE` after it, the variable names a file that holds the value. */
  readonly variable: string;
  readonly schema: AnnotatedSchema;
}

export const variablePrefix = 'MDAPI_';

/** `baseUrl` under `server` is `MDAPI_SERVER_BASE_URL`: upper case, words and levels separated by `_`. */
function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase());
  return variablePrefix + words.join('_');
}

/** A section groups values and cannot be set as a whole from the environment; a map with a bare key is one value. */
export function isSection(schema: AnnotatedSchema): boolean {
  return schema.properties !== undefined && schema.bareKey === undefined;
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

/**
 * The values with defaults for what is left out, and with a map wherever a bare value stands for one. Changes `data`.
 */
export function withDefaults(data: unknown): unknown {
  const complete = filled(annotatedSchema, data);
  if (typeof complete !== 'object' || complete === null) return complete;
  for (const { path, schema } of fields) {
    const value = valueAt(complete, path);
    const { bareKey: ownKey } = schema;
    if (ownKey !== undefined && value !== undefined) setAt(complete, path, asMap(ownKey, value));
    const key = schema.items?.bareKey;
    if (key === undefined || !Array.isArray(value)) continue;
    setAt(
      complete,
      path,
      value.map((item) => asMap(key, item)),
    );
  }
  return filled(annotatedSchema, complete);
}

/** The value, or its default where there is none, and the same of what is in it. Changes `value`. */
function filled(schema: AnnotatedSchema, value: unknown): unknown {
  const complete = value === undefined ? structuredClone(schema.default) : value;
  const { items, properties } = schema;
  if (Array.isArray(complete)) return items === undefined ? complete : complete.map((item) => filled(items, item));
  if (!isMap(complete)) return complete;
  for (const [name, inner] of Object.entries(properties ?? {})) {
    const within = filled(inner, complete[name]);
    if (within !== undefined) complete[name] = within;
  }
  return complete;
}

/** Whether a value is a map, as opposed to a list. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asMap(key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : { [key]: value };
}

export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce((section, name) => (section as Record<string, unknown> | null | undefined)?.[name], data);
}

export function setAt(data: object, path: readonly string[], value: unknown): void {
  let section = data as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    section[name] ??= {};
    section = section[name] as Record<string, unknown>;
  }
  section[path.at(-1)!] = value;
}
