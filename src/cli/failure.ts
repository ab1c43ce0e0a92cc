import type { ConfigurationError } from '../configuration/load.ts';
import { StoreError } from '../store/store-error.ts';

/** Exit codes of the process. Stable: scripts rely on them. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  wrongUsage: 2,
  configurationRefused: 3,
  notFound: 4,
  refused: 5,
  stopOverdue: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each exit code, in their order. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  [exitCodes.ok]: 'done',
  [exitCodes.failure]: 'failed: the database, the network, the disk, or a question not answered with y',
  [exitCodes.wrongUsage]: 'wrong usage: an unknown command or option, or an impossible value',
  [exitCodes.configurationRefused]: 'configuration refused; every problem is listed',
  [exitCodes.notFound]: 'the account, key, window, incident, market or database does not exist',
  [exitCodes.refused]: 'refused by a rule, such as a second account with the same e-mail address',
  [exitCodes.stopOverdue]: 'the server did not stop in time and was ended; its log names the part that held it',
};

/** A command that cannot go on. The message is for the operator and holds no secret. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Stable, snake case: programs rely on it. */
  readonly reason: string;

  constructor(exitCode: ExitCode, reason: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.reason = reason;
  }
}

/** A mistake in the command line itself; the output points at the command's help. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(exitCodes.wrongUsage, 'wrong_usage', message);
  }
}

/** Refuses what cannot be done with a market any more. */
export function marketDelisted(symbol: string): CommandError {
  return new CommandError(exitCodes.refused, 'market_delisted', `The market ${symbol} is delisted, which is final.`);
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly reason: string;
  readonly message: string;
  /** Each problem of a refused configuration. */
  readonly problems?: readonly object[];
}

/** Does a part of writing a file that an option names. Throws `CommandError` where that cannot be done. */
export function writing(file: string, option: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? `There is ${file} already, and it stays as it is.` : `Cannot write ${file} (${code}).`;
    throw new CommandError(exitCodes.failure, 'not_written', `${why} Name another with ${option}.`);
  }
}

/** Turns whatever was thrown into what the operator sees. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (!(error instanceof Error)) return unexpected(String(error));
  const { message } = error;
  if (error instanceof CommandError) return { exitCode: error.exitCode, reason: error.reason, message };
  if (error instanceof StoreError) return { exitCode: await storeExitCode(error), reason: error.reason, message };
  // By their names, because only the commands that need what throws them load it.
  if (error.name === 'StopOverdue') return { exitCode: exitCodes.stopOverdue, reason: 'stop_overdue', message };
  if (error.name === 'ConfigurationError') {
    return {
      exitCode: exitCodes.configurationRefused,
      reason: 'configuration_refused',
      message: `the configuration is refused:\n${message}`,
      problems: (error as ConfigurationError).problems,
    };
  }
  return unexpected(error.stack ?? message);
}

function unexpected(text: string): Failure {
  return { exitCode: exitCodes.failure, reason: 'unexpected', message: `an error in mdapi itself: ${text}` };
}

async function storeExitCode(error: StoreError): Promise<ExitCode> {
  if (error.reason === 'url_invalid') return exitCodes.configurationRefused;
  if (error.isEngineFailure) return exitCodes.failure;
  if (error.reason.endsWith('_unknown')) return exitCodes.notFound;
  const { fieldOf } = await import('../management/problems.ts');
  return fieldOf[error.reason] === undefined ? exitCodes.refused : exitCodes.wrongUsage;
}
