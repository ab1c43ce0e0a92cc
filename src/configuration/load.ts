import { resolve as absolute, dirname } from 'node:path';
import { rules } from './agreement.ts';
import type { Configuration } from './configuration.ts';
import { type Field, fields } from './fields.ts';
import type { Problem } from './located.ts';
import { readYaml } from './read-yaml.ts';
import { resolveSettings } from './resolve.ts';
import type { Settings } from './schema.ts';
import { type Flag, type Given, type Layer, readEnvironment, readFlags, readTree, reason } from './sources.ts';

export type { Problem } from './located.ts';
export type { Flag } from './sources.ts';

/** Everything a configuration is made of. */
export interface ConfigurationInput {
  /** Values from the command line: they win over the environment, which wins over the file. */
  readonly flags: readonly Flag[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths outside the file start, and where `mdapi.yaml` is looked for. */
  readonly cwd: string;
  /** A file to read in `mdapi.yaml`'s place; it has to exist. */
  readonly configPath?: string | undefined;
  /** Gives a file's text, or throws an error with a `code` (`ENOENT`) as `node:fs` does. */
  readonly readFile: (path: string) => string;
}

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The file it was read from, absolute; `undefined` when there was none. */
  readonly file: string | undefined;
  readonly settings: readonly Setting[];
}

/** One value in force, for whoever asks why the service behaves as it does. */
export interface Setting {
  readonly key: string;
  /** `undefined` when not set and without default; `(not shown)` for a secret. */
  readonly value: unknown;
  /** `default`, or the file's line, variable or option it came from. */
  readonly where: string;
}

export const defaultFileName = 'mdapi.yaml';

/** The configuration cannot be used. The message lists every problem, one a line, and no secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** `mdapi.yaml:3:9: server.port: 80800 is out of range; allowed: a whole number from 0 to 65535` */
export function formatProblem({ where, key, what }: Problem): string {
  return key === undefined ? `${where}: ${what}` : `${where}: ${key}: ${what}`;
}

/**
 * Reads and checks the configuration from command line, environment and file.
 * Throws {@link ConfigurationError} with every problem found, not only the first.
 */
export function loadConfiguration(input: ConfigurationInput): Configuration {
  return loadWithOrigins(input).configuration;
}

/** As {@link loadConfiguration}, and tells where each value came from. */
export function loadWithOrigins(input: ConfigurationInput): LoadedConfiguration {
  const problems: Problem[] = [];
  const file = readConfigurationFile(input, problems);
  const environment = readEnvironment(input.env, (path) => input.readFile(absolute(input.cwd, path)), problems);
  const flags = readFlags(input.flags, problems);
  const given = new Map([...file.layer, ...environment, ...flags]);
  const settings = settingsFrom(given);
  problems.push(...disagreements(settings, given, problems));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const fromFile = (key: string) => file.layer.has(key) && !environment.has(key) && !flags.has(key);
  const directoryOf = (key: string) => (file.path !== undefined && fromFile(key) ? dirname(file.path) : input.cwd);
  return {
    configuration: resolveSettings(settings, directoryOf),
    file: file.path,
    settings: fields.map((field) => settingOf(field, given.get(field.key))),
  };
}

interface ReadFile {
  readonly path: string | undefined;
  readonly layer: Layer;
}

function readConfigurationFile(input: ConfigurationInput, problems: Problem[]): ReadFile {
  const name = input.configPath ?? defaultFileName;
  const path = absolute(input.cwd, name);
  const none = { path: undefined, layer: new Map<string, Given>() };
  let text: string;
  try {
    text = input.readFile(path);
  } catch (error) {
    const optional = input.configPath === undefined && (error as { code?: unknown } | null)?.code === 'ENOENT';
    if (!optional) problems.push({ where: name, key: undefined, what: `the file cannot be read: ${reason(error)}` });
    return none;
  }
  const tree = readYaml(text, name);
  if ('where' in tree) return { path, layer: readTree(tree, problems) };
  problems.push(...tree);
  return none;
}

/** The given values and the defaults for the rest, as one object of the schema's form. */
function settingsFrom(given: ReadonlyMap<string, Given>): Settings {
  const settings: Record<string, unknown> = {};
  for (const { key, path, schema } of fields) {
    const value = given.has(key) ? given.get(key)?.value : schema.default;
    const parent = path.slice(0, -1).reduce((section, name) => {
      section[name] ??= {};
      return section[name] as Record<string, unknown>;
    }, settings);
    parent[path.at(-1)!] = value;
  }
  return settings as Settings;
}

/** A rule is left out when a value it looks at was refused already: its default was never meant. */
function disagreements(settings: Settings, given: ReadonlyMap<string, Given>, refused: readonly Problem[]): Problem[] {
  const isRefused = (key: string) => refused.some((problem) => problem.key === key || isWithin(problem.key, key));
  return rules
    .filter((rule) => !rule.keys.some(isRefused))
    .flatMap((rule) => rule.broken(settings, (key) => given.has(key)))
    .map(({ key, what }) => ({ key, what, where: whereOf(given, key) }));
}

function isWithin(key: string | undefined, field: string): boolean {
  return key?.startsWith(`${field}.`) === true || key?.startsWith(`${field}[`) === true;
}

function whereOf(given: ReadonlyMap<string, Given>, key: string): string {
  for (const [field, { where }] of given) if (field === key || isWithin(key, field)) return where;
  return 'default';
}

function settingOf({ key, schema }: Field, given: Given | undefined): Setting {
  if (given === undefined) return { key, value: schema.default, where: 'default' };
  return { key, value: schema.secret === true ? '(not shown)' : given.value, where: given.where };
}
