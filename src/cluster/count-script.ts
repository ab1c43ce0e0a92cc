import type { Position } from './board-position.ts';
import { type Caller, runScript, scriptText } from './redis-calls.ts';

/** A window that is newer than the clock by no more than this stays the current one; see `access/minute-window.ts`. */
export const windowsHeldBackMax = 5;

/** A fencing number is about the instant at which it was given. */
const fenceAheadMsMax = 3_600_000;

/** Counts requests in one go, each unless its window is used up; the file says how. */
const script = scriptText('count');

/** One request to be counted. */
export interface CountedTake {
  readonly counter: string;
  readonly limit: number;
  /** The count this node saw last in its window; 0 when none. */
  readonly seen: number;
  /** Admitted by this node alone in that window, and not counted on the server. */
  readonly admittedAlone: number;
  /** The counter is a key's, whose newest position is kept with it. */
  readonly isKeys?: boolean;
}

/** Requests to be counted in one call. */
export interface CountedTakes {
  readonly windowMs: number;
  /** The newest window the server has named; 0 for none. */
  readonly newestWindow: number;
  /** The window that the counts of the takes are of. */
  readonly windowNumber: number;
  /** How far this node's board is. */
  readonly position: Position;
  readonly takes: readonly CountedTake[];
}

export interface CountAnswer {
  readonly windowNumber: number;
  /** The server's clock, epoch milliseconds. */
  readonly serverMs: number;
  /** Requests counted before, for each take in its order. */
  readonly used: readonly number[];
  /** The newest position served before, likewise. */
  readonly served: readonly Position[];
}

/** At most this many takes go into one call: a server answers others between calls. */
export const takesPerCallMax = 256;

/** Has the server count. Rejects with its error, and on an answer that is none. */
export async function countOn(
  call: Caller,
  { windowMs, newestWindow, windowNumber, position, takes }: CountedTakes,
): Promise<CountAnswer> {
  const counters = takes.map(({ counter }) => counter);
  const { fence, number } = position;
  const parameters = [windowMs, newestWindow, windowNumber, fence, number, windowsHeldBackMax, fenceAheadMsMax];
  const values = [parameters.join(' ')];
  for (const { limit, seen, admittedAlone, isKeys } of takes)
    values.push(String(limit), String(seen), String(admittedAlone), isKeys === true ? '1' : '0');
  return readAnswer(await runScript(call, script, counters, values), takes.length);
}

function readAnswer(answer: unknown, takes: number): CountAnswer {
  if (!Array.isArray(answer) || answer.length !== 3 * takes + 2 || !answer.every(Number.isSafeInteger)) {
    throw new Error('the counting script answered something else than counts');
  }
  const [windowNumber, serverMs, ...rest] = answer as number[];
  const starts = Array.from({ length: takes }, (_, index) => 3 * index);
  const used = starts.map((at) => rest[at]!);
  const served = starts.map((at) => ({ fence: rest[at + 1]!, number: rest[at + 2]! }));
  return { windowNumber: windowNumber!, serverMs: serverMs!, used, served };
}
