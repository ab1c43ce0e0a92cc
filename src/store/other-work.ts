/**
 * Lets timers and sockets have their turn. SQLite answers without leaving the thread, so that a long row of
 * queries would otherwise hold up everything else.
 */
export function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
