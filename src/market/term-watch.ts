import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { Markets } from './markets.ts';
import { termVersion } from './terms.ts';

/** Short, so that a wall clock that was set is noticed. */
const lookEveryMs = 1_000;

/** Lets terms begin on their instant even when no price is read then, and logs it. */
export function watchTerms(markets: Markets, clock: Clock, log: Log): Timer {
  let loggedUntil = clock.now();
  let next: Timer | undefined;
  const look = () => {
    const now = clock.now();
    markets.advance(now);
    const begun = markets.terms.all().filter(({ from }) => from !== undefined && from > loggedUntil && from <= now);
    for (const term of begun) log.info({ term: termVersion(term), ...term.values }, 'a term holds from now on');
    if (now > loggedUntil) loggedUntil = now;
    next?.cancel();
    const leftMs = markets.terms.nextAt - now;
    if (leftMs <= lookEveryMs) next = clock.after(leftMs, look);
  };
  const looking = clock.every(lookEveryMs, look);
  look();
  return {
    cancel() {
      looking.cancel();
      next?.cancel();
    },
  };
}
