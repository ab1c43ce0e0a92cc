import type { EpochMs } from '../ground/clock.ts';
import {
  explanationFrom,
  type KnownRate,
  type NoPrice,
  type PriceExplanation,
  type PriceInputs,
  type PriceOutcome,
  priceFrom,
} from './client-ticker.ts';
import type { MarketCatalogue, OfferedMarket } from './market-catalogue.ts';
import { type PriceFactors, priceFactors } from './pricing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { MarketTerms, TermsInForce } from './terms.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from './upstream.ts';

/** Everything that prices are made from, as `Markets` holds it. */
interface PriceState {
  readonly catalogue: Pick<MarketCatalogue, 'find' | 'usualPrecision'>;
  advance(now: EpochMs): void;
  readonly terms: Pick<TermsInForce, 'of'>;
  acceptedTicker(exchangeSymbol: MarketSymbol): AcceptedTicker | undefined;
  referencePrices(exchangeSymbol: MarketSymbol): ReferencePrices | undefined;
  rate(quote: CurrencyCode): KnownRate | undefined;
  unpricedFrom(exchangeSymbol: MarketSymbol): number;
}

/** Makes the client prices of any instant. Writes nothing but factors that it multiplied before. */
export class Pricer {
  readonly #state: PriceState;
  /**
   * By the terms of a market, which stay the same object as long as they hold, with the rate that they were made for.
   */
  readonly #factors = new WeakMap<MarketTerms, Pick<PriceInputs, 'rate' | 'factors'>>();

  constructor(state: PriceState) {
    this.#state = state;
  }

  price(symbol: MarketSymbol, now: EpochMs): PriceOutcome {
    return priceFrom(this.inputs(symbol, now));
  }

  /** Gives what `price` is made from. Costs no arithmetic. */
  inputs(symbol: MarketSymbol, now: EpochMs): PriceInputs | NoPrice {
    this.#state.advance(now);
    const market = this.#state.catalogue.find(symbol);
    if (market === undefined || market.status === 'delisted') return { kind: 'unknown_symbol' };
    return this.#inputsOf(market, this.#state.terms.of(market), now);
  }

  /** The price that a market would have now on other terms. */
  priceOn(terms: MarketTerms, market: OfferedMarket, now: EpochMs): PriceOutcome {
    const pricePrecision = terms.precision?.value ?? this.#state.catalogue.usualPrecision(market);
    return priceFrom(this.#inputsOf({ ...market, pricePrecision }, terms, now));
  }

  /** The derivation of a market's price; `undefined` when it has none at `now`. */
  explain(symbol: MarketSymbol, now: EpochMs): PriceExplanation | undefined {
    const inputs = this.inputs(symbol, now);
    return inputs.kind === 'inputs' ? explanationFrom(inputs, this.#state.rate(inputs.market.quote)) : undefined;
  }

  #inputsOf(market: OfferedMarket, terms: MarketTerms, now: EpochMs): PriceInputs | NoPrice {
    const { exchangeSymbol, isConverted, quote } = market;
    const state = this.#state;
    const ticker = state.acceptedTicker(exchangeSymbol);
    if (ticker === undefined) return { kind: 'unpriced', reason: 'no_ticker' };
    if (now >= state.unpricedFrom(exchangeSymbol)) return { kind: 'unpriced', reason: 'held' };
    const known = isConverted ? state.rate(quote) : undefined;
    if (isConverted && (known === undefined || now >= known.validUntil)) return { kind: 'unpriced', reason: 'no_rate' };
    const references = state.referencePrices(exchangeSymbol);
    const factors = this.#factorsOf(terms, known?.rate);
    return { kind: 'inputs', market, ticker, references, rate: known?.rate, terms, factors };
  }

  #factorsOf(terms: MarketTerms, rate: ConversionRate | undefined): PriceFactors {
    const known = this.#factors.get(terms);
    if (known !== undefined && known.rate === rate) return known.factors;
    const conversion = rate && { rate, marginPercent: terms.margin!.value };
    const factors = priceFactors(terms.fee.value, conversion, terms.rounding?.value);
    this.#factors.set(terms, { rate, factors });
    return factors;
  }
}
