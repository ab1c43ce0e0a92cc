import { didYouMean } from '../configuration/spelling.ts';
import { type Command, type Context, type Result, version } from './command.ts';
import { commands, commandsIn } from './commands.ts';
import { type ExitCode, exitCodes, type Failure, failureOf, UsageError } from './failure.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { assertKnownOptions, type CommandLine, parseInput, readCommandLine } from './parse.ts';

/** Runs a command line and returns the exit code. Never throws. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const line = readCommandLine(argv);
  const json = argv.includes('--json');
  try {
    return print(context, json, await resultOf(line, context));
  } catch (error) {
    const failure = failureOf(error);
    report(failure, json, error instanceof UsageError ? hintFor(line) : undefined, context);
    return failure.exitCode;
  }
}

async function resultOf(line: CommandLine, context: Context): Promise<Result | ExitCode> {
  const { words, positionals, options } = line;
  const isGiven = (...names: readonly string[]) => options.some(({ rawName }) => names.includes(rawName));
  if (isGiven('--version')) return { json: { version }, text: version };
  if (words[0] === 'help') return helpFor(positionals);
  const isBare = words.length + positionals.length === 0 && options.every(({ name }) => name === 'json');
  if (isBare || isGiven('--help', '-h')) return helpFor(words);
  if (!commands.some(({ name }) => name === words.join(' '))) assertKnownOptions(line);
  const command = find(words);
  return command.run(parseInput(command, line), context);
}

function print(context: Context, json: boolean, result: Result | ExitCode): ExitCode {
  if (typeof result === 'number') return result;
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

function find(words: readonly string[]): Command {
  const name = words.join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const [group] = words;
  if (group === undefined) throw new UsageError('A command is missing.');
  const names = commandsIn(group).map((candidate) => candidate.name);
  if (words.length === 1 && names.length > 0) {
    const verbs = names.map((candidate) => candidate.slice(group.length + 1));
    throw new UsageError(`"${group}" needs one of: ${verbs.join(', ')}.`);
  }
  const first = ['help', ...commands.map((candidate) => candidate.name.split(' ')[0]!)];
  throw new UsageError(`There is no command "${name}".${didYouMean(name, names.length > 0 ? names : first)}`);
}

function helpFor(words: readonly string[]): Result {
  const [group] = words;
  let help: string;
  if (group === undefined) help = overview();
  else if (words.length === 1 && commandsIn(group).length > 0) help = groupHelp(group, commandsIn(group));
  else help = commandHelp(find(words));
  return { json: { help }, text: help };
}

/** Points at the help for the attempted command. */
function hintFor({ words }: CommandLine): string {
  const name = words.join(' ');
  if (commands.some((command) => command.name === name)) return `See: mdapi help ${name}`;
  const [group = ''] = words;
  return commandsIn(group).length > 0 ? `See: mdapi help ${group}` : 'See: mdapi help';
}
