import { states } from '../../web/portal/states.ts';
import {
  dayMs,
  firstDayAt,
  type HistoryComponent,
  historyComponents,
  historyDays,
  type Incident,
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
export const incidentNames: Readonly<Record<Incident['state'], Readonly<Record<HistoryComponent, string>>>> = {
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
    heading(2, 'Incidents', 'incidents'),
    incidentList(site, history.incidents.slice(0, shownMax), nowMs),
    heading(2, 'Past maintenance', 'past-maintenance'),
    over.length === 0
      ? 'None.'
      : over
          .map(
            ({ from, to, description }) =>
              `- **${literal(description.replace(/\.$/, ''))}**: ${spanInWords(site, from, to)}`,
          )
          .join('\n'),
  ];
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
  const counted = sum('operational') + sum('degraded') + sum('outage');
  const share = counted === 0 ? 1 : sum('operational') / counted;
  const outageMs = sum('outage');
  const outage =
    outageMs < 1_000
      ? translate(site, 'no outage')
      : translate(site, 'outage {duration}', { duration: durationInWords(site, outageMs) });
  const values = { name, share: percentInWords(site, share), outage, days: days.length };
  return translate(site, '{name}: {share} operational, {outage}. Days recorded: {days}.', values);
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

function incidentList(site: Site, incidents: readonly Incident[], nowMs: number): string {
  if (incidents.length === 0) return 'None.';
  return incidents
    .map(({ component, state, from, to }) => {
      const name = translate(site, incidentNames[state][component]);
      return `- **${name}**: ${spanInWords(site, from, to, nowMs)}`;
    })
    .join('\n');
}

/** From when to when, and how long; of what still lasts since when. */
export function spanInWords(site: Site, from: number, to: number | undefined, nowMs = 0): string {
  const start = instantInWords(site, from);
  if (to === undefined) {
    const duration = durationInWords(site, nowMs - from);
    return translate(site, 'since {start}; it has lasted {duration} so far.', { start, duration });
  }
  const values = { start, end: instantInWords(site, to), duration: durationInWords(site, to - from) };
  return translate(site, '{start} to {end} ({duration}).', values);
}
