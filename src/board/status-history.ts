import { tickerOutageAfterMs } from '../contract/limits.ts';
import type { PublicServiceStatus } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MaintenanceWindow } from '../market/maintenance.ts';

/** A part of the service whose past is kept. */
export type HistoryComponent = (typeof historyComponents)[number];

export const historyComponents = ['api', 'market-data'] as const;

/** How long a component was in each state in one day, in milliseconds. What is missing to a day is not known. */
export interface HistoryDay {
  readonly component: HistoryComponent;
  /** Midnight in UTC. */
  readonly day: EpochMs;
  readonly states: Readonly<Record<PublicServiceStatus, number>>;
}

/** A time in which a component was not operational, other than by maintenance. */
export interface Incident {
  readonly id: string;
  readonly component: HistoryComponent;
  /**
   * The state of the market data: `degraded` if it arrived but the service worked worse, `outage` if none arrived, from
   * the last on.
   */
  readonly state: 'degraded' | 'outage';
  readonly from: EpochMs;
  /** `undefined` while it lasts. */
  readonly to: EpochMs | undefined;
}

/**
 * The state that the service reported at the worst of an incident: that no market data arrives is an outage only once
 * it has lasted.
 */
export function reportedState({ component, state, from, to }: Incident, now: number): Incident['state'] {
  const isShort = component === 'market-data' && (to ?? now) - from <= tickerOutageAfterMs;
  return isShort ? 'degraded' : state;
}

/** A maintenance window, announced, running or over. */
interface HistoryWindow extends MaintenanceWindow {
  readonly id: string;
  readonly createdAt: EpochMs;
}

/** Incidents and windows of the last `historyDays`. */
export interface StatusHistory {
  readonly days: readonly HistoryDay[];
  /** The latest first. */
  readonly incidents: readonly Incident[];
  /** The latest first, with those to come. */
  readonly windows: readonly HistoryWindow[];
}

export const historyDays = 90;

export const dayMs = 86_400_000;

export const noHistory: StatusHistory = { days: [], incidents: [], windows: [] };

/** The midnight in UTC before an instant. */
export function dayOf(at: number): EpochMs {
  return (Math.floor(at / dayMs) * dayMs) as EpochMs;
}

/** The first of the days that are kept. */
export function firstDayAt(now: number): EpochMs {
  return (dayOf(now) - (historyDays - 1) * dayMs) as EpochMs;
}

/** A span cut at every midnight in UTC. Empty when it does not end after it begins. */
export function splitByDay(
  from: EpochMs,
  to: EpochMs,
): readonly { readonly day: EpochMs; readonly durationMs: number }[] {
  const parts: { day: EpochMs; durationMs: number }[] = [];
  for (let at: number = from; at < to; ) {
    const day = dayOf(at);
    const end = Math.min(to, day + dayMs);
    parts.push({ day, durationMs: end - at });
    at = end;
  }
  return parts;
}
