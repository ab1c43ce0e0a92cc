import assert from 'node:assert/strict';

/** One line of the text: a name, its labels and a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape gave. */
export interface Metrics {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** Type by name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the one sample with this name and at least these labels; 0 when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:\d[\d.]*(?:e[+-]?\d+)?|Inf)|\+Inf|Nan|NaN)$/i;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Reads Prometheus text exposition format 0.0.4. Throws `AssertionError` for a line that is none of it, a
 * sample without help and type, a type given twice, and one series given twice.
 */
export function readMetrics(text: string): Metrics {
  assert.ok(text.endsWith('\n'), 'the text ends with a line feed');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  const series = new Set<string>();
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') helped.add(name);
    if (kind === 'TYPE') {
      assert.ok(!types.has(name), `${name} has one type`);
      assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/);
      types.set(name, rest);
    }
    if (line === '' || kind !== undefined) continue;
    const sample = readSample(line);
    const family = sample.name.replace(/_(bucket|sum|count)$/, '');
    const known = types.has(sample.name) ? sample.name : family;
    assert.ok(types.has(known) && helped.has(known), `${sample.name} has a type and a help text`);
    const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    assert.ok(!series.has(identity), `${line} is there once`);
    series.add(identity);
    samples.push(sample);
  }
  return { text, samples, types, value: (name, labels = {}) => valueIn(samples, name, labels) };
}

function readSample(line: string): Sample {
  const [, name = '', labelText = '', value = ''] = sampleLine.exec(line) ?? [];
  assert.notEqual(name, '', `a sample: ${line}`);
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  let end = 0;
  for (let found = label.exec(labelText); found !== null; found = label.exec(labelText)) {
    labels[found[1]!] = found[2]!;
    end = label.lastIndex;
  }
  assert.equal(end, labelText.length, `labels: ${line}`);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function valueIn(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>): number {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  assert.ok(found.length <= 1, `${name} ${JSON.stringify(labels)} names one series`);
  return found[0]?.value ?? 0;
}
