import type { TestEvent } from 'node:test/reporters';

const counted = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const;

export type Counts = Record<(typeof counted)[number], number>;

export interface Summary {
  readonly counts: Counts;
  /** Why tests were skipped, once for each of them. */
  readonly skippedFor: readonly string[];
  /** How long each file took, in milliseconds. */
  readonly files: readonly { readonly name: string; readonly ms: number }[];
}

export function noCounts(): Counts {
  return Object.fromEntries(counted.map((name) => [name, 0])) as Counts;
}

export function addCounts(sum: Counts, more: Counts): void {
  for (const name of counted) sum[name] += more[name];
}

/** A reporter for Node's test runner: one `Summary` as JSON. */
export default async function* summaryReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = noCounts();
  const skippedFor: string[] = [];
  const files: { name: string; ms: number }[] = [];
  for await (const event of source) {
    if (event.type === 'test:summary' && event.data.file === undefined) {
      // The declaration of the counts leaves `failed` out.
      addCounts(counts, { failed: 0, ...event.data.counts });
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip, name, nesting, details } = event.data;
    if (skip !== undefined && skip !== false) skippedFor.push(typeof skip === 'string' && skip !== '' ? skip : name);
    // `batch.ts` makes each file a suite of the first level.
    if (nesting === 0) files.push({ name, ms: details.duration_ms });
  }
  yield JSON.stringify({ counts, skippedFor, files } satisfies Summary);
}
