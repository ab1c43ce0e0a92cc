import { parseArgs } from 'node:util';
import { didYouMean } from '../configuration/spelling.ts';
import { type Command, commonOptions, type Option, type ParsedInput } from './command.ts';
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

/**
 * Reads a line before it is known which command it names: an option has a value in every command that has it, or in
 * none.
 *
 * @param commands those it can name, as far as they are loaded; the values of other options are taken for words
 */
export function readCommandLine(argv: readonly string[], commands: readonly Command[]): CommandLine {
  const types = Object.fromEntries(
    everyOption(commands).map(({ name, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options: types });
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length;
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const named = positionals.filter(({ index }) => index < end).map(({ value }) => value);
  const words = named.slice(0, commandsIn(named[0] ?? '', commands).length > 0 ? 2 : 1);
  return {
    words,
    positionals: positionals.slice(words.length).map(({ value }) => value),
    options: tokens.filter((token) => token.kind === 'option'),
  };
}

/** The commands of a noun, such as `keys`; none for any other word. */
export function commandsIn(noun: string, commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${noun} `));
}

/** The command that a line names; `undefined` for none. */
export function commandOf({ words }: CommandLine, commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name === words.join(' '));
}

/** Throws `UsageError` for an option that none of the commands has. */
export function assertKnownOptions({ options }: CommandLine, commands: readonly Command[]): void {
  const known = everyOption(commands);
  for (const { rawName } of options) assertKnown(rawName, known);
}

function everyOption(commands: readonly Command[]): readonly Option[] {
  return [...commonOptions, ...commands.flatMap(({ options }) => options)];
}

function assertKnown(rawName: string, options: readonly Option[]): void {
  const spellings = new Set(options.map(({ name }) => `--${name}`));
  if (!spellings.has(rawName)) throw new UsageError(`Unknown option ${rawName}.${didYouMean(rawName, spellings)}`);
}

/** Checks a line against the declaration of its command. Throws `UsageError` for what that does not allow. */
export function parseInput(command: Command, { positionals, options }: CommandLine): ParsedInput {
  const declared = [...command.options, ...commonOptions];
  const given = givenValues(options, declared);
  checkPositionals(command, positionals, given.has('all'));
  const missing = declared.find(({ name, required }) => required === true && !given.has(name));
  if (missing !== undefined) throw new UsageError(`--${missing.name} ${missing.value} is missing: ${missing.summary}.`);
  return {
    positionals: Object.fromEntries(
      command.positionals.map(({ name, many }, index) => [name, many ? positionals.slice(index) : positionals[index]]),
    ),
    options: Object.fromEntries(declared.map((option) => [option.name, takenValue(option, given.get(option.name))])),
  };
}

/** The values by the names of the options; a switch that is given has none. */
function givenValues(
  options: readonly GivenOption[],
  declared: readonly Option[],
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, string[]>();
  for (const option of options) {
    assertKnown(option.rawName, declared);
    const declaration = declared.find(({ name }) => name === option.name)!;
    const before = given.get(option.name);
    if (before !== undefined && declaration.many !== true) throw new UsageError(`${option.rawName} is given twice.`);
    given.set(option.name, [...(before ?? []), ...givenValue(option, declaration)]);
  }
  return given;
}

function givenValue({ rawName, value, inlineValue }: GivenOption, { value: wanted, values }: Option): string[] {
  if (wanted === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return [];
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${wanted}.`);
  const isPast = wanted === 'INSTANT' && /^-\d/.test(value);
  if (inlineValue !== true && value.startsWith('-') && !isPast) {
    throw new UsageError(`${rawName} needs a value. If it is meant to be "${value}", write ${rawName}=${value}.`);
  }
  if (values?.includes(value) === false) {
    throw new UsageError(`${rawName}: "${harmless(value)}" is not one of ${values.join(', ')}.`);
  }
  return [value];
}

function takenValue({ value, many }: Option, given: readonly string[] | undefined) {
  if (value === undefined) return given !== undefined;
  return many === true ? (given ?? []) : given?.[0];
}

function checkPositionals(command: Command, values: readonly string[], isForAll: boolean): void {
  const { positionals } = command;
  const missing = positionals[values.length];
  if (isForAll && values.length > 0) throw new UsageError(`Give either --all or ${positionals[0]?.name}.`);
  // Where a command has --all, what it names may be missing only with that.
  const hasAll = command.options.some(({ name }) => name === 'all');
  const mayMiss = missing?.isOptional === true ? isForAll || !hasAll : missing?.many === true;
  if (missing !== undefined && !mayMiss) throw new UsageError(`${missing.name} is missing: ${missing.summary}.`);
  if (values.length > positionals.length && positionals.at(-1)?.many !== true)
    throw new UsageError(`Unexpected argument "${values[positionals.length]}".`);
}
