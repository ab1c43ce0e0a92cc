import Type, { type Static } from 'typebox';
import type { EpochMs } from '../clock.ts';
import * as part from '../contract/schema-parts.ts';
import type { MarketBook, PriceExplanation } from '../market/market-book.ts';
import { parseSymbol } from '../market/symbol.ts';
import { instants, nullableLine, pair } from './fields.ts';

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

export const PriceReportSchema = Type.Object(
  {
    symbol: part.symbol('The market.', 'BTCCZK'),
    exchangeSymbol: part.symbol('The exchange market its prices come from.', 'BTCEUR'),
    pricePrecision: part.places('Decimal places of its prices.', 0),
    bid: part.decimal('Best bid on the exchange.', '50000.0'),
    ask: part.decimal('Best ask on the exchange.', '50000.1'),
    ...pair('timestamp', 'When they were captured.'),
    rate: Type.Unsafe<Static<typeof RateSchema> | null>({
      description: 'The conversion rate; null for a market that is not converted.',
      anyOf: [RateSchema, { type: 'null' }],
    }),
    buy: Type.Array(StepSchema, { description: 'How the buy price came about.' }),
    sell: Type.Array(StepSchema, { description: 'How the sell price came about.' }),
  },
  { $id: 'PriceReport', description: 'How the prices of a market came about, step by step.' },
);

export type PriceReport = Static<typeof PriceReportSchema>;

/** The price of a symbol, or why it has none. */
export type PriceAnswer =
  | { readonly kind: 'priced'; readonly report: PriceReport }
  | { readonly kind: 'unpriced'; readonly reason: string }
  | { readonly kind: 'unknown_symbol' };

/** Explains the price that a client gets at `now`. `text` is the symbol in any case. */
export function explainPrice(book: MarketBook, text: string, now: EpochMs): PriceAnswer {
  const symbol = parseSymbol(text);
  if (symbol === undefined) return { kind: 'unknown_symbol' };
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
    ...instants('timestamp', capturedAt),
    rate: conversion === undefined ? null : rateOf(conversion),
    buy: [...buy],
    sell: [...sell],
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
