/**
 * Waits until `probe` gives something other than `undefined` or `false`, looking again every few milliseconds, or as
 * given where a look takes others their time, and returns it. Fails with `what` once `deadlineMs` has passed. For real
 * processes and sockets; with a fake clock there is nothing to wait for.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 20_000,
  everyMs = 5,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/**
 * As `eventually`, but looks again at every turn of the event loop. For sockets between two ends in this process, where
 * everything sent arrives within a few turns.
 */
export async function soon(what: string, probe: () => boolean, deadlineMs = 20_000): Promise<void> {
  const startedMs = performance.now();
  while (!probe()) {
    if (performance.now() - startedMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await turns(1);
  }
}

/** Lets this many turns of the event loop pass. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
