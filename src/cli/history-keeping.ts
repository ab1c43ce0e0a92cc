import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  acceptEntry,
  findingText,
  gapView,
  recordHoldEntry,
  recordHoldView,
  recordReleaseEntry,
} from '../operator/record.ts';
import { recordHeads } from '../operator/record-heads.ts';
import { sealsIn, withStamps } from '../operator/record-seals.ts';
import { exitCodes, failure, UsageError } from './failure.ts';
import { readSpan, withRecord } from './record.ts';
import { type Job, storeCommand } from './store-command.ts';
import { pairs } from './style.ts';
import { parseCount } from './values.ts';

export const verify = storeCommand(
  'history verify',
  async ({ input, store, configuration, context: { cwd, stderr, clock }, paint }) => {
    const seals = readSeals(input.option('seals'), cwd);
    const isAccepting = input.isSet('accept');
    const show = (segments: number) => {
      if (stderr.isTerminal && segments % 100 === 0) stderr.write(`\r${segments} segments\x1b[K`);
    };
    const known = recordHeads(store.snapshots);
    const kept = isAccepting ? [] : await known.load();
    const verified = await withRecord(configuration, clock, async (record) => {
      const verified = await withStamps(await record.verify(show, kept));
      const { gaps } = await record.summary().catch((error: Error) => {
        // What is damaged can be what says where the gaps are.
        if (verified.finding === undefined) throw error;
        return { gaps: [] };
      });
      return { ...verified, gapViews: gaps.map(gapView), differing: await record.compare(seals ?? []) };
    });
    const { segments, deleted, heads, stamps = [], finding, gapViews, differing } = verified;
    const isWhole = finding === undefined && differing === undefined;
    if (isAccepting && isWhole) {
      await known.replace(heads);
      await store.audit.record(acceptEntry(heads));
    }
    if (stderr.isTerminal) stderr.write('\r\x1b[K');
    const gapLines = gapViews.map(({ from, to, reason }) => `gap: ${from} to ${to ?? 'now'} (${reason})`);
    const lines: [string, string][] = [
      ['Record', findingText(finding) ?? 'whole'],
      ...(seals === undefined
        ? []
        : [['Seals', findingText(differing) ?? `${seals.length} agree`] as [string, string]]),
      ['Segments', String(segments)],
      ['Deleted', String(deleted)],
      ['Time stamps', String(stamps.length)],
      ...heads.map(({ chain, number, hash }): [string, string] => [`Head ${chain}`, `${number} ${hash}`]),
    ];
    return {
      json: {
        whole: isWhole,
        segments,
        deleted,
        stamps: stamps.length,
        heads,
        finding: finding ?? null,
        seals: seals === undefined ? null : { compared: seals.length, finding: differing ?? null },
        gaps: gapViews,
      },
      text: [pairs(lines, paint), ...gapLines].join('\n'),
      exitCode: isWhole ? exitCodes.ok : exitCodes.failure,
    };
  },
);

/** Throws `UsageError` for a file that is not there, or has no seal. */
function readSeals(file: string | undefined, cwd: string) {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  const seals = existsSync(path) ? sealsIn(readFileSync(path, 'utf8')) : [];
  if (seals.length === 0) throw failure('seals_missing', { file });
  return seals;
}

export const hold = storeCommand('history hold', {
  read(input, now) {
    const reason = input.required('reason');
    if (reason.length > 200) throw new UsageError('--reason has up to 200 characters.');
    return { ...readSpan(input, now), reason };
  },
  async work(job) {
    const { values, store } = job;
    const id = await withHolds(job, (segments) => segments.addHold(values));
    await store.audit.record(recordHoldEntry({ id, ...values }));
    return {
      json: recordHoldView({ id, ...values }),
      text: `Hold ${id}: retention leaves the span alone until \`mdapi history release ${id}\`.`,
    };
  },
});

export const release = storeCommand('history release', {
  read: (input) => parseCount(input.argument('ID'), Number.MAX_SAFE_INTEGER, 'ID'),
  async work(job) {
    const { values: id, store } = job;
    if (!(await withHolds(job, (segments) => segments.releaseHold(id)))) throw failure('hold_unknown', { id });
    await store.audit.record(recordReleaseEntry(id));
    return { json: { id, released: true }, text: `Hold ${id} is released.` };
  },
});

/** Opens the record for changing its holds. */
async function withHolds<T>(
  { configuration, context }: Pick<Job, 'configuration' | 'context'>,
  use: (segments: import('../history/segment/segment-store.ts').SegmentStore) => Promise<T>,
): Promise<T> {
  // Says so where there is none.
  await withRecord(configuration, context.clock, async () => {});
  const { openSegments } = await import('../history/segment/open-segments.ts');
  const segments = await openSegments(configuration.history!.location);
  try {
    return await use(segments);
  } finally {
    await segments.close();
  }
}
