import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { lockForService } from '../../store/sqlite/file.ts';
import { StoreError, type StoreErrorValues } from '../../store/store-error.ts';
import { chainsWithJournal, journalOf } from '../reading/journal.ts';
import type { ExpectedHead } from '../segment/expected-heads.ts';
import { openSegments, openSegmentsToRead } from '../segment/open-segments.ts';
import { type Segment, segmentKinds } from '../segment/segment.ts';
import type { RecordLocation, SegmentReader } from '../segment/segment-store.ts';
import { verifyRecord } from './verify.ts';

/** Heads that are read together. */
const pageSize = 1_000;

/**
 * Copies a record, its running minute included, into a database without one. It is verified before it stays there: all
 * of it arrives, or nothing.
 *
 * @param kept ends of the record that the store knows
 * @param progress called with the number of segments so far
 *
 * Throws `StoreError`: `copy_refused` when the target has another record or the source none, `in_use` when a server
 * writes to the source, `copy_incomplete` when the source is not as it was written, or changed meanwhile.
 */
export async function copyRecord(
  from: RecordLocation,
  to: RecordLocation,
  kept: readonly ExpectedHead[],
  progress: (segments: number) => void,
): Promise<{ wasComplete: boolean }> {
  const source = await openSegmentsToRead(from);
  if (source === undefined) throw noRecordToCopy();
  const target = await openSegments(to);
  const releases: (() => void)[] = [];
  try {
    for (const path of journalsOf(source).values()) if (existsSync(path)) releases.push(lockForService(path));
    const before = await contentOf(source);
    const found = await contentOf(target);
    if (isDeepStrictEqual(found, before)) return { wasComplete: true };
    if (found.ends.length > 0 || found.tables.run.length > 0) throw targetHasRecord();
    const written = before.journals.map(([chain]) => journalOf(target.journalPath!, chain));
    try {
      const chains = [...new Set([...before.ends, ...before.journals].map(([chain]) => chain))];
      const segments = segmentsOf(source, progress);
      await target.fill({ tables: before.tables, chains, segments }, async (copy) => {
        for (const [index, [, bytes]] of before.journals.entries())
          writeFileSync(written[index]!, bytes, { mode: 0o600, flush: true });
        const { finding } = await verifyRecord(copy, () => {}, kept);
        const changed = `it is not as it was written (${JSON.stringify(finding)})`;
        if (finding !== undefined) throw recordNotCopied({ what: changed });
        const isSame = async (store: SegmentReader) => isDeepStrictEqual(await contentOf(store), before);
        if (!(await isSame(source)) || !(await isSame(copy)))
          throw recordNotCopied({ what: 'something changed meanwhile' });
      });
    } catch (error) {
      for (const path of written) rmSync(path, { force: true });
      throw error;
    }
    return { wasComplete: false };
  } finally {
    for (const release of releases) release();
    await Promise.all([source.close(), target.close()]);
  }
}

async function* segmentsOf(source: SegmentReader, progress: (segments: number) => void): AsyncGenerator<Segment> {
  let count = 0;
  for (const chain of await source.chains()) {
    for (let afterNumber = 0; ; ) {
      const heads = await source.heads({ kinds: segmentKinds, chain, afterNumber, limit: pageSize });
      for (const { number } of heads) {
        yield (await source.segment(chain, number))!;
        progress(++count);
      }
      if (heads.length < pageSize) break;
      afterNumber = heads.at(-1)!.number;
    }
  }
}

/** Everything but the segments, and their ends. */
async function contentOf(store: SegmentReader) {
  const run = await store.rowsOf('run');
  const hold = await store.rowsOf('hold');
  const deletion = await store.rowsOf('deletion');
  const tables = { run, hold, deletion, sign: await store.rowsOf('sign'), ledger: await store.rowsOf('ledger') };
  const ends: [chain: number, ...end: unknown[]][] = [];
  for (const chain of await store.chains()) ends.push([chain, await store.head(chain)]);
  const journals: [chain: number, bytes: Buffer][] = [];
  for (const [chain, path] of journalsOf(store, tables.sign)) {
    const bytes = existsSync(path) ? readFileSync(path) : await store.journal?.(chain);
    if (bytes !== undefined) journals.push([chain, bytes]);
  }
  return { tables, ends, journals };
}

/** Journals of this machine, and of what processes of others left. */
function journalsOf({ journalPath }: SegmentReader, signs: readonly (readonly unknown[])[] = []): Map<number, string> {
  const here = existsSync(dirname(journalPath!)) ? chainsWithJournal(journalPath!) : [];
  const chains = [...new Set([...here, ...signs.map(([chain]) => Number(chain))])].sort((one, other) => one - other);
  return new Map(chains.map((chain) => [chain, journalOf(journalPath!, chain)]));
}

export function noRecordToCopy() {
  return new StoreError('copy_refused.no_record', {}, 'There is no record to copy.');
}

export function targetHasRecord() {
  const message = 'The target has a record of its own. Copy into a new database.';
  return new StoreError('copy_refused.occupied_record', {}, message);
}

export function recordNotCopied(values: StoreErrorValues['copy_incomplete.record']) {
  const message =
    `The record cannot be copied: ${values.what}. Nothing was copied. ` +
    'Stop what writes to it, and see `mdapi history verify`.';
  return new StoreError('copy_incomplete.record', values, message);
}
