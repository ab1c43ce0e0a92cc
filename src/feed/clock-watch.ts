import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';

/** How far the wall clock of this machine is from those of the exchanges. */
export interface ClockReading {
  /** Of each source that tells, the wall clock minus its own, in milliseconds. */
  readonly bySource: ReadonlyMap<string, number>;
  /** Their median; between two middle ones the nearest to zero. `undefined` while no source tells. */
  readonly offsetMs: number | undefined;
  /** More than two seconds off for half a minute, and not within one second for as long since. */
  readonly isWrong: boolean;
}

type Offsets = () => Iterable<readonly [source: string, offsetMs: number | undefined]>;

const everyMs = 1_000;
const wrongAboveMs = 2_000;
const rightBelowMs = 1_000;
/** Longer than a source needs to show, after the machine slept, that no clock is wrong. */
const looksMin = 30;

/** Says when the wall clock is wrong by the times of the exchanges, which no other clock of this machine can. */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offsets: Offsets;
  #timer: Timer | undefined;
  #isWrong = false;
  /** How many looks in a row have seen the opposite. */
  #looks = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }, offsets: Offsets) {
    this.#clock = clock;
    this.#log = log;
    this.#offsets = offsets;
  }

  start(): void {
    this.#timer = this.#clock.every(everyMs, () => this.#look());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  read(): ClockReading {
    const told = [...this.#offsets()].filter((each): each is [string, number] => each[1] !== undefined);
    const sorted = told.map(([, offsetMs]) => offsetMs).toSorted((one, other) => one - other);
    const lower = sorted[(sorted.length - 1) >> 1];
    const upper = sorted[sorted.length >> 1];
    const offsetMs = lower === undefined ? undefined : Math.max(lower, Math.min(0, upper!));
    return { bySource: new Map(told), offsetMs, isWrong: this.#isWrong };
  }

  #look(): void {
    const { bySource, offsetMs } = this.read();
    if (offsetMs === undefined) return;
    const isOpposite = this.#isWrong ? Math.abs(offsetMs) < rightBelowMs : Math.abs(offsetMs) > wrongAboveMs;
    this.#looks = isOpposite ? this.#looks + 1 : 0;
    if (this.#looks < looksMin) return;
    this.#looks = 0;
    this.#isWrong = !this.#isWrong;
    const fields = { offsetMs: Math.round(offsetMs), sources: [...bySource.keys()] };
    if (this.#isWrong) this.#log.warn(fields, 'the clock of this machine disagrees with those of the exchanges');
    else this.#log.info(fields, 'the clock of this machine agrees with those of the exchanges again');
  }
}
