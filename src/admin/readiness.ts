import { notesOf } from '../conditions/notes.ts';
import type { Observed } from '../conditions/observed.ts';

/**
 * Ready means that this process answers requests as the contract says. Stale data, a running maintenance window or an
 * unreachable store are notes that take no traffic away: clients must still be able to ask `/v1/status` for the cause.
 */
export function readiness(observed: Observed) {
  const phase = observed.phase();
  const notes = notesOf(observed);
  return {
    ready: phase === 'serving',
    phase,
    notes: notes.map(({ text }) => text),
    conditions: notes.map(({ level, text, condition }) => {
      return { code: condition.code, severity: level, text, values: condition.values };
    }),
  };
}
