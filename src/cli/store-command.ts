import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Configuration, StoreConfiguration } from '../configuration/configuration.ts';
import type { LoadedConfiguration } from '../configuration/load.ts';
import type { Flag } from '../configuration/sources.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { Markets } from '../market/markets.ts';
import type { Store } from '../store/store.ts';
import {
  type Command,
  type CommandInput,
  type CommandName,
  type Context,
  described,
  type Option,
  type Result,
  version,
} from './command.ts';
import { failure } from './failure.ts';
import { type Paint, paintFor } from './style.ts';
import { withOffset, withoutZone } from './values.ts';

/** A command that works on the database. */
interface StoreCommand<Values> extends Pick<Command, 'details'> {
  /** Creates a missing database. Others refuse: an empty one in the wrong directory would only hide the mistake. */
  readonly mayCreate?: boolean;
  /** Reads the values that can be wrong, before the database is opened. */
  readonly read?: (input: CommandInput, now: EpochMs) => Values;
  readonly work: (job: Job<Values>) => Promise<Result>;
}

export interface Job<Values = unknown> {
  readonly input: CommandInput;
  readonly context: Context;
  readonly values: Values;
  readonly store: Store;
  readonly configuration: Configuration;
  readonly paint: Paint;
  /** Asks before something final; throws `CommandError` unless answered `y` or `yes`. Without a terminal it goes on, or, where `needsYes`, wants `--yes`. */
  readonly confirm: (question: string, needsYes?: boolean) => Promise<void>;
}

/** @param declared its work alone, where nothing else is to be said */
export function storeCommand<Values = undefined>(
  name: CommandName,
  declared: StoreCommand<Values> | StoreCommand<Values>['work'],
): Command {
  const { mayCreate = false, read, work, ...more } = typeof declared === 'function' ? { work: declared } : declared;
  const command = { ...described(name), ...more };
  return {
    ...command,
    async run(input, context) {
      const values = read?.(await inZone(input, command.options, context), context.clock.now()) as Values;
      const paint = paintFor(context);
      const ask = (question: string, needsYes = false) => confirm(question, needsYes, input, context);
      return withStore(
        input,
        context,
        (store, configuration) => work({ input, context, values, store, configuration, paint, confirm: ask }),
        mayCreate,
      );
    },
  };
}

/** Reads instants without an offset in the operator's time zone, where it is configured, and says so. */
async function inZone(input: CommandInput, options: readonly Option[] = [], context: Context): Promise<CommandInput> {
  const names = options.filter(({ value }) => value === 'INSTANT').map(({ name }) => name);
  const local = new Map(
    names.map((name) => [name, input.option(name) ?? ''] as const).filter(([, text]) => withoutZone.test(text)),
  );
  const { timeZone } = local.size === 0 ? {} : (await configurationFor(input, context)).configuration;
  if (timeZone === undefined) return input;
  const say = (line: string) => context.stderr.write(`${line}\n`);
  for (const [name, text] of local) local.set(name, withOffset(text, timeZone, `--${name}`, say));
  const read = (name: string) => local.get(name) ?? input.option(name);
  return { ...input, option: read, required: (name) => read(name) ?? input.required(name) };
}

/** Reads the configuration with `--config`, `--store` and the command's own flags. Throws `ConfigurationError`. */
export async function configurationFor(
  input: CommandInput,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
  ownFlags: readonly Flag[] = [],
  readFile = (path: string) => readFileSync(path, 'utf8'),
): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../configuration/load.ts');
  const store = input.option('store');
  if (store !== undefined) refusePassword('store', store);
  const flags = store === undefined ? ownFlags : [...ownFlags, { flag: '--store', key: 'store', value: store }];
  return loadConfiguration({ flags, env, cwd, configPath: input.option('config'), readFile });
}

/** Throws `UsageError` for a URL with a password, which every user of the machine can read in the process list. */
export function refusePassword(option: string, url: string): void {
  if (!/^postgres(ql)?:/i.test(url)) return;
  const hasPassword = (URL.parse(url)?.password ?? '') !== '' || /:\/\/[^/@]*:[^/@]*@/.test(url);
  if (hasPassword) throw failure('password_shown', { option });
}

/** The actor of the audit log for changes of the command line. */
export function actorOf({ user }: Pick<Context, 'user'>): string {
  return `cli:${user ?? 'unknown'}`;
}

/** Opens the configured database for `use` and closes it after. */
export async function withStore<T>(
  input: CommandInput,
  context: Context,
  use: (store: Store, configuration: Configuration) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const { configuration } = await configurationFor(input, context);
  const { openStore, wayBack } = await import('../store/store.ts');
  const missing = await missingDatabase(configuration.store, context);
  if (missing !== undefined && !mayCreate) throw failure('database_missing', { missing });
  const { url } = configuration.store;
  const { clock, randomness } = context;
  const store = await openStore({ url, clock, randomness, version, actor: actorOf(context) });
  if (store.kept !== undefined) context.stderr.write(`Brought the database up to date. ${wayBack(store.kept)}.\n`);
  if (missing !== undefined) context.stderr.write(`Created the database ${missing}.\n`);
  try {
    return await use(store, configuration);
  } finally {
    await store.close();
  }
}

/** The name of the configured database in messages, if it does not exist yet. */
async function missingDatabase(store: StoreConfiguration, { clock }: Context): Promise<string | undefined> {
  if (store.kind === 'sqlite') return existsSync(store.path) ? undefined : store.path;
  const { inspectStore } = await import('../store/open-database.ts');
  const { state, name } = await inspectStore(store.url, clock);
  return state === 'empty' ? name : undefined;
}

/** The market as the server that ran last saved it, on the terms of the database. */
export async function savedBook(store: Store, configuration: Configuration, clock: Clock): Promise<Markets> {
  const { FeedStatus } = await import('../market/service-status.ts');
  const { marketsFor } = await import('../wiring/market-room.ts');
  const { MarketSnapshots } = await import('../persistence/market-snapshots.ts');
  const { loadTerms } = await import('../persistence/store-follower.ts');
  const markets = marketsFor(configuration);
  await loadTerms(store, markets, clock);
  await new MarketSnapshots(store, markets, new FeedStatus(), clock, silentLog).restore();
  return markets;
}

/** Whether a person can be asked. */
export function isAtTerminal({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

/** Asks on stderr, and only a person at a terminal: a script has decided already. */
export async function confirm(
  question: string,
  needsYes: boolean,
  input: CommandInput,
  context: Context,
  reader?: ReturnType<typeof readerOf>,
): Promise<void> {
  if (input.isSet('yes')) return;
  if (!isAtTerminal(context)) {
    if (!needsYes) return;
    throw failure('not_confirmed.unasked', { question });
  }
  const lines = reader ?? readerOf(context);
  const answer = (await lines.ask(`${question} [y/N] `)) ?? '';
  lines.close();
  if (!/^y(es)?$/i.test(answer)) throw failure('not_confirmed');
}

/** Reads what a person types. One reader for several questions: what it has read ahead is lost with it. */
export function readerOf({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>) {
  const lines = createInterface({ input: stdin.stream, terminal: false });
  const typed = lines[Symbol.asyncIterator]();
  return {
    /** The answer; `undefined` at the end of input. */
    async ask(question: string): Promise<string | undefined> {
      stderr.write(question);
      const { value, done } = await typed.next();
      return done === true ? undefined : value.trim();
    },
    close: () => lines.close(),
  };
}
