import { runCommand } from './cli-control.ts';
import { run } from './cli-run.ts';
import { Failure, UsageError, usage } from './cli-usage.ts';

const controlCommands = ['fault', 'clear', 'price', 'release', 'rate', 'state'];

/** `npm run simulator -- …`: runs the simulated exchange, or controls a running one. */
async function main(args: readonly string[]): Promise<void> {
  const [command = 'run', ...rest] = args;
  if (args.includes('--help') || args.includes('-h') || command === 'help') print(usage(command));
  else if (command === 'faults') print(usage('faults'));
  else if (controlCommands.includes(command)) print(await runCommand(command, rest));
  else if (command === 'run' || command.startsWith('-')) await run(command === 'run' ? rest : args, print);
  else throw new UsageError(`unknown command "${command}"`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const wrongUsage = error instanceof UsageError || isParseError(error);
  if (!wrongUsage && !(error instanceof Failure)) throw error;
  process.stderr.write(`exchange-simulator: ${(error as Error).message}\n`);
  if (wrongUsage) process.stderr.write('Try: npm run simulator -- --help\n');
  process.exitCode = wrongUsage ? 2 : 1;
}

function isParseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
