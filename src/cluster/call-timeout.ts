import type { Clock, Timer } from '../clock.ts';

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
