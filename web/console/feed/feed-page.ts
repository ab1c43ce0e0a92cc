import type {
  Feed as FeedBody,
  FeedHealth,
  FeedSpan,
  Rate,
  RateList,
  SourceFeed,
  SourceReload,
} from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { sourceChanges } from '../czech/said.ts';
import { counted, countText, grouped } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { dayText, spanText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { DoubtedMarkets } from '../market/doubts.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Missing, Page, Section, Tile, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';
import { SourcesTable } from './sources-table.ts';
import { dayMs, type Piece, piecesOf, summaryOf } from './spans.ts';

const feedEveryMs = 2_000;
const ratesEveryMs = 5_000;

/** Where the prices come from and how well they come. */
export function FeedPage() {
  const feed = usePolled<FeedBody>('feed', feedEveryMs);
  const rates = usePolled<RateList>('rates', ratesEveryMs);
  const reload = html`<${Allowed} role="operator"><${ReloadSources} onDone=${feed.refresh} /><//>`;
  return html`<${Page} title=${say('Feed and rates')} actions=${reload}>
    <${Loaded} polled=${feed}>${(body: FeedBody) => html`<${Feed} body=${body} receivedAtMs=${feed.receivedAtMs} />`}<//>
    <${Section} title=${say('Conversion rates')}>
      <${Loaded} polled=${rates}>${(body: RateList) => html`<${Rates} rates=${body.rates} receivedAtMs=${rates.receivedAtMs} />`}<//>
    <//>
  <//>`;
}

function ReloadSources({ onDone }: { onDone: () => void }) {
  const done = ({ changes, changeCodes }: SourceReload) => {
    toast(
      changes.length === 0
        ? say('Nothing has changed.')
        : say('The sources are reloaded: {changes}.', {
            changes: changes.map((change, at) => saidText(change, changeCodes[at], sourceChanges)).join('; '),
          }),
    );
    onDone();
  };
  return html`<${ConfirmButton}
    text=${say('Reload sources')}
    title=${say('Reload the sources?')}
    action=${say('Reload sources')}
    act=${() => post<SourceReload>('sources/reload')}
    onDone=${done}
  ><p>${say('This process reads its configuration again and takes over which sources there are, their order and which are paused. Those that stay as they are keep their connections. Where anything else changed, or is wrong, it takes over nothing.')}</p><//>`;
}

const pathWords: Readonly<Record<string, string>> = {
  live: say('all markets over WebSocket, from their first source'),
  fallback: say('some over REST, or from another source'),
};

function Feed({
  body: { path, flow, dataAgeMs, sources, timeline },
  receivedAtMs,
}: {
  body: FeedBody;
  receivedAtMs: number;
}) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  return html`<div>
    <div class="tiles">
      <${PathTile} path=${path} flow=${flow} />
      <${Tile} name=${say('Age of the data')}>${dataAgeMs === null ? html`<${Missing}>${say('none yet')}<//>` : spanText(dataAgeMs + laterMs)}<//>
      ${sources.map((source) => html`<${SourceTile} key=${source.id} source=${source} />`)}
    </div>
    <${Section} title=${say('Sources')}><${SourcesTable} sources=${sources} laterMs=${laterMs} /><//>
    <${Section} title=${say('Last 24 hours')}><${FeedTimeline} spans=${timeline} /><//>
    ${sources.map(
      ({ id, paused, health, doubts }) =>
        html`<${Section} key=${id} title=${say('Source {id}', { id })}><${DoubtedMarkets} doubts=${doubts} />${paused ? html`<p>${say('The configuration pauses it: nothing is asked of it.')}</p>` : html`<details><summary>${say('Counters since the start')}</summary><${Facts} rows=${figuresOf(health)} /></details>`}<//>`,
    )}
  </div>`;
}

/** How many markets a source streams, and what the exchange says of itself. */
function SourceTile({ source: { id, paused, health, doubts } }: { source: SourceFeed }) {
  if (paused)
    return html`<${Tile} name=${say('Markets of {id}', { id })} note=${say('by the configuration')}><${Badge} state="paused" /><//>`;
  const said =
    health.systemStatus === null
      ? say(health.connection === 'open' ? 'connected' : 'not connected')
      : word(health.systemStatus);
  return html`<${Tile} name=${say('Markets of {id}', { id })} note=${doubts.length === 0 ? said : `${said}, ${counted(doubts.length, 'doubted')}`}>${countText(health.symbolsSubscribed)} <small>${say('of {count}', { count: countText(health.symbolsWanted) })}</small><//>`;
}

/** The path that data comes over, or that it does not come. */
function PathTile({ path, flow }: Pick<FeedBody, 'path' | 'flow'>) {
  if (flow.state !== 'silent')
    return html`<${Tile} name=${say('Path')} note=${pathWords[path]}><${Badge} state=${path} /><//>`;
  const since =
    flow.sinceMs && tell('since {instant}', { instant: html`<${When} atMs=${flow.sinceMs} as="daySecond" />` });
  const note = html`${since}${since && '; '}${say('WebSocket and REST are tried again and again')}`;
  return html`<${Tile} name=${say('Path')} note=${note}><${Badge} state="no data" tone="bad" /><//>`;
}

function Rates({ rates, receivedAtMs }: { rates: readonly Rate[]; receivedAtMs: number }) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  if (rates.length === 0)
    return html`<${Empty} title=${say('No quote currency is converted.')}>${say('Name one under pricing.converted in the configuration.')}<//>`;
  return html`<${TableFrame} label=${say('Conversion rates')}><table>
    <thead><tr><th scope="col">${say('Pair')}</th><th scope="col" class="number">${say('Mid rate')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Source')}</th><th scope="col">${say('Fixing')}</th><th scope="col">${say('Read')}</th><th scope="col">${say('Valid until')}</th><th scope="col" class="number">${say('Margin')}</th><th scope="col">${say('Last attempt')}</th></tr></thead>
    <tbody>${rates.map((rate) => html`<${RateRow} key=${rate.quote} rate=${rate} laterMs=${laterMs} />`)}</tbody>
  </table><//>`;
}

function RateRow({ rate, laterMs }: { rate: Rate; laterMs: number }) {
  const none = html`<${Missing}>–<//>`;
  return html`<tr>
    <th scope="row">${rate.via}/${rate.quote}</th>
    <td class="number"><span class="exact">${rate.mid === null ? none : grouped(rate.mid)}</span></td>
    <td>${rate.valid ? html`<${Badge} state="valid" tone="good" />` : html`<${Badge} state="not valid" tone="bad" />`}</td>
    <td>${rate.source}</td>
    <td>${rate.fixingDate === null ? none : dayText(rate.fixingDate)}</td>
    <td>${rate.ageMs === null ? none : say('{span} ago', { span: spanText(rate.ageMs + laterMs) })}</td>
    <td>${rate.validUntilMs === null ? none : html`<${When} atMs=${rate.validUntilMs} />`}</td>
    <td class="number">${grouped(rate.marginPercent)} %</td>
    <td>${rate.lastOutcome === null ? none : word(rate.lastOutcome)}</td>
  </tr>`;
}

const width = 960;
const height = 36;
const listed = 12;

/** A day of the feed as a band: each state its own colour and its own height, and the same as a list. */
export function FeedTimeline({ spans }: { spans: readonly FeedSpan[] }) {
  const nowMs = serverNowMs();
  const pieces = piecesOf(spans, nowMs);
  if (pieces.length === 0)
    return html`<${Empty} title=${say('Nothing recorded yet.')}>${say('The timeline starts with the first data.')}<//>`;
  const x = (atMs: number) => ((atMs - (nowMs - dayMs)) / dayMs) * width;
  return html`<div class="timeline">
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${summaryOf(pieces)}>
      <rect class="unknown" x="0" y="0" width=${width} height=${height} />
      ${pieces.map(({ state, fromMs, toMs }) => {
        const tall = heights[state];
        return html`<rect key=${fromMs} class=${state} x=${x(fromMs)} y=${height - tall} width=${Math.max(2, x(toMs) - x(fromMs))} height=${tall} />`;
      })}
    </svg>
    <p class="scale small" aria-hidden="true"><span>${say('24 h ago')}</span><span>18 h</span><span>12 h</span><span>6 h</span><span>${say('now')}</span></p>
    <p class="band-legend small"><span class="mark live"></span> ${word('live')} <span class="mark fallback"></span> ${word('fallback')} <span class="mark outage"></span> ${word('outage')} <span class="mark unknown"></span> ${say('not known')}</p>
    <details><summary>${say('As a list')}</summary><${List} pieces=${pieces} /></details>
  </div>`;
}

const heights: Readonly<Record<FeedSpan['state'], number>> = {
  live: height,
  fallback: height * 0.66,
  outage: height * 0.33,
};

function List({ pieces }: { pieces: readonly Piece[] }) {
  const latest = [...pieces].reverse().slice(0, listed);
  return html`<${TableFrame} label=${say('States of the feed')}><table>
    <thead><tr><th scope="col">${say('State')}</th><th scope="col">${say('From')}</th><th scope="col">${say('To')}</th><th scope="col">${say('Lasted')}</th></tr></thead>
    <tbody>${latest.map(
      ({ state, fromMs, toMs, isOpen }) => html`<tr key=${fromMs}>
        <td><${Badge} state=${state} tone=${state === 'outage' ? 'bad' : undefined} /></td>
        <td><${When} atMs=${fromMs} as="daySecond" /></td>
        <td>${isOpen ? say('now') : html`<${When} atMs=${toMs} as="daySecond" />`}</td>
        <td>${spanText(toMs - fromMs)}</td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

type Row = readonly [name: string, value: Content];

/** The feed's figures in words. Those that are not known yet are left out. */
function figuresOf(health: FeedHealth): readonly Row[] {
  return [
    [say('Connection'), word(health.connection)],
    [say('Sessions'), countText(health.sessions)],
    [say('No request before'), instant(health.bannedUntilMs)],
    [say('Connections tried'), countText(health.epoch)],
    [say('Connections ended'), counts(health.connectionsEnded)],
    [say('Last live data'), instant(health.lastLiveDataAtMs)],
    [say('Behind the exchange'), health.upstreamLagMs === null ? undefined : `${countText(health.upstreamLagMs)} ms`],
    [say('Frames received'), countText(health.framesReceived)],
    [say('Frames dropped'), counts(health.framesDropped)],
    [say('Tickers taken'), countText(health.tickersTaken)],
    [say('Tickers refused'), counts(health.tickersRejected)],
    [say('Statistics left out'), counts(health.statisticsLeftOut)],
    [say('Markets quiet'), countText(health.symbolsQuiet)],
    [say('Live and REST differ'), countText(health.symbolsDoubted)],
    [say('Markets refused'), health.symbolsRejected.join(', ') || say('none')],
    [say('Last poll over REST'), instant(health.lastFallbackPollAtMs)],
    [say('Polls over REST'), counts(health.polls)],
    [say('Catalogue read'), instant(health.lastCatalogueAtMs)],
    [say('Catalogue loads'), counts(health.catalogueLoads)],
    [say('Pairs left out'), countText(health.pairsSkipped)],
  ];
}

function instant(atMs: number | null): Content {
  return atMs === null ? undefined : html`<${When} atMs=${atMs} as="daySecond" />`;
}

/** `3 ok, 1 timeout` */
function counts(byName: Readonly<Record<string, number>>): string {
  const entries = Object.entries(byName).filter(([, times]) => times > 0);
  return entries.map(([name, times]) => `${countText(times)} ${word(name)}`).join(', ') || say('none');
}
