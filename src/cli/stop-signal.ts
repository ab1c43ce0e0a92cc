import type { Clock } from '../clock.ts';

/** One Ctrl-C can arrive twice: from the terminal, and forwarded by the program that started this one, such as npm. */
const sameRequestWithinMs = 500;

/**
 * A signal that aborts when the process is told to stop (SIGINT, SIGTERM, and SIGHUP where the
 * terminal went away). Told again while it is stopping, the process ends at once, with 128 plus the
 * signal's number. From the call on, the signals no longer end the process by themselves.
 */
export function stopSignalOf(theProcess: Pick<NodeJS.Process, 'on' | 'exit'>, clock: Clock): AbortSignal {
  const controller = new AbortController();
  let toldAtMs: number | undefined;
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
  for (const [name, number] of Object.entries(numbers)) {
    theProcess.on(name, () => {
      const atMs = clock.monotonicMs();
      if (toldAtMs === undefined) {
        toldAtMs = atMs;
        controller.abort();
      } else if (name === 'SIGTERM' || atMs - toldAtMs > sameRequestWithinMs) {
        theProcess.exit(128 + number);
      }
    });
  }
  return controller.signal;
}
