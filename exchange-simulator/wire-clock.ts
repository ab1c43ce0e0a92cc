import type { Clock } from '../src/ground/clock.ts';

const driftMsMax = 5;

/**
 * The wall clock in whole microseconds since the Unix epoch, for the timestamps of
 * frames. The fraction comes from the monotonic clock, so that two instants in one millisecond are in
 * order; it is synchronized again when the wall clock is set.
 */
export function wireClock(clock: Clock): () => number {
  let offsetMs = clock.now() - clock.monotonicMs();
  return () => {
    const wallMs = clock.now();
    if (Math.abs(clock.monotonicMs() + offsetMs - wallMs) > driftMsMax) offsetMs = wallMs - clock.monotonicMs();
    return Math.round((clock.monotonicMs() + offsetMs) * 1000);
  };
}

/** RFC 3339 in UTC with microseconds: `2026-09-24T03:54:18.054886Z`. */
export function wireTime(epochUs: number): string {
  const micros = epochUs % 1000;
  return `${new Date((epochUs - micros) / 1000).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
}
