import type { EpochMs } from '../clock.ts';
import type { Deletion, RecordLocation } from './segment-store.ts';
import type { GapFact } from './versions.ts';
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
