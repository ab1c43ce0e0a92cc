import type { EpochMs } from '../../ground/clock.ts';
import { clientTicker } from '../../market/client-ticker.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import { type PriceFactors, priceFactors } from '../../market/pricing.ts';
import type { AcceptedTicker } from '../../market/ticker-acceptance.ts';
import type { ReferencePrices } from '../../market/upstream.ts';
import { splitStatus } from '../reading/status-body.ts';
import type {
  FactKind,
  ListingFact,
  NoQuote,
  Quote,
  RateVersion,
  Rows,
  Statistics,
  TermsVersion,
} from '../segment/rows.ts';
import { type StreamedServing, type StreamListener, StreamReader } from './stream.ts';

/**
 * Makes rows of what the serving thread sends, with the arithmetic that the prices were made with there. It knows no
 * clock and keeps no row.
 */
export class Publication implements StreamListener {
  readonly #reader = new StreamReader(this);
  readonly #names: string[] = [];
  readonly #markets = new Map<number, OfferedMarket>();
  readonly #tickers = new Map<number, { readonly source: number; readonly ticker: AcceptedTicker }>();
  readonly #references = new Map<number, ReferencePrices>();
  readonly #factors = new Map<string, PriceFactors>();
  #rows: Rows = { quotes: [], facts: [], servings: [] };
  #at = 0 as EpochMs;
  /** The next position within the millisecond. */
  #sub = 0;
  #restated = false;

  /** The rows of one piece. @returns whether it states everything afresh, which voids what was known before */
  read(piece: Uint8Array): { readonly rows: Rows; readonly restated: boolean } {
    this.#rows = { quotes: [], facts: [], servings: [] };
    this.#restated = false;
    this.#reader.read(piece);
    return { rows: this.#rows, restated: this.#restated };
  }

  time(at: EpochMs): void {
    // After a restatement the same instant can come again: positions within it go on.
    if (at === this.#at) return;
    this.#at = at;
    this.#sub = 0;
  }

  reset(): void {
    this.#names.length = 0;
    for (const known of [this.#markets, this.#tickers, this.#references, this.#factors]) known.clear();
    this.#restated = true;
  }

  name(index: number, text: string): void {
    this.#names[index] = text;
  }

  ticker(market: number, source: number, ticker: AcceptedTicker): void {
    this.#tickers.set(market, { source, ticker });
  }

  references(market: number, prices: ReferencePrices): void {
    this.#references.set(market, prices);
  }

  listing(index: number, json: string): void {
    const { market } = JSON.parse(json) as ListingFact;
    if (market === null) this.#markets.delete(index);
    else this.#markets.set(index, market);
    this.fact('listing', this.#names[index]!, json);
  }

  quote(index: number, exchangeMarket: number, rate: number, terms: number): void {
    const market = this.#markets.get(index)!;
    const { source, ticker } = this.#tickers.get(exchangeMarket)!;
    const rateText = rate === 0 ? '' : this.#names[rate - 1]!;
    const termsText = this.#names[terms]!;
    const factors = this.#factorsOf(rateText, termsText);
    const priced = clientTicker(market, ticker, this.#references.get(exchangeMarket), factors);
    if (priced === undefined) {
      this.noQuote(index, 'rounds_to_zero');
      return;
    }
    const { buyPrice, sellPrice, capturedAt } = priced;
    const { bid, ask } = ticker;
    const made = { source: this.#names[source]!, rate: rateText, terms: termsText };
    const quote: Quote = { ...made, capturedAt, bid, ask, buyPrice, sellPrice, statistics: statisticsOf(priced) };
    this.#rows.quotes.push({ at: this.#at, sub: this.#sub++, symbol: market.symbol, unpriced: undefined, quote });
  }

  noQuote(index: number, unpriced: NoQuote): void {
    const symbol = this.#names[index] as OfferedMarket['symbol'];
    this.#rows.quotes.push({ at: this.#at, sub: this.#sub++, symbol, unpriced, quote: undefined });
  }

  serving({ keyId, askedAt, route, symbol, status, text: body, request }: StreamedServing): void {
    const isStatus = route === '/v1/status' && status === 200;
    const { text, feedAgeMs } = isStatus ? splitStatus(body, askedAt) : { text: body, feedAgeMs: 0 };
    const at = this.#at;
    const sub = this.#sub;
    this.#rows.servings.push({ at, sub, keyId, askedAt, route, symbol, status, text, feedAgeMs, request });
  }

  fact(kind: string, subject: string, text: string): void {
    this.#rows.facts.push({ at: this.#at, sub: this.#sub++, kind: kind as FactKind, subject, text });
  }

  #factorsOf(rateText: string, termsText: string): PriceFactors {
    const key = `${rateText}${termsText}`;
    const known = this.#factors.get(key);
    if (known !== undefined) return known;
    // A rate that is refreshed is a new version: the old ones are never asked for again.
    if (this.#factors.size > 1_000) this.#factors.clear();
    const { fee, margin, rounding } = JSON.parse(termsText) as TermsVersion;
    const rate = rateText === '' ? undefined : (JSON.parse(rateText) as RateVersion);
    const isConverted = rate !== undefined && margin !== undefined;
    const conversion = isConverted
      ? { rate: { ...rate, fixingDate: rate.fixingDate }, marginPercent: margin.value }
      : undefined;
    const factors = priceFactors(fee.value, conversion, rounding?.value);
    this.#factors.set(key, factors);
    return factors;
  }
}

/** Field by field, for every price comes through here: the rest of a destructured object costs many times as much. */
function statisticsOf(priced: Statistics): Statistics {
  const { high24h, low24h, volume24h, vwap24h } = priced;
  const { priceChangePercent1h, priceChangePercent24h, priceChangePercent7d } = priced;
  return { high24h, low24h, volume24h, vwap24h, priceChangePercent1h, priceChangePercent24h, priceChangePercent7d };
}
