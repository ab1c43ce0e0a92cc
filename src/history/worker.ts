import { parentPort, workerData } from 'node:worker_threads';
import { asEpochMs, type EpochMs } from '../clock.ts';
import { openSegments } from './open-segments.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';
import { prune } from './retention.ts';
import type { GapFact } from './rows.ts';
import type { Deletion, RecordLocation, SegmentStore } from './segment-store.ts';
import type { WriterFigures } from './writer.ts';

/** What the recording thread is made with. */
export interface WorkerSettings {
  readonly location: RecordLocation;
  readonly requestKey: Uint8Array;
  readonly startedAt: EpochMs;
  readonly keepForMs: number;
}

/** To the recording thread. */
export type ToWorker =
  | { readonly kind: 'piece'; readonly piece: string }
  /** About once a second. */
  | { readonly kind: 'tick'; readonly now: EpochMs }
  | { readonly kind: 'stop' };

/** From the recording thread. */
export type FromWorker =
  | { readonly kind: 'open'; readonly chain: number; readonly gap: GapFact | undefined }
  | { readonly kind: 'failed'; readonly message: string }
  /** So much of what was noted is in the journal. */
  | { readonly kind: 'written'; readonly bytes: number }
  /** Why nothing can be written; `undefined` once it can. */
  | { readonly kind: 'trouble'; readonly message: string | undefined }
  | { readonly kind: 'figures'; readonly figures: WriterFigures }
  | { readonly kind: 'deleted'; readonly deletion: Deletion }
  | { readonly kind: 'stopped' };

/**
 * The recording thread: what the serving thread noted is made into rows, written to the journal and sealed here, so that
 * neither encoding nor the disk holds up an answer. It does one thing after the other, in the order of its messages.
 */
const settings = workerData as WorkerSettings;
const port = parentPort!;
const pruneEveryMs = 600_000;

let store: SegmentStore | undefined;
let open: OpenWriter | undefined;
let trouble: string | undefined;
let prunedAt = 0;
/** A month can take its time: nothing waits for it but the end. */
let pruning: Promise<void> = Promise.resolve();
/** Deleted, and not yet in the record. */
let deleted: { readonly deletion: Deletion; readonly at: EpochMs }[] = [];

function report(message: FromWorker): void {
  port.postMessage(message);
}

/** Tries, and says when that begins to fail and when it works again. */
async function trying(work: () => Promise<void>): Promise<void> {
  let failure: string | undefined;
  try {
    await work();
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  if (failure !== trouble) report({ kind: 'trouble', message: failure });
  trouble = failure;
}

async function begin(): Promise<void> {
  const { location, requestKey, startedAt } = settings;
  store = await openSegments(location);
  const journalPath = store.journalPath!;
  const written = (bytes: number) => report({ kind: 'written', bytes });
  open = await openWriter({ store, journalPath, requestKey, now: startedAt, written });
  report({ kind: 'open', chain: open.chain, gap: open.gap });
}

async function tick(now: EpochMs): Promise<void> {
  if (open === undefined || store === undefined) return;
  const { writer } = open;
  await trying(() => writer.tick(now));
  report({ kind: 'figures', figures: writer.figures() });
  await noteDeleted(writer);
  if (now - prunedAt < pruneEveryMs) return;
  prunedAt = now;
  const segments = store;
  pruning = pruning.then(async () => {
    const deletions = await prune(segments, asEpochMs(now - settings.keepForMs)).catch(() => []);
    deleted.push(...deletions.map((deletion) => ({ deletion, at: now })));
  });
}

async function noteDeleted(writer: OpenWriter['writer']): Promise<void> {
  const noted = deleted;
  deleted = [];
  for (const { deletion, at } of noted) {
    await trying(() => writer.note('deletion', JSON.stringify(deletion), at));
    report({ kind: 'deleted', deletion });
  }
}

async function stop(): Promise<void> {
  await pruning;
  if (open !== undefined) await noteDeleted(open.writer);
  await trying(async () => open?.writer.stop());
  open?.release();
  await store?.close();
  report({ kind: 'stopped' });
  port.close();
}

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === 'piece') await trying(async () => open?.writer.take(message.piece));
  else if (message.kind === 'tick') await tick(message.now);
  else await stop();
}

let turn = begin().catch((error: Error) => report({ kind: 'failed', message: error.message }));
port.on('message', (message: ToWorker) => {
  turn = turn.then(() => handle(message));
});
