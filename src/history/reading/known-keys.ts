import { openSegmentsToRead } from '../segment/open-segments.ts';
import type { RecordLocation } from '../segment/segment-store.ts';

/** Says whether a record holds answers to keys; `false` where there is none. Rejects as `openSegments` does. */
export async function hasAnswersToKeys(location: RecordLocation): Promise<boolean> {
  const segments = await openSegmentsToRead(location);
  if (segments === undefined) return false;
  try {
    return (await segments.heads({ kinds: ['servings'], limit: 1 })).length > 0;
  } finally {
    await segments.close();
  }
}
