import type { Clock, Randomness } from '../ground/clock.ts';
import type { LogTarget } from '../ground/log-sink.ts';
import type { ExitCode } from './failure.ts';

/** Says of one command all that its help, the reference, the completions and the parser need. */
export interface Declaration<Positionals, Options> {
  /** One or two words: `serve`, `keys create`. */
  readonly name: string;
  /** One line, no full stop. */
  readonly summary: string;
  /** Paragraphs a newcomer needs, plain text. */
  readonly details?: readonly string[];
  /** By their names, which are capitals, in their order: `ID`. */
  readonly positionals?: Positionals;
  /** By their names, without the dashes. */
  readonly options?: Options & Exact<Options>;
  /** Whole command lines, and what each does. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A word that is told by its place. Required, unless it is `many` or left out for `--all`. */
export interface PositionalDeclaration {
  readonly summary: string;
  /** The words it can be, for completion. */
  readonly values?: readonly string[];
  /** Any number of values, none included. Only the last positional of a command. */
  readonly many?: true;
  /** It can be left out; in a command that has `--all`, only for that. */
  readonly isOptional?: true;
}

/** An option without a value: it is given or not. */
interface SwitchDeclaration {
  readonly summary: string;
  readonly value?: never;
  readonly values?: never;
  readonly required?: never;
  readonly many?: never;
}

/** An option with a value, which has a value in every command that declares its name. */
export interface ValueDeclaration {
  readonly summary: string;
  /** The name of the value in the usage: `TEXT`. */
  readonly value: string;
  /** The words its value can be: another one is refused. */
  readonly values?: readonly string[];
  readonly required?: true;
  /** Given any number of times, each with a value. */
  readonly many?: true;
}

export type OptionDeclaration = SwitchDeclaration | ValueDeclaration;
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;
export type PositionalDeclarations = Readonly<Record<string, PositionalDeclaration>>;
/** No positionals, or no options of its own. */
export type None = Readonly<Record<never, never>>;

/** Refuses misspelt members of options: a type parameter takes them all. */
type Exact<Options> = {
  readonly [Name in keyof Options]: {
    readonly [Member in Exclude<keyof Options[Name], keyof ValueDeclaration>]: never;
  };
};

const common = {
  config: { value: 'FILE', summary: 'configuration file (default: mdapi.yaml here, if there is one)' },
  store: { value: 'URL', summary: 'database, such as sqlite:./mdapi.sqlite, instead of the configured one' },
  as: { value: 'NAME', summary: 'who does this, for the audit log (default: SUDO_USER, the user of the system)' },
  json: { summary: 'print exactly one JSON object' },
  help: { summary: 'show this help' },
  version: { summary: 'show the version' },
} as const satisfies OptionDeclarations;

type Word<Declared> = Declared extends { readonly values: readonly (infer Each extends string)[] } ? Each : string;

type OptionValue<Declared> = Declared extends { readonly value: string }
  ? Declared extends { readonly many: true }
    ? readonly Word<Declared>[]
    : Declared extends { readonly required: true }
      ? Word<Declared>
      : Word<Declared> | undefined
  : boolean;

/** The values of options, by their names: words, `undefined` for one left out, or whether a switch is given. */
export type OptionValues<Declared> = { readonly [Name in keyof Declared]: OptionValue<Declared[Name]> };
export type CommonValues = OptionValues<typeof common>;

type PositionalValue<Declared> = Declared extends { readonly many: true }
  ? readonly string[]
  : Declared extends { readonly isOptional: true }
    ? string | undefined
    : string;

/** A command line as its handler gets it, checked against the declaration that the types are made of. */
export interface Input<Positionals, Options> {
  readonly positionals: { readonly [Name in keyof Positionals]: PositionalValue<Positionals[Name]> };
  readonly options: OptionValues<Options> & CommonValues;
}

/** A declaration with its name. */
export type Positional = PositionalDeclaration & { readonly name: string };
export type Option = OptionDeclaration & { readonly name: string };

/** A command as the help, the reference, the completions and the parser see it, without the types of its handler. */
export interface Command extends Omit<Declaration<unknown, unknown>, 'positionals' | 'options'> {
  readonly positionals: readonly Positional[];
  /** Its own, without those of every command. */
  readonly options: readonly Option[];
  /** Gives what to print, or the exit code where it prints itself. Throws what `failureOf` turns into a message. */
  run(input: ParsedInput, context: Context): Promise<Result | ExitCode>;
}

/** The values of a command line by the names of what is declared. */
export interface ParsedInput {
  readonly positionals: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Declares a command together with its handler, whose values are typed by the declaration. */
export function command<
  const Positionals extends PositionalDeclarations = None,
  const Options extends OptionDeclarations = None,
>({
  positionals,
  options,
  run,
  ...texts
}: Declaration<Positionals, Options> & {
  run(input: Input<Positionals, Options>, context: Context): Promise<Result | ExitCode>;
}): Command {
  return {
    ...texts,
    positionals: listed<PositionalDeclaration>(positionals),
    options: listed<OptionDeclaration>(options),
    // The parser has read the line by this very declaration.
    run: (input, context) => run(input as Input<Positionals, Options>, context),
  };
}

/** Declarations as a list, in their order, each with its name. */
function listed<Each>(declared: Readonly<Record<string, Each>> = {}): readonly (Each & { name: string })[] {
  return Object.entries(declared).map(([name, each]) => ({ ...each, name }));
}

/** The options of every command. */
export const commonOptions: readonly Option[] = listed<OptionDeclaration>(common);

export interface Result {
  /** The object that `--json` prints on stdout. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The text printed on stdout without `--json`; the final line end is added. */
  readonly text: string;
  /** Hints for stderr, in both cases. */
  readonly notes?: readonly string[];
  readonly exitCode?: ExitCode;
}

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
  /** Standard error as the log of a service; absent where `stderr` is written as it is. */
  readonly logTarget?: LogTarget;
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
