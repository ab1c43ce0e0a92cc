import type { FeedHealth, SourceFeed } from '../../generated/management-v1.d.ts';
import { counted, countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { say, word } from '../language.ts';
import { DoubtedMarkets } from '../market/doubts.ts';
import { Badge, Facts, Missing, When } from '../parts/blocks.ts';
import { Trend } from '../parts/pictures.ts';
import { hrefTo } from '../router.ts';
import { percentOf, verdictOf, verdictTones } from './verdict.ts';

interface CardProps {
  readonly source: SourceFeed;
  readonly laterMs: number;
}

/** Everything of one source: whether it is all right, what it serves, how old that is, and what is doubted of it. */
export function SourceCard({ source, laterMs }: CardProps) {
  const { id, paused, health, doubts } = source;
  const verdict = verdictOf(source);
  return html`<article class="section source" aria-label=${id}>
    <header class="section-head"><h3>${id}</h3><${Badge} state=${verdict} tone=${verdictTones[verdict]}>${word(verdict)}<//></header>
    ${
      paused
        ? html`<p>${say('The configuration pauses it: nothing is asked of it.')}</p>`
        : html`<${Facts} isDense rows=${rowsOf(source, laterMs)} />`
    }
    <${DoubtedMarkets} doubts=${doubts} />
    ${!paused && html`<details><summary>${say('Counters since the start')}</summary><${Facts} rows=${figuresOf(health)} /></details>`}
  </article>`;
}

type Row = readonly [name: string, value: Content];

function rowsOf({ health, served, trend }: SourceFeed, laterMs: number): readonly Row[] {
  const { lastLiveDataAgeMs: ageMs, upstreamLagMs: lagMs, symbolsSubscribed, symbolsWanted } = health;
  const none = html`<${Missing}>–<//>`;
  const { oldest } = served;
  return [
    [say('Serves'), html`${serves(served)}${served.polled > 0 && polledPart(served)}`],
    [say('Age'), ageMs === null ? none : spanText(ageMs + laterMs)],
    [
      say('Oldest price'),
      oldest === null
        ? none
        : html`${spanText(oldest.ageMs + laterMs)} <small><a href=${hrefTo('markets', oldest.market)}>${oldest.market}</a></small>`,
    ],
    [
      say('Subscribed'),
      html`${say('{count} of {all}', { count: countText(symbolsSubscribed), all: countText(symbolsWanted) })} <small>${said(health)}</small>`,
    ],
    [say('Behind'), lagMs === null ? none : `${countText(Math.round(lagMs))} ms`],
    [say('Refused'), countText(Object.values(health.tickersRejected).reduce((sum, count) => sum + count, 0))],
    [say('Last hour'), html`<${Trend} values=${trend} />`],
  ];
}

function serves({ markets }: SourceFeed['served']): string {
  return markets === 0 ? say('no price now') : counted(markets, 'price');
}

function polledPart({ polled, markets }: SourceFeed['served']): Content {
  return html` <small>${say('{percent} % over REST', { percent: percentOf(polled, markets) })}</small>`;
}

/** What the exchange says of itself; otherwise whether there is a connection. */
function said({ systemStatus, connection }: FeedHealth): string {
  return systemStatus === null ? say(connection === 'open' ? 'connected' : 'not connected') : word(systemStatus);
}

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
