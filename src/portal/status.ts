import { openIncidentMeaning, type StateWords, silentMeaning, states } from '../../web/portal/states.ts';
import type { CurrentStatus } from '../board/service-board.ts';
import type { StatusHistory } from '../board/status-history.ts';
import { openIncidents, type WrittenIncident } from '../board/written-incidents.ts';
import type { MaintenanceWindowBody, PublicServiceStatus, ServiceStatusBody } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Fragment, html } from '../ground/html.ts';
import { type Block, type Content, frame, heading, literal } from './blocks.ts';
import { openIncidentSection } from './incidents.ts';
import { durationInWords, instantInWords, translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { inlineHtml } from './markdown.ts';
import { operationRoute } from './operations.ts';
import { pastSections } from './past.ts';
import { link, type Site } from './site.ts';
import { feedRoute } from './status-feed.ts';
import { summaryRoute } from './status-summary.ts';
import { subscribeLink } from './subscribe.ts';

const refreshSeconds = 30;

export interface ShownStatus {
  /** `undefined` where the script of the page has to ask for it. */
  readonly current: CurrentStatus | undefined;
  readonly now: EpochMs;
  /** Running and to come, the nearest first. */
  readonly windows: readonly MaintenanceWindowBody[];
  readonly history: StatusHistory;
  /** Incidents that people wrote, the latest first. */
  readonly written: readonly WrittenIncident[];
  /** Whether visitors can have themselves told. */
  readonly canSubscribe?: boolean;
}

const words: Readonly<Record<PublicServiceStatus | 'unknown', StateWords>> = {
  ...states,
  unknown: { word: 'Unknown', meaning: 'This page asks the service, which has not answered yet.' },
};

/**
 * How the service is, for people: what `/v1/status` says, in words, and every window to come. A script, or else the
 * browser, renews it.
 */
export function statusPage(
  site: Site,
  { current, now, windows, history, written, canSubscribe = false }: ShownStatus,
): PortalPage {
  const body = current?.body;
  return {
    route: '/status',
    title: 'Status',
    description: 'How the service is doing now, how old its market data is, and which maintenance is announced.',
    ...(body === undefined ? {} : { refreshSeconds }),
    kind: 'status',
    feed: feedRoute,
    scripts: ['status'],
    body: [
      heading(1, 'Status'),
      frame(
        (
          inner,
        ) => html`<div class="board" id="board" data-summary="${link(site, summaryRoute)}" data-at="${new Date(now).toISOString()}">
<p class="unreachable" id="unreachable" role="alert" hidden="hidden"></p>
${inner}</div>
`,
        overallState(site, current, openIncidents(written).length > 0),
        frame(
          (inner) => html`<div id="open">${inner}</div>\n`,
          openIncidentSection(site, history.incidents, written, now),
        ),
        ...(canSubscribe ? [subscribeLink] : []),
        heading(2, 'Components', 'parts'),
        components(site, body),
        heading(2, 'Maintenance', 'maintenance'),
        frame((inner) => html`<div id="windows">${inner}</div>\n`, maintenance(site, windows, now)),
      ),
      frame(
        (inner) => html`<div id="past" data-page="${link(site, '/status')}">${inner}</div>\n`,
        pastSections(site, history, written, now),
      ),
      forPrograms(site),
    ],
  };
}

function overallState(site: Site, current: CurrentStatus | undefined, isIncidentOpen: boolean): Block {
  const status = current?.body.status ?? 'unknown';
  const isUnfed = status === 'degraded' && current?.flow.state === 'silent';
  const isToldOfMore = status === 'operational' && isIncidentOpen;
  const word = translate(site, words[status].word);
  const told = isToldOfMore ? openIncidentMeaning : words[status].meaning;
  const meaning = translate(site, isUnfed ? silentMeaning : told);
  return {
    html: () =>
      html`<div class="state ${status}" id="state" role="status"><p class="word">${word}</p><p class="meaning">${meaning}</p></div>\n`,
    markdown: () => `**${word}.** ${meaning}`,
  };
}

/** The same for browsers and for readers of Markdown. */
interface Shown {
  readonly html: Fragment;
  readonly text: string;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly shown: Shown;
}

function plain(text: string): Shown {
  return { html: text, text };
}

function instant(site: Site, epochMs: number): Shown {
  const text = instantInWords(site, epochMs);
  return { html: html`<time datetime="${new Date(epochMs).toISOString()}">${text}</time>`, text };
}

function components(site: Site, body: ServiceStatusBody | undefined): Block {
  const part = (id: string, name: string, status: keyof typeof words = 'unknown') => {
    return { id, name, status, shown: plain(translate(site, words[status].word)) };
  };
  const rows: readonly Row[] = [
    part('api', 'API', body?.api),
    part('market-data', 'Market data', body?.components.ticker),
    { id: 'age', name: 'Age of the data', shown: body === undefined ? plain('-') : dataAge(site, body) },
    {
      id: 'server-time',
      name: 'Server time',
      shown: body === undefined ? plain('-') : instant(site, body.serverTimeMs),
    },
  ];
  const rowHtml = ({ id, name, status, shown }: Row) =>
    html`<div><dt>${translate(site, name)}</dt><dd id="${id}"${status && html` class="${status}"`}>${shown.html}</dd></div>\n`;
  return {
    html: () => html`<dl class="parts">\n${rows.map(rowHtml)}</dl>\n`,
    markdown: () => rows.map(({ name, shown }) => `- **${translate(site, name)}**: ${shown.text}`).join('\n'),
  };
}

function dataAge(site: Site, { lastUpdatedAtMs, serverTimeMs }: ServiceStatusBody): Shown {
  if (lastUpdatedAtMs === null) return plain(translate(site, 'No data has arrived yet.'));
  const duration = durationInWords(site, serverTimeMs - lastUpdatedAtMs);
  const start = translate(site, '{duration}, last update at ', { duration });
  const time = instant(site, lastUpdatedAtMs);
  return { html: [start, time.html], text: start + time.text };
}

function maintenance(site: Site, windows: readonly MaintenanceWindowBody[], nowMs: number): Content {
  if (windows.length === 0) return 'No maintenance is announced.';
  return frame(
    (inner) => html`<ul class="windows">\n${inner}</ul>`,
    ...windows.map((window) => windowItem(site, window, nowMs)),
  );
}

function windowItem(site: Site, { fromMs, toMs, description }: MaintenanceWindowBody, nowMs: number): Block {
  const isRunning = fromMs <= nowMs;
  const word = translate(site, isRunning ? 'Running' : 'Announced');
  const outlook = isRunning
    ? translate(site, 'It is expected to end in {duration}.', { duration: durationInWords(site, toMs - nowMs) })
    : translate(site, 'It starts in {duration} and changes nothing before.', {
        duration: durationInWords(site, fromMs - nowMs),
      });
  const [from, to, between] = [instant(site, fromMs), instant(site, toMs), translate(site, ' to ')];
  return {
    html: () => html`<li class="${isRunning ? 'window running' : 'window'}"><p class="word">${word}</p>
<p class="about"><bdi lang="en">${description}</bdi></p>
<p>${from.html}${between}${to.html}</p>
<p class="quiet">${outlook}</p></li>
`,
    markdown: () => `- **${word}**: ${literal(description)}

  ${from.text}${between}${to.text}

  ${outlook}`,
  };
}

function forPrograms(site: Site): Block {
  const routes = { status: operationRoute('/v1/status'), summary: summaryRoute, feed: feedRoute };
  const programs = translate(
    site,
    'For programs there are [`GET /v1/status`]({status}) and, without a key, [`{summary}`]({summary}). Incidents and maintenance are also an [Atom feed]({feed}).',
    routes,
  );
  const shown = translate(
    site,
    'This page shows the state at the server time above; without scripts it reloads every {seconds} seconds.',
    { seconds: refreshSeconds },
  );
  return {
    html: () =>
      html`<p class="quiet small"><span id="checked" data-web="checked">${shown}</span>\n${inlineHtml(site, programs)}</p>\n`,
    markdown: () => programs,
  };
}
