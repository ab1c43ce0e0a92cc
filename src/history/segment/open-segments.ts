import { systemClock } from '../../ground/clock.ts';
import type { RecordLocation, SegmentReader, SegmentStore } from './segment-store.ts';
import { openSqliteSegments, openSqliteSegmentsToRead } from './sqlite-segments.ts';

/** Loaded only for a record that is there: the thread of any other does without. */
const postgres = () => import('./postgres-segments.ts');

/** Opens the record, and makes its tables where they are missing. Rejects with the system's error, or `StoreError`. */
export async function openSegments(location: RecordLocation): Promise<SegmentStore> {
  if (location.kind === 'sqlite') return openSqliteSegments(location.path);
  return (await postgres()).openPostgresSegments(location, systemClock);
}

/** For reading only. `undefined` where nothing was recorded yet. Rejects as `openSegments` does. */
export async function openSegmentsToRead(location: RecordLocation): Promise<SegmentReader | undefined> {
  if (location.kind === 'sqlite') return openSqliteSegmentsToRead(location.path);
  return (await postgres()).openPostgresSegmentsToRead(location, systemClock);
}
