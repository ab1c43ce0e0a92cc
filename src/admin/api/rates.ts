import Type from 'typebox';
import type { EpochMs } from '../../clock.ts';
import * as part from '../../contract/schema-parts.ts';
import type { RateHealth } from '../../feed/rates/rate-keeper.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import { instants, line, listOf, named, nullableCount, nullableLine, nullablePair } from '../../operator/fields.ts';
import type { Management } from '../sources.ts';
import { operation } from './operation.ts';

const RateSchema = named('Rate', 'A conversion rate.', {
  via: part.currency('The currency that is converted from.', 'EUR'),
  quote: part.currency('The currency that is converted to.', 'CZK'),
  source: line('Where the rate comes from: `cnb`, `ecb`, `json` or `exchange`.', 'cnb', 64),
  mid: nullableLine('Units of `quote` for one unit of `via`, a decimal; null while there is none.', '24.500', 64),
  fixingDate: nullableLine('The day of a daily fixing; null for a source that gives none.', '2026-11-20', 10),
  ...nullablePair('refreshedAt', 'When it was last read.'),
  ageMs: nullableCount('Time since then, in milliseconds.', 120_000),
  ...nullablePair('validUntil', 'The first instant at which it may no longer be used.'),
  valid: Type.Boolean({ description: 'Whether it may be used now. While not, the converted markets have no price.' }),
  marginPercent: part.decimal('The currency margin in percent; terms of single markets can differ.', '1'),
  lastOutcome: nullableLine(
    'How the last attempt to read it ended: `ok`, or what was wrong; null before the first.',
    'ok',
  ),
});

const RateListSchema = named('RateList', 'The conversion rates.', {
  rates: listOf(RateSchema, 'One for each converted quote currency.'),
});

export const rateOperations = {
  readRates: operation({
    path: '/api/rates',
    summary: 'Conversion rates',
    description: 'The rates of converted markets, their age and how long they may be used.',
    answer: RateListSchema,
    handle({ now }, management) {
      return {
        rates: [...management.configuration.pricing.converted.keys()].map((quote) => rateBody(management, quote, now)),
      };
    },
  }),
};

function rateBody({ configuration, feed, market: { book } }: Management, quote: CurrencyCode, now: EpochMs) {
  const { via } = configuration.pricing.converted.get(quote)!;
  const known = book.rate(quote);
  const health = feed.rates().find((rate) => rate.quote === quote);
  return {
    via,
    quote,
    source: health?.source ?? known?.rate.source ?? 'none',
    mid: known?.rate.mid ?? null,
    fixingDate: known?.rate.fixingDate ?? null,
    ...instants('refreshedAt', known?.rate.refreshedAt),
    ageMs: known === undefined ? null : Math.max(0, now - known.rate.refreshedAt),
    ...instants('validUntil', known?.validUntil),
    valid: known !== undefined && now < known.validUntil,
    marginPercent: book.marginOf(quote),
    lastOutcome: outcomeOf(health),
  };
}

function outcomeOf(health: RateHealth | undefined): string | null {
  if (health === undefined) return null;
  if (health.consecutiveFailures > 0) return health.lastError ?? 'failed';
  return health.lastSuccessAt === undefined ? null : 'ok';
}
