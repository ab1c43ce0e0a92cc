import { states } from '../../web/portal/states.ts';
import { type HistoryComponent, type Incident, reportedState } from '../board/status-history.ts';
import { type Fragment, type Html, html } from '../ground/html.ts';
import { type Content, literal } from './blocks.ts';
import { durationInWords, instantInWords, translate } from './language.ts';
import type { Site } from './site.ts';

/** The most of one kind that the page lists. */
export const eventsMax = 30;

/** The name of a component, in English. */
export const componentNames: Readonly<Record<HistoryComponent, string>> = { api: 'API', 'market-data': 'Market data' };

/** Names of what happened, in English. */
const incidentNames: Readonly<Record<Incident['state'], Readonly<Record<HistoryComponent, string>>>> = {
  outage: { api: 'The service was not running', 'market-data': 'No market data arrived' },
  degraded: { api: 'The service was degraded', 'market-data': 'Market data was degraded' },
};

/** The state of a found incident as the service reported it, and what happened. */
export function incidentTitle(site: Site, incident: Incident, nowMs: number): string {
  const word = translate(site, states[reportedState(incident, nowMs)].word);
  return `${word}: ${translate(site, incidentNames[incident.state][incident.component])}`;
}

/** An item of a list, for browsers and for readers of Markdown. */
export interface EventItem {
  readonly html: Html;
  readonly markdown: string;
}

/** Says what happened, and when. */
export function eventItem(site: Site, title: string, from: number, to: number | undefined, nowMs = 0): EventItem {
  return {
    html: html`<li><strong>${title}</strong>: ${spanHtml(site, from, to, nowMs)}</li>\n`,
    markdown: `- **${literal(title)}**: ${spanInWords(site, from, to, nowMs)}`,
  };
}

export function eventList(items: readonly EventItem[]): Content {
  if (items.length === 0) return 'None.';
  return {
    html: () => html`<ul>\n${items.map((item) => item.html)}</ul>\n`,
    markdown: () => items.map((item) => item.markdown).join('\n'),
  };
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

/** The same with instants that scripts can read. */
export function spanHtml(site: Site, from: number, to: number | undefined, nowMs: number): Fragment {
  const text = spanInWords(site, from, to, nowMs, (at) => `\n${at}\n`);
  // Each instant stands on a line of its own, as epoch milliseconds.
  return text.split('\n').map((part, index) => (index % 2 === 0 ? part : timeHtml(site, Number(part))));
}

export function timeHtml(site: Site, at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${instantInWords(site, at)}</time>`;
}
