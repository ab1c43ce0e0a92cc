import type { EpochMs } from '../clock.ts';
import { type BookObserver, BookObservers } from './book-observer.ts';
import type { DecimalString } from './decimal.ts';
import { type Guard, type Held, type HeldSubject, heldForMsMax } from './guard.ts';
import {
  MarketCatalogue,
  type MarketControls,
  type MarketRecord,
  type MarketSelection,
  type OfferedMarket,
} from './market-catalogue.ts';
import { type KnownRate, MarketFactors } from './market-factors.ts';
import { type NoPrice, type PriceBasis, type PriceInputs, type PriceVerdict, priceFrom } from './price-inputs.ts';
import { type Conversion, derivePrices, type PriceDerivation, type PricingPolicy, rateValidUntil } from './pricing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import { firstTerms, type MarketTerms, type Term, type TermSubject, TermsInForce } from './terms.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';
import type {
  CatalogueGaps,
  CatalogueVerdict,
  ConversionRate,
  ReferencePrices,
  RejectionReason,
  UpstreamMarket,
  UpstreamMarketStatus,
  UpstreamTicker,
} from './upstream.ts';

/** The operator's hold on what makes the prices of a market, and the last time the operator took what the guard held. */
export interface MarketHold {
  readonly symbol: MarketSymbol;
  readonly heldAt: EpochMs | undefined;
  readonly acceptedAt: EpochMs | undefined;
}

/** What is held of what the prices of a market are made from. */
export interface HeldInput extends Omit<Held, 'reason' | 'unpricedFrom'> {
  readonly subject: HeldSubject;
  readonly reason: Held['reason'] | 'operator';
}

/** How a price was derived. */
export interface PriceExplanation extends PriceDerivation {
  readonly market: OfferedMarket;
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly capturedAt: EpochMs;
  /** `undefined` for a market that is not converted. */
  readonly conversion: (Conversion & KnownRate) | undefined;
  readonly terms: MarketTerms;
}

/** What survives a restart, apart from the markets. */
export interface BookContents {
  readonly tickers: ReadonlyMap<MarketSymbol, AcceptedTicker>;
  readonly references: ReadonlyMap<MarketSymbol, ReferencePrices>;
  readonly rates: ReadonlyMap<CurrencyCode, ConversionRate>;
}

/**
 * The market room's state: the markets, the last good values of each and the conversion rates, and from these the
 * client prices at any instant. Never reads a clock.
 */
export class MarketBook {
  readonly catalogue: MarketCatalogue;
  readonly #policy: PricingPolicy;
  readonly #guard: Guard | undefined;
  readonly #observers = new BookObservers();
  readonly #tickers = new Map<MarketSymbol, AcceptedTicker>();
  readonly #references = new Map<MarketSymbol, ReferencePrices>();
  readonly #rates = new Map<CurrencyCode, ConversionRate>();
  readonly #terms: TermsInForce;
  readonly #factors = new MarketFactors((quote) => this.rate(quote));
  readonly #held = new Map<HeldSubject, Held>();
  /** Since when the operator holds what makes the prices of a market. */
  readonly #holds = new Map<MarketSymbol, EpochMs>();
  /** The same of rates: those of converted markets on hold. */
  readonly #rateHolds = new Map<CurrencyCode, EpochMs>();
  readonly #acceptances = new Map<MarketSymbol, EpochMs>();

  /** @param guard judges what comes from the source; what another book accepted was judged there */
  constructor(policy: PricingPolicy, selection: MarketSelection, guard?: Guard) {
    this.#policy = policy;
    this.#guard = guard;
    this.#terms = new TermsInForce(firstTerms(policy));
    const precisionOf = (symbol: MarketSymbol, quote: CurrencyCode) =>
      this.#terms.of({ symbol, quote, isConverted: true }).precision?.value;
    this.catalogue = new MarketCatalogue(policy, selection, precisionOf);
  }

  /** Adds an observer and notifies it at once that everything may have changed. */
  observe(observer: BookObserver): void {
    this.#observers.add(observer);
    observer.marketsChanged();
    for (const market of this.catalogue.all()) observer.tickerChanged(market.symbol);
  }

  /** Takes over a snapshot from before a restart or of another book. Newer values of this book stay. */
  restore(records: readonly MarketRecord[], contents: BookContents): void {
    this.catalogue.restore(records);
    for (const [symbol, ticker] of contents.tickers) this.#keepNewer(symbol, ticker);
    for (const [symbol, prices] of contents.references) this.#references.set(symbol, prices);
    for (const rate of contents.rates.values()) {
      if (rate.refreshedAt >= (this.#rates.get(rate.quote)?.refreshedAt ?? 0)) this.rateAccepted(rate);
    }
    this.#everythingChanged();
  }

  contents(): BookContents {
    return { tickers: this.#tickers, references: this.#references, rates: this.#rates };
  }

  catalogueLoaded(markets: readonly UpstreamMarket[], at: EpochMs, gaps?: CatalogueGaps): CatalogueVerdict {
    const verdict = this.catalogue.load(markets, at, gaps);
    this.#everythingChanged();
    return verdict;
  }

  marketStatusChanged(symbol: MarketSymbol, status: UpstreamMarketStatus): void {
    this.catalogue.changeStatus(symbol, status);
    this.#observers.marketsChanged();
  }

  applyControls(controls: readonly MarketControls[]): void {
    this.catalogue.applyControls(controls);
    this.#everythingChanged();
  }

  /** The operator's holds. A newer acceptance makes the guard take what it holds. */
  applyHolds(holds: readonly MarketHold[]): void {
    for (const { symbol, heldAt, acceptedAt } of holds) {
      if (heldAt === undefined) this.#holds.delete(symbol);
      else this.#holds.set(symbol, heldAt);
      if (acceptedAt === undefined || acceptedAt === this.#acceptances.get(symbol)) continue;
      this.#acceptances.set(symbol, acceptedAt);
      this.#accept(symbol);
    }
    this.#rateHolds.clear();
    for (const [symbol, heldAt] of this.#holds) {
      const market = this.catalogue.find(symbol);
      if (market?.isConverted !== true) continue;
      this.#rateHolds.set(market.quote, earliest([this.#rateHolds.get(market.quote), heldAt])!);
    }
    this.#everythingChanged();
  }

  /** Replaces all terms but those of the configuration, and advances to `now`. */
  applyTerms(terms: readonly Term[], now: EpochMs): void {
    this.#terms.set(terms);
    this.advance(now);
  }

  /** Makes the terms hold that hold at an instant. Whoever reads prices at an instant does so first; it costs nothing between two starts. */
  advance(now: EpochMs): void {
    if (!this.#terms.advance(now)) return;
    this.catalogue.precisionsChanged();
    this.#everythingChanged();
    this.#observers.termsChanged();
  }

  /** The first instant at which `advance` changes something; `Infinity` when there is none. */
  nextTermsAt(): number {
    return this.#terms.nextAt;
  }

  /** Every term, the configuration's first. */
  terms(): readonly Term[] {
    return this.#terms.all();
  }

  /** The terms that an offered market is priced on. */
  termsOf(market: TermSubject): MarketTerms {
    return this.#terms.of(market);
  }

  /** The margin of a converted quote currency, in percent; terms of single markets can differ. */
  marginOf(quote: CurrencyCode): DecimalString {
    return this.#terms.of({ symbol: quote as string as MarketSymbol, quote, isConverted: true }).margin!.value;
  }

  /** Returns why the ticker does not replace the last good one, or `undefined` when it does. */
  tickerReceived(ticker: UpstreamTicker): RejectionReason | undefined {
    const { symbol } = ticker;
    const market = this.catalogue.find(symbol);
    if (market === undefined || market.isConverted || market.status === 'delisted') return 'unknown_market';
    const previous = this.#tickers.get(symbol);
    const judgement = judgeTicker(ticker, previous);
    if ('rejected' in judgement) return judgement.rejected;
    this.#ticked(symbol);
    if (this.#onHoldSince(symbol) !== undefined) return 'on_hold';
    const offer = { ticker: judgement.accepted, path: ticker.path, at: ticker.receivedAt };
    const verdict = this.#guard?.judgeTicker(symbol, offer, previous, this.#held.get(symbol));
    this.heldChanged(symbol, verdict?.held);
    if (verdict?.isTaken === false) return 'held';
    this.#tickers.set(symbol, judgement.accepted);
    this.#pricesChanged(symbol);
    return undefined;
  }

  /** Takes over a ticker that another book accepted, unless this one holds a newer one. */
  tickerAccepted(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    this.#ticked(symbol);
    if (this.#keepNewer(symbol, ticker) === ticker) this.#pricesChanged(symbol);
  }

  /** The last good values of an exchange market. */
  acceptedTicker(symbol: MarketSymbol): AcceptedTicker | undefined {
    return this.#tickers.get(symbol);
  }

  referencePricesChanged(symbol: MarketSymbol, prices: ReferencePrices): void {
    this.#references.set(symbol, prices);
    this.#pricesChanged(symbol);
  }

  /** Takes a rate for a configured converted quote, unless it is held; any other is ignored. */
  rateRefreshed(rate: ConversionRate): boolean {
    const { quote, refreshedAt } = rate;
    if (this.#rateHolds.has(quote)) return false;
    const known = this.rate(quote);
    const previous = known !== undefined && refreshedAt < known.validUntil ? known.rate : undefined;
    const verdict = this.#guard?.judgeRate(rate, previous, this.#held.get(quote));
    this.heldChanged(quote, verdict?.held);
    if (verdict?.isTaken === false) return false;
    this.rateAccepted(rate);
    return true;
  }

  /** Takes a rate that another book accepted. */
  rateAccepted(rate: ConversionRate): void {
    const converted = this.#policy.converted.get(rate.quote);
    if (converted === undefined || converted.via !== rate.base) return;
    this.#rates.set(rate.quote, rate);
    for (const market of this.catalogue.all()) {
      if (market.isConverted && market.quote === rate.quote) this.#observers.tickerChanged(market.symbol);
    }
  }

  /** What is held now. Followers take it from the book that judges. */
  heldChanged(subject: HeldSubject, held: Held | undefined): void {
    const before = this.#held.get(subject);
    if (held === undefined) this.#held.delete(subject);
    else this.#held.set(subject, held);
    if (held?.unpricedFrom !== before?.unpricedFrom) this.#pricesChanged(subject as MarketSymbol);
    if ((held === undefined) === (before === undefined)) return;
    this.#observers.heldChanged(subject, held, before);
  }

  /** Since when the operator holds what makes the prices of this very market. */
  onHoldSince(symbol: MarketSymbol): EpochMs | undefined {
    return this.#holds.get(symbol);
  }

  /** Everything that the guard holds. */
  held(): ReadonlyMap<HeldSubject, Held> {
    return this.#held;
  }

  /** What is held of what makes the prices of a market, by the operator or by the guard. */
  heldFor({ exchangeSymbol, isConverted, quote }: OfferedMarket): readonly HeldInput[] {
    const inputs: [HeldSubject, EpochMs | undefined][] = [[exchangeSymbol, this.#onHoldSince(exchangeSymbol)]];
    if (isConverted) inputs.push([quote, this.#rateHolds.get(quote)]);
    return inputs.flatMap(([subject, onHoldSince]): HeldInput[] => {
      if (onHoldSince !== undefined) return [{ subject, reason: 'operator', since: onHoldSince, values: [] }];
      const held = this.#held.get(subject);
      return held === undefined ? [] : [{ subject, ...held }];
    });
  }

  price(symbol: MarketSymbol, now: EpochMs): PriceVerdict {
    return priceFrom(this.inputs(symbol, now));
  }

  /** What `price` is made from. Costs no arithmetic. */
  inputs(symbol: MarketSymbol, now: EpochMs): PriceInputs | NoPrice {
    this.advance(now);
    const market = this.catalogue.find(symbol);
    if (market === undefined || market.status === 'delisted') return { kind: 'unknown_symbol' };
    const terms = this.termsOf(market);
    return this.#inputsOf({ market, terms, factors: this.#factors.of(market, terms, now) }, now);
  }

  /** The price that a market would have now on other terms. */
  priceOn(terms: MarketTerms, market: OfferedMarket, now: EpochMs): PriceVerdict {
    const pricePrecision = terms.precision?.value ?? this.catalogue.usualPrecision(market);
    const factors = this.#factors.once(market, terms, now);
    return priceFrom(this.#inputsOf({ market: { ...market, pricePrecision }, terms, factors }, now));
  }

  #inputsOf({ market, terms, factors }: PriceBasis, now: EpochMs): PriceInputs | NoPrice {
    const ticker = this.#tickerAt(market.exchangeSymbol, now);
    if (ticker === undefined) return { kind: 'unpriced', reason: 'no_ticker' };
    if (now >= this.#unpricedFrom(market.exchangeSymbol)) return { kind: 'unpriced', reason: 'held' };
    if (factors === undefined) return { kind: 'unpriced', reason: 'no_rate' };
    const rate = market.isConverted ? this.#rates.get(market.quote) : undefined;
    const references = this.#references.get(market.exchangeSymbol);
    return { kind: 'inputs', market, ticker, references, rate, terms, factors };
  }

  /** The derivation of a market's price; `undefined` when it has none at `now`. */
  explain(symbol: MarketSymbol, now: EpochMs): PriceExplanation | undefined {
    if (this.price(symbol, now).kind !== 'priced') return undefined;
    const market = this.catalogue.find(symbol)!;
    const { bid, ask, capturedAt } = this.#tickers.get(market.exchangeSymbol)!;
    const terms = this.termsOf(market);
    const { fee, rounding } = terms;
    const conversion = this.#factors.conversion(market, terms);
    const derivation = derivePrices({ bid, ask }, fee.value, conversion, market.pricePrecision, rounding?.value);
    return { market, bid, ask, capturedAt, conversion, terms, ...derivation };
  }

  /** The rate in use for a converted quote, with the first instant at which it is no longer valid. */
  rate(quote: CurrencyCode): KnownRate | undefined {
    const rate = this.#rates.get(quote);
    return rate && { rate, validUntil: rateValidUntil(rate, this.#policy.rateValidForMs) };
  }

  /** The first instant after `now` at which answers change by the passing of time alone; `Infinity` when there is none. */
  nextChangeAt(now: EpochMs): number {
    let next = Number.POSITIVE_INFINITY;
    const consider = (instant: number | undefined) => {
      if (instant !== undefined && instant > now && instant < next) next = instant;
    };
    for (const rate of this.#rates.values()) consider(rateValidUntil(rate, this.#policy.rateValidForMs));
    consider(this.catalogue.nextRemovalAt(now));
    consider(this.#terms.nextAt);
    for (const { unpricedFrom } of this.#held.values()) consider(unpricedFrom);
    for (const heldAt of this.#holds.values()) consider((heldAt + heldForMsMax) as EpochMs);
    return next;
  }

  /**
   * The last good values. A time ahead of `now` is from before the wall clock was set back: it becomes `now` once, and
   * grows old from there.
   */
  #tickerAt(symbol: MarketSymbol, now: EpochMs): AcceptedTicker | undefined {
    const ticker = this.#tickers.get(symbol);
    if (ticker === undefined || ticker.capturedAt <= now) return ticker;
    const settled = { ...ticker, capturedAt: now };
    this.#tickers.set(symbol, settled);
    return settled;
  }

  /** The first instant at which the last good price is no longer served. */
  #unpricedFrom(exchangeSymbol: MarketSymbol): number {
    const held = this.#held.get(exchangeSymbol)?.unpricedFrom ?? Number.POSITIVE_INFINITY;
    const onHoldSince = this.#onHoldSince(exchangeSymbol);
    return onHoldSince === undefined ? held : onHoldSince + heldForMsMax;
  }

  /** A hold on a market is one on what its prices are made from. */
  #onHoldSince(exchangeSymbol: MarketSymbol): EpochMs | undefined {
    if (this.#holds.size === 0) return undefined;
    return earliest(this.catalogue.pricedFrom(exchangeSymbol).map((symbol) => this.#holds.get(symbol)));
  }

  #accept(symbol: MarketSymbol): void {
    const market = this.catalogue.find(symbol);
    if (market === undefined) return;
    this.#guard?.accept(market.exchangeSymbol);
    if (market.isConverted) this.#guard?.accept(market.quote);
  }

  /** Returns the ticker held afterwards. Of two captured at the same instant the later call wins. */
  #keepNewer(symbol: MarketSymbol, ticker: AcceptedTicker): AcceptedTicker {
    const held = this.#tickers.get(symbol);
    if (held !== undefined && held.capturedAt > ticker.capturedAt) return held;
    this.#tickers.set(symbol, ticker);
    return ticker;
  }

  /** A ticker, even one that the guard holds, proves that the exchange has the market. */
  #ticked(symbol: MarketSymbol): void {
    if (this.catalogue.ticked(symbol)) this.#observers.marketsChanged();
  }

  #pricesChanged(exchangeSymbol: MarketSymbol): void {
    for (const symbol of this.catalogue.pricedFrom(exchangeSymbol)) this.#observers.tickerChanged(symbol);
  }

  #everythingChanged(): void {
    this.#observers.marketsChanged();
    for (const market of this.catalogue.all()) this.#observers.tickerChanged(market.symbol);
  }
}

function earliest(instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  return instants.reduce(
    (first, at) => (first === undefined || (at !== undefined && at < first) ? at : first),
    undefined,
  );
}
