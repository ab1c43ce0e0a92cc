import { systemClock } from '../../clock.ts';
import { openPostgresSegments, openPostgresSegmentsToRead } from './postgres-segments.ts';
import type { RecordLocation, SegmentReader, SegmentStore } from './segment-store.ts';
import { openSqliteSegments, openSqliteSegmentsToRead } from './sqlite-segments.ts';

/** Opens the record, and makes its tables where they are missing. Rejects with the system's error, or `StoreError`. */
export async function openSegments(location: RecordLocation): Promise<SegmentStore> {
  return location.kind === 'sqlite' ? openSqliteSegments(location.path) : openPostgresSegments(location, systemClock);
}

/** For reading only. `undefined` where nothing was recorded yet. Rejects as `openSegments` does. */
export async function openSegmentsToRead(location: RecordLocation): Promise<SegmentReader | undefined> {
  return location.kind === 'sqlite'
    ? openSqliteSegmentsToRead(location.path)
    : openPostgresSegmentsToRead(location, systemClock);
}
