import { didYouMean } from '../configuration/spelling.ts';
import { version } from '../ground/version.ts';
import type { Command, Context, Result } from './command.ts';
import { loadCommands, loadNoun, loadSections } from './commands.ts';
import { type ExitCode, exitCodes, type Failure, failureOf, UsageError } from './failure.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { assertKnownOptions, type CommandLine, commandOf, commandsIn, parseInput, readCommandLine } from './parse.ts';

/** Runs a command line and returns the exit code. Never throws. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const commands = await commandsFor(argv);
  const line = readCommandLine(argv, commands);
  const json = argv.includes('--json');
  try {
    return print(context, json, await resultOf(line, commands, context));
  } catch (error) {
    const failure = await failureOf(error);
    report(failure, json, error instanceof UsageError ? hintFor(line, commands) : undefined, context);
    return failure.exitCode;
  }
}

/** The commands of the noun in a line, enough to run one or show its help; all for the overview and what is wrong. */
async function commandsFor(argv: readonly string[]): Promise<readonly Command[]> {
  const { words, positionals } = readCommandLine(argv, []);
  const [noun = ''] = words[0] === 'help' ? [...words.slice(1), ...positionals] : words;
  const commands = await loadNoun(noun);
  const line = readCommandLine(argv, commands);
  const isHelp = commands.length > 0 && (words[0] === 'help' || isGiven(line, '--help', '-h'));
  const isEnough = isGiven(line, '--version') || commandOf(line, commands) !== undefined || isHelp;
  return isEnough ? commands : loadCommands();
}

async function resultOf(line: CommandLine, commands: readonly Command[], context: Context): Promise<Result | ExitCode> {
  const { words, positionals, options } = line;
  if (isGiven(line, '--version')) return { json: { version }, text: version };
  if (words[0] === 'help') return helpFor(positionals, commands);
  const isBare = words.length + positionals.length === 0 && options.every(({ name }) => name === 'json');
  if (isBare || isGiven(line, '--help', '-h')) return helpFor(words, commands);
  if (commandOf(line, commands) === undefined) assertKnownOptions(line, commands);
  const command = find(words, commands);
  return command.run(parseInput(command, line), context);
}

function isGiven({ options }: CommandLine, ...names: readonly string[]): boolean {
  return options.some(({ rawName }) => names.includes(rawName));
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

function find(words: readonly string[], commands: readonly Command[]): Command {
  const name = words.join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const [noun] = words;
  if (noun === undefined) throw new UsageError('A command is missing.');
  const names = commandsIn(noun, commands).map((candidate) => candidate.name);
  if (words.length === 1 && names.length > 0) {
    const verbs = names.map((candidate) => candidate.slice(noun.length + 1));
    throw new UsageError(`"${noun}" needs one of: ${verbs.join(', ')}.`);
  }
  const first = ['help', ...commands.map((candidate) => candidate.name.split(' ')[0]!)];
  throw new UsageError(`There is no command "${name}".${didYouMean(name, names.length > 0 ? names : first)}`);
}

async function helpFor(words: readonly string[], commands: readonly Command[]): Promise<Result> {
  const help = await helpText(words, commands);
  return { json: { help }, text: help };
}

async function helpText(words: readonly string[], commands: readonly Command[]): Promise<string> {
  const [noun] = words;
  if (noun === undefined) return overview(await loadSections());
  const ofNoun = commandsIn(noun, commands);
  return words.length === 1 && ofNoun.length > 0 ? groupHelp(noun, ofNoun) : commandHelp(find(words, commands));
}

/** Points at the help for the attempted command. */
function hintFor(line: CommandLine, commands: readonly Command[]): string {
  const { words } = line;
  if (commandOf(line, commands) !== undefined) return `See: mdapi help ${words.join(' ')}`;
  const [noun = ''] = words;
  return commandsIn(noun, commands).length > 0 ? `See: mdapi help ${noun}` : 'See: mdapi help';
}
