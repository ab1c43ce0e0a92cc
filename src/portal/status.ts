import { type StateWords, stateWords } from '../../web/portal/states.ts';
import type { StatusHistory } from '../board/status-history.ts';
import type { EpochMs } from '../clock.ts';
import type { MaintenanceWindowBody, PublicServiceStatus, ServiceStatusBody } from '../contract/schemas.ts';
import { type Html, html } from '../html.ts';
import { type Block, type Content, frame, heading, literal } from './blocks.ts';
import { durationInWords, instantInWords, say } from './language.ts';
import type { PortalPage } from './layout.ts';
import { inlineHtml } from './markdown.ts';
import { operationRoute } from './operations.ts';
import { pastSections } from './past.ts';
import { link, type Site } from './site.ts';
import { feedRoute } from './status-feed.ts';
import { summaryRoute } from './status-summary.ts';

const refreshSeconds = 30;

/** What a status page shows. */
export interface ShownStatus {
  /** `undefined` where only the reader's browser will find out. */
  readonly body: ServiceStatusBody | undefined;
  readonly now: EpochMs;
  /** Running and to come, the nearest first. */
  readonly windows: readonly MaintenanceWindowBody[];
  readonly history: StatusHistory;
}

const words: Readonly<Record<PublicServiceStatus | 'unknown', StateWords>> = {
  ...stateWords,
  unknown: { word: 'Unknown', meaning: 'This page asks the service, which has not answered yet.' },
};

/**
 * How the service is doing, for people: what `/v1/status` says, in words, and every window to come. A script
 * keeps it up to date; without one the browser asks for it again.
 */
export function statusPage(site: Site, { body, now, windows, history }: ShownStatus): PortalPage {
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
        overallState(site, body?.status ?? 'unknown'),
        heading(2, 'Components', 'parts'),
        components(site, body),
        heading(2, 'Maintenance', 'maintenance'),
        frame((inner) => html`<div id="windows">${inner}</div>\n`, maintenance(site, windows, now)),
      ),
      frame(
        (inner) => html`<div id="past" data-page="${link(site, '/status')}">${inner}</div>\n`,
        pastSections(site, history, now),
      ),
      forPrograms(site),
    ],
  };
}

function overallState(site: Site, status: keyof typeof words): Block {
  const [word, meaning] = [say(site, words[status].word), say(site, words[status].meaning)];
  return {
    html: () =>
      html`<div class="state ${status}" id="state" role="status"><p class="word">${word}</p><p class="meaning">${meaning}</p></div>\n`,
    markdown: () => `**${word}.** ${meaning}`,
  };
}

function components(site: Site, body: ServiceStatusBody | undefined): Block {
  const api = body?.api ?? 'unknown';
  const ticker = body?.components.ticker ?? 'unknown';
  const age = body === undefined ? { text: '-', html: html`-` } : dataAge(site, body);
  const time = body === undefined ? '-' : instantInWords(site, body.serverTimeMs);
  const [apiName, dataName, ageName, timeName] = ['API', 'Market data', 'Age of the data', 'Server time'].map((each) =>
    say(site, each),
  );
  return {
    html: () => html`<dl class="parts">
<div><dt>${apiName}</dt><dd id="api" class="${api}">${say(site, words[api].word)}</dd></div>
<div><dt>${dataName}</dt><dd id="market-data" class="${ticker}">${say(site, words[ticker].word)}</dd></div>
<div><dt>${ageName}</dt><dd id="age">${age.html}</dd></div>
<div><dt>${timeName}</dt><dd id="server-time">${body === undefined ? '-' : instant(site, body.serverTimeMs, body.serverTime)}</dd></div>
</dl>
`,
    markdown: () => `- **${apiName}**: ${say(site, words[api].word)}
- **${dataName}**: ${say(site, words[ticker].word)}
- **${ageName}**: ${age.text}
- **${timeName}**: ${time}`,
  };
}

type Age = Pick<ServiceStatusBody, 'lastUpdatedAt' | 'lastUpdatedAtMs' | 'serverTimeMs'>;

function dataAge(
  site: Site,
  { lastUpdatedAt, lastUpdatedAtMs, serverTimeMs }: Age,
): {
  readonly text: string;
  readonly html: Html;
} {
  if (lastUpdatedAt === null || lastUpdatedAtMs === null) {
    const text = say(site, 'No data has arrived yet.');
    return { text, html: html`${text}` };
  }
  const duration = durationInWords(site, serverTimeMs - lastUpdatedAtMs);
  const start = say(site, '{duration}, last update at ', { duration });
  return {
    text: start + instantInWords(site, lastUpdatedAtMs),
    html: html`${start}${instant(site, lastUpdatedAtMs, lastUpdatedAt)}`,
  };
}

function maintenance(site: Site, windows: readonly MaintenanceWindowBody[], nowMs: number): Content {
  if (windows.length === 0) return 'No maintenance is announced.';
  return frame(
    (inner) => html`<ul class="windows">\n${inner}</ul>`,
    ...windows.map((window) => windowItem(site, window, nowMs)),
  );
}

function windowItem(site: Site, { from, fromMs, to, toMs, description }: MaintenanceWindowBody, nowMs: number): Block {
  const isRunning = fromMs <= nowMs;
  const word = say(site, isRunning ? 'Running' : 'Announced');
  const outlook = isRunning
    ? say(site, 'It is expected to end in {duration}.', { duration: durationInWords(site, toMs - nowMs) })
    : say(site, 'It starts in {duration}. Until then the service runs as usual.', {
        duration: durationInWords(site, fromMs - nowMs),
      });
  const between = say(site, ' to ');
  return {
    html: () => html`<li class="${isRunning ? 'window running' : 'window'}"><p class="word">${word}</p>
<p class="about"><bdi lang="en">${description}</bdi></p>
<p>${instant(site, fromMs, from)}${between}${instant(site, toMs, to)}</p>
<p class="quiet">${outlook}</p></li>
`,
    markdown: () => `- **${word}**: ${literal(description)}

  ${instantInWords(site, fromMs)}${between}${instantInWords(site, toMs)}

  ${outlook}`,
  };
}

function forPrograms(site: Site): Block {
  const routes = { status: operationRoute('/v1/status'), summary: summaryRoute, feed: feedRoute };
  const programs = say(
    site,
    'For programs there are [`GET /v1/status`]({status}) and, without a key, [`{summary}`]({summary}). Incidents and maintenance are also an [Atom feed]({feed}).',
    routes,
  );
  const shown = say(
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

/** Takes the same instant in both of its forms. */
function instant(site: Site, epochMs: number, iso: string): Html {
  return html`<time datetime="${iso}">${instantInWords(site, epochMs)}</time>`;
}
