import type { EpochMs } from '../clock.ts';
import { type ClientTicker, clientTicker, type UnpricedReason } from './client-ticker.ts';
import type { DecimalString } from './decimal.ts';
import {
  MarketCatalogue,
  type MarketControls,
  type MarketRecord,
  type MarketSelection,
  type OfferedMarket,
} from './market-catalogue.ts';
import {
  type Conversion,
  derivePrices,
  type PriceDerivation,
  type PriceFactors,
  type PricingPolicy,
  priceFactors,
  rateValidUntil,
} from './pricing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';
import type {
  ConversionRate,
  ReferencePrices,
  RejectionReason,
  UpstreamMarket,
  UpstreamMarketStatus,
  UpstreamTicker,
} from './upstream.ts';

/** Called synchronously, after the book has changed. */
export interface BookObserver {
  /** The price of this market may have changed. */
  tickerChanged(symbol: MarketSymbol): void;
  /** The list of markets, or the state of one, may have changed. */
  marketsChanged(): void;
}

/** The price of a market at an instant, or why there is none. */
export type PriceVerdict =
  | { readonly kind: 'priced'; readonly ticker: ClientTicker }
  | { readonly kind: 'unpriced'; readonly reason: UnpricedReason }
  | { readonly kind: 'unknown_symbol' };

/** How a price was derived. */
export interface PriceExplanation extends PriceDerivation {
  readonly market: OfferedMarket;
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly capturedAt: EpochMs;
  /** `undefined` for a market that is not converted. */
  readonly conversion: (Conversion & { readonly validUntil: EpochMs }) | undefined;
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
  readonly #observers: BookObserver[] = [];
  readonly #tickers = new Map<MarketSymbol, AcceptedTicker>();
  readonly #references = new Map<MarketSymbol, ReferencePrices>();
  readonly #rates = new Map<CurrencyCode, ConversionRate>();
  readonly #factors = new Map<CurrencyCode | 'exchange', PriceFactors>();

  constructor(policy: PricingPolicy, selection: MarketSelection) {
    this.#policy = policy;
    this.catalogue = new MarketCatalogue(policy, selection);
    this.#factors.set('exchange', priceFactors(policy.feePercent, undefined));
  }

  /** Adds an observer and notifies it at once that everything may have changed. */
  observe(observer: BookObserver): void {
    this.#observers.push(observer);
    observer.marketsChanged();
    for (const market of this.catalogue.all()) observer.tickerChanged(market.symbol);
  }

  /** Takes over a snapshot from before a restart or of another book. Newer values of this book stay. */
  restore(records: readonly MarketRecord[], contents: BookContents): void {
    this.catalogue.restore(records);
    for (const [symbol, ticker] of contents.tickers) this.#keepNewer(symbol, ticker);
    for (const [symbol, prices] of contents.references) this.#references.set(symbol, prices);
    for (const rate of contents.rates.values()) {
      if (rate.refreshedAt >= (this.#rates.get(rate.quote)?.refreshedAt ?? 0)) this.rateRefreshed(rate);
    }
    this.#everythingChanged();
  }

  contents(): BookContents {
    return { tickers: this.#tickers, references: this.#references, rates: this.#rates };
  }

  catalogueLoaded(markets: readonly UpstreamMarket[], at: EpochMs): void {
    this.catalogue.load(markets, at);
    this.#everythingChanged();
  }

  marketStatusChanged(symbol: MarketSymbol, status: UpstreamMarketStatus): void {
    this.catalogue.changeStatus(symbol, status);
    this.#marketsChanged();
  }

  applyControls(controls: readonly MarketControls[]): void {
    this.catalogue.applyControls(controls);
    this.#everythingChanged();
  }

  /** Returns why the ticker does not replace the last good one, or `undefined` when it does. */
  tickerReceived(ticker: UpstreamTicker): RejectionReason | undefined {
    const { symbol } = ticker;
    const market = this.catalogue.find(symbol);
    if (market === undefined || market.isConverted || market.status === 'delisted') return 'unknown_market';
    const judgement = judgeTicker(ticker, this.#tickers.get(symbol));
    if ('rejected' in judgement) return judgement.rejected;
    this.#tickers.set(symbol, judgement.accepted);
    this.#pricesChanged(symbol);
    return undefined;
  }

  /** Takes over a ticker that another book accepted, unless this one holds a newer one. */
  tickerAccepted(symbol: MarketSymbol, ticker: AcceptedTicker): void {
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

  /** Takes a rate for a configured converted quote; any other is ignored. */
  rateRefreshed(rate: ConversionRate): void {
    const converted = this.#policy.converted.get(rate.quote);
    if (converted === undefined || converted.via !== rate.base) return;
    this.#rates.set(rate.quote, rate);
    const { marginPercent } = converted;
    this.#factors.set(rate.quote, priceFactors(this.#policy.feePercent, { rate, marginPercent }));
    for (const market of this.catalogue.all()) {
      if (market.isConverted && market.quote === rate.quote) this.#tickerChanged(market.symbol);
    }
  }

  price(symbol: MarketSymbol, now: EpochMs): PriceVerdict {
    const market = this.catalogue.find(symbol);
    if (market === undefined || market.status === 'delisted') return { kind: 'unknown_symbol' };
    const ticker = this.#tickerAt(market.exchangeSymbol, now);
    if (ticker === undefined) return { kind: 'unpriced', reason: 'no_ticker' };
    const factors = this.#factorsFor(market, now);
    if (factors === undefined) return { kind: 'unpriced', reason: 'no_rate' };
    const priced = clientTicker(market, ticker, this.#references.get(market.exchangeSymbol), factors);
    return priced === undefined ? { kind: 'unpriced', reason: 'rounds_to_zero' } : { kind: 'priced', ticker: priced };
  }

  /** The derivation of a market's price; `undefined` when it has none at `now`. */
  explain(symbol: MarketSymbol, now: EpochMs): PriceExplanation | undefined {
    if (this.price(symbol, now).kind !== 'priced') return undefined;
    const market = this.catalogue.find(symbol)!;
    const { bid, ask, capturedAt } = this.#tickers.get(market.exchangeSymbol)!;
    const conversion = market.isConverted ? this.#conversion(market.quote) : undefined;
    const derivation = derivePrices({ bid, ask }, this.#policy.feePercent, conversion, market.pricePrecision);
    return { market, bid, ask, capturedAt, conversion, ...derivation };
  }

  /** The rate in use for a converted quote, with the first instant at which it is no longer valid. */
  rate(quote: CurrencyCode): { readonly rate: ConversionRate; readonly validUntil: EpochMs } | undefined {
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

  /** Returns the ticker held afterwards. Of two captured at the same instant the later call wins. */
  #keepNewer(symbol: MarketSymbol, ticker: AcceptedTicker): AcceptedTicker {
    const held = this.#tickers.get(symbol);
    if (held !== undefined && held.capturedAt > ticker.capturedAt) return held;
    this.#tickers.set(symbol, ticker);
    return ticker;
  }

  #conversion(quote: CurrencyCode): (Conversion & { validUntil: EpochMs }) | undefined {
    const known = this.rate(quote);
    const converted = this.#policy.converted.get(quote);
    return known && converted && { ...known, marginPercent: converted.marginPercent };
  }

  #factorsFor(market: OfferedMarket, now: EpochMs): PriceFactors | undefined {
    if (!market.isConverted) return this.#factors.get('exchange');
    const known = this.rate(market.quote);
    return known !== undefined && now < known.validUntil ? this.#factors.get(market.quote) : undefined;
  }

  #pricesChanged(exchangeSymbol: MarketSymbol): void {
    for (const symbol of this.catalogue.pricedFrom(exchangeSymbol)) this.#tickerChanged(symbol);
  }

  #everythingChanged(): void {
    this.#marketsChanged();
    for (const market of this.catalogue.all()) this.#tickerChanged(market.symbol);
  }

  #tickerChanged(symbol: MarketSymbol): void {
    for (const observer of this.#observers) observer.tickerChanged(symbol);
  }

  #marketsChanged(): void {
    for (const observer of this.#observers) observer.marketsChanged();
  }
}
