import { parseArgs } from 'node:util';
import { didYouMean } from '../configuration/spelling.ts';
import { type Command, type CommandInput, commonOptions, type Option } from './command.ts';
import { commands, commandsIn } from './commands.ts';
import { UsageError } from './failure.ts';
import { harmless } from './style.ts';

/** A command line in its parts, whether or not they make sense. */
export interface CommandLine {
  /** The words that name a command, up to two. Options may come before and between them. */
  readonly words: readonly string[];
  readonly positionals: readonly string[];
  readonly options: readonly GivenOption[];
}

interface GivenOption {
  readonly name: string;
  /** With its dashes, as it was typed. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value follows an equals sign. */
  readonly inlineValue?: boolean | undefined;
}

const everyOption = [...commonOptions, ...commands.flatMap(({ options = [] }) => options)];
/** An option has a value in every command or in none, so a line can be read before its command is known. */
const types = Object.fromEntries(
  everyOption.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
);

export function readCommandLine(argv: readonly string[]): CommandLine {
  const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options: types });
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length;
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const named = positionals.filter(({ index }) => index < end).map(({ value }) => value);
  const words = named.slice(0, commandsIn(named[0] ?? '').length > 0 ? 2 : 1);
  return {
    words,
    positionals: positionals.slice(words.length).map(({ value }) => value),
    options: tokens.filter((token) => token.kind === 'option'),
  };
}

/** Throws `UsageError` for an option that no command has. */
export function assertKnownOptions({ options }: CommandLine): void {
  for (const { rawName } of options) assertKnown(rawName, everyOption);
}

function assertKnown(rawName: string, options: readonly { readonly name: string }[]): void {
  const spellings = new Set(options.map(({ name }) => `--${name}`));
  if (!spellings.has(rawName)) throw new UsageError(`Unknown option ${rawName}.${didYouMean(rawName, spellings)}`);
}

/** Checks a line against the declaration of its command. Throws `UsageError` for what that does not allow. */
export function parseInput(command: Command, { positionals, options }: CommandLine): CommandInput {
  const declared = [...(command.options ?? []), ...commonOptions];
  const given = new Map<string, string>();
  for (const option of options) {
    assertKnown(option.rawName, declared);
    if (given.has(option.name)) throw new UsageError(`${option.rawName} is given twice.`);
    given.set(option.name, givenValue(option, declared.find(({ name }) => name === option.name)!));
  }
  checkPositionals(command, positionals, given.has('all'));
  const missing = declared.find(({ name, required }) => required === true && !given.has(name));
  if (missing !== undefined) throw new UsageError(`--${missing.name} ${missing.value} is missing: ${missing.summary}.`);
  return inputOf(command, positionals, given);
}

function givenValue({ rawName, value, inlineValue }: GivenOption, { value: wanted, values }: Option): string {
  if (wanted === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return '';
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${wanted}.`);
  const isPast = wanted === 'INSTANT' && /^-\d/.test(value);
  if (inlineValue !== true && value.startsWith('-') && !isPast) {
    throw new UsageError(`${rawName} needs a value. If it is meant to be "${value}", write ${rawName}=${value}.`);
  }
  if (values?.includes(value) === false) {
    throw new UsageError(`${rawName}: "${harmless(value)}" is not one of ${values.join(', ')}.`);
  }
  return value;
}

function checkPositionals(command: Command, values: readonly string[], isForAll: boolean): void {
  const names = command.positionals ?? [];
  const missing = names[values.length];
  if (isForAll && values.length > 0) throw new UsageError(`Give either --all or ${names[0]?.name}.`);
  const mayMiss = missing?.isOptional === true ? isForAll : missing?.many === true;
  if (missing !== undefined && !mayMiss) throw new UsageError(`${missing.name} is missing: ${missing.summary}.`);
  if (values.length > names.length && names.at(-1)?.many !== true)
    throw new UsageError(`Unexpected argument "${values[names.length]}".`);
}

function inputOf(command: Command, positionals: readonly string[], given: ReadonlyMap<string, string>): CommandInput {
  const valuesOf = (name: string) => {
    const index = (command.positionals ?? []).findIndex((positional) => positional.name === name);
    if (index === -1) throw new Error(`${command.name} has no argument ${name}`);
    return positionals.slice(index);
  };
  return {
    argument: (name) => valuesOf(name)[0]!,
    everyArgument: valuesOf,
    option: (name) => given.get(name),
    required(name) {
      const value = given.get(name);
      if (value === undefined) throw new Error(`${command.name} does not require --${name}`);
      return value;
    },
    isSet: (name) => given.has(name),
    json: given.has('json'),
  };
}
