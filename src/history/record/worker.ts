import { parentPort, workerData } from 'node:worker_threads';
import { asEpochMs, type EpochMs } from '../../ground/clock.ts';
import { SerialQueue } from '../../ground/serial-queue.ts';
import { type ExpectedHead, type HeadFinding, headFinding } from '../segment/expected-heads.ts';
import { openSegments } from '../segment/open-segments.ts';
import { prune } from '../segment/retention.ts';
import type { GapFact } from '../segment/rows.ts';
import { segmentKinds } from '../segment/segment.ts';
import type { DaySeal, Deletion, RecordLocation } from '../segment/segment-store.ts';
import { daySealer } from './day-seals.ts';
import { openWriter } from './open-writer.ts';
import type { RecordWriter, WriterFigures } from './writer.ts';

export interface WorkerSettings {
  readonly location: RecordLocation;
  readonly requestKey: Uint8Array;
  readonly startedAt: EpochMs;
  readonly keepForMs: number;
}

/** To the recording thread. */
export type ToWorker =
  | { readonly kind: 'piece'; readonly piece: Uint8Array }
  /** About once a second. */
  | { readonly kind: 'tick'; readonly now: EpochMs; readonly until: EpochMs }
  /** Whether the record is still what it was. @param kept what the store knows of it */
  | { readonly kind: 'check'; readonly kept: readonly ExpectedHead[] }
  | { readonly kind: 'stop' };

/** From the recording thread. */
export type FromWorker =
  | { readonly kind: 'open'; readonly chain: number; readonly gap: GapFact | undefined }
  | { readonly kind: 'failed'; readonly message: string }
  /** So much of what was noted is in the journal. */
  | { readonly kind: 'written'; readonly bytes: number }
  /** About once a second. `trouble` says why nothing can be written; `undefined` where it can. */
  | { readonly kind: 'state'; readonly figures: WriterFigures; readonly lastError: string | undefined }
  /** A day is over. */
  | { readonly kind: 'sealed'; readonly seal: DaySeal }
  /** The record is no longer what it was, or it is, and has these first and last segments of this chain. */
  | { readonly kind: 'checked'; readonly finding: RecordDoubt | undefined; readonly ends: readonly ExpectedHead[] }
  | { readonly kind: 'deleted'; readonly deletion: Deletion };

/** Why the record is no longer what it was. `moved`: its file or database, see `isMoved`. */
export type RecordDoubt = HeadFinding | { readonly what: 'moved' };

/**
 * The recording thread: what the serving thread noted is made into rows, written to the journal and sealed here, so
 * that neither encoding nor the disk holds up an answer. It does one thing after the other, in the order of its
 * messages.
 */
const { location, requestKey, startedAt, keepForMs } = workerData as WorkerSettings;
const port = parentPort!;
const pruneEveryMs = 600_000;

let opened: Awaited<ReturnType<typeof openRecord>> | undefined;
let isDoubted = false;
let lastError: string | undefined;
let prunedAt = 0;
/** A month can take its time: nothing waits for it but the end. */
const pruning = new SerialQueue();
/** Deleted, and not yet in the record. */
const deleted: { readonly deletion: Deletion; readonly at: EpochMs }[] = [];

const report = (message: FromWorker) => port.postMessage(message);

/** Tries, and keeps why it failed. */
async function trying(work: () => Promise<void>): Promise<void> {
  lastError = await work().then(
    () => undefined,
    (error: Error) => error.message,
  );
}

async function openRecord() {
  const store = await openSegments(location);
  const written = (bytes: number) => report({ kind: 'written', bytes });
  const open = await openWriter({ store, journalPath: store.journalPath!, requestKey, now: startedAt, written });
  return { ...open, store, sealDay: await daySealer(store, open.chain, startedAt) };
}

async function begin(): Promise<void> {
  opened = await openRecord();
  report({ kind: 'open', chain: opened.chain, gap: opened.gap });
}

async function tick(now: EpochMs, until: EpochMs): Promise<void> {
  if (opened === undefined) return;
  const { store, writer, sealDay } = opened;
  await trying(async () => {
    await writer.tick(now, until);
    const seal = await sealDay(now, writer.figures().head);
    if (seal !== undefined) report({ kind: 'sealed', seal });
  });
  report({ kind: 'state', figures: writer.figures(), lastError });
  await noteDeleted(writer);
  if (now - prunedAt < pruneEveryMs) return;
  prunedAt = now;
  void pruning.run(async () => {
    const deletions = await prune(store, asEpochMs(now - keepForMs)).catch(() => []);
    deleted.push(...deletions.map((deletion) => ({ deletion, at: now })));
  });
}

async function check(kept: readonly ExpectedHead[]): Promise<void> {
  if (opened === undefined) return;
  const { store } = opened;
  const finding = (await store.isMoved()) ? ({ what: 'moved' } as const) : await headFinding(store, kept);
  isDoubted = finding !== undefined;
  report({ kind: 'checked', finding, ends: isDoubted ? [] : await endsOf(opened) });
}

async function endsOf({ store, chain }: Pick<NonNullable<typeof opened>, 'store' | 'chain'>) {
  const ofChain = { kinds: segmentKinds, chain, limit: 1 };
  const ends = [...(await store.heads(ofChain)), ...(await store.heads({ ...ofChain, backwards: true }))];
  return ends.map(({ number, hash }) => ({ chain, number, hash: hash.toString('hex') }));
}

async function noteDeleted(writer: RecordWriter): Promise<void> {
  for (const { deletion, at } of deleted.splice(0)) {
    await trying(() => writer.note('deletion', JSON.stringify(deletion), at));
    report({ kind: 'deleted', deletion });
  }
}

async function stop(): Promise<void> {
  await pruning.idle();
  if (opened !== undefined) {
    const { store, writer, release } = opened;
    await noteDeleted(writer);
    await trying(() => writer.stop());
    if (!isDoubted) report({ kind: 'checked', finding: undefined, ends: await endsOf(opened).catch(() => []) });
    report({ kind: 'state', figures: writer.figures(), lastError });
    release();
    await store.close();
  }
  port.close();
}

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === 'piece') await trying(async () => opened?.writer.take(message.piece));
  else if (message.kind === 'tick') await tick(message.now, message.until);
  else if (message.kind === 'check') await check(message.kept).catch(() => {});
  else await stop();
}

const queue = new SerialQueue();
queue.run(begin).catch((error: Error) => report({ kind: 'failed', message: error.message }));
port.on('message', (message: ToWorker) => {
  void queue.run(() => handle(message));
});
