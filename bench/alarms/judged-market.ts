import { fromYaml } from '../../src/configuration/configuration.testing.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import { Guard, type GuardRules } from '../../src/market/guard.ts';
import { Markets } from '../../src/market/markets.ts';
import { reviewSources } from '../../src/market/source-review.ts';
import type { CurrencyCode, MarketSymbol } from '../../src/market/symbol.ts';
import type { FeedPath, UpstreamTicker } from '../../src/market/upstream.ts';

/** What is judged by: the guard's settings and `pricing.returnAfter`. */
export interface Judging extends GuardRules {
  readonly returnAfterMs: number;
}

const { guard, pricing } = fromYaml('');

/** Those of a configuration that says nothing else. */
export const defaults: Judging = { ...guard, returnAfterMs: pricing.returnAfterMs };

/** What a source quotes, as numbers: their digits are of no matter here. */
export interface Quoted {
  readonly bid: number;
  readonly ask: number;
  readonly low24h: number;
  readonly high24h: number;
}

export const doubtNames = ['jump', 'range', 'spread', 'contradicted', 'not_comparable', 'off_level'] as const;

/** Doubts that began, by reason, and how long the market was affected. */
export interface Alarms {
  readonly began: Record<(typeof doubtNames)[number], number>;
  /** A newer price of the source in use was withheld, or that source was kept out. */
  heldMs: number;
  /** The market had no price. */
  unpricedMs: number;
  /** A source other than the first made the price. */
  elsewhereMs: number;
}

const EUR = 'EUR' as CurrencyCode;
const symbol = 'XXXEUR' as MarketSymbol;

/**
 * One market of the service's own market room, with its guard and its choice of source, on a clock that is only passed
 * in.
 */
export class JudgedMarket {
  readonly alarms: Alarms = {
    began: { jump: 0, range: 0, spread: 0, contradicted: 0, not_comparable: 0, off_level: 0 },
    heldMs: 0,
    unpricedMs: 0,
    elsewhereMs: 0,
  };
  readonly #markets: Markets;
  readonly #ids: readonly string[];
  readonly #held = new Set<number>();
  #offLevel: ReadonlySet<string> = new Set();
  #reviewedAt: number | undefined;

  constructor(sources: number, judging: Judging, startedAt: number) {
    this.#ids = Array.from({ length: sources }, (_, index) => `source-${index + 1}`);
    const policy = {
      feePercent: '0.5' as DecimalString,
      converted: new Map(),
      pricePrecision: new Map(),
      rateValidForMs: 3_600_000,
    };
    const rules = { ids: this.#ids, lists: new Map(), mode: 'primary' as const, returnAfterMs: judging.returnAfterMs };
    const selection = { quotes: new Set([EUR]), symbols: 'all' as const };
    this.#markets = new Markets(policy, selection, new Guard(judging), rules);
    for (const id of this.#ids) this.#markets.catalogueLoaded([market], startedAt as EpochMs, undefined, id);
    this.#markets.observe({
      sourceDoubted: (_, __, now, was) => {
        const name = doubtNames.find((each) => each === now?.reason);
        if (name !== undefined && was?.reason !== now?.reason) this.alarms.began[name]++;
      },
    });
  }

  /** Whether the guard holds what a source sent last: then it is polled over REST. */
  isHeld(source: number): boolean {
    return this.#held.has(source);
  }

  /** The prices that clients' prices are made of. */
  get served(): { readonly bid: number; readonly ask: number } | undefined {
    const served = this.#markets.acceptedTicker(symbol);
    return served && { bid: Number(served.bid), ask: Number(served.ask) };
  }

  quoted(source: number, quoted: Quoted, path: FeedPath, atMs: number): void {
    const rejection = this.#markets.tickerReceived(tickerOf(quoted, path, atMs), this.#markets.sources.all[source]);
    if (rejection === 'held') this.#held.add(source);
    else this.#held.delete(source);
  }

  /** As twice a second in the service. */
  review(atMs: number): void {
    const now = atMs as EpochMs;
    reviewSources(
      this.#markets,
      { reach: () => 'live', isHeard: () => true, isQuiet: () => false, isAwaited: () => true, isLive: () => true },
      { now, nowMs: atMs },
    );
    const { sources } = this.#markets;
    const offLevel = new Set(
      sources.states(symbol).flatMap(({ id, exclusion }) => (exclusion === 'off_level' ? [id] : [])),
    );
    for (const id of offLevel) if (!this.#offLevel.has(id)) this.alarms.began.off_level++;
    this.#offLevel = offLevel;
    const passedMs = atMs - (this.#reviewedAt ?? atMs);
    this.#reviewedAt = atMs;
    if (this.#markets.doubts().has(symbol)) this.alarms.heldMs += passedMs;
    if (this.#markets.unpricedFrom(symbol) <= atMs) this.alarms.unpricedMs += passedMs;
    if ((sources.used(symbol) ?? sources.first) !== sources.first) this.alarms.elsewhereMs += passedMs;
  }
}

const market = {
  symbol,
  base: 'XXX' as CurrencyCode,
  quote: EUR,
  status: 'trading' as const,
  pricePrecision: 8,
  amountPrecision: 8,
  tickSize: '0.00000001' as DecimalString,
  minOrderSize: '0.00000001' as DecimalString,
  minOrderValue: undefined,
};

function tickerOf({ bid, ask, low24h, high24h }: Quoted, path: FeedPath, atMs: number): UpstreamTicker {
  const text = (price: number) => price.toPrecision(9) as DecimalString;
  return {
    symbol,
    bid: text(bid),
    ask: text(ask),
    last: text(bid),
    high24h: text(high24h),
    low24h: text(low24h),
    volume24h: '1' as DecimalString,
    vwap24h: undefined,
    priceChangePercent24h: undefined,
    path,
    upstreamTime: undefined,
    askedAt: atMs as EpochMs,
    receivedAt: atMs as EpochMs,
  };
}
