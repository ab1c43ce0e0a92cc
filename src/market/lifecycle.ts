import type { EpochMs } from '../clock.ts';
import { delistedListedForMs } from '../contract/limits.ts';
import type { UpstreamMarketStatus } from './upstream.ts';

/** Successful catalogue loads in a row without a market until it is delisted. One or two can be an upstream fault. */
export const missedLoadsToDelist = 3;

/** Trading state as clients see it (contract, PublicMarketStatus; a subset: the set is open to new values). */
export type MarketStatus = 'trading' | 'paused' | 'delisted';

/** Everything that decides a market's state. Immutable. */
export interface Lifecycle {
  readonly upstreamStatus: UpstreamMarketStatus;
  readonly operatorPaused: boolean;
  /** Successful catalogue loads in a row in which the upstream did not list the market. */
  readonly missedLoads: number;
  /** When trading ended for good. Never cleared. */
  readonly delistedAt: EpochMs | undefined;
}

export function newlyListed(upstreamStatus: UpstreamMarketStatus): Lifecycle {
  return { upstreamStatus, operatorPaused: false, missedLoads: 0, delistedAt: undefined };
}

/** A successful catalogue load that lists the market. */
export function afterListed(state: Lifecycle, upstreamStatus: UpstreamMarketStatus): Lifecycle {
  return { ...state, upstreamStatus, missedLoads: 0 };
}

/** A successful, non-empty catalogue load, at `at`, that does not list the market. */
export function afterMissed(state: Lifecycle, at: EpochMs): Lifecycle {
  if (state.delistedAt !== undefined) return state;
  const missedLoads = state.missedLoads + 1;
  return { ...state, missedLoads, delistedAt: missedLoads >= missedLoadsToDelist ? at : undefined };
}

/** Applies the operator's decision. An earlier delisting is kept: its first instant counts. */
export function afterOperator(
  state: Lifecycle,
  controls: { readonly operatorPaused: boolean; readonly delistedAt: EpochMs | undefined },
): Lifecycle {
  return {
    ...state,
    operatorPaused: controls.operatorPaused,
    delistedAt: state.delistedAt ?? controls.delistedAt,
  };
}

export function statusOf(state: Lifecycle): MarketStatus {
  if (state.delistedAt !== undefined) return 'delisted';
  return state.operatorPaused || state.upstreamStatus !== 'trading' ? 'paused' : 'trading';
}

/** The state of a converted market: its base market's state, with its own decisions on top. */
export function combined(base: Lifecycle, own: Pick<Lifecycle, 'operatorPaused' | 'delistedAt'>): Lifecycle {
  const instants = [base.delistedAt, own.delistedAt].filter((instant) => instant !== undefined);
  return {
    upstreamStatus: base.upstreamStatus,
    operatorPaused: base.operatorPaused || own.operatorPaused,
    missedLoads: base.missedLoads,
    delistedAt: instants.length === 0 ? undefined : (Math.min(...instants) as EpochMs),
  };
}

/** The first instant at which a delisted market is no longer listed; `undefined` while it is not delisted. */
export function listedUntil(state: Lifecycle): EpochMs | undefined {
  return state.delistedAt === undefined ? undefined : ((state.delistedAt + delistedListedForMs) as EpochMs);
}
