/** The values of a metric's labels, in their order, and the value of the series. */
export type Sample = readonly [...labels: string[], value: number];

/** Counts by name: samples of a metric with one label. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** The value of a metric now. `undefined`: there is none, and the series is absent. */
export type Reading = number | undefined | Counts | Iterable<Sample>;

/**
 * A metric, declared beside what it counts and read from it when it is scraped, so that counting costs the request path
 * nothing. No label holds a key, an account, an address or anything a client chose.
 */
export interface Metric<Source> {
  /**
   * Without the prefix that all share. A name that ends in `_total` is that of a counter, any other that of a gauge.
   */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** The name that it had before, which stays for one version. */
  readonly formerly?: string;
  readonly read: (source: Source) => Reading;
}

/** Observations of one series: how many lie in each bucket, their number and their sum. */
export interface Observations {
  /** One for each bound, without those of the buckets below. */
  readonly counts: readonly number[];
  readonly sumSeconds: number;
  readonly count: number;
}

/** A histogram of durations, in seconds. */
export interface Histogram<Source> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Upper bounds of the buckets, in ascending order. */
  readonly bounds: readonly number[];
  readonly observed: (source: Source) => Iterable<readonly [label: string, Observations]>;
}

/** Metrics of one matter, under one heading of the reference. */
export interface MetricGroup<Source> {
  readonly title: string;
  readonly metrics: readonly Metric<Source>[];
  readonly histograms?: readonly Histogram<Source>[];
}

/** The samples that a reading gives. */
export function samplesOf(reading: Reading): readonly Sample[] {
  if (reading === undefined) return [];
  if (typeof reading === 'number') return [[reading]];
  if (Symbol.iterator in reading) return [...reading];
  return Object.entries(reading).map(([name, count = 0]) => [name, count]);
}

/** Counts of every known name: a series that first appears at 1 shows no increase, so its first event would be lost. */
export function fromZero(names: readonly string[], counts: Iterable<readonly [string, number | undefined]>): Counts {
  return { ...Object.fromEntries(names.map((name) => [name, 0])), ...Object.fromEntries(counts) };
}
