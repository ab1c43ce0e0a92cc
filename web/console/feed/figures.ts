import type { FeedHealth } from '../api/answers.ts';
import { countText } from '../format/decimal.ts';
import { spaced } from '../format/words.ts';
import { type Content, html } from '../html.ts';
import { When } from '../parts/words.ts';

type Row = readonly [name: string, value: Content];

/** The feed's figures in words. What the service does not tell is left out. */
export function figuresOf(health: FeedHealth): readonly Row[] {
  return [
    ['Connection', typeof health.connection === 'string' ? spaced(health.connection) : undefined],
    ['Connections tried', count(health.epoch)],
    ['Connections ended', counts(health.connectionsEnded)],
    ['Last live data', instant(health.lastLiveDataAtMs)],
    [
      'Behind the exchange',
      typeof health.upstreamLagMs === 'number' ? `${countText(health.upstreamLagMs)} ms` : undefined,
    ],
    ['Frames received', count(health.framesReceived)],
    ['Frames dropped', counts(health.framesDropped)],
    ['Tickers taken', count(health.tickersTaken)],
    ['Tickers refused', counts(health.tickersRejected)],
    ['Markets quiet', count(health.symbolsQuiet)],
    ['Markets in doubt', count(health.symbolsDoubted)],
    ['Markets refused', symbols(health.symbolsRejected)],
    ['Last poll over REST', instant(health.lastFallbackPollAtMs)],
    ['Polls over REST', counts(health.polls)],
    ['Catalogue read', instant(health.lastCatalogueAtMs)],
    ['Catalogue loads', counts(health.catalogueLoads)],
    ['Pairs left out', count(health.pairsSkipped)],
  ];
}

function count(value: unknown): Content {
  return typeof value === 'number' ? countText(value) : undefined;
}

function instant(value: unknown): Content {
  return typeof value === 'number' ? html`<${When} atMs=${value} as="daySecond" />` : undefined;
}

/** `3 ok, 1 timeout` */
function counts(value: unknown): Content {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).filter(([, times]) => typeof times === 'number' && times > 0);
  if (entries.length === 0) return 'none';
  return entries.map(([name, times]) => `${countText(times as number)} ${spaced(name)}`).join(', ');
}

function symbols(value: unknown): Content {
  if (!Array.isArray(value)) return undefined;
  return value.length === 0 ? 'none' : value.join(', ');
}
