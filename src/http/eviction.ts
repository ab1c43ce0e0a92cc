import type { Connection } from './connection.ts';

/**
 * The connection that makes room for a new one: without a key, not being answered, and the longest so; bytes that
 * arrive change nothing of that. One that is being answered only if there is no other.
 *
 * @param leastRecentFirst in the order of their last request
 * @param bucket of this address; of any when `undefined`
 */
export function leastUseful<C extends Pick<Connection, 'isKeyed' | 'isIdle' | 'bucket'>>(
  leastRecentFirst: Iterable<C>,
  bucket: string | undefined,
): C | undefined {
  let busy: C | undefined;
  for (const connection of leastRecentFirst) {
    if (connection.isKeyed) continue;
    if (bucket !== undefined && connection.bucket !== bucket) continue;
    if (connection.isIdle) return connection;
    busy ??= connection;
  }
  return busy;
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
