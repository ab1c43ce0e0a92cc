import type { SourceFeed } from '../../generated/management-v1.d.ts';

/** Whether a source is all right, and what is wrong first of all. */
export type Verdict = 'all right' | 'paused' | 'over REST' | 'some markets missing' | 'doubted' | 'no data';

/** Without live data for this long a source counts as silent. */
const silentAfterMs = 30_000;

/** Polls that fail are repeated at least this often. */
export const polledForMs = 12_000;

/** @param laterMs since the figures were read, at `nowMs` by the clock of the server */
export function verdictOf({ paused, health, doubts }: SourceFeed, laterMs: number, nowMs: number): Verdict {
  if (paused) return 'paused';
  const { connection, lastLiveDataAgeMs: ageMs, lastFallbackPollAtMs: polledAtMs } = health;
  const isLive = connection === 'open' && ageMs !== null && ageMs + laterMs <= silentAfterMs;
  const isPolled = health.path === 'fallback' && polledAtMs !== null && nowMs - polledAtMs <= polledForMs;
  if (!isLive) return isPolled ? 'over REST' : 'no data';
  if (doubts.length > 0) return 'doubted';
  return health.symbolsSubscribed < health.symbolsWanted ? 'some markets missing' : 'all right';
}
