import {
  firstDayAt,
  type HistoryComponent,
  type HistoryDay,
  type Incident,
  type StatusHistory,
} from '../board/status-history.ts';
import type { EpochMs } from '../clock.ts';
import type { Store } from '../store/store.ts';

/** More than any page shows. */
const listedMax = 200;

/** What the store knows of the last days, and every window that was not cancelled. */
export async function loadStatusHistory(
  { statusRecords, windows }: Pick<Store, 'statusRecords' | 'windows'>,
  now: EpochMs,
): Promise<StatusHistory> {
  const since = firstDayAt(now);
  const [days, incidents, past, current] = await Promise.all([
    statusRecords.days(since),
    statusRecords.incidents(since, listedMax),
    windows.listPast(now, listedMax),
    windows.list({ currentAt: now }),
  ]);
  const announced = [...current.toReversed(), ...past].filter(
    ({ cancelledAt, to }) => cancelledAt === undefined && to >= since,
  );
  return {
    days: days.map((each): HistoryDay => ({ ...each, component: each.component as HistoryComponent })),
    incidents: incidents.map((each): Incident => ({ ...each, component: each.component as HistoryComponent })),
    windows: announced.map(({ id, from, to, description, createdAt }) => ({ id, from, to, description, createdAt })),
  };
}
