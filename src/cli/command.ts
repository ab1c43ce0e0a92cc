import { readFileSync } from 'node:fs';
import type { Clock, Randomness } from '../ground/clock.ts';
import written from './commands.json' with { type: 'json' };
import type { ExitCode } from './failure.ts';

/** One command, as the help, the reference and the parser know it. */
export interface Command {
  /** One or two words: `serve`, `keys create`. */
  readonly name: string;
  /** One line, no full stop. */
  readonly summary: string;
  /** Paragraphs a newcomer needs, plain text. */
  readonly details?: readonly string[];
  readonly positionals?: readonly Positional[];
  readonly options?: readonly Option[];
  /** Whole command lines, and what each does. */
  readonly examples: Readonly<Record<string, string>>;
  /** Gives what to print, or the exit code where it prints itself. Throws `CommandError`, `UsageError`, `ConfigurationError` or `StoreError`. */
  run(input: CommandInput, context: Context): Promise<Result | ExitCode>;
}

/** The name of a command that `commands.json` describes. */
export type CommandName = keyof typeof written;

/** Gives the name of a command and what `commands.json` says of it. */
export function described(name: CommandName): Omit<Command, 'run'> {
  return { name, ...written[name] };
}

/** A command that `commands.json` describes. */
export function command(name: CommandName, run: Command['run']): Command {
  return { ...described(name), run };
}

/** Required, unless it is `many`. One that is optional can only be left out for `--all`. */
interface Positional {
  /** Capitals: `ID`. */
  readonly name: string;
  readonly summary: string;
  /** The words it can be, for completion. */
  readonly values?: readonly string[];
  /** Any number of values, none included. Only the last positional of a command. */
  readonly many?: boolean;
  readonly isOptional?: boolean;
}

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  /** The name of the value in the usage: `TEXT`. Without it the option is a switch. */
  readonly value?: string;
  /** The words its value can be: another one is refused. */
  readonly values?: readonly string[];
  readonly summary: string;
  readonly required?: boolean;
}

/** The parsed command line, checked against the command's declaration. */
export interface CommandInput {
  argument(name: string): string;
  /** The values of a positional: of a `many` one any number. */
  everyArgument(name: string): readonly string[];
  /** `undefined` when not given. */
  option(name: string): string | undefined;
  /** The value of a required option. */
  required(name: string): string;
  isSet(name: string): boolean;
  readonly json: boolean;
}

export interface Result {
  /** The object that `--json` prints on stdout. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The text printed on stdout without `--json`; the final line end is added. */
  readonly text: string;
  /** Hints for stderr, in both cases. */
  readonly notes?: readonly string[];
  readonly exitCode?: ExitCode;
}

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The version of this program. */
export const { version } = JSON.parse(manifest) as { readonly version: string };

/** The options of every command. */
export const commonOptions: readonly Option[] = [
  { name: 'config', value: 'FILE', summary: 'configuration file (default: mdapi.yaml here, if there is one)' },
  { name: 'store', value: 'URL', summary: 'database, such as sqlite:./mdapi.sqlite, instead of the configured one' },
  { name: 'json', summary: 'print exactly one JSON object' },
  { name: 'help', summary: 'show this help' },
  { name: 'version', summary: 'show the version' },
];

/** A stream that a command writes to. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Aborts when the reader is gone, such as `head`. Absent where that cannot happen. */
  readonly closed?: AbortSignal;
}

/** All of the outside world that a command may touch. */
export interface Context {
  /** Data. */
  readonly stdout: Output;
  /** Diagnostics, hints and questions. */
  readonly stderr: Output;
  readonly stdin: { readonly stream: NodeJS.ReadableStream; readonly isTerminal: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user who runs the command; absent where the system has no name for the user. */
  readonly user?: string | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Aborts on SIGINT, SIGTERM or SIGHUP. Reading it installs the signal handlers, so only long-running commands do. */
  readonly signal: AbortSignal;
  /** From then on SIGHUP calls this and is no reason to stop, unless it says that a terminal was closed. */
  onHangUp?(called: () => unknown): void;
}
