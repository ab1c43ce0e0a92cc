import { states } from '../../web/portal/states.ts';
import {
  dayMs,
  firstDayAt,
  type HistoryComponent,
  historyComponents,
  historyDays,
  type StatusHistory,
} from '../board/status-history.ts';
import type { WrittenIncident } from '../board/written-incidents.ts';
import type { PublicServiceStatus } from '../contract/schemas.ts';
import { type Html, html } from '../ground/html.ts';
import { type Block, browserOnly, type Content, division, heading, paragraph } from './blocks.ts';
import { componentNames, eventItem, eventList, eventsMax } from './events.ts';
import { pastIncidents } from './incidents.ts';
import { dayInWords, durationInWords, percentInWords, translate } from './language.ts';
import type { Site } from './site.ts';

/** The past: the days of each component, the incidents, found and written, and finished maintenance. */
export function pastSections(
  site: Site,
  history: StatusHistory,
  written: readonly WrittenIncident[],
  nowMs: number,
): Content {
  const over = history.windows.filter(({ to }) => to <= nowMs).slice(0, eventsMax);
  return [
    heading(2, translate(site, 'The last {days} days', { days: historyDays }), 'history'),
    ...historyComponents.map((component) => daysOf(site, history, component, nowMs)),
    legend(site),
    heading(2, 'Incidents', 'incidents'),
    pastIncidents(site, history.incidents, written, nowMs),
    heading(2, 'Past maintenance', 'past-maintenance'),
    eventList(over.map(({ from, to, description }) => eventItem(site, description.replace(/\.$/, ''), from, to))),
  ];
}

/** The colours of the bars, each with its word. */
function legend(site: Site): Block {
  const shown = (['operational', 'degraded', 'outage', 'maintenance', 'unknown'] as const).map((state) => {
    const word = translate(site, state === 'unknown' ? 'Not recorded' : states[state].word);
    return html`<span class="key"><i class="${state}"></i>${word}</span> `;
  });
  const about = translate(site, 'A bar is a day in UTC, in its worst state.');
  return browserOnly(() => html`<p class="bars quiet small" data-web="bars">${shown}${about}</p>\n`);
}

type Times = Readonly<Record<PublicServiceStatus, number>>;

function daysOf(site: Site, history: StatusHistory, component: HistoryComponent, nowMs: number): Block {
  const byDay = new Map<number, Times>(
    history.days.filter((each) => each.component === component).map((each) => [each.day, each.states]),
  );
  const days = Array.from({ length: historyDays }, (_, index) => firstDayAt(nowMs) + index * dayMs);
  const known = [...byDay.values()];
  const name = translate(site, componentNames[component]);
  const text =
    known.length === 0 ? translate(site, '{name}: nothing is recorded yet.', { name }) : summary(site, name, known);
  const bars = browserOnly(
    () =>
      html`<div class="days" role="img" aria-label="${text}" data-web="days">${days.map((day) => bar(site, day, byDay.get(day)))}</div>\n`,
  );
  return division('past', paragraph('past-summary', text), bars);
}

/** Planned maintenance neither counts for nor against. */
function summary(site: Site, name: string, days: readonly Times[]): string {
  const sum = (state: PublicServiceStatus) => days.reduce((total, day) => total + day[state], 0);
  const countedMs = sum('operational') + sum('degraded') + sum('outage');
  if (countedMs === 0) return translate(site, '{name}: nothing is recorded yet.', { name });
  const trouble = (['outage', 'degraded'] as const).map((state) => {
    const duration = durationInWords(site, sum(state));
    if (sum(state) < 1_000) return state === 'outage' ? translate(site, 'no outage') : '';
    return translate(site, state === 'outage' ? 'outage {duration}' : 'degraded {duration}', { duration });
  });
  const share = percentInWords(site, sum('operational') / countedMs);
  const outage = trouble.filter((text) => text !== '').join(', ');
  const shared = { name, share, outage, days: days.length, counted: durationInWords(site, countedMs) };
  if (sum('maintenance') < 1_000)
    return translate(
      site,
      '{name}: {share} operational, {outage}. Days recorded: {days}; counted are {counted}.',
      shared,
    );
  return translate(
    site,
    '{name}: {share} operational, {outage}. Days recorded: {days}; counted are {counted}, without {maintenance} of maintenance.',
    { ...shared, maintenance: durationInWords(site, sum('maintenance')) },
  );
}

function bar(site: Site, day: number, times: Times | undefined): Html {
  const state = times === undefined ? 'unknown' : worstOf(times);
  const word = translate(site, state === 'unknown' ? 'Not recorded' : states[state].word);
  const duration = state === 'unknown' || state === 'operational' ? '' : `, ${durationInWords(site, times![state])}`;
  return html`<span class="${state}" title="${dayInWords(site, day)}: ${word}${duration}"></span>`;
}

/** The worst state of a day; a moment of it does not colour a day. */
function worstOf(times: Times): PublicServiceStatus {
  const worst = (['outage', 'degraded', 'maintenance'] as const).find((state) => times[state] >= 60_000);
  return worst ?? 'operational';
}
