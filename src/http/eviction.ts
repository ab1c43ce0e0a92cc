import type { Connection } from './connection.ts';

/**
 * The connection that makes room for a new one: without a key, not being answered, and the longest so; bytes that
 * arrive change nothing of that. One that is being answered only if there is no other.
 *
 * @param leastRecentFirst in the order of their last request
 */
export function leastUseful<C extends Pick<Connection, 'isKeyed' | 'isIdle'>>(
  leastRecentFirst: Iterable<C>,
): C | undefined {
  let busy: C | undefined;
  for (const connection of leastRecentFirst) {
    if (connection.isKeyed) continue;
    if (connection.isIdle) return connection;
    busy ??= connection;
  }
  return busy;
}

/**
 * The one of an address that is ended for a new one of the same: its client had an answer and now asks nothing. One
 * that was never answered, or is being answered, is left: its client would get a reset in the place of an answer.
 */
export function restingOf<C extends Pick<Connection, 'isKeyed' | 'isIdle' | 'bucket' | 'lastReply'>>(
  leastRecentFirst: Iterable<C>,
  bucket: string,
): C | undefined {
  for (const connection of leastRecentFirst) {
    if (connection.isKeyed || connection.bucket !== bucket) continue;
    if (connection.isIdle && connection.lastReply !== undefined) return connection;
  }
  return undefined;
}

/** Picks connections to cut so that `excessBytes` fewer wait: keyless before keyed, the largest first. */
export function largestSlowReaders<C extends Pick<Connection, 'isKeyed' | 'unsentBytes'>>(
  connections: Iterable<C>,
  excessBytes: number,
): C[] {
  let left = excessBytes;
  return [...connections]
    .sort((a, b) => Number(a.isKeyed) - Number(b.isKeyed) || b.unsentBytes - a.unsentBytes)
    .filter(({ unsentBytes }) => {
      left -= unsentBytes;
      return unsentBytes > 0 && left + unsentBytes > 0;
    });
}
