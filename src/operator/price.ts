import Type, { type Static } from 'typebox';
import type { EpochMs } from '../clock.ts';
import * as part from '../contract/schema-parts.ts';
import { heldReasons } from '../market/guard.ts';
import type { MarketBook, PriceExplanation } from '../market/market-book.ts';
import { type MarketSymbol, parseSymbol } from '../market/symbol.ts';
import { described, instants, line, nullable, nullableLine, pair, words } from './fields.ts';
import { sourceQuotes, sourcesField } from './source.ts';
import { MarketTermsSchema, marketTermsView } from './term.ts';

const StepSchema = Type.Object(
  {
    step: Type.String({ description: 'What was done.', examples: ['× (1 + fee 0.5 %)'] }),
    value: part.decimal('The exact result.', '50250.1005'),
  },
  { description: 'A step from the exchange’s price to the client’s.' },
);

const RateSchema = Type.Object(
  {
    mid: part.decimal('Middle rate.', '24.500'),
    source: Type.String({ description: 'Where it comes from.', examples: ['cnb'] }),
    fixingDate: nullableLine('The day of a daily fixing; null for any other rate.', '2026-11-20', 10),
    ...pair('refreshedAt', 'When it was last read.'),
    ...pair('validUntil', 'The first instant at which it may no longer be used.'),
    marginPercent: part.decimal('The currency margin in percent.', '1'),
  },
  { description: 'The conversion rate.' },
);

const HeldSchema = Type.Object(
  {
    subject: line('The exchange market, or the currency of the rate.', 'BTCEUR', 32),
    reason: words(
      ['operator', ...heldReasons],
      'Who or what holds it: `operator`, or the guard, for a `jump`, a price out of the `range` of 24 hours, an unusual `spread`, or a `rate` that moved too far.',
    ),
    ...pair('since', 'When that began.'),
    values: Type.Array(part.decimal('A value.', '1000000'), {
      description: 'Bid and ask, or the rate, as they arrived last; empty for an operator’s hold.',
      maxItems: 2,
      examples: [['1', '1000000']],
    }),
  },
  { $id: 'Held', description: 'A new value that is held back; the last good one stays.' },
);

export const heldField = Type.Array(HeldSchema, {
  description: 'What is held of what its price is made from; empty otherwise.',
  maxItems: 2,
});

export const PriceReportSchema = Type.Object(
  {
    symbol: part.symbol('The market.', 'BTCCZK'),
    exchangeSymbol: part.symbol('The exchange market its prices come from.', 'BTCEUR'),
    pricePrecision: part.places('Decimal places of its prices.', 0),
    bid: part.decimal('Best bid on the exchange.', '50000.0'),
    ask: part.decimal('Best ask on the exchange.', '50000.1'),
    ...pair('timestamp', 'When they were captured.'),
    rate: nullable(RateSchema, 'The conversion rate; null for a market that is not converted.'),
    terms: described(MarketTermsSchema, 'The terms it is made on.'),
    buy: Type.Array(StepSchema, { description: 'How the buy price came about.' }),
    sell: Type.Array(StepSchema, { description: 'How the sell price came about.' }),
    held: heldField,
    sources: sourcesField,
  },
  { $id: 'PriceReport', description: 'How the prices of a market came about, step by step.' },
);

export type PriceReport = Static<typeof PriceReportSchema>;
export type HeldView = Static<typeof HeldSchema>;

/** The price of a symbol, or why it has none. */
export type PriceAnswer =
  | { readonly kind: 'priced'; readonly report: PriceReport }
  | { readonly kind: 'unpriced'; readonly reason: string; readonly held: readonly HeldView[] }
  | { readonly kind: 'unknown_symbol' };

/** Explains the price that a client gets at `now`. `text` is the symbol in any case. */
export function explainPrice(book: MarketBook, text: string, now: EpochMs): PriceAnswer {
  const symbol = parseSymbol(text);
  if (symbol === undefined) return { kind: 'unknown_symbol' };
  const verdict = book.price(symbol, now);
  if (verdict.kind === 'unknown_symbol') return verdict;
  const held = heldOf(book, symbol);
  const sources = sourceQuotes(book, book.catalogue.find(symbol)!.exchangeSymbol, now);
  if (verdict.kind === 'unpriced') return { ...verdict, held };
  return { kind: 'priced', report: priceReport(book.explain(symbol, now)!, held, sources) };
}

/** What is held of what the price of an offered market is made from. */
export function heldOf(book: MarketBook, symbol: MarketSymbol): HeldView[] {
  return book.heldFor(book.catalogue.find(symbol)!).map(({ subject, reason, since, values }) => {
    return { subject, reason, ...instants('since', since), values: [...values] };
  });
}

/** The explanation of a price, of now or as it was recorded: then nothing is known of other sources. */
export function priceReport(
  explanation: PriceExplanation,
  held: PriceReport['held'],
  sources: PriceReport['sources'] = [],
): PriceReport {
  const { market, bid, ask, capturedAt, conversion, terms, buy, sell } = explanation;
  return {
    symbol: market.symbol,
    exchangeSymbol: market.exchangeSymbol,
    pricePrecision: market.pricePrecision,
    bid,
    ask,
    ...instants('timestamp', capturedAt),
    rate: conversion === undefined ? null : rateOf(conversion),
    terms: marketTermsView(terms),
    buy: [...buy],
    sell: [...sell],
    held,
    sources,
  };
}

function rateOf({ rate, marginPercent, validUntil }: NonNullable<PriceExplanation['conversion']>) {
  return {
    mid: rate.mid,
    source: rate.source,
    fixingDate: rate.fixingDate ?? null,
    ...instants('refreshedAt', rate.refreshedAt),
    ...instants('validUntil', validUntil),
    marginPercent,
  };
}
