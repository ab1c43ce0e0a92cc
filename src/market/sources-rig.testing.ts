import assert from 'node:assert/strict';
import { Guard } from './guard.ts';
import { Markets } from './markets.ts';
import {
  after,
  decimal,
  EUR,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { Reach } from './source-choice.ts';
import type { SourceRules } from './source-lists.ts';
import { reviewSources } from './source-review.ts';

export const BTCEUR = symbol('BTCEUR');
const guardRules = {
  jumpPercent: decimal('10'),
  disagreePercent: decimal('2'),
  ceilingPercent: decimal('100'),
  spreadPercent: decimal('10'),
  ratePercent: decimal('3'),
  confirmAfterMs: 10_000,
};

/** A market room with the sources `one`, `two` and `three`, each with BTCEUR, and what the feed says of them. */
export class SourcesRig {
  readonly markets: Markets;
  readonly reaches = new Map<string, Reach>();
  /** Sources that gave no price since they were last connected. */
  readonly unheard = new Set<string>();
  nowMs = 0;

  constructor(changes: Partial<SourceRules> = {}, quotes = [EUR]) {
    const rules: SourceRules = {
      ids: ['one', 'two', 'three'],
      lists: new Map(),
      mode: 'primary',
      returnAfterMs: 60_000,
      ...changes,
    };
    const selection = { quotes: new Set(quotes), symbols: 'all' as const };
    this.markets = new Markets(pricingPolicy(), selection, new Guard(guardRules), rules);
  }

  /** Gives what a restart keeps. */
  kept() {
    const { catalogue } = this.markets;
    return { records: catalogue.records(), listed: catalogue.listedBySource(), ...this.markets.contents() };
  }

  list(source: string, markets = [upstreamMarket('BTC')], atMs = 0) {
    return this.markets.catalogueLoaded(markets, after(start, atMs), undefined, source);
  }

  tick(source: string, bid: string, changes: Parameters<typeof upstreamTicker>[0] = {}) {
    const receivedAt = after(start, this.nowMs);
    const ask = decimal(`${Number(bid) + 1}`);
    const ticker = upstreamTicker({ bid: decimal(bid), ask, receivedAt, upstreamTime: receivedAt, ...changes });
    return this.markets.tickerReceived(ticker, this.markets.sources.find(source)!);
  }

  /** @param reaches how `one`, `two` and `three` have the market */
  review(...reaches: Reach[]) {
    for (const [index, reach] of reaches.entries()) this.reaches.set(['one', 'two', 'three', 'four'][index]!, reach);
    const facts = {
      reach: (source: string) => this.reaches.get(source) ?? 'silent',
      isHeard: (source: string) => !this.unheard.has(source),
      isLive: (source: string) => this.reaches.get(source) === 'live',
    };
    return reviewSources(this.markets, facts, { now: after(start, this.nowMs), nowMs: this.nowMs });
  }

  get used() {
    return this.markets.acceptedTicker(BTCEUR)?.source;
  }
}

export function threeLive(changes: Partial<SourceRules> = {}): SourcesRig {
  const rig = new SourcesRig(changes);
  for (const [index, source] of ['one', 'two', 'three'].entries()) {
    rig.list(source);
    rig.tick(source, `${84_000 + index * 10}`);
  }
  assert.equal(rig.review('live', 'live', 'live').isDegraded, false);
  return rig;
}
