import type { Clock, Timer } from '../clock.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Caller } from './redis-lease.ts';

/**
 * Runs `giveUp` after `delayMs`, but not before what has arrived by then was read: late timers run before sockets are
 * read, so a process that was held up would otherwise take its own delay for the server's.
 */
export function afterTimeout(clock: Clock, delayMs: number, giveUp: () => void): Timer {
  let isCancelled = false;
  const timer = clock.after(delayMs, () => {
    setImmediate(() => {
      if (!isCancelled) giveUp();
    });
  });
  return {
    cancel() {
      isCancelled = true;
      timer.cancel();
    },
  };
}

/** A caller whose every promise settles: after `timeoutMs` of silence the connection is made anew and the call rejects. */
export function callerWithTimeout(connection: RedisConnection, clock: Clock, timeoutMs: number): Caller {
  return (command) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = afterTimeout(clock, timeoutMs, () => {
      const reason = `no answer within ${timeoutMs} ms`;
      connection.reopen(reason);
      reject(new Error(reason));
    });
    connection.call(command).then(resolve, reject);
    return promise.finally(() => timer.cancel());
  };
}
