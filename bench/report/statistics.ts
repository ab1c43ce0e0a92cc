/** The value below which `share` (0 to 1) of the values lie. Throws `RangeError` when there are none. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values were measured');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
