import type { FailureReport } from './messages.ts';

/** An error in a form that keeps its system fields (`code`, `syscall`, `port`) on the way to another thread. */
export function failureReport(error: unknown): FailureReport {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, fields: {} };
  const fields = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return { message: error.message, stack: error.stack, fields: Object.fromEntries(fields) };
}

/** The error again. */
export function errorOf({ message, stack, fields }: FailureReport): Error {
  const error = Object.assign(new Error(message), fields);
  if (stack !== undefined) error.stack = stack;
  return error;
}
