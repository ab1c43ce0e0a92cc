import type { ConfigurationError } from '../configuration/load.ts';
import type { StoreError, StoreErrorReason } from '../store/store-error.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** A command that cannot go on. The message is for the operator and holds no secret. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Stable, snake case: programs decide on it. */
  readonly reason: string;

  constructor(exitCode: ExitCode, reason: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.reason = reason;
  }
}

/** The command line itself is wrong; the answer points at the command's help. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(exitCodes.wrongUsage, 'wrong_usage', message);
  }
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly reason: string;
  readonly message: string;
  /** For the configuration: every problem by itself. */
  readonly problems?: readonly object[];
}

/** A value was given that no state of the database could accept. */
const wrongValues: ReadonlySet<StoreErrorReason> = new Set([
  'email_invalid',
  'label_invalid',
  'limit_invalid',
  'expiry_not_in_future',
  'token_name_invalid',
  'overlap_in_past',
  'window_order',
  'window_in_past',
  'window_description',
]);

/** Turns whatever was thrown into what the operator is told. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { exitCode: error.exitCode, reason: error.reason, message: error.message };
  if (isConfigurationError(error)) {
    const message = `the configuration is refused:\n${error.message}`;
    const { configurationRefused: exitCode } = exitCodes;
    return { exitCode, reason: 'configuration_refused', message, problems: error.problems };
  }
  if (isStoreError(error)) return { exitCode: storeExitCode(error), reason: error.reason, message: error.message };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: exitCodes.failure, reason: 'unexpected', message: `an error in mdapi itself: ${message}` };
}

/** By name, both: the configuration and the store are loaded only by commands that need them. */
function isConfigurationError(error: unknown): error is ConfigurationError {
  return error instanceof Error && error.name === 'ConfigurationError';
}

function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError';
}

function storeExitCode(error: StoreError): ExitCode {
  if (error.reason === 'url_invalid') return exitCodes.configurationRefused;
  if (error.isEngineFailure) return exitCodes.failure;
  if (error.reason.endsWith('_unknown')) return exitCodes.notFound;
  return wrongValues.has(error.reason) ? exitCodes.wrongUsage : exitCodes.refused;
}
