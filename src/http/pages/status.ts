import type { PublicServiceStatus } from '../../contract/enumerations.ts';
import type { MaintenanceWindowBody, ServiceStatusBody } from '../../contract/schemas.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { link, type Site } from './site.ts';
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

/** How the service is doing, for people: what `/v1/status` says, in words. */
export function statusPage(site: Site, body: ServiceStatusBody): string {
  const { word, meaning } = words[body.status];
  return layout(site, {
    route: '/status',
    title: `${word}: status`,
    description: 'How the service is doing now, how old its market data is, and which maintenance is announced.',
    refreshSeconds,
    main: html`<h1>Status</h1>
<div class="state ${body.status}"><p class="word">${word}</p><p>${meaning}</p></div>
<h2 id="parts">Parts</h2>
<dl class="facts">
<dt>API</dt>${stateOf(body.api)}
<dt>Ticker feed</dt>${stateOf(body.components.ticker)}
<dt>Market data</dt><dd>${dataAge(body)}</dd>
<dt>Server time</dt><dd>${instant(body.serverTimeMs, body.serverTime)}</dd>
</dl>
<h2 id="maintenance">Maintenance</h2>
${maintenance(body)}
<p class="quiet small">This page loads itself again every ${refreshSeconds} seconds. Programs ask
<a href="${link(site, '/docs#getServiceStatus')}"><code>GET /v1/status</code></a> instead.</p>`,
  });
}

function stateOf(status: PublicServiceStatus): Html {
  return html`<dd class="${status}">${words[status].word}</dd>`;
}

function dataAge({ lastUpdatedAt, lastUpdatedAtMs, serverTimeMs }: ServiceStatusBody): Html {
  if (lastUpdatedAt === null || lastUpdatedAtMs === null) return html`None has arrived yet.`;
  return html`Updated ${durationInWords(serverTimeMs - lastUpdatedAtMs)} ago, at ${instant(lastUpdatedAtMs, lastUpdatedAt)}`;
}

function maintenance({ maintenance: window, serverTimeMs }: ServiceStatusBody): Html {
  if (window === null) return html`<p>None is announced.</p>`;
  const runs = window.fromMs <= serverTimeMs && serverTimeMs < window.toMs;
  return html`<p>${runs ? runningText(window, serverTimeMs) : announcedText(window, serverTimeMs)}</p>
<dl class="facts">
<dt>From</dt><dd>${instant(window.fromMs, window.from)}</dd>
<dt>Expected end</dt><dd>${instant(window.toMs, window.to)}</dd>
<dt>About</dt><dd><bdi>${window.description}</bdi></dd>
</dl>
`;
}

function runningText({ toMs }: MaintenanceWindowBody, nowMs: number): string {
  return `Maintenance is running. It is expected to end in ${durationInWords(toMs - nowMs)}.`;
}

function announcedText({ fromMs }: MaintenanceWindowBody, nowMs: number): string {
  return `Maintenance is announced. It starts in ${durationInWords(fromMs - nowMs)}; until then everything goes on as usual.`;
}

/** Takes the same instant in both of its forms. */
function instant(epochMs: number, iso: string): Html {
  return html`<time datetime="${iso}">${instantInWords(epochMs)}</time>`;
}
