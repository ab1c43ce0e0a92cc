import type { PublicServiceStatus } from '../contract/enumerations.ts';
import type { MaintenanceWindowBody, ServiceStatusBody } from '../contract/schemas.ts';
import { type Html, html } from '../html.ts';
import { layout } from './layout.ts';
import { link, type Site } from './site.ts';
import { type StatusReading, summaryRoute } from './status-summary.ts';
import { durationInWords, instantInWords } from './words.ts';

const refreshSeconds = 30;

const words: Record<PublicServiceStatus, { readonly word: string; readonly meaning: string }> = {
  operational: { word: 'Operational', meaning: 'Everything works.' },
  degraded: {
    word: 'Degraded',
    meaning: 'Prices are served, but their data arrives over a fallback path instead of the live feed.',
  },
  outage: {
    word: 'Outage',
    meaning:
      'Market data is not arriving, or is too old to rely on. The last known prices are still served: look at their timestamps.',
  },
  maintenance: {
    word: 'Maintenance',
    meaning:
      'An announced maintenance window is running. Until it ends, every endpoint but GET /v1/status answers 503 SERVICE_MAINTENANCE.',
  },
};

/**
 * How the service is doing, for people: what `/v1/status` says, in words, and every window that is to
 * come. A script keeps it up to date; without one the browser asks for it again.
 */
export function statusPage(site: Site, { body, windows }: StatusReading): string {
  const { word, meaning } = words[body.status];
  return layout(site, {
    route: '/status',
    title: 'Status',
    description: 'How the service is doing now, how old its market data is, and which maintenance is announced.',
    refreshSeconds,
    kind: 'status',
    scripts: ['status'],
    main: html`<h1>Status</h1>
<div class="board" id="board" data-summary="${link(site, summaryRoute)}" data-at="${body.serverTime}">
<p class="unreachable" id="unreachable" role="alert" hidden="hidden"></p>
<div class="state ${body.status}" id="state" role="status"><p class="word">${word}</p><p class="meaning">${meaning}</p></div>
<h2 id="parts">Parts</h2>
<dl class="parts">
<div><dt>API</dt>${stateOf('api', body.api)}</div>
<div><dt>Market data</dt>${stateOf('market-data', body.components.ticker)}</div>
<div><dt>Age of the data</dt><dd id="age">${dataAge(body)}</dd></div>
<div><dt>Server time</dt><dd id="server-time">${instant(body.serverTimeMs, body.serverTime)}</dd></div>
</dl>
<h2 id="maintenance">Maintenance</h2>
<div id="windows">${maintenance(windows, body.serverTimeMs)}</div>
</div>
<p class="quiet small"><span id="checked">This page shows the state at the server time above; without scripts it loads itself again every ${refreshSeconds} seconds.</span>
Programs ask <a href="${link(site, '/docs#getServiceStatus')}"><code>GET /v1/status</code></a> or, without a key,
<a href="${link(site, summaryRoute)}"><code>${summaryRoute}</code></a>.</p>`,
  });
}

function stateOf(id: string, status: PublicServiceStatus): Html {
  return html`<dd id="${id}" class="${status}">${words[status].word}</dd>`;
}

function dataAge({ lastUpdatedAt, lastUpdatedAtMs, serverTimeMs }: ServiceStatusBody): Html {
  if (lastUpdatedAt === null || lastUpdatedAtMs === null) return html`None has arrived yet.`;
  return html`Updated ${durationInWords(serverTimeMs - lastUpdatedAtMs)} ago, at ${instant(lastUpdatedAtMs, lastUpdatedAt)}`;
}

function maintenance(windows: readonly MaintenanceWindowBody[], nowMs: number): Html {
  if (windows.length === 0) return html`<p>None is announced.</p>`;
  return html`<ul class="windows">\n${windows.map((window) => windowItem(window, nowMs))}</ul>`;
}

function windowItem(window: MaintenanceWindowBody, nowMs: number): Html {
  const runs = window.fromMs <= nowMs;
  return html`<li class="${runs ? 'window running' : 'window'}"><p class="word">${runs ? 'Running' : 'Announced'}</p>
<p class="about"><bdi>${window.description}</bdi></p>
<p>${instant(window.fromMs, window.from)} to ${instant(window.toMs, window.to)}</p>
<p class="quiet">${runs ? runningText(window, nowMs) : announcedText(window, nowMs)}</p></li>
`;
}

function runningText({ toMs }: MaintenanceWindowBody, nowMs: number): string {
  return `It is expected to end in ${durationInWords(toMs - nowMs)}.`;
}

function announcedText({ fromMs }: MaintenanceWindowBody, nowMs: number): string {
  return `It starts in ${durationInWords(fromMs - nowMs)}; until then everything goes on as usual.`;
}

/** Takes the same instant in both of its forms. */
function instant(epochMs: number, iso: string): Html {
  return html`<time datetime="${iso}">${instantInWords(epochMs)}</time>`;
}
