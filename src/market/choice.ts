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

const unreviewed: Candidate = { reach: 'silent', exclusion: 'no_price', isProven: false };

/** Gives the same for another list, with a new agreement. @param from the index of each source before, -1 where it is new */
export function relisted(choice: Choice, from: readonly number[], agreement: SourceAgreement | undefined): Choice {
  const streaks = from.map((old) => choice.streaks[old] ?? new LiveStreak(true));
  const current = choice.current === undefined ? undefined : from.indexOf(choice.current);
  agreement?.adopt(choice.agreement, from, current !== undefined);
  const candidates = from.map((old) => choice.candidates[old] ?? unreviewed);
  return { ...choice, agreement, streaks, candidates, current };
}
