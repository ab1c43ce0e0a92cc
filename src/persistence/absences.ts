import { firstDayAt, type HistoryComponent, historyComponents, splitByDay } from '../board/status-history.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { ProcessLife } from '../store/process-lives.ts';
import type { JudgedAbsence } from '../store/status-records.ts';
import type { Store } from '../store/store.ts';
import { incidentAfterMs, incidentsIn, type Span, uncovered } from './spans.ts';

/** Within this a process that ran without a store has said so, once it is back. */
const settledAfterMs = 30_000;
/** How long signs are kept after all is decided that they say. */
const keptForMs = 3_600_000;

/** The role whose processes alone do not make a component. */
const others: Readonly<Record<HistoryComponent, ProcessLife['role']>> = { api: 'feed', 'market-data': 'api' };

/**
 * Writes down the times in which no process ran, by the signs of all of them: what a window covered as maintenance, the
 * rest as an outage. Drops the signs that say nothing more.
 *
 * @param seen when the status was last recorded, which is what is known of the time before any sign
 */
export async function judgeAbsences(
  store: Pick<Store, 'processLives' | 'statusRecords' | 'windows'>,
  now: EpochMs,
  seen: EpochMs | undefined,
): Promise<void> {
  const lives = await store.processLives.list();
  const windows = (await store.windows.list()).filter(({ cancelledAt }) => cancelledAt === undefined);
  let decided = now;
  for (const component of historyComponents) {
    const [first] = livesOf(component, lives);
    if (first === undefined) continue;
    const known = (await store.statusRecords.judgedUntil(component)) ?? seen ?? first.since;
    // A clock that was ahead and is set back begins anew.
    const from = Math.min(Math.max(known, firstDayAt(now)), now) as EpochMs;
    const judged = judgeOne(component, lives, windows, { from, to: now });
    if (judged.until < decided) decided = judged.until;
    await store.statusRecords.judge({ ...judged, from: known });
  }
  await store.processLives.prune((decided - keptForMs) as EpochMs);
}

function livesOf(component: HistoryComponent, lives: readonly ProcessLife[]): readonly ProcessLife[] {
  return lives.filter(({ role }) => role !== others[component]);
}

/** The times of a span in which no process of a component ran, those too short to count left out. */
function absencesOf(component: HistoryComponent, lives: readonly ProcessLife[], span: Span): readonly Span[] {
  const ran = livesOf(component, lives).map(({ since, seen }) => ({ from: since, to: seen }));
  return uncovered(span, ran);
}

function judgeOne(
  component: HistoryComponent,
  lives: readonly ProcessLife[],
  windows: readonly Span[],
  span: Span,
): Omit<JudgedAbsence, 'from'> {
  const absences = absencesOf(component, lives, span);
  // One that lasts, or is only just over, is left for later.
  const open = absences.find(({ to }) => span.to - to < settledAfterMs);
  const over = absences.filter((each) => each !== open && each.to - each.from >= incidentAfterMs);
  const unplanned = over.flatMap((each) => uncovered(each, windows));
  const planned = over.flatMap((each) => uncovered(each, unplanned));
  // While the API is away nobody misses its data: that is told once.
  const away = component === 'api' ? [] : absencesOf('api', lives, span);
  const told = incidentsIn(unplanned.flatMap((each) => uncovered(each, away)));
  return {
    component,
    until: open?.from ?? span.to,
    days: daysOf(component, planned, unplanned),
    incidents: told.map(({ from, to }) => ({ component, state: 'outage', from, to })),
  };
}

function daysOf(component: HistoryComponent, maintenance: readonly Span[], outage: readonly Span[]) {
  const byDay = new Map<EpochMs, { maintenance: number; outage: number }>();
  for (const [state, spans] of Object.entries({ maintenance, outage }) as ['maintenance' | 'outage', Span[]][])
    for (const { day, durationMs } of spans.flatMap(({ from, to }) => splitByDay(from, to)))
      byDay.getOrInsertComputed(day, () => ({ maintenance: 0, outage: 0 }))[state] += durationMs;
  return [...byDay].map(([day, times]) => ({ component, day, states: { operational: 0, degraded: 0, ...times } }));
}
