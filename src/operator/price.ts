import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type PriceExplanation, type PriceInputs, priceFrom } from '../market/client-ticker.ts';
import type { DecimalString } from '../market/decimal.ts';
import { doubtReasons, type WithheldInput } from '../market/doubts.ts';
import type { Markets } from '../market/markets.ts';
import type { PriceStep } from '../market/pricing.ts';
import { percentNames, type ReferenceName, referenceInstants, referenceNames } from '../market/reference-prices.ts';
import { type MarketSymbol, parseSymbol } from '../market/symbol.ts';
import { doubtsField, doubtsOf } from './doubt.ts';
import * as fields from './fields.ts';
import { sourceQuotes, sourcesField } from './source.ts';
import { MarketTermsSchema, marketTermsView } from './term.ts';

const sign = fields.openEnum(['+', '−'], '`+` for the price that clients pay, `−` for what they receive.');

export const StepCodeSchema = fields.coded('PriceStepCode', 'What a step does.', {
  quote: {
    side: fields.openEnum(['ask', 'bid'], 'The side of the exchange’s order book.'),
    source: fields.line('The source.', 'kraken', 200),
  },
  fee: { sign, percent: part.decimal('The fee in percent.', '0.5') },
  rate: {
    base: part.currency('The currency that is converted.', 'EUR'),
    quote: part.currency('The currency it becomes.', 'CZK'),
    mid: part.decimal('The middle rate.', '24.500'),
  },
  margin: { sign, percent: part.decimal('The currency margin in percent.', '1') },
  rounding: {
    direction: fields.openEnum(['up', 'down', 'half_even'], 'Which way.'),
    places: part.places('To how many decimals.', 0),
  },
});

type StepCode = Static<typeof StepCodeSchema>;

const StepSchema = fields.object('A step from the exchange’s price to the client’s.', {
  step: Type.String({ description: 'What was done.', examples: ['best ask of kraken'] }),
  stepCode: fields.referenceTo(StepCodeSchema, 'The same by its code.'),
  value: part.decimal('The exact result.', '50000.1'),
});

const RateSchema = fields.object('The conversion rate.', {
  mid: part.decimal('Middle rate.', '24.500'),
  source: Type.String({ description: 'Where it comes from.', examples: ['cnb'] }),
  fixingDate: fields.nullableLine('The day of a daily fixing; null for any other rate.', '2026-11-20', 10),
  ...fields.instantFields('refreshedAt', 'When it was last read.'),
  ...fields.instantFields('validUntil', 'The first instant at which it may no longer be used.'),
  marginPercent: part.decimal('The currency margin in percent.', '1'),
});

const WithheldSchema = fields.named('Held', 'A new value that is held back; the last good one stays.', {
  subject: fields.line('The exchange market, or the currency of the rate.', 'BTCEUR', 32),
  reason: fields.openEnum(
    ['operator', ...doubtReasons],
    'Who or what holds it: `operator`, or the guard, for a `jump`, a price out of the `range` of 24 hours, an unusual `spread`, or a `rate` that moved too far.',
  ),
  ...fields.instantFields('since', 'When that began.'),
  values: Type.Array(part.decimal('A value.', '1000000'), {
    description: 'Bid and ask, or the rate, as they arrived last; empty for an operator’s hold.',
    maxItems: 2,
    examples: [['1', '1000000']],
  }),
});

export const withheldField = Type.Array(WithheldSchema, {
  description: 'What is held of what its price is made from; empty otherwise.',
  maxItems: 2,
});

const ChangeSchema = fields.object('A percent change, and where it comes from.', {
  over: fields.openEnum(['1h', '24h', '7d'], 'Since when.'),
  percent: part.percent('The change in percent.', '-0.21'),
  origin: fields.openEnum(
    ['source', 'record'],
    '`source`: by the source itself or from its last trades; `record`: from the middle of bid and ask, as it is in the record of this service.',
  ),
  price: fields.nullableDecimal('The exchange price that it is counted from; null where it is not known.', '49895.3'),
  ...fields.nullableInstantFields('timestamp', 'The instant of that price in the record; null for any other.'),
});

export const PriceReportSchema = fields.named('PriceReport', 'How the prices of a market came about, step by step.', {
  symbol: part.symbol('The market.', 'BTCCZK'),
  exchangeSymbol: part.symbol('The exchange market its prices come from.', 'BTCEUR'),
  pricePrecision: part.places('Decimal places of its prices.', 0),
  bid: part.decimal('Best bid on the exchange.', '50000.0'),
  ask: part.decimal('Best ask on the exchange.', '50000.1'),
  ...fields.instantFields('timestamp', 'When they were captured.'),
  rate: fields.nullable(RateSchema, 'The conversion rate; null for a market that is not converted.'),
  terms: fields.referenceTo(MarketTermsSchema, 'The terms it is made on.'),
  buy: Type.Array(StepSchema, { description: 'How the buy price came about.' }),
  sell: Type.Array(StepSchema, { description: 'How the sell price came about.' }),
  changes: Type.Array(ChangeSchema, { description: 'The percent changes of its ticker.', maxItems: 3 }),
  held: withheldField,
  doubts: doubtsField,
  sources: sourcesField,
});

export type PriceReport = Static<typeof PriceReportSchema>;
export type WithheldView = Static<typeof WithheldSchema>;

/** The price of a symbol, or why it has none. */
export type PriceAnswer =
  | { readonly kind: 'priced'; readonly report: PriceReport }
  | (Pick<PriceReport, 'held' | 'doubts'> & { readonly kind: 'unpriced'; readonly reason: string })
  | { readonly kind: 'unknown_symbol' };

/** Explains the price that a client gets at `now`. `text` is the symbol in any case. */
export function explainPrice(markets: Markets, text: string, now: EpochMs): PriceAnswer {
  const symbol = parseSymbol(text);
  if (symbol === undefined) return { kind: 'unknown_symbol' };
  const inputs = markets.pricer.inputs(symbol, now);
  const verdict = priceFrom(inputs);
  if (verdict.kind === 'unknown_symbol') return verdict;
  const held = withheldOf(markets, symbol);
  const { exchangeSymbol } = markets.catalogue.find(symbol)!;
  const doubts = doubtsOf(markets, exchangeSymbol, now);
  if (verdict.kind === 'unpriced') return { ...verdict, held, doubts };
  const changes = changesOf(verdict.ticker, (name) => referenceIn(inputs as PriceInputs, name));
  const sources = sourceQuotes(markets, exchangeSymbol, now);
  const report = priceReport(markets.pricer.explain(symbol, now)!, held, changes, sources, doubts);
  return { kind: 'priced', report };
}

/** Lists what is withheld of what the price of an offered market is made from. */
export function withheldOf(markets: Markets, symbol: MarketSymbol): WithheldView[] {
  return markets.withheldFor(markets.catalogue.find(symbol)!).map(withheldView);
}

/** A new value that is withheld, now or when it was recorded. */
export function withheldView({ subject, reason, since, values }: WithheldInput): WithheldView {
  return { subject, reason, ...fields.instants('since', since), values: [...values] };
}

const spans = { price1hAgo: '1h', price24hAgo: '24h', price7dAgo: '7d' } as const;

/**
 * The percent changes of a ticker.
 *
 * @param reference what is known of the price that one is counted from; `at` where it is in the record
 */
export function changesOf(
  percents: { readonly [Name in (typeof percentNames)[ReferenceName]]: DecimalString | undefined },
  reference: (name: ReferenceName) => { readonly price: DecimalString; readonly at?: EpochMs | undefined } | undefined,
): PriceReport['changes'] {
  return referenceNames.flatMap((name) => {
    const percent = percents[percentNames[name]];
    if (percent === undefined) return [];
    const { price = null, at } = reference(name) ?? {};
    const origin = at === undefined ? 'source' : 'record';
    return [{ over: spans[name], percent, origin, price, ...fields.instants('timestamp', at) }];
  });
}

function referenceIn({ ticker, references }: PriceInputs, name: ReferenceName) {
  const price = references?.[name];
  const isStatistic = name === 'price24hAgo' && ticker.priceChangePercent24h !== undefined;
  if (price === undefined || isStatistic) return undefined;
  const minute = references?.recordedFor;
  return { price, at: minute && referenceInstants(minute)[name] };
}

/** The explanation of a price, of now or as it was recorded: then nothing is known of other sources. */
export function priceReport(
  explanation: PriceExplanation,
  held: PriceReport['held'],
  changes: PriceReport['changes'],
  sources: PriceReport['sources'] = [],
  doubts: PriceReport['doubts'] = [],
): PriceReport {
  const { market, capturedAt, conversion, terms, buy, sell } = explanation;
  return fields.viewOf(PriceReportSchema.properties, {
    ...market,
    ...explanation,
    timestamp: capturedAt,
    rate: conversion && fields.viewOf(RateSchema.properties, { ...conversion.rate, ...conversion }),
    terms: marketTermsView(terms),
    buy: buy.map(stepView),
    sell: sell.map(stepView),
    changes,
    held,
    doubts,
    sources,
  });
}

function stepView({ made, value }: PriceStep): Static<typeof StepSchema> {
  return { step: stepText(made), stepCode: made, value };
}

/** Says what a step does: `best ask of kraken`, `× (1 + fee 0.5 %)`. */
export function stepText({ code, values }: StepCode): string {
  if (code === 'quote') return `best ${values.side} of ${values.source}`;
  if (code === 'rate') return `× ${values.base}/${values.quote} mid rate ${values.mid}`;
  if (code === 'fee' || code === 'margin') return `× (1 ${values.sign} ${code} ${values.percent} %)`;
  const direction = values.direction === 'half_even' ? 'half to even' : values.direction;
  return `rounded ${direction} to ${values.places} decimals`;
}
