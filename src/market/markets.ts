import type { EpochMs } from '../ground/clock.ts';
import type { KnownRate } from './client-ticker.ts';
import { ConversionRates } from './conversion-rates.ts';
import { clockDriftMs } from './data-flow.ts';
import type { DecimalString } from './decimal.ts';
import {
  type Doubt,
  type DoubtSubject,
  Doubts,
  doubtedForMsMax,
  type MarketHold,
  type PeerDoubts,
  type SourceDoubtListener,
  type WithheldInput,
} from './doubts.ts';
import type { Guard } from './guard.ts';
import { MarketCatalogue, type MarketControls, type MarketSelection, type OfferedMarket } from './market-catalogue.ts';
import { MarketSources } from './market-sources.ts';
import type { MarketState } from './market-state.ts';
import { Pricer } from './pricer.ts';
import type { PricingPolicy } from './pricing.ts';
import { noReferences } from './reference-prices.ts';
import type { Source } from './source.ts';
import { oneSource, type SourceRules } from './source-lists.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import { firstTerms, type Term, TermsInForce } from './terms.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';
import type * as upstream from './upstream.ts';

/** Called synchronously, after something has changed. */
export interface MarketsObserver {
  /** The price of this market may have changed. */
  tickerChanged?(symbol: MarketSymbol): void;
  /** The list of markets, or the state of one, may have changed. */
  marketsChanged?(): void;
  /** Only in the process that judges. */
  readonly sourceDoubted?: SourceDoubtListener;
  /** A doubt of the guard began, changed or ended. */
  doubtChanged?(subject: DoubtSubject, doubt: Doubt | undefined, before: Doubt | undefined): void;
  /** Something of what is believed of a rate has changed. */
  rateChanged?(quote: CurrencyCode): void;
}

/** Keeps the markets, the last good values of each, the conversion rates and the terms. Never reads a clock. */
export class Markets {
  readonly catalogue: MarketCatalogue;
  readonly #guard: Guard | undefined;
  readonly sources: MarketSources;
  readonly rates: ConversionRates;
  /** Makes client prices from what is here. */
  readonly pricer = new Pricer(this);
  readonly #observers: MarketsObserver[] = [];
  readonly #tickers = new Map<MarketSymbol, AcceptedTicker>();
  readonly #references = new Map<MarketSymbol, upstream.ReferencePrices>();
  readonly #terms: TermsInForce;
  readonly #doubts = new Doubts();
  /** The latest instant that `advance` was called with. */
  #advancedTo = 0;

  /** @param guard judges what comes from the sources; what another process accepted was judged there */
  constructor(policy: PricingPolicy, selection: MarketSelection, guard?: Guard, rules: SourceRules = oneSource) {
    this.#guard = guard;
    this.rates = new ConversionRates(policy, guard, this.#doubts, {
      pricesChanged: (quote) => this.#convertedChanged(quote),
      beliefChanged: (quote) => {
        this.doubtChanged(quote, this.rates.doubtOf(quote));
        for (const observer of this.#observers) observer.rateChanged?.(quote);
      },
      holdsChanged: () => this.#everythingChanged(),
    });
    this.sources = new MarketSources(rules, this.#doubts, guard);
    this.#doubts.onSourceDoubt = (...change) => {
      for (const observer of this.#observers) observer.sourceDoubted?.(...change);
    };
    this.#terms = new TermsInForce(firstTerms(policy));
    const precisionOf = (symbol: MarketSymbol, quote: CurrencyCode) =>
      this.#terms.of({ symbol, quote, isConverted: true }).precision?.value;
    this.catalogue = new MarketCatalogue(policy, selection, precisionOf, rules);
  }

  /** Takes other sources, or another order; see `MarketSources.replace`. */
  replaceSources(rules: SourceRules, renewed: ReadonlySet<string>): void {
    this.sources.replace(rules, renewed);
    this.catalogue.replaceSources(rules);
    this.#everythingChanged();
  }

  /** Holds each price whose source is gone or paused and that no other makes: it stays for five minutes. */
  holdAbandoned(now: EpochMs): void {
    for (const symbol of this.#tickers.keys()) {
      const used = this.sources.used(symbol);
      if (used?.isPaused) this.priceWithdrawn(symbol, used, now, (now + doubtedForMsMax) as EpochMs);
    }
  }

  /** Adds an observer and notifies it at once that everything may have changed. */
  observe(observer: MarketsObserver): void {
    this.#observers.push(observer);
    observer.marketsChanged?.();
    for (const market of this.catalogue.all()) observer.tickerChanged?.(market.symbol);
  }

  /** Takes over a state from before a restart or of another process, or what changed of it. Newer tickers stay. */
  restore(state: MarketState): void {
    const { records, listed, reviews, forgotten, beliefs = [], doubts, peerMemories = [] } = state;
    if (records !== undefined) {
      this.catalogue.restore(records, listed, reviews, forgotten);
      this.#everythingChanged();
    }
    for (const [symbol, ticker] of state.tickers) this.tickerAccepted(symbol, ticker);
    for (const [symbol, prices] of state.references) this.referencesTaken(symbol, prices);
    for (const [, rate] of state.rates) this.rates.take(rate);
    for (const [quote, belief] of beliefs) this.rates.restore(quote, belief);
    this.sources.restorePeerMemories(peerMemories);
    if (doubts !== undefined) this.sources.restoreDoubts(doubts);
  }

  /** The last good values. Each is immutable, and the same object as long as it has the same value. */
  contents() {
    return {
      tickers: this.#tickers as ReadonlyMap<MarketSymbol, AcceptedTicker>,
      references: this.#references as ReadonlyMap<MarketSymbol, upstream.ReferencePrices>,
      rates: this.rates.all(),
      beliefs: [...this.rates.beliefs],
      doubts: this.peerDoubts(),
      peerMemories: this.sources.peerMemories(),
    };
  }

  catalogueLoaded(
    markets: readonly upstream.ListedMarket[],
    at: EpochMs,
    gaps?: upstream.CatalogueGaps,
    source?: string,
  ): upstream.CatalogueReport {
    const verdict = this.catalogue.load(markets, at, gaps, source, (symbol) => this.#tickers.has(symbol));
    this.#everythingChanged();
    return verdict;
  }

  marketChanged(symbol: MarketSymbol, change: upstream.MarketChange, source?: string): void {
    this.catalogue.change(symbol, change, source);
    this.#marketsChanged();
    if (Object.keys(change).some((name) => name !== 'status')) this.#pricesChanged(symbol);
  }

  applyControls(controls: readonly MarketControls[]): void {
    this.catalogue.applyControls(controls);
    this.#everythingChanged();
  }

  /**
   * The operator's holds. A newer acceptance takes what is doubted.
   *
   * @param isRestart acceptances were for doubts before it
   */
  applyHolds(holds: readonly MarketHold[], isRestart = false): void {
    const before = [...this.operatorHolds().keys()] as MarketSymbol[];
    const accepted = this.#doubts.hold(holds, (each) => this.catalogue.find(each));
    if (!isRestart) for (const hold of accepted) this.#accept(hold);
    for (const symbol of before.filter((each) => !this.sources.isMadeElsewhere(each)))
      if (this.sources.made(symbol)?.source !== this.#tickers.get(symbol)?.source) this.sourceChanged(symbol);
    this.#everythingChanged();
  }

  /** Replaces all terms but those of the configuration, and advances to `now`. */
  applyTerms(terms: readonly Term[], now: EpochMs): void {
    this.#terms.set(terms);
    this.advance(now);
  }

  /**
   * Applies the terms in force at an instant, and notices a wall clock that was set back. Call it before reading
   * prices at that instant.
   */
  advance(now: EpochMs): void {
    if (now > this.#advancedTo) this.#advancedTo = now;
    else if (now < this.#advancedTo - clockDriftMs) this.clockSetBack(now);
    if (!this.#terms.advance(now)) return;
    this.catalogue.rebuild();
    this.#everythingChanged();
  }

  /**
   * Dates by `now` what is from before the clock was set back. Requests never do: one can be older than a price, or
   * of a clock that is behind.
   */
  clockSetBack(now: EpochMs): void {
    this.#advancedTo = now;
    for (const [symbol, ticker] of this.#tickers) {
      if (ticker.capturedAt <= now) continue;
      this.#tickers.set(symbol, this.sources.dated(symbol, ticker, now));
      this.#pricesChanged(symbol);
    }
  }

  /** The terms that hold; {@link advance} brings them to an instant, {@link applyTerms} replaces them. */
  get terms(): Omit<TermsInForce, 'set' | 'advance'> {
    return this.#terms;
  }

  /** The margin of a converted quote currency, in percent; terms of single markets can differ. */
  marginOf(quote: CurrencyCode): DecimalString {
    return this.#terms.of({ symbol: quote as string as MarketSymbol, quote, isConverted: true }).margin!.value;
  }

  /** Returns why the ticker does not replace the last good one of its source, or `undefined` when it does. */
  tickerReceived(ticker: upstream.UpstreamTicker, source = this.sources.first): upstream.RejectionReason | undefined {
    const { symbol } = ticker;
    const market = this.catalogue.find(symbol);
    if (market === undefined || market.isConverted || market.status === 'delisted') return 'unknown_market';
    const known = this.sources.of(symbol, source);
    const judgement = judgeTicker(ticker, known.ticker, source.id);
    if ('rejected' in judgement) return judgement.rejected;
    if (this.catalogue.ticked(symbol, source.id)) this.#marketsChanged();
    const isUsed = (this.sources.used(symbol) ?? source) === source;
    const isOnHold = this.#onHoldSince(symbol) !== undefined;
    if (isOnHold && isUsed) return 'on_hold';
    const offer = { ticker: judgement.accepted, path: ticker.path, at: ticker.receivedAt };
    const values = { doubt: isUsed ? this.doubts().get(symbol) : undefined, price: this.#tickers.get(symbol) };
    known.stoodAt = ticker.askedAt;
    const verdict = this.sources.judge(symbol, known, offer, values);
    if (isUsed) this.doubtChanged(symbol, verdict.doubt);
    if (!verdict.isTaken) return 'held';
    known.ticker = judgement.accepted;
    known.proof = { at: ticker.askedAt, by: ticker.path };
    const made = this.sources.received(symbol, known);
    if (made !== undefined && !isOnHold) this.#take(symbol, made);
    return undefined;
  }

  /** A source has no price of a market any more. Without another source the market has none. */
  priceWithdrawn(symbol: MarketSymbol, source: Source, at: EpochMs, unpricedFrom = at): void {
    const doubt = this.sources.of(symbol, source).withdrew(at, unpricedFrom);
    if (doubt === undefined) return;
    this.#guard?.began('withdrawn');
    if (this.sources.used(symbol) === source) this.doubtChanged(symbol, doubt);
  }

  /** Takes values, doubt and statistics of the source that now makes a price, once no operator holds it. */
  sourceChanged(symbol: MarketSymbol): void {
    const made = this.sources.made(symbol);
    if (made === undefined || this.#onHoldSince(symbol) !== undefined) return;
    this.doubtChanged(symbol, this.sources.doubtOf(symbol));
    this.referencesTaken(symbol, this.sources.references(symbol) ?? noReferences);
    this.#take(symbol, made);
  }

  /** Looks again at the doubt of the source in use, which may have changed by what others say. */
  doubtReviewed(symbol: MarketSymbol): void {
    const doubt = this.sources.doubtOf(symbol);
    const isOfPeers = [doubt, this.doubts().get(symbol)].some((each) => each?.reason === 'contradicted');
    if (isOfPeers) this.doubtChanged(symbol, doubt);
  }

  /** Takes over a ticker that another process accepted, unless it is older than the one here. */
  tickerAccepted(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    const known = this.#tickers.get(symbol);
    if (known === undefined || known.capturedAt <= ticker.capturedAt) this.tickerTaken(symbol, ticker);
  }

  /** Takes over a ticker whatever there is. */
  tickerTaken(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    this.sources.restore(symbol, ticker);
    this.tickerShown(symbol, ticker);
  }

  /** Shows a ticker that another process accepted until there is a newer one: the source that makes the price stays. */
  tickerShown(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    this.#tickers.set(symbol, ticker);
    this.#pricesChanged(symbol);
  }

  /** The last good values of an exchange market. */
  acceptedTicker(symbol: MarketSymbol): AcceptedTicker | undefined {
    return this.#tickers.get(symbol);
  }

  /** Takes a source's reference prices. Statistics and price of a market are of one source, that in use. */
  referencePricesChanged(symbol: MarketSymbol, prices: upstream.ReferencePrices, source = this.sources.first): void {
    this.sources.of(symbol, source).references = prices;
    if ((this.sources.used(symbol) ?? this.sources.first) === source) this.referencesTaken(symbol, prices);
  }

  /** Takes the reference prices that another process uses. */
  referencesTaken(symbol: MarketSymbol, prices: upstream.ReferencePrices): void {
    this.#references.set(symbol, prices);
    this.#pricesChanged(symbol);
  }

  /** Takes a rate for a configured converted quote, unless it is doubted; any other is ignored. */
  rateRefreshed(rate: upstream.ConversionRate): boolean {
    this.rates.read(rate);
    return this.rates.belief(rate.quote).inForce === rate;
  }

  /** Takes a new doubt, or its end. Followers take both from the process that judges. */
  doubtChanged(subject: DoubtSubject, doubts: Doubt | undefined): void {
    const before = this.#doubts.set(subject, doubts);
    if (doubts?.unpricedFrom !== before?.unpricedFrom) this.#pricesChanged(subject as MarketSymbol);
    if (doubts === before) return;
    for (const observer of this.#observers) observer.doubtChanged?.(subject, doubts, before);
  }

  /** Since when the operator holds what makes the prices of this very market. */
  onHoldSince(symbol: MarketSymbol): EpochMs | undefined {
    return this.#doubts.heldSince(symbol);
  }

  /** Everything that is doubted of sources by their peers. */
  peerDoubts(): (readonly [MarketSymbol, PeerDoubts])[] {
    return [...this.#doubts.byPeers()];
  }

  /** Everything that is doubted of what makes the prices of a market, and of rates. */
  doubts(): ReadonlyMap<DoubtSubject, Doubt> {
    return this.#doubts.ofSubjects;
  }

  /** Exchange markets and quote currencies that the operator holds, and since when. */
  operatorHolds(): ReadonlyMap<DoubtSubject, EpochMs> {
    if (!this.#doubts.isAnyHeldByOperator) return new Map();
    const withheld = [...this.catalogue.all()].flatMap((market) => this.withheldFor(market));
    const held = withheld.filter(({ reason }) => reason === 'operator');
    return new Map(held.map(({ subject, since }) => [subject, since]));
  }

  /** Lists what is withheld of what makes the prices of a market, by the operator or by the guard. */
  withheldFor(market: OfferedMarket): readonly WithheldInput[] {
    return this.#doubts.withheldOf(market, this.#onHoldSince(market.exchangeSymbol));
  }

  /** Gives what is known of the past prices of an exchange market. */
  referencePrices(exchangeSymbol: MarketSymbol): upstream.ReferencePrices | undefined {
    return this.#references.get(exchangeSymbol);
  }

  /** The first instant at which an exchange market has no price, because it was withheld for too long. */
  unpricedFrom(exchangeSymbol: MarketSymbol): number {
    return this.#doubts.unpricedFrom(exchangeSymbol, this.#onHoldSince(exchangeSymbol));
  }

  /** The rate in use for a converted quote, with the first instant at which it is no longer valid. */
  rate(quote: CurrencyCode): KnownRate | undefined {
    return this.rates.find(quote);
  }

  /** The first instant after `now` at which answers change by time alone; `Infinity` when there is none. */
  nextChangeAt(now: EpochMs): number {
    let next = Number.POSITIVE_INFINITY;
    const consider = (instant: number | undefined) => {
      if (instant !== undefined && instant > now && instant < next) next = instant;
    };
    for (const validUntil of this.rates.ends()) consider(validUntil);
    consider(this.catalogue.nextRemovalAt(now));
    consider(this.#terms.nextAt);
    for (const instant of this.#doubts.ends()) consider(instant);
    return next;
  }

  /** A hold on a market is one on what its prices are made from. */
  #onHoldSince(exchangeSymbol: MarketSymbol): EpochMs | undefined {
    return this.#doubts.anyHeldSince(() => this.catalogue.pricedFrom(exchangeSymbol));
  }

  #accept({ symbol, acceptedSource }: MarketHold): void {
    const market = this.catalogue.find(symbol);
    if (market === undefined) return;
    this.sources.accept(market.exchangeSymbol, acceptedSource);
    if (market.isConverted && acceptedSource === undefined) this.rates.accept(market.quote);
  }

  /** A market's capture time never goes back: a live source’s price is still valid when it takes over. */
  #take(symbol: MarketSymbol, made: AcceptedTicker): void {
    this.#tickers.set(symbol, this.sources.notBefore(symbol, made, this.#tickers.get(symbol)));
    this.#pricesChanged(symbol);
  }

  #convertedChanged(quote: CurrencyCode): void {
    for (const market of this.catalogue.all())
      if (market.isConverted && market.quote === quote) this.#tickerChanged(market.symbol);
  }

  #pricesChanged(exchangeSymbol: MarketSymbol): void {
    for (const symbol of this.catalogue.pricedFrom(exchangeSymbol)) this.#tickerChanged(symbol);
  }

  #everythingChanged(): void {
    this.#marketsChanged();
    for (const market of this.catalogue.all()) this.#tickerChanged(market.symbol);
  }

  #tickerChanged(symbol: MarketSymbol): void {
    for (const observer of this.#observers) observer.tickerChanged?.(symbol);
  }

  #marketsChanged(): void {
    for (const observer of this.#observers) observer.marketsChanged?.();
  }
}
