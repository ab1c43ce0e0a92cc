import { Backoff } from '../ground/backoff.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type {
  CatalogueReport,
  ListedMarket,
  ListedStatus,
  SkippedPair,
  UpstreamMarketStatus,
  UpstreamTicker,
} from '../market/upstream.ts';
import { AnnouncedTerms } from './announced-terms.ts';
import type { Catalogue, LivePair } from './connector.ts';
import { FinerPrices } from './finer-prices.ts';
import { countOne } from './health.ts';
import type { FeedParts } from './parts.ts';
import { Loop } from './timers.ts';
import type { UpstreamError } from './wire.ts';

/** Names remembered so that one announced pair causes one load; the bound is far above any exchange's catalogue. */
/** An exchange that has not answered within this time of the start may be out of reach. */
const awaitedForMs = 2_000;
const announcedMax = 10_000;
/** The shortest time between two loads where a price is finer than the list says. */
const finerSpacingMs = 5_000;

/** Loads the catalogue periodically, and early when the live connection announces a change. */
export class CatalogueKeeper extends Loop {
  readonly #parts: FeedParts;
  readonly #loaded: (catalogue: Catalogue, at: EpochMs) => CatalogueReport;
  readonly #backoff: Backoff;
  /** By the monotonic clock. */
  readonly #statuses = new Map<MarketSymbol, Pick<LivePair, 'status'> & { readonly knownAtMs: number }>();
  readonly #announced = new Set<string>();
  readonly #terms = new AnnouncedTerms();
  readonly #finerPrices = new FinerPrices();
  #startedAtMs = Number.POSITIVE_INFINITY;
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #skippedNames = '';
  /** How many markets of the latest load were not taken. */
  #withheld = 0;

  /** @param loaded takes a non-empty catalogue */
  constructor(parts: FeedParts, loaded: (catalogue: Catalogue, at: EpochMs) => CatalogueReport) {
    super(parts.clock);
    const { randomness, timing } = parts;
    this.#parts = parts;
    this.#loaded = loaded;
    this.#backoff = new Backoff(randomness, { minMs: 1_000, maxMs: timing.catalogueRetryMaxMs });
  }

  override start(): void {
    this.#startedAtMs = this.#parts.clock.monotonicMs();
    super.start();
  }

  /**
   * The exchange answered since the start, or had neither the time to nor failed. Nobody waits for the first price of
   * one that cannot be reached.
   */
  get isAwaited(): boolean {
    const { clock, counters } = this.#parts;
    if (counters.lastCatalogueAt !== undefined) return true;
    const hasFailed = Object.keys(counters.catalogueLoads).length > 0;
    return !hasFailed && clock.monotonicMs() - this.#startedAtMs < awaitedForMs;
  }

  /**
   * Pairs announced by the live connection: a new state and new terms go to the sink, a new pair and one that ended
   * cause a load.
   */
  pairsSeen(pairs: readonly LivePair[]): void {
    for (const pair of pairs) {
      if (pair.symbol !== undefined) {
        this.#statusSeen(pair.symbol, pair.status);
        this.#termsSeen(pair.symbol, pair.terms ?? {});
      } else if (pair.isOurs) this.#newPairSeen(pair);
    }
    if (this.#parts.connector.catalogueSpacingMs !== undefined) this.reloadSoon();
  }

  /** A price was taken: one that is finer than the list says causes a load. */
  priceSeen(ticker: UpstreamTicker): void {
    const nowMs = this.#parts.clock.monotonicMs();
    if (!this.#finerPrices.seen(ticker, nowMs)) return;
    const { symbol, bid, ask } = ticker;
    this.#parts.log.info(
      { symbol, bid, ask },
      'a price is finer than the list of the exchange says; it is loaded again',
    );
    this.#reloadAfter(finerSpacingMs);
  }

  #statusSeen(symbol: MarketSymbol, status: LivePair['status']): void {
    const { clock, log, sink } = this.#parts;
    const before = this.#statuses.get(symbol)?.status;
    if (before === undefined) return;
    this.#statuses.set(symbol, { status, knownAtMs: clock.monotonicMs() });
    if (status === before) return;
    log.info({ symbol, status }, 'the exchange changed the state of a market');
    sink.marketChanged(symbol, { status: marketStatus(status) }, clock.now());
    // Only a load shows whether it is still listed, or offers what had ended before.
    if (status === 'ended' || before === 'ended') this.reloadSoon();
  }

  #termsSeen(symbol: MarketSymbol, announced: NonNullable<LivePair['terms']>): void {
    const { clock, log, sink } = this.#parts;
    const terms = this.#terms.seen(symbol, announced, clock.monotonicMs());
    if (terms === undefined) return;
    log.info({ symbol, ...terms }, 'the exchange changed the terms of a market');
    const { pricePrecision } = terms;
    if (pricePrecision !== undefined) this.#finerPrices.known({ symbol, pricePrecision });
    sink.marketChanged(symbol, terms, clock.now());
  }

  #newPairSeen(pair: LivePair): void {
    if (pair.status === 'ended' || this.#announced.has(pair.name)) return;
    if (this.#announced.size >= announcedMax) return;
    this.#announced.add(pair.name);
    this.reloadSoon();
  }

  /** Loads the catalogue as soon as the exchange’s spacing lets it. */
  reloadSoon(): void {
    const { connector, timing } = this.#parts;
    this.#reloadAfter(connector.catalogueSpacingMs ?? timing.catalogueSpacingMs);
  }

  #reloadAfter(spacingMs: number): void {
    const sinceLoadMs = this.#parts.clock.monotonicMs() - this.#loadedAtMs;
    this.wakeWithin(Math.max(0, spacingMs - sinceLoadMs));
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const { connector, clock, log, counters } = this.#parts;
    const askedAtMs = clock.monotonicMs();
    const catalogue = await connector.loadCatalogue(signal);
    signal.throwIfAborted();
    this.#reportSkipped(catalogue.skipped);
    if (catalogue.markets.length > 0) return this.#succeeded(catalogue, askedAtMs);
    countOne(counters.catalogueLoads, 'empty');
    log.warn({}, 'the catalogue holds no market of the configured quote currencies');
    return this.#backoff.nextMs();
  }

  protected override failed({ kind, message: detail, retryAfterMs = 0 }: UpstreamError): number {
    const { log, counters } = this.#parts;
    countOne(counters.catalogueLoads, kind);
    log.warn({ kind, detail }, 'the catalogue could not be loaded');
    return retryAfterMs + this.#backoff.nextMs();
  }

  #succeeded(catalogue: Catalogue, askedAtMs: number): number {
    const { clock, timing, randomness, connector, counters } = this.#parts;
    const at = clock.now();
    this.#loadedAtMs = clock.monotonicMs();
    counters.lastCatalogueAt = at;
    this.#backoff.reset();
    const markets = catalogue.markets.map((market) =>
      this.#terms.loaded(this.#withNewerStatus(market, askedAtMs), askedAtMs),
    );
    for (const market of markets) this.#finerPrices.known(market);
    this.#finerPrices.loaded(this.#loadedAtMs);
    const { isEvidence, lacking, withheld } = this.#loaded({ ...catalogue, markets }, at);
    for (const symbol of withheld) this.#statuses.delete(symbol);
    const isWhole = isEvidence && lacking === 0 && withheld.size === this.#withheld;
    this.#withheld = withheld.size;
    const jitter = 0.9 + 0.2 * randomness.fraction();
    const reloadMs = Math.min(timing.catalogueReloadMs, connector.catalogueReloadMs ?? Number.POSITIVE_INFINITY);
    return (isWhole ? reloadMs : timing.catalogueRecheckMs) * jitter;
  }

  /** A state that arrived live after the request was sent is newer than the answer. */
  #withNewerStatus(market: ListedMarket, askedAtMs: number): ListedMarket {
    const known = this.#statuses.get(market.symbol);
    if (known !== undefined && known.knownAtMs >= askedAtMs) return { ...market, status: known.status };
    this.#statuses.set(market.symbol, { status: market.status, knownAtMs: askedAtMs });
    return market;
  }

  #reportSkipped(skipped: readonly SkippedPair[]): void {
    this.#parts.counters.pairsSkipped = skipped.length;
    const names = skipped.map((pair) => `${pair.name}: ${pair.reason}`).join('; ');
    if (names !== '' && names !== this.#skippedNames) {
      this.#parts.log.warn({ skipped: skipped.slice(0, 50) }, 'pairs of the exchange are not offered');
    }
    this.#skippedNames = names;
  }
}

function marketStatus(status: ListedStatus): UpstreamMarketStatus {
  return status === 'trading' ? 'trading' : 'paused';
}
