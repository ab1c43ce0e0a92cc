import { states } from '../../web/portal/states.ts';
import {
  dayMs,
  firstDayAt,
  type HistoryComponent,
  historyComponents,
  historyDays,
  type Incident,
  reportedState,
  type StatusHistory,
} from '../board/status-history.ts';
import type { PublicServiceStatus } from '../contract/schemas.ts';
import { type Html, html } from '../ground/html.ts';
import { type Block, browserOnly, type Content, division, heading, literal, paragraph } from './blocks.ts';
import { dayInWords, durationInWords, instantInWords, percentInWords, translate } from './language.ts';
import type { Site } from './site.ts';

/** The name of a component, in English. */
const componentNames: Readonly<Record<HistoryComponent, string>> = { api: 'API', 'market-data': 'Market data' };

/** Names of what happened, in English. */
const incidentNames: Readonly<Record<Incident['state'], Readonly<Record<HistoryComponent, string>>>> = {
  outage: { api: 'The service was not running', 'market-data': 'No market data arrived' },
  degraded: { api: 'The service was degraded', 'market-data': 'Market data was degraded' },
};

const shownMax = 30;

/** The past: the days of each component, the incidents, and finished maintenance. */
export function pastSections(site: Site, history: StatusHistory, nowMs: number): Content {
  const over = history.windows.filter(({ to }) => to <= nowMs).slice(0, shownMax);
  return [
    heading(2, translate(site, 'The last {days} days', { days: historyDays }), 'history'),
    ...historyComponents.map((component) => daysOf(site, history, component, nowMs)),
    legend(site),
    heading(2, 'Incidents', 'incidents'),
    eventList(
      site,
      history.incidents.slice(0, shownMax).map((each) => ({
        title: incidentTitle(site, each, nowMs),
        from: each.from,
        to: each.to,
      })),
      nowMs,
    ),
    heading(2, 'Past maintenance', 'past-maintenance'),
    eventList(
      site,
      over.map(({ from, to, description }) => ({ title: description.replace(/\.$/, ''), from, to })),
      nowMs,
    ),
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

/** The state of an incident as the service reported it, and what happened. */
export function incidentTitle(site: Site, incident: Incident, nowMs: number): string {
  const word = translate(site, states[reportedState(incident, nowMs)].word);
  return `${word}: ${translate(site, incidentNames[incident.state][incident.component])}`;
}

/** An event of the past: what happened, and when. */
interface Event {
  readonly title: string;
  readonly from: number;
  readonly to: number | undefined;
}

function eventList(site: Site, events: readonly Event[], nowMs: number): Content {
  if (events.length === 0) return 'None.';
  const time = (at: number) => html`<time datetime="${new Date(at).toISOString()}">${instantInWords(site, at)}</time>`;
  return {
    html: () =>
      html`<ul>\n${events.map(
        ({ title, from, to }) =>
          html`<li><strong>${title}</strong>: ${timesIn(
            spanInWords(site, from, to, nowMs, (at) => `\n${at}\n`),
            time,
          )}</li>\n`,
      )}</ul>\n`,
    markdown: () =>
      events.map(({ title, from, to }) => `- **${literal(title)}**: ${spanInWords(site, from, to, nowMs)}`).join('\n'),
  };
}

/** A text in which each instant stands on a line of its own, as epoch milliseconds. */
function timesIn(text: string, time: (at: number) => Html): readonly (Html | string)[] {
  return text.split('\n').map((part, index) => (index % 2 === 0 ? part : time(Number(part))));
}

/** From when to when, and how long; of what still lasts since when. @param instant an instant as it is shown */
export function spanInWords(
  site: Site,
  from: number,
  to: number | undefined,
  nowMs = 0,
  instant = (at: number) => instantInWords(site, at),
): string {
  const start = instant(from);
  if (to === undefined) {
    const duration = durationInWords(site, nowMs - from);
    return translate(site, 'since {start}; it has lasted {duration} so far.', { start, duration });
  }
  const values = { start, end: instant(to), duration: durationInWords(site, to - from) };
  return translate(site, '{start} to {end} ({duration}).', values);
}
