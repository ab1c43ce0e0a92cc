import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Outcome, type Problem } from '../api/client.ts';
import { after, every, monotonicMs, type Stop } from '../clock.ts';
import { session } from '../state.ts';

/** What was asked for again and again. */
export interface Polled<T> {
  /** The last answer; kept when later ones fail. */
  readonly value: T | undefined;
  /** By the monotonic clock: the age of `value` is the time since. */
  readonly receivedAtMs: number;
  /** Why the latest attempt failed; `undefined` when it did not. */
  readonly problem: Problem | undefined;
  /** Asks now. */
  readonly refresh: () => void;
}

const backOffMaxMs = 10_000;

type OnOutcome<T> = (outcome: Outcome<T>) => void;

/** Asks for one path at a steady pace: slower while no answer comes, not at all while the tab is hidden. */
class Poller<T> {
  readonly #path: string;
  readonly #everyMs: number;
  readonly #onOutcome: OnOutcome<T>;
  #abort = new AbortController();
  #stopTimer: Stop = () => {};
  #failures = 0;

  constructor(path: string, everyMs: number, onOutcome: OnOutcome<T>) {
    this.#path = path;
    this.#everyMs = everyMs;
    this.#onOutcome = onOutcome;
    document.addEventListener('visibilitychange', this.#visibilityChanged);
  }

  /** Asks at once, giving up an answer that is under way. */
  readonly ask = async (): Promise<void> => {
    this.#stopTimer();
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const outcome = await get<T>(this.#path, signal);
    if (signal.aborted) return;
    this.#failures = outcome.ok ? 0 : this.#failures + 1;
    this.#onOutcome(outcome);
    this.#askLater();
  };

  stop(): void {
    document.removeEventListener('visibilitychange', this.#visibilityChanged);
    this.#stopTimer();
    this.#abort.abort();
  }

  #askLater(): void {
    if (document.hidden || session.value.state !== 'in') return;
    const delayMs = Math.max(this.#everyMs, Math.min(backOffMaxMs, 500 * 2 ** this.#failures));
    this.#stopTimer = after(this.#failures === 0 ? this.#everyMs : delayMs, this.ask);
  }

  readonly #visibilityChanged = (): void => {
    if (document.hidden) this.#stopTimer();
    else void this.ask();
  };
}

interface Answer<T> extends Omit<Polled<T>, 'refresh'> {
  readonly path: string | undefined;
}

/**
 * Follows one path of the API. A change of `path` starts over; `undefined` requests nothing, `isPaused` keeps the last
 * answer.
 */
export function usePolled<T>(path: string | undefined, everyMs: number, isPaused = false): Polled<T> {
  const [answer, setAnswer] = useState<Answer<T>>(() => nothing(path));
  const poller = useRef<Poller<T> | undefined>(undefined);
  useEffect(() => {
    if (path === undefined || isPaused) return undefined;
    const onOutcome = (outcome: Outcome<T>) => setAnswer((before) => answerAfter(before, path, outcome));
    const started = new Poller<T>(path, everyMs, onOutcome);
    poller.current = started;
    void started.ask();
    return () => started.stop();
  }, [path, everyMs, isPaused]);
  const { value, receivedAtMs, problem } = answer.path === path ? answer : nothing<T>(path);
  return { value, receivedAtMs, problem, refresh: () => void poller.current?.ask() };
}

function answerAfter<T>(before: Answer<T>, path: string, outcome: Outcome<T>): Answer<T> {
  if (outcome.ok) return { path, value: outcome.value, receivedAtMs: monotonicMs(), problem: undefined };
  return { ...(before.path === path ? before : nothing<T>(path)), problem: outcome.problem };
}

function nothing<T>(path: string | undefined): Answer<T> {
  return { path, value: undefined, receivedAtMs: 0, problem: undefined };
}

/** Renders again every so often, for ages that grow. Gives the monotonic clock. */
export function useTicking(everyMs = 1_000): number {
  const [atMs, setAtMs] = useState(monotonicMs);
  useEffect(() => every(everyMs, () => setAtMs(monotonicMs())), [everyMs]);
  return Math.max(atMs, 0);
}
