import type { BoardView } from '../../management/views.ts';

/** A span for people, in about six characters: `0.4 s`, `59 s`, `12 min`, `3 h`, `5 d`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** The age of the market data. */
export function dataAgeText({ dataAgeMs }: BoardView): string {
  return dataAgeMs === undefined ? 'no data yet' : `data ${spanText(dataAgeMs)} old`;
}

/** The running or announced window in one line. */
export function maintenanceText({ service }: BoardView): string | undefined {
  const { maintenance, serverTimeMs: nowMs } = service;
  if (maintenance === null) return undefined;
  const { fromMs, toMs, from, to, description } = maintenance;
  if (fromMs <= nowMs)
    return `maintenance until ${minuteText(to)} UTC (${spanText(toMs - nowMs)} left): ${description}`;
  const end = minuteText(to).slice(from.slice(0, 10) === to.slice(0, 10) ? 11 : 0);
  return `maintenance announced for ${minuteText(from)} to ${end} UTC (in ${spanText(fromMs - nowMs)}): ${description}`;
}

/** `2026-11-22 01:00` */
function minuteText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
}
