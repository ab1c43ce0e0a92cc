declare const duration: unique symbol;

/** A span of time as text with its unit: `250ms`, `10s`, `5m`, `96h`, `7d`. */
export type Duration = string & { readonly [duration]: true };

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const written = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Reads a duration as milliseconds. `undefined` for anything else, a bare number too. */
export function parseDuration(text: string): number | undefined {
  const match = written.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * unitsMs[match[2] as keyof typeof unitsMs];
}

/** A duration that was checked before, in milliseconds. */
export function milliseconds(span: Duration): number {
  const parsed = parseDuration(span);
  if (parsed === undefined) throw new Error(`not a duration: ${span}`);
  return parsed;
}
