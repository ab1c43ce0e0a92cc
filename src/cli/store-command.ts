import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Configuration, StoreConfiguration } from '../configuration/configuration.ts';
import type { LoadedConfiguration } from '../configuration/load.ts';
import type { Flag } from '../configuration/sources.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { version } from '../ground/version.ts';
import type { Markets } from '../market/markets.ts';
import { actorNameForm, actorNameOf, commandActor, isActorName } from '../operator/actor.ts';
import type { Store } from '../store/store.ts';
import {
  type Command,
  type CommonValues,
  type Context,
  command,
  type Declaration,
  type Input,
  type None,
  type OptionDeclaration,
  type OptionDeclarations,
  type PositionalDeclarations,
  type Result,
} from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { harmless, type Paint, paintFor } from './style.ts';
import { withOffset, withoutZone } from './values.ts';

/** The declaration of a command that works on the database. */
interface StoreDeclaration<Positionals, Options, Values> extends Declaration<Positionals, Options> {
  /** Creates a missing database. Others refuse: an empty one in the wrong directory would only hide the mistake. */
  readonly mayCreate?: boolean;
  /** Reads the values that can be wrong, before the database is opened. */
  readonly read?: (input: Input<Positionals, Options>, now: EpochMs) => Values;
  readonly work: (job: Job<Values, Positionals, Options>) => Promise<Result>;
}

export interface Job<Values = unknown, Positionals = None, Options = None> extends Input<Positionals, Options> {
  readonly context: Context;
  /** The result of `read`. */
  readonly values: Values;
  readonly store: Store;
  readonly configuration: Configuration;
  readonly paint: Paint;
  /** Only for commands with an option `yes`. */
  readonly confirm: Options extends { readonly yes: OptionDeclaration } ? Confirm : never;
}

/**
 * Asks before something final; throws `CommandError` unless answered `y` or `yes`. Without a terminal it goes on, or,
 * where `needsYes`, wants `--yes`.
 */
type Confirm = (question: string, needsYes?: boolean) => Promise<void>;

/** The option of commands that ask a person and let a script go on. */
export const yes = { summary: 'do not ask (without a terminal nothing is ever asked)' } as const;
/** The option of commands that refuse a script that does not decide. */
export const neededYes = { summary: 'do not ask; required without a terminal' } as const;

/** Declares a command that works on the database, together with its handler. */
export function storeCommand<
  Values = undefined,
  const Positionals extends PositionalDeclarations = None,
  const Options extends OptionDeclarations = None,
>({ mayCreate = false, read, work, ...declaration }: StoreDeclaration<Positionals, Options, Values>): Command {
  const declared: Command = command<Positionals, Options>({
    ...declaration,
    async run(input, context) {
      const isYes = 'yes' in input.options && input.options.yes === true;
      const ask: Confirm = (question, needsYes = false) => confirm(question, { isYes, needsYes }, context);
      const values = read?.(await inZone(input, declared, context), context.clock.now()) as Values;
      const use = (store: Store, configuration: Configuration) => {
        const confirm = ask as Job<Values, Positionals, Options>['confirm'];
        return work({ ...input, context, values, store, configuration, paint: paintFor(context), confirm });
      };
      return withStore(input.options, context, use, mayCreate);
    },
  });
  return declared;
}

/** Reads instants without an offset in the operator's time zone, where it is configured, and says so. */
async function inZone<Read extends Input<unknown, unknown>>(
  input: Read,
  { options: declared }: Command,
  context: Context,
): Promise<Read> {
  const options: Record<string, unknown> = { ...input.options };
  const local = declared
    .filter(({ value }) => value === 'INSTANT')
    .map(({ name }) => ({ name, text: String(options[name]) }))
    .filter(({ text }) => withoutZone.test(text));
  if (local.length === 0) return input;
  const { timeZone } = (await configurationFor(input.options, context)).configuration;
  if (timeZone === undefined) return input;
  const say = (line: string) => context.stderr.write(`${line}\n`);
  for (const { name, text } of local) options[name] = withOffset(text, timeZone, `--${name}`, say);
  return { ...input, options };
}

/** Reads the configuration with `--config`, `--store` and the command's own flags. Throws `ConfigurationError`. */
export async function configurationFor(
  { config: configPath, store }: Pick<CommonValues, 'config' | 'store'>,
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
  ownFlags: readonly Flag[] = [],
  readFile = (path: string) => readFileSync(path, 'utf8'),
): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../configuration/load.ts');
  if (store !== undefined) refusePassword('store', store);
  const flags = store === undefined ? ownFlags : [...ownFlags, { flag: '--store', key: 'store', value: store }];
  return loadConfiguration({ flags, env, cwd, configPath, readFile });
}

/** Throws `UsageError` for a URL with a password, which every user of the machine can read in the process list. */
export function refusePassword(option: string, url: string): void {
  if (!/^postgres(ql)?:/i.test(url)) return;
  const hasPassword = (URL.parse(url)?.password ?? '') !== '' || /:\/\/[^/@]*:[^/@]*@/.test(url);
  if (!hasPassword) return;
  const remedy = 'Leave it out and give it as PGPASSFILE (a file like ~/.pgpass) or PGPASSWORD.';
  throw new UsageError(`--${option} holds a password, which other users of this machine could read. ${remedy}`);
}

/**
 * The actor of the audit log for changes of the command line: whom `--as` names, else whom sudo does, beside the user
 * of the system. Throws `UsageError` for what is no name.
 */
export function actorOf({ as }: Pick<CommonValues, 'as'>, { user, env }: Pick<Context, 'user' | 'env'>): string {
  if (as !== undefined && !isActorName(as))
    throw new UsageError(`--as: "${harmless(as)}" is not a name: it ${actorNameForm}.`);
  const bySudo = env.SUDO_USER === undefined || env.SUDO_USER === '' ? undefined : actorNameOf(env.SUDO_USER);
  return commandActor(user, as ?? bySudo);
}

/** Opens the configured database for `use` and closes it after. */
export async function withStore<T>(
  options: Pick<CommonValues, 'config' | 'store' | 'as'>,
  context: Context,
  use: (store: Store, configuration: Configuration) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const actor = actorOf(options, context);
  const { configuration } = await configurationFor(options, context);
  const { openStore, wayBack } = await import('../store/store.ts');
  const missing = await missingDatabase(configuration.store, context);
  if (missing !== undefined && !mayCreate) throw databaseMissing(missing);
  const { url } = configuration.store;
  const { clock, randomness } = context;
  const store = await openStore({ url, clock, randomness, version, actor });
  if (store.kept !== undefined) context.stderr.write(`Brought the database up to date. ${wayBack(store.kept)}.\n`);
  if (missing !== undefined) context.stderr.write(`Created the database ${missing}.\n`);
  try {
    return await use(store, configuration);
  } finally {
    await store.close();
  }
}

function databaseMissing(database: string): CommandError {
  const remedy = 'Start `mdapi serve` or create an account first, or name the right one with --store or --config.';
  return new CommandError(exitCodes.notFound, 'database_missing', `There is no database ${database}. ${remedy}`);
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

/**
 * Asks on stderr, and only a person at a terminal: a script has decided already.
 *
 * @param reader where more than one question is asked; it is closed after the answer all the same
 */
export async function confirm(
  question: string,
  { isYes, needsYes }: Readonly<Record<'isYes' | 'needsYes', boolean>>,
  context: Context,
  reader?: ReturnType<typeof readerOf>,
): Promise<void> {
  if (isYes) return;
  if (!isAtTerminal(context)) {
    if (!needsYes) return;
    throw new CommandError(exitCodes.failure, 'not_confirmed', `${question} Without a terminal this needs --yes.`);
  }
  const lines = reader ?? readerOf(context);
  const answer = (await lines.ask(`${question} [y/N] `)) ?? '';
  lines.close();
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(exitCodes.failure, 'not_confirmed', 'Nothing was changed.');
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
