import type { AuditPage, Feed, Overview, Usage } from '../../generated/management-v1.d.ts';
import { TopOfKeys } from '../access/usage-page.ts';
import { conditions } from '../czech/conditions.ts';
import { SourcesTable } from '../feed/sources-table.ts';
import { auditText } from '../format/audit.ts';
import { bytesText, countText, figureText } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { spanText } from '../format/time.ts';
import { unpricedText } from '../format/words.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Badge, Empty, Facts, Loaded, Page, Section, Tile, When } from '../parts/blocks.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { rateText, useOverview } from '../shell/status.ts';
import { DayCharts } from './day-charts.ts';

/** The state of everything on one page. */
export function OverviewPage() {
  const polled = useOverview();
  return html`<${Page} title=${say('Overview')}>
    <${Loaded} polled=${polled}>${(overview: Overview) => html`<${Body} overview=${overview} receivedAtMs=${polled.receivedAtMs} />`}<//>
    <${Section} title=${say('Latest changes')} aside=${html`<a href=${hrefTo('audit')}>${say('Audit log')}</a>`}><${LatestChanges} /><//>
  <//>`;
}

function Body({ overview, receivedAtMs }: { overview: Overview; receivedAtMs: number }) {
  const { alerts, markets, notes, phase, ready } = overview;
  return html`<div>
    <${Section} title=${say('Needs attention')}><${Notes} notes=${notes} /><//>
    <${Section} title=${say('Alerts')}><${Alerts} alerts=${alerts} /><//>
    <${Tiles} overview=${overview} receivedAtMs=${receivedAtMs} />
    <${Section} title=${say('Sources')} aside=${html`<a href=${hrefTo('feed')}>${say('Feed and rates')}</a>`}><${Sources} /><//>
    <${Section} title=${say('Top keys')} aside=${html`<a href=${hrefTo('usage')}>${say('Usage')}</a>`}><${TopKeys} /><//>
    ${!ready && html`<div class="note warn"><p><strong>${say('Not ready for traffic: {phase}.', { phase: word(phase) })}</strong></p></div>`}
    <${Section} title=${say('Last 24 hours')}><${DayCharts} /><//>
    <div class="pair">
      <div>
        <${Section} title=${say('Markets')} aside=${html`<a href=${hrefTo('markets')}>${say('Live board')}</a>`}><${Markets} markets=${markets} /><//>
        <${Section} title=${say('Process')}><${Process} overview=${overview} /><//>
      </div>
      <${Section} title=${say('Requests')} aside=${html`<a href=${hrefTo('usage')}>${say('Usage')}</a>`}><${Requests} overview=${overview} /><//>
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

const levels = {
  critical: { word: say('now'), tone: 'bad' },
  warning: { word: say('soon'), tone: 'warn' },
  info: { word: say('known'), tone: 'plan' },
} as const;

/** What the service itself knows to be wrong or unusual, the most urgent first. */
function Notes({ notes }: { notes: Overview['notes'] }) {
  if (notes.length === 0) return html`<p><${Badge} state="nothing" tone="good" /></p>`;
  return html`<ul class="notes">${notes.map(
    ({ level, text, page, markets, condition }) => html`<li key=${text}>
      <${Badge} state=${levels[level].word} tone=${levels[level].tone} /> ${page === null ? saidText(text, condition, conditions) : html`<a href=${hrefTo(page)}>${saidText(text, condition, conditions)}</a>`}
      ${markets.map((symbol) => html` <a key=${symbol} href=${hrefTo('markets', symbol)}>${say('Open {symbol}', { symbol })}</a>`)}
    </li>`,
  )}</ul>`;
}

/** What holds now, by the names that the rules for Prometheus have for it. */
function Alerts({ alerts }: Pick<Overview, 'alerts'>) {
  if (alerts.length === 0) return html`<p><${Badge} state="nothing" tone="good" /></p>`;
  return html`<ul class="notes">${alerts.map(
    ({ name, subject, severity, summary, condition, sinceMs }) => html`<li key=${`${name} ${subject}`}>
      <${Badge} state=${levels[severity as keyof typeof levels].word} tone=${levels[severity as keyof typeof levels].tone} /> <code>${name}</code> ${saidText(summary, condition, conditions)} ${tell('since {instant}', { instant: html`<${When} atMs=${sinceMs} as="minute" />` })}
    </li>`,
  )}</ul>`;
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
