/** A line through noisy points that outliers do not bend. */
export interface Slope {
  /** Per unit of x. */
  readonly estimate: number;
  /** The interval that holds the true slope with 95 % confidence, were the points independent. */
  readonly low: number;
  readonly high: number;
}

const normal95 = 1.96;

/**
 * Theil and Sen's estimate: the median of the slopes between all pairs of points, with Sen's interval from the
 * variance of Kendall's statistic. Throws `RangeError` for fewer than five points.
 */
export function theilSen(points: readonly (readonly [x: number, y: number])[]): Slope {
  const { length } = points;
  if (length < 5) throw new RangeError(`${length} points say nothing about a slope`);
  const slopes: number[] = [];
  for (let right = 1; right < length; right++) {
    for (let left = 0; left < right; left++) {
      const [x1, y1] = points[left]!;
      const [x2, y2] = points[right]!;
      if (x2 !== x1) slopes.push((y2 - y1) / (x2 - x1));
    }
  }
  slopes.sort((a, b) => a - b);
  const half = (normal95 * Math.sqrt((length * (length - 1) * (2 * length + 5)) / 18)) / 2;
  const at = (index: number) => slopes[Math.max(0, Math.min(slopes.length - 1, Math.round(index)))]!;
  const middle = (slopes.length - 1) / 2;
  return { estimate: at(middle), low: at(middle - half), high: at(middle + half) };
}

/** The least value of each stretch of `width`, with the middle of the stretch. Whole stretches only. */
export function minima(points: readonly (readonly [x: number, y: number])[], width: number): [number, number][] {
  const least = new Map<number, number>();
  const counts = new Map<number, number>();
  for (const [x, y] of points) {
    const stretch = Math.floor(x / width);
    least.set(stretch, Math.min(least.get(stretch) ?? Number.POSITIVE_INFINITY, y));
    counts.set(stretch, (counts.get(stretch) ?? 0) + 1);
  }
  const whole = Math.max(0, ...counts.values()) / 2;
  return [...least]
    .filter(([stretch]) => counts.get(stretch)! >= whole)
    .map(([stretch, y]) => [(stretch + 0.5) * width, y]);
}

/** The value below which `share` (0 to 1) of the values lie; `undefined` when there are none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
