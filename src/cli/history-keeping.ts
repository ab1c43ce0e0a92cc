import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RecordQuestions } from '../history/query/questions.ts';
import type { SegmentStore } from '../history/segment/segment-store.ts';
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
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { readSpan, spanOptions, withRecord } from './record.ts';
import { type Job, storeCommand } from './store-command.ts';
import { type Paint, pairs } from './style.ts';
import { parseCount } from './values.ts';

export const verify = storeCommand({
  name: 'history verify',
  summary: 'verify that the record is as it was written',
  details: [
    'Looks at every segment, run, hold and deletion, and names the first that was changed, is missing or was exchanged. The end is compared with what the store knows of it, and with seals of the log or of mails.',
  ],
  options: {
    seals: { value: 'FILE', summary: 'compare with the seals in a file: mails, or lines of the log' },
    accept: { summary: 'after a restore: compare with this end from now on, which the audit log has' },
  },
  examples: {
    'mdapi history verify': 'exit code 1 where something is not as it was',
    'mdapi history verify --seals seals.log': 'names the first day that differs',
  },
  async work({ options, store, configuration, context: { cwd, stderr, clock }, paint }) {
    const seals = readSeals(options.seals, cwd);
    const show = (segments: number) => {
      if (stderr.isTerminal && segments % 100 === 0) stderr.write(`\r${segments} segments\x1b[K`);
    };
    const known = recordHeads(store.snapshots);
    const kept = options.accept ? [] : await known.load();
    const found = await withRecord(configuration, clock, (record) => verified(record, seals ?? [], kept, show));
    const { segments, deleted, heads, stamps = [], finding, gapViews, differing } = found;
    const isWhole = finding === undefined && differing === undefined;
    if (options.accept && isWhole) {
      await known.replace(heads);
      await store.audit.record(acceptEntry(heads));
    }
    if (stderr.isTerminal) stderr.write('\r\x1b[K');
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
      text: verdictText(found, seals?.length, paint),
      exitCode: isWhole ? exitCodes.ok : exitCodes.failure,
    };
  },
});

/** Looks at all of the record, and compares it with the ends that are known and with seals. */
async function verified(
  record: RecordQuestions,
  seals: ReturnType<typeof sealsIn>,
  known: Parameters<RecordQuestions['verify']>[1],
  show: (segments: number) => void,
) {
  const found = await withStamps(await record.verify(show, known));
  const { gaps } = await record.summary().catch((error: Error) => {
    // What is damaged can be what says where the gaps are.
    if (found.finding === undefined) throw error;
    return { gaps: [] };
  });
  return { ...found, gapViews: gaps.map(gapView), differing: await record.compare(seals) };
}

type Verified = Awaited<ReturnType<typeof verified>>;

/** @param seals how many were compared; `undefined` where none were given */
function verdictText(
  { segments, deleted, heads, stamps = [], finding, gapViews, differing }: Verified,
  seals: number | undefined,
  paint: Paint,
): string {
  const facts: [string, string][] = [['Record', findingText(finding) ?? 'whole']];
  if (seals !== undefined) facts.push(['Seals', findingText(differing) ?? `${seals} agree`]);
  facts.push(['Segments', String(segments)]);
  facts.push(['Deleted', String(deleted)]);
  facts.push(['Time stamps', String(stamps.length)]);
  for (const { chain, number, hash } of heads) facts.push([`Head ${chain}`, `${number} ${hash}`]);
  const gaps = gapViews.map(({ from, to, reason }) => `gap: ${from} to ${to ?? 'now'} (${reason})`);
  return [pairs(facts, paint), ...gaps].join('\n');
}

/** Throws `UsageError` for a file that is not there, or has no seal. */
function readSeals(file: string | undefined, cwd: string) {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  const seals = existsSync(path) ? sealsIn(readFileSync(path, 'utf8')) : [];
  if (seals.length === 0) {
    throw new UsageError(`There is no seal in ${file}: a mail, or a line of the log with a head.`);
  }
  return seals;
}

export const hold = storeCommand({
  name: 'history hold',
  summary: 'keep a span of the record beyond history.keepFor',
  options: {
    ...spanOptions,
    reason: { value: 'TEXT', required: true, summary: 'why, up to 200 characters' },
  },
  examples: {
    'mdapi history hold --from 2026-11-22T00:00Z --to 2026-11-23T00:00Z --reason "complaint 4711"': 'a day',
  },
  read({ options }, now) {
    const { reason } = options;
    if (reason.length > 200) throw new UsageError('--reason has up to 200 characters.');
    return { ...readSpan(options, now), reason };
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

export const release = storeCommand({
  name: 'history release',
  summary: 'no longer keep a span of the record',
  positionals: { ID: { summary: 'the number of the hold' } },
  examples: {
    'mdapi history release 1': 'retention deletes it in its time',
  },
  read: ({ positionals }) => parseCount(positionals.ID, Number.MAX_SAFE_INTEGER, 'ID'),
  async work(job) {
    const { values: id, store } = job;
    const wasThere = await withHolds(job, (segments) => segments.releaseHold(id));
    if (!wasThere) throw new CommandError(exitCodes.notFound, 'hold_unknown', `There is no hold ${id}.`);
    await store.audit.record(recordReleaseEntry(id));
    return { json: { id, released: true }, text: `Hold ${id} is released.` };
  },
});

/** Opens the record for changing its holds. */
async function withHolds<T>(
  { configuration, context }: Pick<Job, 'configuration' | 'context'>,
  use: (segments: SegmentStore) => Promise<T>,
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
