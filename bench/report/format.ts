const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `61,834` */
export function whole(value: number): string {
  return groups.format(value);
}

/** Three significant digits, without an exponent. */
export function short(value: number): string {
  return value >= 1000 ? whole(value) : value.toPrecision(3);
}

export function ratio(value: number): string {
  return value.toFixed(2);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** `172 kB`, `53.1 MB`; thousands, not 1,024. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = count;
  let unit = 0;
  for (; Math.abs(value) >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** Milliseconds as what is easiest to read: `84 µs`, `1.20 ms`, `2.5 s`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(milliseconds < 0.01 ? 1 : 0)} µs`;
  return milliseconds < 1000 ? `${milliseconds.toPrecision(3)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
