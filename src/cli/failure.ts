import type { ConfigurationError } from '../configuration/load.ts';
import { filled, type Values } from '../ground/filled.ts';
import { fieldOf } from '../management/problems.ts';
import { StoreError } from '../store/store-error.ts';
import written from './failures.json' with { type: 'json' };

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
export const { exitCodeMeanings } = written;

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

/** The texts of failures by the names of their exit codes and by their reasons; a dot and the case follow where a reason has several. */
const { texts } = written;

type FailureName = { [Exit in keyof typeof texts]: keyof (typeof texts)[Exit] }[keyof typeof texts];

const failures = new Map(
  Object.entries(texts).flatMap(([exit, named]) =>
    Object.entries(named).map(([name, text]) => [name, { exit: exit as keyof typeof exitCodes, text }] as const),
  ),
);

export function isFailureName(name: string): name is FailureName {
  return failures.has(name);
}

/** A failure with one of the texts of `failures.json`, a `UsageError` where it is wrong usage. @param values for the words in braces */
export function failure(name: FailureName, values: Values = {}): CommandError {
  const { exit, text } = failures.get(name)!;
  const message = filled(text, values);
  if (exit === 'wrongUsage') return new UsageError(message);
  return new CommandError(exitCodes[exit], name.replace(/\..*/, ''), message);
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
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { exitCode: error.exitCode, reason: error.reason, message: error.message };
  // By its name, because only the commands that need the configuration load it.
  if (error instanceof Error && error.name === 'ConfigurationError') {
    const { problems } = error as ConfigurationError;
    const message = `the configuration is refused:\n${error.message}`;
    const { configurationRefused: exitCode } = exitCodes;
    return { exitCode, reason: 'configuration_refused', message, problems };
  }
  if (error instanceof Error && error.name === 'StopOverdue')
    return { exitCode: exitCodes.stopOverdue, reason: 'stop_overdue', message: error.message };
  if (error instanceof StoreError)
    return { exitCode: storeExitCode(error), reason: error.reason, message: error.message };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: exitCodes.failure, reason: 'unexpected', message: `an error in mdapi itself: ${message}` };
}

function storeExitCode(error: StoreError): ExitCode {
  if (error.reason === 'url_invalid') return exitCodes.configurationRefused;
  if (error.isEngineFailure) return exitCodes.failure;
  if (error.reason.endsWith('_unknown')) return exitCodes.notFound;
  return fieldOf[error.reason] === undefined ? exitCodes.refused : exitCodes.wrongUsage;
}
