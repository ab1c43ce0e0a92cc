import type { Log } from '../log.ts';
import type { MarketsObserver } from './markets.ts';

/** Says when the guard begins to hold a price or a rate, and when it no longer does. */
export function doubtLog(log: Log): MarketsObserver {
  return {
    doubtChanged(subject, held, before) {
      if ((held === undefined) === (before === undefined)) return;
      if (held === undefined) log.info({ subject, values: before?.values }, 'no longer held by the guard');
      else
        log.warn({ subject, reason: held.reason, values: held.values }, 'held by the guard: the last good value stays');
    },
  };
}
