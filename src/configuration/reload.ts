import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from './configuration.ts';
import { ConfigurationError, type LoadedConfiguration } from './load.ts';
import { fields, valueAt } from './schema.ts';

/** Settings that may change while the service runs. */
const reloadable: ReadonlySet<string> = new Set(['sources', 'pricing.sources']);

/**
 * Gives the configuration that a running service is to take over. Throws `ConfigurationError` that names what only a
 * restart changes.
 *
 * @param started as it was when the service started
 */
export function reloadedConfiguration(started: LoadedConfiguration, now: LoadedConfiguration): Configuration {
  const isChanged = (path: readonly string[]) =>
    !isDeepStrictEqual(valueAt(started.settings, path), valueAt(now.settings, path));
  const fixed = fields.filter(({ key, path }) => !reloadable.has(key) && isChanged(path));
  if (fixed.length === 0) return now.configuration;
  const problem = { where: now.file ?? 'configuration', what: 'changes only with a restart' };
  throw new ConfigurationError(fixed.map(({ key }) => ({ ...problem, key })));
}
