/** The command failed; exit code 1. */
export class Failure extends Error {}

/** The command line is not valid; exit code 2. */
export class UsageError extends Error {}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration such as `500ms`, `30s`, `5m` or `2h` in milliseconds. Throws `UsageError`. */
export function durationMs(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--${option} takes a duration such as 500ms, 30s, 5m or 2h, not "${text}"`);
  }
  return Number(count) * unitsMs[unit]!;
}

/** A whole number within bounds; `undefined` stays so. Throws `UsageError`. */
export function wholeNumber(option: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageError(`--${option} takes a whole number from ${min} to ${max}, not "${text}"`);
}
