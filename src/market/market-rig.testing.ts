import assert from 'node:assert/strict';
import { Guard, type GuardRules } from './guard.ts';
import { Markets } from './markets.ts';
import type { PricingPolicy } from './pricing.ts';
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
import type { Serving } from './served-price.ts';
import type { Reach } from './source-choice.ts';
import type { SourceRules } from './source-lists.ts';
import { reviewSources } from './source-review.ts';
import type { CurrencyCode } from './symbol.ts';

export const BTCEUR = symbol('BTCEUR');
/** The defaults. */
export const guardRules: GuardRules = {
  jumpPercent: decimal('10'),
  disagreePercent: decimal('2'),
  ceilingPercent: decimal('100'),
  spreadPercent: decimal('10'),
  ratePercent: decimal('3'),
  confirmAfterMs: 10_000,
};

/** By default the sources `one`, `two` and `three`; a better one has to be back for a minute. */
export function sourceRules(changes: Partial<SourceRules> = {}): SourceRules {
  return { ids: ['one', 'two', 'three'], lists: new Map(), mode: 'primary', returnAfterMs: 60_000, ...changes };
}

interface MarketParts {
  /** Without any there is a single source, which needs no name. */
  readonly sources?: SourceRules | undefined;
  /** `undefined`: nothing is judged. */
  readonly guard?: Guard | undefined;
  readonly policy?: Partial<PricingPolicy>;
  readonly quotes?: readonly CurrencyCode[];
}

/** A market room without any market yet, with fees and a conversion into CZK. */
export function marketsWith({ sources, guard, policy = {}, quotes = [EUR] }: MarketParts = {}): Markets {
  const selection = { quotes: new Set(quotes), symbols: 'all' as const };
  return new Markets(pricingPolicy(policy), selection, guard, sources);
}

/** A market room with the sources `one`, `two` and `three`, each with BTCEUR, and what the feed says of them. */
export class MarketRig {
  readonly markets: Markets;
  readonly reaches = new Map<string, Reach>();
  /** Sources that gave no price since they were last connected. */
  readonly unheard = new Set<string>();
  nowMs = 0;

  constructor(changes: Partial<SourceRules> = {}, parts: Omit<MarketParts, 'sources'> = {}) {
    this.markets = marketsWith({ guard: new Guard(guardRules), ...parts, sources: sourceRules(changes) });
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
    const { serving, changed } = this.#reviewed(reaches);
    return { isDegraded: serving.lesser > 0, changed };
  }

  /** Reviews the same, and gives how prices are served then. */
  serving(...reaches: Reach[]): Serving {
    return this.#reviewed(reaches).serving;
  }

  #reviewed(reaches: readonly Reach[]) {
    for (const [index, reach] of reaches.entries()) this.reaches.set(['one', 'two', 'three', 'four'][index]!, reach);
    const facts = {
      reach: (source: string) => this.reaches.get(source) ?? 'silent',
      isHeard: (source: string) => !this.unheard.has(source),
      isQuiet: () => false,
      isLive: (source: string) => this.reaches.get(source) === 'live',
    };
    return reviewSources(this.markets, facts, { now: after(start, this.nowMs), nowMs: this.nowMs });
  }

  get used() {
    return this.markets.acceptedTicker(BTCEUR)?.source;
  }
}

export function threeLive(changes: Partial<SourceRules> = {}): MarketRig {
  const rig = new MarketRig(changes);
  for (const [index, source] of ['one', 'two', 'three'].entries()) {
    rig.list(source);
    rig.tick(source, `${84_000 + index * 10}`);
  }
  assert.equal(rig.review('live', 'live', 'live').isDegraded, false);
  return rig;
}
