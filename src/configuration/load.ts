import { resolve as absolute, dirname } from 'node:path';
import { checkSource, keyOf } from './check.ts';
import { type Configuration, resolveSettings } from './configuration.ts';
import { findConflicts } from './conflicts.ts';
import { fields, type Settings, setAt, valueAt, withDefaults } from './schema.ts';
import {
  type Flag,
  fileVariable,
  type Problem,
  readEnvironment,
  readFlags,
  readYaml,
  reason,
  type Source,
} from './sources.ts';

export type { Flag, Problem } from './sources.ts';

/** Everything a configuration is made of. */
export interface ConfigurationInput {
  /** Values from the command line: they win over the environment, which wins over the file. */
  readonly flags: readonly Flag[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths of the command line start, and where `mdapi.yaml` is looked for. */
  readonly cwd: string;
  /** A file to read instead of `MDAPI_CONFIG` and `mdapi.yaml`; it has to exist. */
  readonly configPath?: string | undefined;
  /** Gives a file's text, or throws an error with a `code` (`ENOENT`) as `node:fs` does. */
  readonly readFile: (path: string) => string;
}

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The file it was read from, absolute; `undefined` when there was none. */
  readonly file: string | undefined;
  /** The same as it is written. */
  readonly settings: Settings;
}

const defaultFileName = 'mdapi.yaml';

/** The file that a command reads where `--config` names none. */
export function configurationPath(option: string | undefined, env: ConfigurationInput['env']): string {
  return option ?? env[fileVariable] ?? defaultFileName;
}

/** The configuration cannot be used. The message lists every problem, one a line, and no secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** The file of a logo was read and is none. */
export function logoRefused(what: string): ConfigurationError {
  return new ConfigurationError([{ where: 'configuration', key: 'portal.logo', what }]);
}

/** Refuses a service that would record nothing although nobody decided so. Throws {@link ConfigurationError}. */
export function assertRecordNamed({ store, history }: Settings): void {
  if (history.url !== undefined || store.startsWith('sqlite:')) return;
  const what =
    'with PostgreSQL as store, name the place of the record, such as postgres://mdapi@db.example.com/mdapi (it can be the database of store), or off to record nothing (MDAPI_HISTORY_URL in the environment)';
  throw new ConfigurationError([{ where: 'configuration', key: 'history.url', what }]);
}

/** `mdapi.yaml:3:9: server.port: 80800 is not a whole number from 0 to 65535` */
function formatProblem({ where, key, what }: Problem): string {
  return key === undefined ? `${where}: ${what}` : `${where}: ${key}: ${what}`;
}

/**
 * Reads and checks the configuration from command line, environment and file.
 * Throws {@link ConfigurationError} with every invalid value, or with every conflict between valid ones.
 */
export function loadConfiguration(input: ConfigurationInput): LoadedConfiguration {
  const problems: Problem[] = [];
  const file = readConfigurationFile(input, problems);
  const environment = readEnvironment(input.env, (path) => input.readFile(absolute(input.cwd, path)), problems);
  const sources = [file.source, environment, readFlags(input.flags)];
  problems.push(...sources.flatMap(checkSource));
  if (problems.length > 0) throw new ConfigurationError(problems);

  const given = new Map(
    sources.flatMap((source) =>
      fields.filter(({ path }) => valueAt(source.data, path) !== undefined).map(({ key }) => [key, source] as const),
    ),
  );
  const settings = settingsFrom(given);
  const placeOf = (key: string) => sourceOf(given, key)?.placeOf(key.split('.')) ?? 'default';
  for (const { key, what } of findConflicts(settings)) {
    problems.push({ where: placeOf(key), key: keyOf(key.split('.')), what });
  }
  if (problems.length > 0) throw new ConfigurationError(problems);

  const directoryOf = directories({ cwd: input.cwd, file, given, flags: sources[2]!, dataDir: settings.dataDir });
  return { configuration: resolveSettings(settings, directoryOf), file: file.path, settings };
}

/** The settings that name data, wherever they are given. */
const dataKeys: ReadonlySet<string> = new Set(['store', 'history.url', 'history.journal']);

interface Origins {
  readonly cwd: string;
  readonly file: { readonly path: string | undefined; readonly source: Source };
  readonly given: ReadonlyMap<string, Source>;
  readonly flags: Source;
  readonly dataDir: string;
}

/**
 * Where the relative paths of a setting begin. Data lies in `dataDir`, whoever runs and from wherever; what a person
 * types as an option begins where that person stands; other files lie beside the configuration that names them.
 */
function directories({ cwd, file, given, flags, dataDir }: Origins): (key: string) => string {
  const beside = file.path === undefined ? cwd : dirname(file.path);
  const ofSource = (source: Source | undefined) => (source === file.source ? beside : cwd);
  const dataFrom = given.get('dataDir');
  const besideData = dataFrom === undefined ? beside : ofSource(dataFrom);
  return (key) => {
    if (key === 'dataDir') return besideData;
    const source = given.get(key);
    return dataKeys.has(key) && source !== flags ? absolute(besideData, dataDir) : ofSource(source);
  };
}

function readConfigurationFile(input: ConfigurationInput, problems: Problem[]) {
  const name = configurationPath(input.configPath, input.env);
  const path = absolute(input.cwd, name);
  try {
    return { path, source: readYaml(input.readFile(path), name, problems) };
  } catch (error) {
    const isNamed = input.configPath !== undefined || input.env[fileVariable] !== undefined;
    const isOptional = !isNamed && (error as { code?: unknown } | null)?.code === 'ENOENT';
    if (!isOptional) problems.push({ where: name, key: undefined, what: `the file cannot be read: ${reason(error)}` });
    return { path: undefined, source: readFlags([]) };
  }
}

/** The given values and the defaults for the rest. */
function settingsFrom(given: ReadonlyMap<string, Source>): Settings {
  const data = {};
  for (const { key, path } of fields) {
    const source = given.get(key);
    if (source !== undefined) setAt(data, path, structuredClone(valueAt(source.data, path)));
  }
  return withDefaults(data) as Settings;
}

/** The source of a field, or of something within it. */
function sourceOf(given: ReadonlyMap<string, Source>, key: string): Source | undefined {
  return [...given].find(([field]) => `${key}.`.startsWith(`${field}.`))?.[1];
}
