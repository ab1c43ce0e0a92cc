/**
 * Waits until `probe` gives something other than `undefined` or `false`, looking again every few
 * milliseconds, and returns it. Fails with `what` once `deadlineMs` has passed. For real processes
 * and sockets; with a fake clock there is nothing to wait for.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 20_000,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
