import { dayOf, type StatusHistory } from '../board/status-history.ts';
import { openIncidents, resolvedIncidents, type WrittenIncident } from '../board/written-incidents.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Html, html } from '../ground/html.ts';
import { incidentTitle, spanInWords } from './events.ts';
import { writtenText, writtenTitle } from './incidents.ts';
import { translate } from './language.ts';
import { nameOf, routeIn, type Site } from './site.ts';

/** Where the news of the status are, in English; see `routeIn` for other languages. */
export const feedRoute = '/status/feed.atom';

const entriesMax = 50;

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly published: number;
  readonly updated: number;
}

/**
 * Incidents and maintenance as an Atom feed (RFC 4287), the latest first. What people write about a found incident is
 * the entry of that, under its id.
 */
export function statusFeed(
  site: Site,
  { days, incidents, windows }: StatusHistory,
  written: readonly WrittenIncident[],
  now: EpochMs,
): string {
  const adopted = new Set(written.map(({ id }) => id));
  const entries = [
    ...[...openIncidents(written), ...resolvedIncidents(written, now)].map(
      (incident): Entry => ({
        id: incident.id,
        title: writtenTitle(site, incident),
        text: writtenText(site, incident, incidents, now),
        published: incident.from,
        updated: incident.updatedAt,
      }),
    ),
    ...incidents
      .filter(({ id }) => !adopted.has(id))
      .map(
        (incident): Entry => ({
          id: incident.id,
          title: incidentTitle(site, incident, now),
          text: spanInWords(site, incident.from, incident.to, now),
          published: incident.from,
          updated: incident.to ?? incident.from,
        }),
      ),
    ...windows.map(
      ({ id, from, to, description, createdAt }): Entry => ({
        id,
        title: translate(site, 'Maintenance: {description}', { description }),
        text: spanInWords(site, from, to),
        published: createdAt,
        updated: [createdAt, from, to].filter((at) => at <= now).at(-1) ?? createdAt,
      }),
    ),
  ].sort((one, other) => other.updated - one.updated);
  const shown = entries.slice(0, entriesMax);
  const page = `${site.baseUrl}${routeIn(site, '/status')}`;
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.language}">
<title>${nameOf(site)}: ${translate(site, 'Status')}</title>
<id>${page}</id>
<link rel="alternate" type="text/html" href="${page}"/>
<link rel="self" type="application/atom+xml" href="${site.baseUrl}${routeIn(site, feedRoute)}"/>
<updated>${isoOf(shown[0]?.updated ?? days[0]?.day ?? dayOf(now))}</updated>
<author><name>${nameOf(site)}</name></author>
${shown.map((entry) => entryXml(page, entry))}</feed>
`.text;
}

function entryXml(page: string, { id, title, text, published, updated }: Entry): Html {
  return html`<entry>
<id>${page}#${id}</id>
<title>${title}</title>
<published>${isoOf(published)}</published>
<updated>${isoOf(updated)}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
<content type="text">${text}</content>
</entry>
`;
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
