import type { SourceAgreement } from './source-agreement.ts';
import { type Candidate, LiveStreak } from './source-choice.ts';

/** The state of the choice among the sources of a market; indexes are those of its list. */
export interface Choice {
  readonly streaks: readonly LiveStreak[];
  /** `undefined` where there is nothing to compare. */
  readonly agreement: SourceAgreement | undefined;
  candidates: readonly Candidate[];
  current: number | undefined;
  /** Its first price may be made. */
  isOpen: boolean;
  /** A source of it was live since the start of the process. */
  wasLive: boolean;
}

/**
 * The same for another list.
 *
 * @param from the index of each source in the list before, -1 where it is new
 * @param agreement a new one, for that list
 */
export function relisted(choice: Choice, from: readonly number[], agreement: SourceAgreement | undefined): Choice {
  const streaks = from.map((old) => choice.streaks[old] ?? new LiveStreak(true));
  const current = choice.current === undefined ? undefined : from.indexOf(choice.current);
  agreement?.adopt(choice.agreement, from, current !== undefined);
  return { ...choice, agreement, streaks, candidates: [], current };
}
