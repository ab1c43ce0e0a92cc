import type { Log } from '../ground/log.ts';
import type { MarketsObserver } from './markets.ts';

/** Says when a source of a market begins to be doubted, or a rate, and when it no longer is. */
export function doubtLog(log: Log): MarketsObserver {
  return {
    sourceDoubted(market, source, doubt, before) {
      if (doubt === undefined) log.info({ market, source, reason: before?.reason }, 'a source is no longer doubted');
      else {
        const { reason, bid, ask } = doubt;
        log.warn({ market, source, reason, bid, ask }, 'a source is doubted: its prices of this market are not taken');
      }
    },
    doubtChanged(subject, doubt, before) {
      if ((doubt ?? before)?.reason !== 'rate' || (doubt === undefined) === (before === undefined)) return;
      if (doubt === undefined) log.info({ subject, values: before?.values }, 'a rate is no longer doubted');
      else log.warn({ subject, values: doubt.values }, 'a rate is doubted: the last good one stays');
    },
  };
}
