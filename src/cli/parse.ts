import { parseArgs } from 'node:util';
import { didYouMean } from '../configuration/spelling.ts';
import { type Command, type CommandInput, commonOptions, type Option } from './command.ts';
import { UsageError } from './failure.ts';

/** A command line split into the words that name the command and the rest. */
export interface Split {
  /** Up to two. */
  readonly words: readonly string[];
  readonly rest: readonly string[];
}

/**
 * Finds the words that name the command; options may come before and between them. `isGroup` says whether a first
 * word has a second, `takesValue` whether the value of an option is the next argument.
 */
export function splitCommand(
  argv: readonly string[],
  isGroup: (word: string) => boolean,
  takesValue: (option: string) => boolean,
): Split {
  const words: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index]!;
    if (argument.startsWith('-') && argument !== '--') {
      rest.push(argument);
      const value = argv[index + 1];
      if (takesValue(argument) && value !== undefined) rest.push(argv[++index]!);
    } else {
      const complete = words.length === 2 || (words.length === 1 && !isGroup(words[0]!)) || argument === '--';
      if (complete) return { words, rest: [...rest, ...argv.slice(index)] };
      words.push(argument);
    }
  }
  return { words, rest };
}

/** Whether a switch such as `--json` is given before any `--`. Works on a command line that does not parse. */
export function hasSwitch(argv: readonly string[], ...spellings: readonly string[]): boolean {
  return withoutLiterals(argv).some((argument) => spellings.includes(argument));
}

/** What comes before `--`: options are looked for only there. */
export function withoutLiterals(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Parses what follows the command's name. Throws `UsageError` for what its declaration does not allow. */
export function parseInput(command: Command, rest: readonly string[]): CommandInput {
  const options = [...(command.options ?? []), ...commonOptions];
  const declared = new Map(options.map((option) => [option.name, option]));
  const { tokens } = parseArgs({
    args: [...rest],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      options.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
    ),
  });
  const given = new Map<string, string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    if (given.has(token.name)) throw new UsageError(`${token.rawName} is given twice.`);
    given.set(token.name, optionValue(declared.get(token.name), token, declared.keys()));
  }
  checkPositionals(command, positionals, given.has('all'));
  const missing = options.find((option) => option.required === true && !given.has(option.name));
  if (missing !== undefined) throw new UsageError(`--${missing.name} ${missing.value} is missing: ${missing.summary}.`);
  return inputOf(command, positionals, given);
}

function optionValue(
  option: Option | undefined,
  { rawName, value, inlineValue }: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
  names: Iterable<string>,
): string {
  if (option === undefined || !rawName.startsWith('--')) {
    const spellings = [...names].map((name) => `--${name}`);
    throw new UsageError(`Unknown option ${rawName}.${didYouMean(rawName, spellings)}`);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return '';
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}.`);
  if (inlineValue !== true && value.startsWith('-')) {
    throw new UsageError(`${rawName} needs a value. If it is meant to be "${value}", write ${rawName}=${value}.`);
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
