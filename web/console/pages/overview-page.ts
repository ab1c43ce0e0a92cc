import type { AuditPage, Feed, Overview, Usage } from '../../generated/management-v1.d.ts';
import { TopOfKeys } from '../access/usage-page.ts';
import { SourcesTable } from '../feed/sources-table.ts';
import { auditText } from '../format/audit.ts';
import { bytesText, countText, figureText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { unpricedText } from '../format/words.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Badge, Empty, Facts, FoldedSection, Loaded, Page, Section, Tile, When } from '../parts/blocks.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { rateText, useOverview } from '../shell/status.ts';
import { Attention } from './attention.ts';
import { DayCharts } from './day-charts.ts';

/** The state of everything on one page, what is wrong first. On a phone the rest is folded. */
export function OverviewPage() {
  const polled = useOverview();
  return html`<${Page} title=${say('Overview')}>
    <${Loaded} polled=${polled}>${(overview: Overview) => html`<${Body} overview=${overview} receivedAtMs=${polled.receivedAtMs} />`}<//>
    <${FoldedSection} title=${say('Latest changes')} aside=${html`<a href=${hrefTo('audit')}>${say('Audit log')}</a>`}>${() => html`<${LatestChanges} />`}<//>
  <//>`;
}

function Body({ overview, receivedAtMs }: { overview: Overview; receivedAtMs: number }) {
  const { markets, phase, ready } = overview;
  const usage = html`<a href=${hrefTo('usage')}>${say('Usage')}</a>`;
  return html`<div>
    ${!ready && html`<div class="note warn"><p><strong>${say('Not ready for traffic: {phase}.', { phase: word(phase) })}</strong></p></div>`}
    <${Section} title=${say('Needs attention')} aside=${html`<a href=${hrefTo('alerts')}>${say('Alerts')}</a>`}><${Attention} overview=${overview} /><//>
    <${Tiles} overview=${overview} receivedAtMs=${receivedAtMs} />
    <${Section} title=${say('Sources')} aside=${html`<a href=${hrefTo('feed')}>${say('Feed and rates')}</a>`}><${Sources} /><//>
    <${FoldedSection} title=${say('Top keys')} aside=${usage}>${() => html`<${TopKeys} />`}<//>
    <${FoldedSection} title=${say('Last 24 hours')}>${() => html`<${DayCharts} />`}<//>
    <div class="pair">
      <div>
        <${FoldedSection} title=${say('Markets')} aside=${html`<a href=${hrefTo('markets')}>${say('Live board')}</a>`}>${() => html`<${Markets} markets=${markets} />`}<//>
        <${FoldedSection} title=${say('Process')}>${() => html`<${Process} overview=${overview} />`}<//>
      </div>
      <${FoldedSection} title=${say('Requests')} aside=${usage}>${() => html`<${Requests} overview=${overview} />`}<//>
    </div>
  </div>`;
}

const sourcesEveryMs = 2_000;

function Sources() {
  const polled = usePolled<Feed>('feed', sourcesEveryMs);
  const laterMs = Math.max(0, useTicking() - polled.receivedAtMs);
  return html`<${Loaded} polled=${polled}>${({ sources }: Feed) => html`<${SourcesTable} sources=${sources} laterMs=${laterMs} />`}<//>`;
}

const topMax = 5;

function TopKeys() {
  const polled = usePolled<Usage>('usage', changesEveryMs);
  return html`<${Loaded} polled=${polled}>${({ keys }: Usage) => html`<${TopOfKeys} keys=${keys} max=${topMax} />`}<//>`;
}

function Tiles({ overview, receivedAtMs }: { overview: Overview; receivedAtMs: number }) {
  const { status, dataAgeMs, markets, requests, connections, keys } = overview;
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  const without = Object.values(markets.unpriced).reduce((sum, count) => sum + count, 0);
  return html`<div class="tiles">
    <${Tile} name=${say('Status for clients')} note="GET /v1/status"><${Badge} state=${status.status} /><//>
    <${Tile} name=${say('Age of the data')}>${dataAgeMs === null ? say('none yet') : spanText(dataAgeMs + laterMs)}<//>
    <${Tile} name=${say('Markets with a price')} note=${without === 0 ? say('none without') : html`<a href=${hrefWith(['markets'], { price: 'none' })}>${say('{count} without', { count: countText(without) })}</a>`}>${countText(markets.priced)}<//>
    <${Tile} name=${say('Requests')} note=${say('last 10 seconds')}>${rateText(requests.perSecond)}<//>
    <${Tile} name=${say('Connections open')}>${countText(connections.open)}<//>
    <${Tile} name=${say('Keys held')}>${countText(keys.held)}<//>
  </div>`;
}

function Markets({ markets }: { markets: Overview['markets'] }) {
  const link = (text: string, query: Record<string, string>) =>
    html`<a href=${hrefWith(['markets'], query)}>${text}</a>`;
  const without = Object.entries(markets.unpriced).filter(([, count]) => count > 0);
  return html`<${Facts}
    isDense
    rows=${[
      [say('Listed'), countText(markets.listed)],
      [say('Trading'), link(countText(markets.trading), { status: 'trading' })],
      [say('Paused'), link(countText(markets.paused), { status: 'paused' })],
      [say('Delisted'), link(countText(markets.delisted), { status: 'delisted' })],
      ...without.map(([reason, count]) => [unpricedText(reason), link(countText(count), { price: 'none' })] as const),
    ]}
  />`;
}

function Requests({ overview: { requests, connections } }: { overview: Overview }) {
  const { total, byStatusClass, problems, limited } = requests;
  return html`<div>
    <${Counts} title=${say('Answers since the start')} counts=${{ [say('all')]: total, ...sorted(byStatusClass) }} />
    <${Counts} title=${say('Problems by code')} counts=${byMost(problems)} />
    <${Counts} title=${say('Refused by limits')} counts=${renamed(limited)} />
    <${Counts} title=${say('Connections')} counts=${{ [say('dropped')]: connections.dropped, [say('cut')]: connections.cut }} />
  </div>`;
}

type CountsByName = Readonly<Record<string, number>>;

const limitWords: Readonly<Record<string, string>> = {
  key: say('of a key'),
  address: say('of an address'),
  failedAuthentication: say('of failed authentication'),
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
    ${entries.length === 0 ? html`<p class="missing">${say('none')}</p>` : html`<dl class="counts">${entries.map(([name, count]) => html`<div key=${name}><dt>${name}</dt><dd>${countText(count)}</dd></div>`)}</dl>`}`;
}

function Process({ overview }: { overview: Overview }) {
  const { version, phase, startedAtMs, uptimeSeconds, residentBytes, eventLoopDelayP99Ms, storeReachable, notices } =
    overview;
  return html`<${Facts}
    rows=${[
      [say('Version'), version],
      [say('Phase'), word(phase)],
      [
        say('Uptime'),
        tell('{span}, since {instant}', {
          span: spanText(uptimeSeconds * 1_000),
          instant: html`<${When} atMs=${startedAtMs} as="full" />`,
        }),
      ],
      [say('Memory'), bytesText(residentBytes)],
      [say('Event loop delay (p99)'), `${figureText(eventLoopDelayP99Ms)} ms`],
      [
        say('Database'),
        html`<${Badge} state=${storeReachable ? 'answers' : 'does not answer'} tone=${storeReachable ? 'good' : 'bad'} />`,
      ],
      [
        say('Notices'),
        html`<a href=${hrefTo('notices')}>${say('{count} pending', { count: countText(notices.pending) })}</a>${notices.mailConfigured ? '' : `, ${say('no mail server')}`}`,
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
        ? html`<${Empty} title=${say('No changes yet.')} />`
        : html`<ul class="plain log">${entries.map((entry) => html`<li key=${entry.id}><${When} atMs=${entry.atMs} as="minute" /> <strong>${entry.actor}</strong> <span>${auditText(entry)}</span></li>`)}</ul>`}
  <//>`;
}
