import type { AuditPage, Overview } from '../../generated/management-v1.d.ts';
import { bytesText, countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { spaced, unpricedText } from '../format/words.ts';
import { html } from '../html.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Badge, Empty, Facts, Loaded, Page, Section, Tile, When } from '../parts/blocks.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { rateText, useOverview } from '../shell/status.ts';
import { DayCharts } from './day-charts.ts';

/** The state of everything on one page. */
export function OverviewPage() {
  const polled = useOverview();
  return html`<${Page} title="Overview">
    <${Loaded} polled=${polled}>${(overview: Overview) => html`<${Body} overview=${overview} receivedAtMs=${polled.receivedAtMs} />`}<//>
    <${Section} title="Latest changes" aside=${html`<a href=${hrefTo('audit')}>Audit log</a>`}><${LatestChanges} /><//>
  <//>`;
}

function Body({ overview, receivedAtMs }: { overview: Overview; receivedAtMs: number }) {
  const { markets, notes, phase, ready } = overview;
  return html`<div>
    <${Section} title="Needs attention"><${Notes} notes=${notes} /><//>
    <${Tiles} overview=${overview} receivedAtMs=${receivedAtMs} />
    ${!ready && html`<div class="note warn"><p><strong>Not ready for traffic: ${phase}.</strong></p></div>`}
    <${Section} title="Last 24 hours"><${DayCharts} /><//>
    <div class="pair">
      <div>
        <${Section} title="Markets" aside=${html`<a href=${hrefTo('markets')}>Live board</a>`}><${Markets} markets=${markets} /><//>
        <${Section} title="Process"><${Process} overview=${overview} /><//>
      </div>
      <${Section} title="Requests" aside=${html`<a href=${hrefTo('usage')}>Usage</a>`}><${Requests} overview=${overview} /><//>
    </div>
  </div>`;
}

const levels = {
  critical: { word: 'now', tone: 'bad' },
  warning: { word: 'soon', tone: 'warn' },
  info: { word: 'known', tone: 'plan' },
} as const;

/** What the service itself knows to be wrong or unusual, the most urgent first. */
function Notes({ notes }: { notes: Overview['notes'] }) {
  if (notes.length === 0) return html`<p><${Badge} state="nothing" tone="good" /></p>`;
  return html`<ul class="notes">${notes.map(
    ({ level, text, page, markets }) => html`<li key=${text}>
      <${Badge} state=${levels[level].word} tone=${levels[level].tone} /> ${page === null ? text : html`<a href=${hrefTo(page)}>${text}</a>`}
      ${markets.map((symbol) => html` <a key=${symbol} href=${hrefTo('markets', symbol)}>Open ${symbol}</a>`)}
    </li>`,
  )}</ul>`;
}

function Tiles({ overview, receivedAtMs }: { overview: Overview; receivedAtMs: number }) {
  const { status, dataAgeMs, markets, requests, connections, keys } = overview;
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  const without = Object.values(markets.unpriced).reduce((sum, count) => sum + count, 0);
  return html`<div class="tiles">
    <${Tile} name="Status for clients" note="GET /v1/status"><${Badge} state=${status.status} /><//>
    <${Tile} name="Age of the data">${dataAgeMs === null ? 'none yet' : spanText(dataAgeMs + laterMs)}<//>
    <${Tile} name="Markets with a price" note=${without === 0 ? 'none without' : html`<a href=${hrefWith(['markets'], { price: 'none' })}>${without} without</a>`}>${countText(markets.priced)}<//>
    <${Tile} name="Requests" note="last 10 seconds">${rateText(requests.perSecond)}<//>
    <${Tile} name="Connections open">${countText(connections.open)}<//>
    <${Tile} name="Keys held">${countText(keys.held)}<//>
  </div>`;
}

function Markets({ markets }: { markets: Overview['markets'] }) {
  const link = (text: string, query: Record<string, string>) =>
    html`<a href=${hrefWith(['markets'], query)}>${text}</a>`;
  const without = Object.entries(markets.unpriced).filter(([, count]) => count > 0);
  return html`<${Facts}
    isDense
    rows=${[
      ['Listed', countText(markets.listed)],
      ['Trading', link(countText(markets.trading), { status: 'trading' })],
      ['Paused', link(countText(markets.paused), { status: 'paused' })],
      ['Delisted', link(countText(markets.delisted), { status: 'delisted' })],
      ...without.map(([reason, count]) => [unpricedText(reason), link(countText(count), { price: 'none' })] as const),
    ]}
  />`;
}

function Requests({ overview: { requests, connections } }: { overview: Overview }) {
  const { total, byStatusClass, problems, limited } = requests;
  return html`<div>
    <${Counts} title="Answers since the start" counts=${{ all: total, ...sorted(byStatusClass) }} />
    <${Counts} title="Problems by code" counts=${byMost(problems)} />
    <${Counts} title="Refused by limits" counts=${renamed(limited)} />
    <${Counts} title="Connections" counts=${{ dropped: connections.dropped, cut: connections.cut }} />
  </div>`;
}

type CountsByName = Readonly<Record<string, number>>;

const limitWords: Readonly<Record<string, string>> = {
  key: 'of a key',
  address: 'of an address',
  failedAuthentication: 'of failed authentication',
};

function renamed(limited: CountsByName): CountsByName {
  return Object.fromEntries(Object.entries(limited).map(([name, count]) => [limitWords[name] ?? name, count]));
}

function sorted(counts: CountsByName): CountsByName {
  return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function byMost(counts: CountsByName): CountsByName {
  return Object.fromEntries(Object.entries(counts).sort(([, one], [, other]) => other - one));
}

/** Names with their counts, one below the other. */
function Counts({ title, counts }: { title: string; counts: CountsByName }) {
  const entries = Object.entries(counts);
  return html`<h3 class="counts-title">${title}</h3>
    ${entries.length === 0 ? html`<p class="missing">none</p>` : html`<dl class="counts">${entries.map(([name, count]) => html`<div key=${name}><dt>${name}</dt><dd>${countText(count)}</dd></div>`)}</dl>`}`;
}

function Process({ overview }: { overview: Overview }) {
  const { version, phase, startedAtMs, uptimeSeconds, residentBytes, eventLoopDelayP99Ms, storeReachable, notices } =
    overview;
  return html`<${Facts}
    rows=${[
      ['Version', version],
      ['Phase', spaced(phase)],
      ['Uptime', html`${spanText(uptimeSeconds * 1_000)}, since <${When} atMs=${startedAtMs} as="full" />`],
      ['Memory', bytesText(residentBytes)],
      ['Event loop delay (p99)', `${eventLoopDelayP99Ms.toFixed(1)} ms`],
      [
        'Database',
        html`<${Badge} state=${storeReachable ? 'answers' : 'does not answer'} tone=${storeReachable ? 'good' : 'bad'} />`,
      ],
      [
        'Notices',
        html`<a href=${hrefTo('notices')}>${countText(notices.pending)} pending</a>${notices.mailConfigured ? '' : ', no mail server'}`,
      ],
    ]}
  />`;
}

const changesEveryMs = 5_000;

function LatestChanges() {
  const polled = usePolled<AuditPage>('audit?limit=6', changesEveryMs);
  return html`<${Loaded} polled=${polled}>
    ${({ entries }: AuditPage) =>
      entries.length === 0
        ? html`<${Empty} title="No changes yet." />`
        : html`<ul class="plain log">${entries.map(({ id, atMs, actor, summary }) => html`<li key=${id}><${When} atMs=${atMs} as="minute" /> <strong>${actor}</strong> <span>${summary}</span></li>`)}</ul>`}
  <//>`;
}
