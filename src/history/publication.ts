import type { EpochMs } from '../clock.ts';
import { clientTicker } from '../market/client-ticker.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import { type PriceFactors, priceFactors } from '../market/pricing.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import type { ReferencePrices } from '../market/upstream.ts';
import {
  type FactRow,
  type ListingFact,
  type NoQuote,
  type Position,
  type Quote,
  type QuoteRow,
  type RateVersion,
  type Rows,
  type ServingRow,
  type Statistics,
  statisticNames,
  type TermsVersion,
} from './rows.ts';
import { splitStatus } from './status-body.ts';

/** An answer as the serving thread notes it. `text` of the service's status is its body. */
export type NotedServing = Omit<ServingRow, keyof Position | 'feedAgeMs'>;

/** What the serving thread notes. Never stored. */
export type Noted =
  /** Forget everything: it is stated afresh. */
  | { readonly kind: 'restated' }
  /** A rate, or terms: the first one since then has the number 0. */
  | { readonly kind: 'version'; readonly text: string }
  | NotedQuote
  | { readonly kind: 'noQuote'; readonly symbol: MarketSymbol; readonly reason: NoQuote }
  | { readonly kind: 'serving'; readonly serving: NotedServing }
  | { readonly kind: 'fact'; readonly fact: Omit<FactRow, keyof Position> };

/** What the new prices of a market are made from. */
interface NotedQuote {
  readonly kind: 'quote';
  readonly symbol: MarketSymbol;
  readonly ticker: AcceptedTicker;
  readonly references: ReferencePrices | undefined;
  /** The numbers of their versions. */
  readonly rate: number | undefined;
  readonly terms: number;
}

/** With its instant, which is no earlier than the last. */
type NotedAt = readonly [at: EpochMs, noted: Noted];

/**
 * Makes rows of what the serving thread notes, with the arithmetic that the prices were made with there. It knows no
 * clock and keeps no row.
 */
export class Publication {
  readonly #versions: string[] = [];
  readonly #markets = new Map<string, OfferedMarket>();
  readonly #factors = new Map<string, PriceFactors>();
  #at = 0 as EpochMs;
  /** The next position within the millisecond. */
  #sub = 0;

  /**
   * The rows of one piece.
   *
   * @param piece JSON of a list of `NotedAt`
   * @returns whether it states everything afresh, which voids what was known before
   */
  read(piece: string): { readonly rows: Rows; readonly restated: boolean } {
    const rows: Rows = { quotes: [], facts: [], servings: [] };
    let restated = false;
    for (const [at, noted] of JSON.parse(piece) as NotedAt[]) {
      if (at !== this.#at) {
        this.#at = at;
        this.#sub = 0;
      }
      if (noted.kind === 'restated') restated = true;
      this.#add(noted, rows);
    }
    return { rows, restated };
  }

  #add(noted: Noted, { quotes, facts, servings }: Rows): void {
    switch (noted.kind) {
      case 'restated':
        this.#versions.length = 0;
        this.#markets.clear();
        this.#factors.clear();
        break;
      case 'version':
        this.#versions.push(noted.text);
        break;
      case 'quote':
        quotes.push(this.#quoteRow(noted));
        break;
      case 'noQuote':
        quotes.push({ ...this.#next(), symbol: noted.symbol, unpriced: noted.reason, quote: undefined });
        break;
      case 'serving':
        servings.push(this.#servingRow(noted.serving));
        break;
      case 'fact':
        if (noted.fact.kind === 'listing') this.#listed(noted.fact);
        facts.push({ ...this.#next(), ...noted.fact });
    }
  }

  #next(): Position {
    return { at: this.#at, sub: this.#sub++ };
  }

  #listed({ subject, text }: Pick<FactRow, 'subject' | 'text'>): void {
    const { market } = JSON.parse(text) as ListingFact;
    if (market === null) this.#markets.delete(subject);
    else this.#markets.set(subject, market);
  }

  #quoteRow({ symbol, ticker, references, ...versions }: NotedQuote): QuoteRow {
    const priced = clientTicker(this.#markets.get(symbol)!, ticker, references, this.#factorsOf(versions));
    if (priced === undefined) return { ...this.#next(), symbol, unpriced: 'rounds_to_zero', quote: undefined };
    const { buyPrice, sellPrice, capturedAt } = priced;
    const statistics = Object.fromEntries(statisticNames.map((name) => [name, priced[name]])) as unknown as Statistics;
    const { bid, ask, source } = ticker;
    const made = { source, rate: this.#rateText(versions), terms: this.#versions[versions.terms]! };
    const quote: Quote = { ...made, capturedAt, bid, ask, buyPrice, sellPrice, statistics };
    return { ...this.#next(), symbol, unpriced: undefined, quote };
  }

  /** Answers take no place of their own: what was published before them is what they were made from. */
  #servingRow(serving: NotedServing): ServingRow {
    const { route, status, text: body, askedAt } = serving;
    const isStatus = route === '/v1/status' && status === 200;
    const parts = isStatus ? splitStatus(body, askedAt) : { feedAgeMs: 0 };
    return { at: this.#at, sub: this.#sub, ...serving, ...parts };
  }

  #rateText({ rate }: Pick<NotedQuote, 'rate'>): string {
    return rate === undefined ? '' : this.#versions[rate]!;
  }

  #factorsOf(versions: Pick<NotedQuote, 'rate' | 'terms'>): PriceFactors {
    const key = `${versions.rate} ${versions.terms}`;
    const known = this.#factors.get(key);
    if (known !== undefined) return known;
    // A rate that is refreshed is a new version: the old ones are never asked for again.
    if (this.#factors.size > 1_000) this.#factors.clear();
    const { fee, margin, rounding } = JSON.parse(this.#versions[versions.terms]!) as TermsVersion;
    const rateText = this.#rateText(versions);
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
