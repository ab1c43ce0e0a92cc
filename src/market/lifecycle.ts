import { delistedListedForMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { UpstreamMarketStatus } from './upstream.ts';

/**
 * A gap between two catalogue loads counts as this much absence at most: neither a clock that jumps nor an outage of
 * the
 * exchange or of this service makes a market look long gone.
 */
const creditedGapMaxMs = 3_600_000;

/** Trading state as clients see it (contract, PublicMarketStatus; a subset: the set is open to new values). */
export type MarketStatus = 'trading' | 'paused' | 'delisted';

/** The operator's decision about a market. */
export interface Decision {
  readonly operatorPaused: boolean;
  /** When trading ended for good. Never cleared. */
  readonly delistedAt: EpochMs | undefined;
}

/** Everything that decides a market's state. Immutable. */
export interface Lifecycle extends Decision {
  readonly upstreamStatus: UpstreamMarketStatus;
  /** `undefined` while the upstream lists the market, and from its next ticker on. */
  readonly absence: Absence | undefined;
}

/** Complete loads of the upstream's catalogue in a row that lack the market, with no ticker of it in between. */
export interface Absence {
  /** The first of them, as far as the gaps between them count. */
  readonly since: EpochMs;
  /** The latest of them; the same instant for the first. */
  readonly until: EpochMs;
}

/** The absence after a complete catalogue load, at `at`, that does not list the market. */
export function longerAbsence(absence: Absence | undefined, at: EpochMs): Absence {
  if (absence === undefined) return { since: at, until: at };
  const creditedMs = Math.min(Math.max(at - absence.until, 1), creditedGapMaxMs);
  return { since: (at - absentForMs({ absence }) - creditedMs) as EpochMs, until: at };
}

/** How long the upstream's catalogue has lacked the market; 0 while one load alone did. */
export function absentForMs({ absence }: Pick<Lifecycle, 'absence'>): number {
  return absence === undefined ? 0 : absence.until - absence.since;
}

/** Two loads in a row lack the market. One alone can be a fault of the upstream. */
export function isMissing(state: Pick<Lifecycle, 'absence'>): boolean {
  return absentForMs(state) > 0;
}

/** The decision after another one. An earlier delisting is kept: its first instant counts. */
export function afterOperator(before: Decision, { operatorPaused, delistedAt }: Decision): Decision {
  return { operatorPaused, delistedAt: before.delistedAt ?? delistedAt };
}

export function statusOf(state: Lifecycle): MarketStatus {
  if (state.delistedAt !== undefined) return 'delisted';
  return state.operatorPaused || state.upstreamStatus !== 'trading' || isMissing(state) ? 'paused' : 'trading';
}

/** The state of a converted market: its base market's state, with its own decisions on top. */
export function combined(base: Lifecycle, own: Decision): Lifecycle {
  const instants = [base.delistedAt, own.delistedAt].filter((instant) => instant !== undefined);
  return {
    upstreamStatus: base.upstreamStatus,
    operatorPaused: base.operatorPaused || own.operatorPaused,
    absence: base.absence,
    delistedAt: instants.length === 0 ? undefined : (Math.min(...instants) as EpochMs),
  };
}

/** The first instant at which a delisted market is no longer listed; `undefined` while it is not delisted. */
export function listedUntil(state: Lifecycle): EpochMs | undefined {
  return state.delistedAt === undefined ? undefined : ((state.delistedAt + delistedListedForMs) as EpochMs);
}
