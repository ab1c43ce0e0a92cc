import type { Incident } from '../board/status-history.ts';
import {
  type IncidentState,
  type IncidentUpdate,
  openIncidents,
  resolvedIncidents,
  textPieces,
  type WrittenIncident,
} from '../board/written-incidents.ts';
import { type Fragment, type Html, html, joined } from '../ground/html.ts';
import { type Content, heading, literal } from './blocks.ts';
import {
  componentNames,
  type EventItem,
  eventItem,
  eventList,
  eventsMax,
  incidentTitle,
  spanHtml,
  spanInWords,
  timeHtml,
} from './events.ts';
import { instantInWords, translate } from './language.ts';
import type { Site } from './site.ts';

/** The states in English. */
const stateWords: Readonly<Record<IncidentState, string>> = {
  investigating: 'Investigating',
  identified: 'Cause identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
};

/** The incidents that people wrote and that are not over, each whole; nothing where there are none. */
export function openIncidentSection(
  site: Site,
  found: readonly Incident[],
  written: readonly WrittenIncident[],
  nowMs: number,
): Content {
  const open = openIncidents(written).map((each) => writtenItem(site, each, found, nowMs));
  if (open.length === 0) return [];
  return [
    heading(2, 'Open incidents', 'open-incidents'),
    {
      html: () => html`<ul class="incidents">\n${open.map((item) => item.html)}</ul>\n`,
      markdown: () => open.map((item) => item.markdown).join('\n\n'),
    },
  ];
}

/**
 * Incidents that are over and those that were found, the latest first. A found one stands with what was written of it.
 */
export function pastIncidents(
  site: Site,
  found: readonly Incident[],
  written: readonly WrittenIncident[],
  nowMs: number,
): Content {
  const adopted = new Set(written.map(({ id }) => id));
  const items = [
    ...found
      .filter(({ id }) => !adopted.has(id))
      .map((each) => ({
        from: each.from,
        item: eventItem(site, incidentTitle(site, each, nowMs), each.from, each.to, nowMs),
      })),
    ...resolvedIncidents(written, nowMs).map((each) => ({
      from: each.from,
      item: writtenItem(site, each, found, nowMs),
    })),
  ];
  const latest = items.sort((one, other) => other.from - one.from).slice(0, eventsMax);
  return eventList(latest.map(({ item }) => item));
}

/** `Monitoring: Prices of some markets are late`. */
export function writtenTitle(site: Site, incident: WrittenIncident): string {
  return `${translate(site, stateWords[incident.state])}: ${titleOf(site, incident).text}`;
}

/** All of an incident as plain text: what was measured, the updates and the review. */
export function writtenText(site: Site, incident: WrittenIncident, found: readonly Incident[], nowMs: number): string {
  const { updates, review, reviewCs, from, to } = incident;
  const measured = measuredOf(site, incident, found, nowMs);
  return [
    `${partsIn(site, incident)}: ${spanInWords(site, from, to, nowMs)}`,
    ...(measured === undefined ? [] : [`${measured.title}: ${spanInWords(site, measured.from, measured.to, nowMs)}`]),
    ...(review === undefined ? [] : [`${translate(site, 'Review')}: ${wordsIn(site, review, reviewCs).text}`]),
    ...updates.map((update) => {
      const state = translate(site, stateWords[update.state]);
      return `${instantInWords(site, update.at)}, ${state}: ${wordsIn(site, update.text, update.textCs).text}`;
    }),
  ].join('\n\n');
}

/** Text in the language of the page, or in English, which is then named. */
interface Words {
  readonly text: string;
  readonly language?: 'en';
}

function wordsIn({ language }: Pick<Site, 'language'>, english: string, czech: string | undefined): Words {
  if (language === 'en') return { text: english };
  return czech === undefined ? { text: english, language: 'en' } : { text: czech };
}

function titleOf(site: Site, { title, titleCs }: WrittenIncident): Words {
  return wordsIn(site, title, titleCs);
}

function partsIn(site: Site, { parts }: WrittenIncident): string {
  return parts.map((part) => translate(site, componentNames[part])).join(', ');
}

/** Finds what the service measured of an outage that it found itself. */
function measuredOf(site: Site, { id }: WrittenIncident, found: readonly Incident[], nowMs: number) {
  const outage = found.find((each) => each.id === id);
  if (outage === undefined) return undefined;
  const title = translate(site, 'Measured: {title}', { title: incidentTitle(site, outage, nowMs) });
  return { title, from: outage.from, to: outage.to };
}

function writtenItem(site: Site, incident: WrittenIncident, found: readonly Incident[], nowMs: number): EventItem {
  const title = titleOf(site, incident);
  const state = translate(site, stateWords[incident.state]);
  const parts = partsIn(site, incident);
  const measured = measuredOf(site, incident, found, nowMs);
  const { from, to } = incident;
  const review = incident.review === undefined ? undefined : wordsIn(site, incident.review, incident.reviewCs);
  const updates = updatesOf(site, incident);
  return {
    html: html`<li class="incident ${incident.state}" id="${incident.id}">
<p class="about"><bdi${languageOf(title)}>${title.text}</bdi></p>
<p><strong class="word">${state}.</strong> <span class="quiet">${parts}: ${spanHtml(site, from, to, nowMs)}</span></p>
${measured && html`<p class="quiet">${measured.title}: ${spanHtml(site, measured.from, measured.to, nowMs)}</p>\n`}${review && html`<p class="word">${translate(site, 'Review')}</p>\n${paragraphs(review)}`}${updates.html}</li>
`,
    markdown: [
      `- **${literal(title.text)}**`,
      `**${state}.** ${parts}: ${spanInWords(site, from, to, nowMs)}`,
      ...(measured === undefined ? [] : [`${measured.title}: ${spanInWords(site, measured.from, measured.to, nowMs)}`]),
      ...(review === undefined ? [] : [`**${translate(site, 'Review')}**`, markdownOf(review.text)]),
      updates.markdown,
    ]
      .join('\n\n')
      .replaceAll(/\n(?=.)/g, '\n  '),
  };
}

/** The updates, the latest first; folded where the incident is over. */
function updatesOf(site: Site, { updates, to }: WrittenIncident): EventItem {
  const items = updates.map((update) => updateItem(site, update));
  const list = html`<ol class="updates">\n${items.map((item) => item.html)}</ol>\n`;
  const text = items.map((item) => item.markdown).join('\n\n');
  if (to === undefined) return { html: list, markdown: text };
  const name = translate(site, 'Updates: {count}', { count: updates.length });
  return { html: html`<details><summary>${name}</summary>\n${list}</details>\n`, markdown: `${name}\n\n${text}` };
}

function updateItem(site: Site, { state, at, text, textCs }: IncidentUpdate): EventItem {
  const word = translate(site, stateWords[state]);
  const words = wordsIn(site, text, textCs);
  return {
    html: html`<li><p class="quiet small"><strong>${word}</strong>, ${timeHtml(site, at)}</p>\n${paragraphs(words)}</li>\n`,
    markdown: `**${word}**, ${instantInWords(site, at)}\n\n${markdownOf(words.text)}`,
  };
}

function languageOf({ language }: Words): Html | undefined {
  return language && html` lang="${language}"`;
}

/** Plain text as it was written: paragraphs, lines, and links that can be followed. */
function paragraphs(words: Words): Fragment {
  return words.text
    .split('\n\n')
    .map(
      (part) => html`<p dir="auto"${languageOf(words)}>${joined(part.split('\n').map(lineHtml), html`<br>\n`)}</p>\n`,
    );
}

function lineHtml(line: string): Fragment {
  return textPieces(line).map(({ text, href }) =>
    href === undefined ? text : html`<a href="${href}" rel="nofollow noopener">${text}</a>`,
  );
}

function markdownOf(text: string): string {
  const line = (each: string) =>
    textPieces(each)
      .map((piece) => (piece.href === undefined ? literal(piece.text) : `[${literal(piece.text)}](<${piece.href}>)`))
      .join('');
  return text.split('\n').map(line).join('\n');
}
