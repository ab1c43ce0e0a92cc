import type { FeedHealth } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { spaced } from '../format/words.ts';
import { type Content, html } from '../html.ts';
import { When } from '../parts/words.ts';

type Row = readonly [name: string, value: Content];

/** The feed's figures in words. Those that are not known yet are left out. */
export function figuresOf(health: FeedHealth): readonly Row[] {
  return [
    ['Connection', spaced(health.connection)],
    ['Connections tried', countText(health.epoch)],
    ['Connections ended', counts(health.connectionsEnded)],
    ['Last live data', instant(health.lastLiveDataAtMs)],
    ['Behind the exchange', health.upstreamLagMs === null ? undefined : `${countText(health.upstreamLagMs)} ms`],
    ['Frames received', countText(health.framesReceived)],
    ['Frames dropped', counts(health.framesDropped)],
    ['Tickers taken', countText(health.tickersTaken)],
    ['Tickers refused', counts(health.tickersRejected)],
    ['Markets quiet', countText(health.symbolsQuiet)],
    ['Markets in doubt', countText(health.symbolsDoubted)],
    ['Markets refused', health.symbolsRejected.join(', ') || 'none'],
    ['Last poll over REST', instant(health.lastFallbackPollAtMs)],
    ['Polls over REST', counts(health.polls)],
    ['Catalogue read', instant(health.lastCatalogueAtMs)],
    ['Catalogue loads', counts(health.catalogueLoads)],
    ['Pairs left out', countText(health.pairsSkipped)],
  ];
}

function instant(atMs: number | null): Content {
  return atMs === null ? undefined : html`<${When} atMs=${atMs} as="daySecond" />`;
}

/** `3 ok, 1 timeout` */
function counts(byName: Readonly<Record<string, number>>): string {
  const entries = Object.entries(byName).filter(([, times]) => times > 0);
  return entries.map(([name, times]) => `${countText(times)} ${spaced(name)}`).join(', ') || 'none';
}
