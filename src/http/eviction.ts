/** What of a connection decides whether it ends for others. */
export interface Candidate {
  /** A valid key was seen on it. */
  readonly isKeyed: boolean;
  /** Nothing that it asked for is being answered. */
  readonly isIdle: boolean;
  /** Bytes of answers that its client has not taken. */
  readonly unsentBytes: number;
}

/**
 * The connection that makes room for a new one: without a key, not being answered, and the longest so; bytes that arrive
 * change nothing of that. `busy` is the one to take if there is no such.
 *
 * @param leastRecentFirst in the order of their last request
 */
export function leastUseful<C extends Candidate>(leastRecentFirst: Iterable<C>): { idle?: C; busy?: C } {
  let busy: C | undefined;
  for (const connection of leastRecentFirst) {
    if (connection.isKeyed) continue;
    if (connection.isIdle) return { idle: connection };
    busy ??= connection;
  }
  return busy === undefined ? {} : { busy };
}

/** Those to cut so that `excessBytes` fewer wait: keyless before keyed, the largest first. */
export function largestSlowReaders<C extends Candidate>(connections: Iterable<C>, excessBytes: number): C[] {
  const ordered = [...connections]
    .filter(({ unsentBytes }) => unsentBytes > 0)
    .sort((a, b) => Number(a.isKeyed) - Number(b.isKeyed) || b.unsentBytes - a.unsentBytes);
  let left = excessBytes;
  return ordered.filter(({ unsentBytes }) => {
    const isCut = left > 0;
    left -= unsentBytes;
    return isCut;
  });
}
