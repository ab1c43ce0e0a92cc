import type { AlertEvent } from '../operator/alert-event.ts';
import type { Finding, HasGrown, Severity } from './condition.ts';
import { type AnyCondition, type FoundCode, type FoundCondition, foundConditions } from './list.ts';
import type { Observed } from './observed.ts';

/** A condition that holds, with all that is told of it. */
export interface Found {
  readonly code: FoundCode;
  readonly event: AlertEvent;
  readonly severity: Severity;
  readonly subject: string;
  /** In English. */
  readonly sentence: string;
  /** The code with its values, from which others make their words. */
  readonly condition: FoundCondition;
  readonly declared: AnyCondition;
}

/** Finds what holds now, in the order of the list. @param isAsked which conditions are looked for */
export function* foundIn(
  observed: Observed,
  hasGrown: (code: FoundCode) => HasGrown,
  isAsked: (declared: AnyCondition) => boolean,
): Iterable<Found> {
  for (const [code, declared] of foundConditions) {
    if (!isAsked(declared)) continue;
    for (const { subject, severity, values = {} } of findingsOf(declared.find(observed, hasGrown(code)))) {
      yield {
        code,
        event: declared.event,
        severity: severity ?? declared.severity,
        subject: subject ?? declared.event,
        sentence: declared.sentence(values),
        condition: { code, values } as FoundCondition,
        declared,
      };
    }
  }
}

type AnyFinding = Finding<object>;

function findingsOf(found: boolean | Iterable<AnyFinding>): Iterable<AnyFinding> {
  if (typeof found === 'boolean') return found ? [{}] : [];
  return found;
}
