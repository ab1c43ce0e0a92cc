import { didYouMean } from '../configuration/spelling.ts';
import { type Command, type Context, commonOptions, type Result, version } from './command.ts';
import { commands } from './commands.ts';
import { type ExitCode, exitCodes, type Failure, failureOf, UsageError } from './failure.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { hasSwitch, parseInput, type Split, splitCommand, withoutLiterals } from './parse.ts';

/** Runs a command line and returns the exit code. Never throws. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const json = hasSwitch(argv, '--json');
  try {
    return await dispatch(argv, json, context);
  } catch (error) {
    const failure = failureOf(error);
    report(failure, json, error instanceof UsageError ? hintFor(argv) : undefined, context);
    return failure.exitCode;
  }
}

async function dispatch(argv: readonly string[], json: boolean, context: Context): Promise<ExitCode> {
  const { words, rest } = split(argv);
  if (hasSwitch(argv, '--version')) return print(context, json, { json: { version }, text: version });
  if (words[0] === 'help') return showHelp([...words.slice(1), ...positionalsOf(rest)], json, context);
  if (hasSwitch(argv, '--help', '-h') || (words.length === 0 && rest.every((argument) => argument === '--json'))) {
    return showHelp(words, json, context);
  }
  const command = find(words, rest);
  const input = parseInput(command, rest);
  const result = await command.run(input, context);
  return typeof result === 'number' ? result : print(context, input.json, result);
}

function print(context: Context, json: boolean, result: Result): ExitCode {
  context.stdout.write(`${json ? JSON.stringify(result.json) : result.text}\n`);
  for (const note of result.notes ?? []) context.stderr.write(`${note}\n`);
  return result.exitCode ?? exitCodes.ok;
}

/** A failure is always reported on stderr, and with `--json` also as the one object on stdout. */
function report(
  { exitCode, reason, message, problems }: Failure,
  json: boolean,
  hint: string | undefined,
  context: Context,
): void {
  context.stderr.write(`mdapi: ${message}\n`);
  if (hint !== undefined) context.stderr.write(`${hint}\n`);
  if (!json) return;
  const error = { reason, message, exitCode, ...(problems === undefined ? {} : { problems }) };
  context.stdout.write(`${JSON.stringify({ error })}\n`);
}

const allOptions = [...commonOptions, ...commands.flatMap((command) => command.options ?? [])];
const spellings = new Set(allOptions.map(({ name }) => `--${name}`));
const valueTakers = new Set(allOptions.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`));

function split(argv: readonly string[]): Split {
  return splitCommand(
    argv,
    (word) => word === 'help' || isGroup(word),
    (option) => valueTakers.has(option),
  );
}

/** The words among options and their values. */
function positionalsOf(rest: readonly string[]): readonly string[] {
  return rest.filter((word, index) => !word.startsWith('-') && !valueTakers.has(rest[index - 1] ?? ''));
}

function isGroup(word: string): boolean {
  return commands.some((command) => command.name.startsWith(`${word} `));
}

/** `rest` is the command line without those words: an option of no command is the first mistake to name. */
function find(words: readonly string[], rest: readonly string[] = []): Command {
  const name = words.join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const options = withoutLiterals(rest).filter((argument) => argument.startsWith('-'));
  const unknown = options.map((option) => option.split('=')[0]!).find((option) => !spellings.has(option));
  if (unknown !== undefined) throw new UsageError(`Unknown option ${unknown}.${didYouMean(unknown, spellings)}`);
  const [group = ''] = words;
  if (words.length === 1 && isGroup(group)) {
    const names = inGroup(group).map((candidate) => candidate.name.slice(group.length + 1));
    throw new UsageError(`"${group}" needs one of: ${names.join(', ')}.`);
  }
  if (words.length === 0) throw new UsageError('A command is missing.');
  throw new UsageError(`There is no command "${name}".${suggestion(words)}`);
}

function suggestion([group = '', name]: readonly string[]): string {
  if (isGroup(group))
    return didYouMean(
      `${group} ${name}`,
      inGroup(group).map((candidate) => candidate.name),
    );
  const first = new Set(['help', ...commands.map((candidate) => candidate.name.split(' ')[0]!)]);
  return didYouMean(group, first);
}

function inGroup(group: string): readonly Command[] {
  return commands.filter((command) => command.name.startsWith(`${group} `));
}

function showHelp(words: readonly string[], json: boolean, context: Context): ExitCode {
  const [group] = words;
  let help: string;
  if (group === undefined) help = overview();
  else if (words.length === 1 && isGroup(group)) help = groupHelp(group, inGroup(group));
  else help = commandHelp(find(words));
  return print(context, json, { json: { help }, text: help });
}

/** Points at the help for the attempted command. */
function hintFor(argv: readonly string[]): string {
  const { words } = split(argv);
  const name = words.join(' ');
  const [group = ''] = words;
  if (commands.some((command) => command.name === name)) return `See: mdapi help ${name}`;
  return isGroup(group) ? `See: mdapi help ${group}` : 'See: mdapi help';
}
