import { existsSync, readFileSync } from 'node:fs';
import type { Configuration } from '../configuration/configuration.ts';
import type { LoadedConfiguration } from '../configuration/load.ts';
import type { Flag } from '../configuration/sources.ts';
import type { Store } from '../store/store.ts';
import type { CommandInput } from './command.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

/** Reads the configuration as `--config`, `--store` and a command's own flags say. Throws `ConfigurationError`. */
export async function configurationFor(
  input: CommandInput,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
  ownFlags: readonly Flag[] = [],
): Promise<LoadedConfiguration> {
  const { loadWithOrigins } = await import('../configuration/load.ts');
  const store = input.option('store');
  const flags = store === undefined ? ownFlags : [...ownFlags, { flag: '--store', key: 'store', value: store }];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  return loadWithOrigins({ flags, env, cwd, configPath: input.option('config'), readFile });
}

/**
 * Opens the configured database for `use`, and closes it after. The database has to exist, unless
 * `mayCreate`: an empty one made in the wrong directory would only say that nothing is known.
 */
export async function withStore<T>(
  input: CommandInput,
  context: Context,
  use: (store: Store, configuration: Configuration) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const { configuration } = await configurationFor(input, context);
  const { url, path } = configuration.store;
  const exists = existsSync(path);
  if (!exists && !mayCreate) {
    const mend = 'Start `mdapi serve` or make an account first, or name the right one with --store or --config.';
    throw new CommandError(exitCodes.notFound, 'database_missing', `There is no database ${path}. ${mend}`);
  }
  const { openStore } = await import('../store/store.ts');
  const store = await openStore({ url, clock: context.clock, randomness: context.randomness });
  if (!exists) context.stderr.write(`Made the database ${path}.\n`);
  try {
    return await use(store, configuration);
  } finally {
    await store.close();
  }
}
