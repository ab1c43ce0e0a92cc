import { Backoff } from '../backoff.ts';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamMarket, UpstreamMarketStatus } from '../market/upstream.ts';
import type { Catalogue, ExchangeConnector, LivePair } from './connector.ts';
import type { FeedCounters } from './health.ts';
import { Loop } from './loop.ts';
import type { FeedTiming } from './timing.ts';
import { asUpstreamError } from './upstream-error.ts';

export interface CatalogueKeeperOptions {
  readonly connector: Pick<ExchangeConnector, 'loadCatalogue'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly timing: FeedTiming;
  readonly counters: FeedCounters;
}

export interface CatalogueKeeperOutput {
  /** Gives how many known markets the load lacked. */
  loaded(markets: readonly UpstreamMarket[], at: EpochMs): number;
  statusChanged(symbol: MarketSymbol, status: UpstreamMarketStatus, at: EpochMs): void;
}

interface KnownStatus {
  readonly status: LivePair['status'];
  /** Monotonic. */
  readonly knownAtMs: number;
}

/** Names remembered so that one announced pair causes one load; a bound, far above any exchange's catalogue. */
const announcedMax = 10_000;

/** Loads the catalogue from time to time, and at once when the live connection tells of a change. */
export class CatalogueKeeper {
  readonly #options: CatalogueKeeperOptions;
  readonly #output: CatalogueKeeperOutput;
  readonly #loop: Loop;
  readonly #backoff: Backoff;
  readonly #statuses = new Map<MarketSymbol, KnownStatus>();
  readonly #announced = new Set<string>();
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #lastLoadAt: EpochMs | undefined;
  #skippedNames = '';
  #pairsSkipped = 0;

  constructor(options: CatalogueKeeperOptions, output: CatalogueKeeperOutput) {
    this.#options = options;
    this.#output = output;
    this.#loop = new Loop(options.clock, (signal) => this.#load(signal));
    this.#backoff = new Backoff(options.randomness, { minMs: 1_000, maxMs: options.timing.catalogueRetryMaxMs });
  }

  get lastLoadAt(): EpochMs | undefined {
    return this.#lastLoadAt;
  }

  get pairsSkipped(): number {
    return this.#pairsSkipped;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Takes what the live connection tells of pairs: a new state is passed on, a new or delisted pair causes a load. */
  pairsSeen(pairs: readonly LivePair[]): void {
    for (const pair of pairs) {
      if (pair.symbol !== undefined && this.#statuses.has(pair.symbol)) this.#statusSeen(pair.symbol, pair.status);
      else if (pair.symbol === undefined && pair.ours) this.#newPairSeen(pair);
    }
  }

  #statusSeen(symbol: MarketSymbol, status: LivePair['status']): void {
    const { clock, log } = this.#options;
    const before = this.#statuses.get(symbol)?.status;
    this.#statuses.set(symbol, { status, knownAtMs: clock.monotonicMs() });
    if (status === before) return;
    log.info({ symbol, status }, 'the exchange changed the state of a market');
    this.#output.statusChanged(symbol, marketStatus(status), clock.now());
    if (status === 'delisted') this.#reloadSoon();
  }

  #newPairSeen(pair: LivePair): void {
    if (pair.status === 'delisted' || this.#announced.has(pair.name) || this.#announced.size >= announcedMax) return;
    this.#announced.add(pair.name);
    this.#reloadSoon();
  }

  #reloadSoon(): void {
    const { clock, timing } = this.#options;
    const sinceLoadMs = clock.monotonicMs() - this.#loadedAtMs;
    this.#loop.wakeWithin(Math.max(0, timing.catalogueSpacingMs - sinceLoadMs));
  }

  async #load(signal: AbortSignal): Promise<number> {
    const { connector, clock, log, counters } = this.#options;
    const askedAtMs = clock.monotonicMs();
    try {
      const catalogue = await connector.loadCatalogue(signal);
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      this.#reportSkipped(catalogue);
      if (catalogue.markets.length > 0) return this.#taken(catalogue.markets, askedAtMs);
      counters.catalogueLoadEnded('empty');
      log.warn({}, 'the catalogue holds no market of the configured quote currencies');
      return this.#backoff.nextMs();
    } catch (thrown) {
      const error = asUpstreamError(thrown);
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      counters.catalogueLoadEnded(error.kind);
      log.warn({ kind: error.kind, detail: error.message }, 'the catalogue could not be loaded');
      return (error.retryAfterMs ?? 0) + this.#backoff.nextMs();
    }
  }

  #taken(loaded: readonly UpstreamMarket[], askedAtMs: number): number {
    const { clock, timing, counters, randomness } = this.#options;
    this.#loadedAtMs = clock.monotonicMs();
    this.#lastLoadAt = clock.now();
    this.#backoff.reset();
    counters.catalogueLoadEnded('ok');
    const markets = loaded.map((market) => this.#withNewerStatus(market, askedAtMs));
    const missing = this.#output.loaded(markets, this.#lastLoadAt);
    const spread = 0.9 + 0.2 * randomness.fraction();
    return (missing > 0 ? timing.catalogueRecheckMs : timing.catalogueReloadMs) * spread;
  }

  /** A state the live connection told of after the question was sent is newer than the answer. */
  #withNewerStatus(market: UpstreamMarket, askedAtMs: number): UpstreamMarket {
    const known = this.#statuses.get(market.symbol);
    if (known !== undefined && known.knownAtMs >= askedAtMs) return { ...market, status: marketStatus(known.status) };
    this.#statuses.set(market.symbol, { status: market.status, knownAtMs: askedAtMs });
    return market;
  }

  #reportSkipped(catalogue: Catalogue): void {
    this.#pairsSkipped = catalogue.skipped.length;
    const names = catalogue.skipped.map((pair) => `${pair.name}: ${pair.reason}`).join('; ');
    if (names !== '' && names !== this.#skippedNames) {
      this.#options.log.warn({ skipped: catalogue.skipped.slice(0, 50) }, 'pairs without what a market needs');
    }
    this.#skippedNames = names;
  }
}

function marketStatus(status: LivePair['status']): UpstreamMarketStatus {
  return status === 'trading' ? 'trading' : 'paused';
}
