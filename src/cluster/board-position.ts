import type { Clock, Timer } from '../ground/clock.ts';

/**
 * How far a market is: what the leader with this fencing number had told the others with this publication. Later
 * leaders are further.
 */
export interface Position {
  readonly fence: number;
  readonly number: number;
}

/** Before every other: nothing that says its position was applied yet. */
export const noPosition: Position = { fence: 0, number: 0 };

/** How long an answer waits for a board that its client has seen elsewhere. */
const waitMs = 250;
/** The same after a standstill, which has cost the process its connections, too: it must make them anew first. */
const waitAfterStandstillMs = 1_000;
/**
 * A process that follows hears each second what there is: one that did not for so long stood still, and others went on.
 */
const heardWithinMs = 3_000;

/** An instant on both clocks: the monotonic one can stand still while a machine sleeps. */
export type Moment = readonly [at: number, monotonicMs: number];
const never: Moment = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

interface Waiting {
  readonly target: Position;
  readonly end: (isReached: boolean) => void;
}

/** How far this process's market is, and what waits for it to get further. */
export class BoardPosition {
  readonly #clock: Clock;
  /** The position that was applied last. */
  #followed = noPosition;
  /** Asked while this process leads: its market is ahead of what it has published. */
  #leading: (() => Position) | undefined;
  /** Whether it leads for certain: not after a standstill, until it has asked whether another does. */
  #isSure = () => true;
  /** When it last asked for what it then had all of. */
  #heard = never;
  readonly #waiting = new Set<Waiting>();
  #shown = noPosition;
  /**
   * The leader of whom nothing came while an answer waited, and what was held then: until more comes, nothing waits for
   * that leader.
   */
  #missed: { readonly fence: number; readonly held: Position } | undefined;
  /** Called when something begins to wait. */
  onWait = () => {};
  /** How many answers needed a newer board, by whether it came in time. */
  readonly waits = { reached: 0, in_vain: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get current(): Position {
    return this.#leading?.() ?? this.#followed;
  }

  /** Whether `show` was called here, unless the lease had run out. */
  get isShown(): boolean {
    return areSame(this.#shown, this.current);
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Gives the position that an answer shows from now on. */
  show(): Position {
    const { current } = this;
    if (this.#isSure()) this.#shown = current;
    return current;
  }

  /** The market is at this position from now on, also where that is behind what it was. */
  follow(position: Position): void {
    this.#followed = position;
    this.#moved();
  }

  /** All that was published until then is here; without an instant nobody asks any more. */
  heard(asked = never): void {
    this.#heard = asked;
    this.#moved();
  }

  lead(ask: () => Position, isSure = () => true): void {
    this.#leading = ask;
    this.#isSure = isSure;
    this.heard();
  }

  /** Another process leads, for an unknown time already: what it published until now is not here yet. */
  giveWay(): void {
    this.#heard = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    this.resign();
  }

  /** The market stays where it is. */
  resign(): void {
    this.#followed = this.current;
    this.#leading = undefined;
    this.#moved();
  }

  /** Whether others are further, or may be after a standstill: what a key was served is forgotten after two minutes. */
  isBehind(target: Position): boolean {
    return isBefore(this.current, target) || this.#stoodStill;
  }

  get #stoodStill(): boolean {
    const [at, monotonicMs] = this.#heard;
    const unheardMs = Math.max(this.#clock.now() - at, this.#clock.monotonicMs() - monotonicMs);
    const isUnsure = this.#leading !== undefined && !this.#isSure();
    return unheardMs > heardWithinMs || isUnsure;
  }

  /** Waits until the market is there, for a short time at most. Gives whether it is. */
  reach(target: Position): Promise<boolean> | boolean {
    if (!this.isBehind(target)) return true;
    const held = this.current;
    if (this.#missed?.fence === target.fence && areSame(this.#missed.held, held)) {
      this.waits.in_vain++;
      return false;
    }
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const waiting: Waiting = {
        target,
        end: (isReached) => {
          timer?.cancel();
          this.#waiting.delete(waiting);
          this.waits[isReached ? 'reached' : 'in_vain']++;
          resolve(isReached);
        },
      };
      timer = this.#clock.after(this.#stoodStill ? waitAfterStandstillMs : waitMs, () => {
        if (areSame(held, this.current)) this.#missed = { fence: target.fence, held };
        waiting.end(false);
      });
      this.#waiting.add(waiting);
      this.onWait();
    });
  }

  #moved(): void {
    for (const waiting of this.#waiting) if (!this.isBehind(waiting.target)) waiting.end(true);
  }
}

/** By leader, then by publication. */
export function isBefore(one: Position, other: Position): boolean {
  return one.fence < other.fence || (one.fence === other.fence && one.number < other.number);
}

/** The one that is further. */
export function furtherOf(one: Position, other: Position): Position {
  return isBefore(one, other) ? other : one;
}

function areSame(one: Position, other: Position): boolean {
  return one.fence === other.fence && one.number === other.number;
}
