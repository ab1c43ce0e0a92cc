import type { Clock } from '../clock.ts';
import { isoInstant } from '../contract/instant.ts';
import type { MarketBook, PriceExplanation } from '../market/market-book.ts';
import { parseSymbol } from '../market/symbol.ts';

/** How a price came about, as JSON: every step exact, every instant twice. */
export interface PriceReport {
  readonly symbol: string;
  readonly exchangeSymbol: string;
  readonly pricePrecision: number;
  readonly bid: string;
  readonly ask: string;
  readonly timestamp: string;
  readonly timestampMs: number;
  readonly rate?: {
    readonly mid: string;
    readonly source: string;
    readonly fixingDate?: string;
    readonly refreshedAt: string;
    readonly refreshedAtMs: number;
    readonly validUntil: string;
    readonly validUntilMs: number;
    readonly marginPercent: string;
  };
  readonly buy: PriceExplanation['buy'];
  readonly sell: PriceExplanation['sell'];
}

/** What there is to say of a symbol's price. */
export type PriceAnswer =
  | { readonly kind: 'priced'; readonly report: PriceReport }
  | { readonly kind: 'unpriced'; readonly reason: string }
  | { readonly kind: 'unknown_symbol' };

/** Explains the price a client gets at this instant. `text` is the symbol in any case. */
export function explainPrice({ book, clock }: { book: MarketBook; clock: Clock }, text: string): PriceAnswer {
  const symbol = parseSymbol(text);
  if (symbol === undefined) return { kind: 'unknown_symbol' };
  const now = clock.now();
  const verdict = book.price(symbol, now);
  if (verdict.kind !== 'priced') return verdict;
  return { kind: 'priced', report: reportOf(book.explain(symbol, now)!) };
}

function reportOf({ market, bid, ask, capturedAt, conversion, buy, sell }: PriceExplanation): PriceReport {
  return {
    symbol: market.symbol,
    exchangeSymbol: market.exchangeSymbol,
    pricePrecision: market.pricePrecision,
    bid,
    ask,
    timestamp: isoInstant(capturedAt),
    timestampMs: capturedAt,
    ...(conversion === undefined ? {} : { rate: rateOf(conversion) }),
    buy,
    sell,
  };
}

function rateOf({
  rate,
  marginPercent,
  validUntil,
}: NonNullable<PriceExplanation['conversion']>): NonNullable<PriceReport['rate']> {
  return {
    mid: rate.mid,
    source: rate.source,
    ...(rate.fixingDate === undefined ? {} : { fixingDate: rate.fixingDate }),
    refreshedAt: isoInstant(rate.refreshedAt),
    refreshedAtMs: rate.refreshedAt,
    validUntil: isoInstant(validUntil),
    validUntilMs: validUntil,
    marginPercent,
  };
}
