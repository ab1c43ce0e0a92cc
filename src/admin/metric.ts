import { Counter, Gauge, type Registry } from 'prom-client';
import table from './metrics.json' with { type: 'json' };

/** The values of a metric's labels, in their order, and the value of the series. */
export type Sample = readonly [...labels: string[], value: number];

/** A metric, named without the prefix that all share, and how to read it. A name that ends in `_total` is that of a counter. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Counts are samples by their one label. `undefined`: there is no value now, and the series is absent. */
  readonly read: () => number | undefined | Counts | Iterable<Sample>;
}

/** Counts by name that other rooms keep. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** How metrics of the table are read. */
export type Readers = Partial<Record<keyof typeof table, Metric['read']>>;

interface Description extends Pick<Metric, 'help'>, Partial<Pick<Metric, 'labels'>> {
  /** The name that it had before, which stays for one version. */
  readonly formerly?: string;
}

/** The metrics, as the table describes them. */
export function described(readers: Readers): Metric[] {
  return Object.entries(readers).flatMap(([name, read]) => {
    const { help, labels = [], formerly }: Description = table[name as keyof typeof table];
    const metric = { name, help, labels, read };
    if (formerly === undefined) return [metric];
    const former = `${help} Its former name, for one version: use mdapi_${name}.`;
    return [metric, { ...metric, name: formerly, help: former }];
  });
}

export function samplesOf(reading: ReturnType<Metric['read']>): readonly Sample[] {
  if (reading === undefined) return [];
  if (typeof reading === 'number') return [[reading]];
  if (Symbol.iterator in reading) return [...reading];
  return Object.entries(reading).map(([name, count = 0]) => [name, count]);
}

/** Counts of every known name: a series that first appears at 1 shows no increase, so its first event would be lost. */
export function fromZero(names: readonly string[], counts: Iterable<readonly [string, number | undefined]>): Counts {
  return { ...Object.fromEntries(names.map((name) => [name, 0])), ...Object.fromEntries(counts) };
}

/** Reads the metric at every scrape. */
export function register(registry: Registry, { name, help, labels, read }: Metric): void {
  const Kind = name.endsWith('_total') ? Counter : Gauge;
  new Kind({
    name: `mdapi_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      // A reset leaves a series without labels at 0, which is not the same as none.
      if (labels.length === 0) this.remove();
      for (const sample of samplesOf(read())) {
        const value = sample.at(-1) as number;
        this.inc(Object.fromEntries(labels.map((label, index) => [label, sample[index] as string])), value);
      }
    },
  });
}
