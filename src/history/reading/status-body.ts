import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs } from '../../ground/clock.ts';

/**
 * Stand in a body for the instants that differ from one answer to the next. No text of a body holds a control
 * character.
 */
const marks = { now: '\u0001', updated: '\u0002' } as const;

/** A body of the service's status without its instants, of which few differ, and the age of the market data. */
export interface StatusParts {
  readonly text: string;
  /** `askedAt` less the last update of the feed, in milliseconds; 0 where there was none. */
  readonly feedAgeMs: number;
}

/** Takes the instants out of a body of `/v1/status`. */
export function splitStatus(body: string, askedAt: EpochMs): StatusParts {
  const { lastUpdatedAtMs } = JSON.parse(body) as { readonly lastUpdatedAtMs: number | null };
  const withoutNow = body.replace(serverTime(askedAt), marks.now);
  if (lastUpdatedAtMs === null) return { text: withoutNow, feedAgeMs: 0 };
  return { text: withoutNow.replace(lastUpdate(lastUpdatedAtMs), marks.updated), feedAgeMs: askedAt - lastUpdatedAtMs };
}

/** The body again, as it was. */
export function joinStatus({ text, feedAgeMs }: StatusParts, askedAt: EpochMs): string {
  return text
    .replace(marks.now, () => serverTime(askedAt))
    .replace(marks.updated, () => lastUpdate(askedAt - feedAgeMs));
}

function serverTime(at: number): string {
  return `"serverTime":"${isoInstant(at)}","serverTimeMs":${at}`;
}

function lastUpdate(at: number): string {
  return `"lastUpdatedAt":"${isoInstant(at)}","lastUpdatedAtMs":${at}`;
}
