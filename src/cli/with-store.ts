import { existsSync, readFileSync } from 'node:fs';
import type { Configuration, StoreConfiguration } from '../configuration/configuration.ts';
import type { LoadedConfiguration } from '../configuration/load.ts';
import type { Flag } from '../configuration/sources.ts';
import type { Store } from '../store/store.ts';
import type { CommandInput } from './command.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';
import { refusePassword } from './store/store-url.ts';

/** Reads the configuration as `--config`, `--store` and a command's own flags say. Throws `ConfigurationError`. */
export async function configurationFor(
  input: CommandInput,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
  ownFlags: readonly Flag[] = [],
): Promise<LoadedConfiguration> {
  const { loadWithOrigins } = await import('../configuration/load.ts');
  const store = input.option('store');
  if (store !== undefined) refusePassword('store', store);
  const flags = store === undefined ? ownFlags : [...ownFlags, { flag: '--store', key: 'store', value: store }];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  return loadWithOrigins({ flags, env, cwd, configPath: input.option('config'), readFile });
}

/** Whom the audit log puts changes of the command line down to. */
export function actorOf({ user }: Pick<Context, 'user'>): string {
  return `cli:${user ?? 'unknown'}`;
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
  const { openStore } = await import('../store/store.ts');
  const missing = await missingDatabase(configuration.store, context);
  if (missing !== undefined && !mayCreate) {
    const mend = 'Start `mdapi serve` or make an account first, or name the right one with --store or --config.';
    throw new CommandError(exitCodes.notFound, 'database_missing', `There is no database ${missing}. ${mend}`);
  }
  const { url } = configuration.store;
  const { clock, randomness } = context;
  const store = await openStore({ url, clock, randomness, actor: actorOf(context) });
  if (missing !== undefined) context.stderr.write(`Made the database ${missing}.\n`);
  try {
    return await use(store, configuration);
  } finally {
    await store.close();
  }
}

/** How messages call the configured database when nobody has made it yet. */
async function missingDatabase(store: StoreConfiguration, { clock }: Context): Promise<string | undefined> {
  if (store.kind === 'sqlite') return existsSync(store.path) ? undefined : store.path;
  const { inspectStore } = await import('../store/open-database.ts');
  const { state, name } = await inspectStore(store.url, clock);
  return state === 'empty' ? name : undefined;
}
