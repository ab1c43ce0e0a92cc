import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EpochMs } from '../clock.ts';
import { Journal } from './journal.ts';
import { Publication } from './publication.ts';
import { chainStart, type Segment } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';
import { openSqliteSegments } from './sqlite-segments.ts';
import { StreamWriter } from './stream.ts';
import { RecordWriter } from './writer.ts';

export const requestKey = Buffer.alloc(16, 7);

/** A directory of its own, gone after the test. */
export function directoryFor(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-record-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that can refuse, as a full disk does. */
export function refusingStore(path: string): SegmentStore & { refuses: boolean } {
  const store = openSqliteSegments(path) as SegmentStore & { refuses: boolean };
  const append = store.append.bind(store);
  store.refuses = false;
  store.append = async (segments: readonly Segment[]) => {
    if (store.refuses) throw new Error('database or disk is full');
    await append(segments);
  };
  return store;
}

/** A writer on a store, and a serving thread that tells it of one market. */
export async function writerOn(store: SegmentStore, path: string) {
  const run = await store.addRun({ chain: 1, startedAt: 0 as EpochMs, requestKey });
  const journal = new Journal(`${path}.minute1`);
  const head = (await store.head(1)) ?? chainStart;
  const publication = new Publication(requestKey);
  const written: number[] = [];
  const parts = { publication, journal, store, chain: 1, run, head, written: (bytes: number) => written.push(bytes) };
  return { writer: new RecordWriter(parts), written, run };
}

/** Pieces of a stream that tell of one answer to a key each. */
export function answers() {
  const stream = new StreamWriter();
  let count = 0;
  stream.reset();
  return (at: number): Buffer => {
    stream.time(at as EpochMs);
    if (count === 0) stream.name(0, '/v1/time');
    const requestId = (count++).toString(16).padStart(32, '0');
    const serving = { keyId: 'key_a', askedAt: at as EpochMs, symbol: '', status: 200, text: '', requestId };
    stream.serving({ ...serving, route: '/v1/time' }, 0);
    return stream.take();
  };
}
