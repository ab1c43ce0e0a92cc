/** The values of a metric's labels, in their order, and the value of the series. */
export type Sample = readonly [...labels: string[], value: number];

/** A metric and how to read it. `undefined`: there is no value now, and the series is absent. */
export interface Metric {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => number | undefined | Iterable<Sample>;
}

/** Counts by name that other rooms keep. */
export type Counts = Readonly<Record<string, number | undefined>>;

export function gauge(name: string, help: string, read: Metric['read'], ...labels: readonly string[]): Metric {
  return { kind: 'gauge', name, help, labels, read };
}

export function counter(name: string, help: string, read: Metric['read'], ...labels: readonly string[]): Metric {
  return { kind: 'counter', name, help, labels, read };
}
