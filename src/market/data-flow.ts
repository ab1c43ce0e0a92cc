import { tickerOutageAfterMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';

/** A smaller difference between the clocks is drift: a time service slews the wall clock. */
export const clockDriftMs = 1_000;

/** A source is silent once its next sign of life is overdue by more than this. */
export const silentForMs = 5_000;

/** A price of a market that trades and is not had live is old once it was not proved current for longer than this. */
export const oldPriceAfterMs = 15_000;

/** Whether data flows. */
export type DataFlow =
  /** Over a live connection that delivers. A quiet market on it is no fault. */
  | { readonly state: 'flowing' }
  /** Not over such a connection, but a poll that brings prices is not overdue, or the connection was lost only now. */
  | { readonly state: 'polled' }
  /** Not at all. `since` is when it last did; `undefined`: there never was any. */
  | { readonly state: 'silent'; readonly since: EpochMs | undefined };

/** The sign of life that says most of whether data flows. */
export interface LifeSign {
  readonly state: DataFlow['state'];
  /** Milliseconds since then; `Infinity` where there was none. */
  readonly silentMs: number;
  /** How soon another poll follows, where prices are polled; `undefined` where a live connection was heard. */
  readonly pollEveryMs: number | undefined;
}

/**
 * Whether a source whose last sign of life came so long ago is silent.
 *
 * @param pollEveryMs how soon another poll follows, where that brought the sign; `undefined`: a live connection did
 */
export function isSilent(sinceSignMs: number, pollEveryMs: number | undefined): boolean {
  return sinceSignMs > (pollEveryMs ?? 0) + silentForMs;
}

/** The same instant by both clocks. */
interface Moment {
  readonly at: EpochMs;
  readonly monotonicMs: number;
}

/**
 * Milliseconds since a moment by the clock that says more: the wall clock can be set, the monotonic one can stand still
 * while a machine sleeps.
 */
function silentMs(moment: Moment | undefined, now: EpochMs, monotonicMs: number): number {
  if (moment === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(now - moment.at), Math.floor(monotonicMs - moment.monotonicMs));
}

/**
 * Age of what was taken at a moment, in milliseconds. By the wall clock, unless the monotonic clock says more: a wall
 * clock set back makes nothing look fresh.
 *
 * @param takenMs `undefined`: only the wall clock knows
 */
export function ageOf(at: EpochMs, takenMs: number | undefined, now: EpochMs, monotonicMs: number): number {
  const wallMs = Math.max(0, now - at);
  const steadyMs = takenMs === undefined ? 0 : monotonicMs - takenMs;
  return steadyMs > wallMs + clockDriftMs ? Math.floor(steadyMs) : wallMs;
}

/** Signs of life of one source, of which follows whether its data flows. */
export class SourceSigns {
  #isLive = false;
  #heard: Moment | undefined;
  #polled: (Moment & { readonly everyMs: number }) | undefined;
  #data: Moment | undefined;

  /**
   * The live connection, which delivers, gave a sign of life at `heardMs` by the monotonic clock. An older one changes
   * nothing.
   */
  heard(heardMs: number, now: EpochMs, monotonicMs: number): void {
    this.#delivers();
    if (heardMs > (this.#heard?.monotonicMs ?? Number.NEGATIVE_INFINITY))
      this.#heard = { at: (now - (monotonicMs - heardMs)) as EpochMs, monotonicMs: heardMs };
  }

  /** The live connection does not deliver any more. */
  lost(): void {
    this.#isLive = false;
  }

  /**
   * Another process, which polls, had prices at `polledMs` by the monotonic clock of this one, and has them again
   * within `everyMs`.
   */
  polled(polledMs: number, everyMs: number, now: EpochMs, monotonicMs: number): void {
    this.#isLive = false;
    this.#polled = { at: (now - (monotonicMs - polledMs)) as EpochMs, monotonicMs: polledMs, everyMs };
  }

  /**
   * A price proved current.
   *
   * @param isLive it came over a live connection that delivers
   * @param pollEveryMs how soon another poll follows; `undefined`: it was not polled
   */
  current(isLive: boolean, at: EpochMs, monotonicMs: number, pollEveryMs?: number): void {
    if (isLive) this.#delivers();
    else this.#isLive = false;
    this.#data = { at, monotonicMs };
    if (pollEveryMs === undefined) this.#heard = this.#data;
    else this.#polled = { at, monotonicMs, everyMs: pollEveryMs };
  }

  /** No poll is due any more; after this connection the first one is due at once. */
  #delivers(): void {
    this.#isLive = true;
    this.#polled = undefined;
  }

  /** Whether data flows from it, as far as signs of life say. */
  state(now: EpochMs, monotonicMs: number): DataFlow['state'] {
    if (!isSilent(silentMs(this.#heard, now, monotonicMs), undefined)) return this.#isLive ? 'flowing' : 'polled';
    return isSilent(silentMs(this.#polled, now, monotonicMs), this.#polled?.everyMs) ? 'silent' : 'polled';
  }

  /** Gives the sign that keeps the source from being silent for longest, or the last one where it is silent. */
  sign(now: EpochMs, monotonicMs: number): LifeSign {
    const state = this.state(now, monotonicMs);
    const heard = { state, silentMs: silentMs(this.#heard, now, monotonicMs), pollEveryMs: undefined };
    const polled = { state, silentMs: silentMs(this.#polled, now, monotonicMs), pollEveryMs: this.#polled?.everyMs };
    if (state === 'flowing') return heard;
    if (state === 'silent') return heard.silentMs < polled.silentMs ? heard : { ...polled, pollEveryMs: undefined };
    const isPollDue = (polled.pollEveryMs ?? 0) - polled.silentMs >= -heard.silentMs;
    return isPollDue ? polled : { ...heard, pollEveryMs: 0 };
  }

  /** Gives when a sign last came, by the wall clock as it is now; `undefined` where none did. */
  lastAt(now: EpochMs, monotonicMs: number): EpochMs | undefined {
    const moments = [this.#heard, this.#polled].filter((moment) => moment !== undefined);
    const instants = moments.map((moment) => now - ageOf(moment.at, moment.monotonicMs, now, monotonicMs));
    return instants.length === 0 ? undefined : (Math.floor(Math.max(...instants)) as EpochMs);
  }

  /** Judges this source alone. */
  flow(now: EpochMs, monotonicMs: number): DataFlow {
    const ageMs = this.#data && ageOf(this.#data.at, this.#data.monotonicMs, now, monotonicMs);
    return dataFlow([this], ageMs === undefined ? undefined : ((now - ageMs) as EpochMs), ageMs, now, monotonicMs);
  }
}

const ranks: readonly DataFlow['state'][] = ['flowing', 'polled', 'silent'];

/** Gives the best sign of several sources; where all are silent, the last. */
export function bestSign(sources: Iterable<SourceSigns>, now: EpochMs, monotonicMs: number): LifeSign {
  const none: LifeSign = { state: 'silent', silentMs: Number.POSITIVE_INFINITY, pollEveryMs: undefined };
  const leftMs = ({ silentMs, pollEveryMs = 0 }: LifeSign) => pollEveryMs - silentMs;
  const rank = ({ state }: LifeSign) => ranks.indexOf(state);
  return [...sources]
    .map((source) => source.sign(now, monotonicMs))
    .reduce((best, sign) => {
      const isBetter = rank(sign) === rank(best) ? leftMs(sign) > leftMs(best) : rank(sign) < rank(best);
      return isBetter ? sign : best;
    }, none);
}

const flowing: DataFlow = { state: 'flowing' };
const polled: DataFlow = { state: 'polled' };

/**
 * Decides whether data flows, for everyone who shows it or acts on it. Data that is too old to rely on does not flow,
 * whatever lives.
 *
 * @param sources those that make the prices: it flows as well as from the best of them
 * @param updatedAt when the newest data is of; `undefined`, as its age: there never was any
 */
export function dataFlow(
  sources: Iterable<SourceSigns>,
  updatedAt: EpochMs | undefined,
  ageMs: number | undefined,
  now: EpochMs,
  monotonicMs: number,
): DataFlow {
  if (updatedAt === undefined || ageMs === undefined) return { state: 'silent', since: undefined };
  let since = updatedAt;
  let isPolled = false;
  for (const source of sources) {
    const state = source.state(now, monotonicMs);
    if (state === 'silent') since = Math.max(since, source.lastAt(now, monotonicMs) ?? 0) as EpochMs;
    else if (ageMs > tickerOutageAfterMs) continue;
    else if (state === 'flowing') return flowing;
    else isPolled = true;
  }
  return isPolled ? polled : { state: 'silent', since };
}
