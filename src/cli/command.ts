import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

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
  /** Whole command lines, each with what it does. */
  readonly examples: readonly Example[];
  /**
   * Does the work. Gives what is to be printed, or the exit code when it has printed for itself (a
   * command that runs on). Throws `CommandError`, `UsageError`, `ConfigurationError` or `StoreError`.
   */
  run(input: CommandInput, context: Context): Promise<Result | ExitCode>;
}

/** Required, unless it can be given any number of times. */
export interface Positional {
  /** Capitals: `ID`. */
  readonly name: string;
  readonly summary: string;
  /** None, one or several may be given. Only the last positional of a command can be so. */
  readonly many?: boolean;
}

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  /** What the value is called in the usage: `TEXT`. Without it the option is a switch. */
  readonly value?: string;
  readonly summary: string;
  readonly required?: boolean;
}

export interface Example {
  readonly line: string;
  readonly note: string;
}

/** The command line, taken apart and checked against the command's declaration. */
export interface CommandInput {
  argument(name: string): string;
  /** All that was given for a positional of which there can be many. */
  everyArgument(name: string): readonly string[];
  /** `undefined` when not given. */
  option(name: string): string | undefined;
  /** The value of a required option. */
  required(name: string): string;
  isSet(name: string): boolean;
  readonly json: boolean;
}

/** What a command that comes to an end has to say. */
export interface Result {
  /** With `--json` the one object on stdout. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Otherwise the text on stdout, without a final line end. */
  readonly text: string;
  /** Hints on stderr, in both cases. */
  readonly notes?: readonly string[];
  readonly exitCode?: ExitCode;
}

/** Every command takes these. */
export const commonOptions: readonly Option[] = [
  { name: 'config', value: 'FILE', summary: 'configuration file (default: mdapi.yaml here, if there is one)' },
  { name: 'store', value: 'URL', summary: 'database, such as sqlite:./mdapi.sqlite, instead of the configured one' },
  { name: 'json', summary: 'print exactly one JSON object' },
  { name: 'help', summary: 'show this help' },
  { name: 'version', summary: 'show the version' },
];
