import { useState } from 'preact/hooks';
import type { Outcome, Problem } from '../api/problem.ts';

/** A form being sent: once at a time, with what came of it. */
export interface Submitted<T> {
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  /** The fault of a field, in the service's words. */
  readonly faultOf: (field: string) => string | undefined;
  readonly submit: (send: () => Promise<Outcome<T>>) => Promise<void>;
}

export function useSubmitted<T>(onDone: (value: T) => void): Submitted<T> {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  return {
    isBusy,
    problem,
    faultOf: (field) => (problem?.kind === 'refused' ? problem.fields[field] : undefined),
    submit: async (send) => {
      if (isBusy) return;
      setBusy(true);
      const outcome = await send();
      setBusy(false);
      setProblem(outcome.ok ? undefined : outcome.problem);
      if (outcome.ok) onDone(outcome.value);
    },
  };
}
