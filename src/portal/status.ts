import type { PublicServiceStatus } from '../contract/enumerations.ts';
import type { MaintenanceWindowBody, ServiceStatusBody } from '../contract/schemas.ts';
import { type Html, html } from '../html.ts';
import { type Block, type Content, frame, heading, literal } from './blocks.ts';
import type { PortalPage } from './layout.ts';
import { link } from './site.ts';
import { type StatusReading, summaryRoute } from './status-summary.ts';
import { durationInWords, instantInWords } from './words.ts';

const refreshSeconds = 30;

const words: Record<PublicServiceStatus, { readonly word: string; readonly meaning: string }> = {
  operational: { word: 'Operational', meaning: 'Everything works.' },
  degraded: {
    word: 'Degraded',
    meaning: 'Prices are served, but their data arrives over the fallback instead of the live feed.',
  },
  outage: {
    word: 'Outage',
    meaning:
      'Market data is not arriving, or is too old to rely on. The last known prices are still served: check their timestamps.',
  },
  maintenance: {
    word: 'Maintenance',
    meaning:
      'An announced maintenance window is running. Until it ends, every endpoint except GET /v1/status answers 503 SERVICE_MAINTENANCE.',
  },
};

/**
 * How the service is doing, for people: what `/v1/status` says, in words, and every window to come. A script
 * keeps it up to date; without one the browser asks for it again.
 */
export function statusPage({ body, windows }: StatusReading): PortalPage {
  return {
    route: '/status',
    title: 'Status',
    description: 'How the service is doing now, how old its market data is, and which maintenance is announced.',
    refreshSeconds,
    kind: 'status',
    scripts: ['status'],
    body: [
      heading(1, 'Status'),
      frame(
        (
          inner,
          site,
        ) => html`<div class="board" id="board" data-summary="${link(site, summaryRoute)}" data-at="${body.serverTime}">
<p class="unreachable" id="unreachable" role="alert" hidden="hidden"></p>
${inner}</div>
`,
        overallState(body.status),
        heading(2, 'Components', 'parts'),
        components(body),
        heading(2, 'Maintenance', 'maintenance'),
        frame((inner) => html`<div id="windows">${inner}</div>\n`, maintenance(windows, body.serverTimeMs)),
      ),
      forPrograms,
    ],
  };
}

function overallState(status: PublicServiceStatus): Block {
  const { word, meaning } = words[status];
  return {
    html: () =>
      html`<div class="state ${status}" id="state" role="status"><p class="word">${word}</p><p class="meaning">${meaning}</p></div>\n`,
    markdown: `**${word}.** ${meaning}`,
  };
}

function components({ api, components: { ticker }, ...body }: ServiceStatusBody): Block {
  const age = dataAge(body);
  const time = instantInWords(body.serverTimeMs);
  return {
    html: () => html`<dl class="parts">
<div><dt>API</dt><dd id="api" class="${api}">${words[api].word}</dd></div>
<div><dt>Market data</dt><dd id="market-data" class="${ticker}">${words[ticker].word}</dd></div>
<div><dt>Age of the data</dt><dd id="age">${age.html}</dd></div>
<div><dt>Server time</dt><dd id="server-time">${instant(body.serverTimeMs, body.serverTime)}</dd></div>
</dl>
`,
    markdown: `- **API**: ${words[api].word}
- **Market data**: ${words[ticker].word}
- **Age of the data**: ${age.text}
- **Server time**: ${time}`,
  };
}

type Age = Pick<ServiceStatusBody, 'lastUpdatedAt' | 'lastUpdatedAtMs' | 'serverTimeMs'>;

function dataAge({ lastUpdatedAt, lastUpdatedAtMs, serverTimeMs }: Age): {
  readonly text: string;
  readonly html: Html;
} {
  if (lastUpdatedAt === null || lastUpdatedAtMs === null) {
    const text = 'No data has arrived yet.';
    return { text, html: html`${text}` };
  }
  const start = `Updated ${durationInWords(serverTimeMs - lastUpdatedAtMs)} ago, at `;
  return {
    text: start + instantInWords(lastUpdatedAtMs),
    html: html`${start}${instant(lastUpdatedAtMs, lastUpdatedAt)}`,
  };
}

function maintenance(windows: readonly MaintenanceWindowBody[], nowMs: number): Content {
  if (windows.length === 0) return 'No maintenance is announced.';
  return frame(
    (inner) => html`<ul class="windows">\n${inner}</ul>`,
    ...windows.map((window) => windowItem(window, nowMs)),
  );
}

function windowItem({ from, fromMs, to, toMs, description }: MaintenanceWindowBody, nowMs: number): Block {
  const isRunning = fromMs <= nowMs;
  const word = isRunning ? 'Running' : 'Announced';
  const outlook = isRunning
    ? `It is expected to end in ${durationInWords(toMs - nowMs)}.`
    : `It starts in ${durationInWords(fromMs - nowMs)}. Until then the service runs as usual.`;
  return {
    html: () => html`<li class="${isRunning ? 'window running' : 'window'}"><p class="word">${word}</p>
<p class="about"><bdi>${description}</bdi></p>
<p>${instant(fromMs, from)} to ${instant(toMs, to)}</p>
<p class="quiet">${outlook}</p></li>
`,
    markdown: `- **${word}**: ${literal(description)}

  ${instantInWords(fromMs)} to ${instantInWords(toMs)}

  ${outlook}`,
  };
}

const forPrograms: Block = {
  html: (
    site,
  ) => html`<p class="quiet small"><span id="checked" data-web="checked">This page shows the state at the server time above; without scripts it reloads every ${refreshSeconds} seconds.</span>
Programs ask <a href="${link(site, '/docs#getServiceStatus')}"><code>GET /v1/status</code></a> or, without a key,
<a href="${link(site, summaryRoute)}"><code>${summaryRoute}</code></a>.</p>
`,
  markdown: `Programs ask [\`GET /v1/status\`](/docs#getServiceStatus) or, without a key, [\`${summaryRoute}\`](${summaryRoute}).`,
};

/** Takes the same instant in both of its forms. */
function instant(epochMs: number, iso: string): Html {
  return html`<time datetime="${iso}">${instantInWords(epochMs)}</time>`;
}
