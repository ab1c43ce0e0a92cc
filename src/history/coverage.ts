import type { EpochMs } from '../clock.ts';
import type { FactRow } from './rows.ts';
import type { GapFact } from './versions.ts';

/** A span without a record, and why: the process was stopped, was killed, or could not write. */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs | undefined;
  readonly reason: GapFact['reason'] | 'stopped';
  readonly servings: number | undefined;
}

/** Where a chain has gaps, from its first process on. @param breaks its facts of these kinds, in order */
export function gapsIn(breaks: readonly FactRow[]): Gap[] {
  const gaps: Gap[] = [];
  let stoppedAt: EpochMs | undefined;
  for (const { kind, at, text } of breaks) {
    if (kind === 'stop') stoppedAt = at;
    if (kind === 'process' && stoppedAt !== undefined) {
      gaps.push({ from: stoppedAt, to: at, reason: 'stopped', servings: 0 });
      stoppedAt = undefined;
    }
    if (kind !== 'gap') continue;
    const { from, to, reason, servings } = JSON.parse(text) as GapFact;
    gaps.push({ from, to, reason, servings });
  }
  if (stoppedAt !== undefined) gaps.push({ from: stoppedAt, to: undefined, reason: 'stopped', servings: 0 });
  return gaps;
}

/** The gap that an instant lies in. */
export function gapAt(gaps: readonly Gap[], at: EpochMs): Gap | undefined {
  return gaps.find(({ from, to }) => from < at && (to === undefined || at < to));
}
