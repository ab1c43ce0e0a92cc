const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const written = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Reads `250ms`, `10s`, `5m`, `96h` or `7d` as milliseconds. `undefined` for anything else, a bare number too. */
export function parseDuration(text: string): number | undefined {
  const match = written.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * unitsMs[match[2] as keyof typeof unitsMs];
}

/** The shortest spelling {@link parseDuration} reads back: 300000 is `5m`, 1500 is `1500ms`. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds !== 0 && milliseconds % unitsMs[unit] === 0) return `${milliseconds / unitsMs[unit]}${unit}`;
  }
  return `${milliseconds}ms`;
}
