const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hours 12 minutes`: the two largest units, rounded down; `undefined` below a second, and below zero. */
export function wholeDuration(language: string, durationMs: number): string | undefined {
  let rest = Math.floor(durationMs / 1_000);
  const first = units.findIndex(([, length]) => rest >= length);
  if (first === -1) return undefined;
  const words = units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest %= length;
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
    return count === 0 ? [] : [format.format(count).replace('\u00a0', ' ')];
  });
  return words.join(' ');
}
