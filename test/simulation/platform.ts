import { type FetchedReply, theWorld } from './world.ts';

/**
 * `fetch`, to the servers of the world. Ends when its signal aborts, and no sooner by itself: its caller sets the
 * limit.
 */
function virtualFetch(
  address: string | URL,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<FetchedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<FetchedReply>();
  const url = new URL(address);
  const { lane, servers } = theWorld();
  const failed = (code: string) => reject(Object.assign(new TypeError('fetch failed'), { cause: { code } }));
  const server = servers.get(url.host);
  signal?.addEventListener('abort', () => reject(new DOMException('This operation was aborted', 'AbortError')));
  if (server === undefined) lane.later(1, () => failed('ENOTFOUND'));
  else server.fetch(lane, url, (error, reply) => (reply === undefined ? failed(error?.message ?? '') : resolve(reply)));
  return promise;
}

type Callback = (...args: unknown[]) => void;

/**
 * Puts virtual time in the place of the platform's for whatever in this thread asks it directly, which are libraries.
 * For good.
 */
export function replacePlatform(): void {
  const after = (run: Callback, delayMs = 0, ...args: unknown[]) => {
    const timer = theWorld().lane.clock.after(delayMs, () => run(...args));
    return { ...timer, ref: () => timer, unref: () => timer, hasRef: () => false };
  };
  const every = (run: Callback, periodMs = 1, ...args: unknown[]) => {
    const timer = theWorld().lane.clock.every(periodMs, () => run(...args));
    return { ...timer, ref: () => timer, unref: () => timer, hasRef: () => false };
  };
  const cancel = (timer: { cancel?(): void } | undefined) => timer?.cancel?.();
  const immediate = (run: Callback, ...args: unknown[]) => {
    let isCancelled = false;
    theWorld().scheduler.immediately(() => isCancelled || run(...args));
    return {
      cancel() {
        isCancelled = true;
      },
      unref() {},
    };
  };
  Object.assign(globalThis, {
    setTimeout: after,
    setInterval: every,
    setImmediate: immediate,
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
    fetch: virtualFetch,
  });
  Date.now = () => theWorld().lane.clock.now();
  // Load is no part of the world.
  process.threadCpuUsage = () => ({ user: 0, system: 0 });
  process.constrainedMemory = () => theWorld().memoryBytes;
  performance.now = () => theWorld().lane.clock.monotonicMs();
  process.on('unhandledRejection', (error) => theWorld().failed(error, theWorld().lane));
}
