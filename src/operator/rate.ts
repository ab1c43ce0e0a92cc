import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, percentChange, ratioOf, roundTo } from '../market/decimal.ts';
import type { Markets } from '../market/markets.ts';
import type { HeldRateReason } from '../market/rate-law.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { ConversionRate } from '../market/upstream.ts';
import * as fields from './fields.ts';

/** Why a rate is held, and who can end that. */
export const heldRateWhys: Readonly<Record<HeldRateReason | 'unconfirmed', string>> = {
  bound:
    'it is more than guard.ratePercent from the one in force: the next fixing of its source confirms it, or an hour of equal readings where that gives no dates',
  ceiling:
    'it is more than guard.rateCeilingPercent from the one in force, or that of a day ago: only the second source or an operator confirms it',
  contradicted:
    'the second source says another, and there is no rate yet: only the second source or an operator confirms it',
  unconfirmed:
    'nothing ever confirmed the one in force either: there is no price until the second source or an operator confirms one of the two',
};

const HeldRateSchema = fields.object('A rate that is held: the one in force stays.', {
  mid: part.decimal('The rate, as it was read last.', '2431.5'),
  fixingDate: fields.nullableLine('Its daily fixing; null for a source that gives none.', '2026-11-20', 10),
  ...fields.instantFields('since', 'When a rate began to be held.'),
  ...fields.instantFields('refreshedAt', 'When it was read last.'),
  changePercent: fields.nullable(
    part.percent('From the one in force, in percent.', '9900.00'),
    'Null while there is none.',
  ),
  reason: fields.openEnum(Object.keys(heldRateWhys) as (keyof typeof heldRateWhys)[], 'Why it is held.'),
  why: fields.line('The reason in words.', heldRateWhys.ceiling),
});

const currency = { currency: part.currency('The currency that it lacks.', 'CZK') };

export const RateFaultSchema = fields.coded('RateFaultCode', 'Why a reading gave no rate.', {
  implausible: {},
  fixing_undated: {},
  fixing_too_old: { daysMax: fields.count('The most days that are taken.', 10) },
  fixing_in_future: {},
  fixing_older: { fixing: fields.line('Its day.', '2026-11-19', 10) },
  no_rates: {},
  no_rate: currency,
  several_rates: currency,
  not_decimal: {},
  incomplete: {},
  not_one_day: {},
  pointer_to_nothing: {
    setting: fields.line('The setting.', 'rates.pointer', 64),
    pointer: fields.line('The pointer.', '/rates/CZK', 300),
  },
  no_ticker: {},
  no_bid_or_ask: {},
  crossed: {},
  failed: {
    kind: fields.openEnum(
      [
        'network',
        'timeout',
        'too_large',
        'status',
        'rate_limited',
        'banned',
        'malformed',
        'refused',
        'unknown_symbol',
        'aborted',
      ],
      'The kind of failure.',
    ),
    detail: fields.line('More of it, in English or as the system calls it.', 'HTTP status 500', 300),
  },
});

type RateFault = Static<typeof RateFaultSchema>;

const lastFault = fields.nullable(
  RateFaultSchema,
  'The same by its code; null where it gave a rate, and before the first.',
);

const SecondRateSchema = fields.object('The same rate from the source that it is compared with.', {
  source: fields.line('Where it comes from: `cnb`, `ecb`, `json` or `exchange`.', 'ecb', 64),
  mid: fields.nullableDecimal('The rate; null before it was first read.', '24.310'),
  fixingDate: fields.nullableLine('Its daily fixing; null for a source that gives none.', '2026-11-20', 10),
  ...fields.nullableInstantFields('refreshedAt', 'When it was last read.'),
  differencePercent: fields.nullable(
    part.percent('The rate in force, or the one that is held while there is none, from it, in percent.', '0.02'),
    'Null before it was first read.',
  ),
  agrees: fields.orNull(
    Type.Boolean({
      description: 'Whether the two are within `guard.ratePercent`; null where they are not of one time.',
      examples: [true],
    }),
  ),
  lastOutcome: fields.nullableLine(
    'How the last attempt to read it ended: `ok`, or what was wrong; null before the first.',
    'ok',
  ),
  lastFault,
  ...fields.nullableInstantFields('failingSince', 'Since when every attempt has failed; null while it works.'),
});

export const RateSchema = fields.named('Rate', 'A conversion rate.', {
  id: part.currency('The currency that is converted to, by which rates are addressed.', 'CZK'),
  via: part.currency('The currency that is converted from.', 'EUR'),
  quote: part.currency('The currency that is converted to.', 'CZK'),
  source: fields.line('Where the rate comes from: `cnb`, `ecb`, `json` or `exchange`.', 'cnb', 64),
  mid: fields.nullableLine(
    'Units of `quote` for one unit of `via`, a decimal: the one in force, or the last that was; null while there was none.',
    '24.500',
    64,
  ),
  inverse: fields.nullableDecimal('Units of `via` for one unit of `quote`, rounded to eight decimals.', '0.04081633'),
  fixingDate: fields.nullableLine('The day of a daily fixing; null for a source that gives none.', '2026-11-20', 10),
  ...fields.nullableInstantFields('refreshedAt', 'When it was last read.'),
  ageMs: fields.nullableCount('Time since then, in milliseconds.', 120_000),
  ...fields.nullableInstantFields('validUntil', 'The first instant at which it may no longer be used.'),
  valid: Type.Boolean({ description: 'Whether it may be used now. While not, the converted markets have no price.' }),
  confirmed: Type.Boolean({
    description:
      'Whether anything but its source has ever said so: the rate before, the second source, or an operator.',
  }),
  ...fields.nullableInstantFields('heldAt', 'Since when an operator keeps the one in force.'),
  held: fields.nullable(HeldRateSchema, 'The rate that is held; null while none is.'),
  second: fields.nullable(SecondRateSchema, 'The second source; null where the rate is compared with none.'),
  marginPercent: part.decimal('The currency margin in percent; terms of single markets can differ.', '1'),
  lastOutcome: fields.nullableLine(
    'How the last attempt to read it ended: `ok`, or what was wrong; null before the first.',
    'ok',
  ),
  lastFault,
});

export type RateView = Static<typeof RateSchema>;

/** How a source of a rate was read of late. */
interface ReadingHealth {
  readonly source: string;
  readonly lastOutcome: string | undefined;
  readonly lastFault: RateFault | undefined;
  readonly failingSince: EpochMs | undefined;
}

/** The health of the sources of a rate, in the process that reads them. */
export interface ReadRate extends ReadingHealth {
  readonly quote: CurrencyCode;
  readonly second: ReadingHealth | undefined;
}

/** Gives a rate as an operator sees it. @param read `undefined` where no process of this installation runs the feed */
export function rateView(
  markets: Markets,
  { quote, via }: { readonly quote: CurrencyCode; readonly via: CurrencyCode },
  read: ReadRate | undefined,
  now: EpochMs,
): RateView {
  const { rates } = markets;
  const { inForce, isUnconfirmed, held } = rates.belief(quote);
  const usable = markets.rate(quote);
  return fields.viewOf(RateSchema.properties, {
    id: quote,
    via,
    quote,
    source: read?.source ?? inForce?.source ?? held?.last.source ?? 'none',
    mid: inForce?.mid,
    inverse: inForce && inverseOf(inForce.mid),
    fixingDate: inForce?.fixingDate,
    refreshedAt: inForce?.refreshedAt,
    ageMs: inForce && Math.max(0, now - inForce.refreshedAt),
    validUntil: usable?.validUntil,
    valid: usable !== undefined && now < usable.validUntil,
    confirmed: inForce !== undefined && !isUnconfirmed,
    heldAt: rates.heldSince(quote),
    held: held && heldView(held, inForce),
    second: secondView(markets, quote, read?.second, now),
    marginPercent: markets.marginOf(quote),
    lastOutcome: read?.lastOutcome,
    lastFault: read?.lastFault,
  });
}

const inversePlaces = 8;

/** One divided by a rate, rounded to eight decimals. */
export function inverseOf(mid: DecimalString): DecimalString {
  return roundTo(ratioOf('1' as DecimalString, mid), inversePlaces, 'half-even');
}

function heldView(
  { last, since, reason, isContest }: NonNullable<ReturnType<Markets['rates']['belief']>['held']>,
  inForce: ConversionRate | undefined,
): Static<typeof HeldRateSchema> {
  const why = isContest ? 'unconfirmed' : reason;
  return fields.viewOf(HeldRateSchema.properties, {
    ...last,
    since,
    changePercent: inForce && percentChange(inForce.mid, last.mid),
    reason: why,
    why: heldRateWhys[why],
  });
}

function secondView(markets: Markets, quote: CurrencyCode, read: ReadingHealth | undefined, now: EpochMs) {
  const { witness, inForce, held } = markets.rates.belief(quote);
  const source = read?.source ?? witness?.source;
  if (source === undefined) return undefined;
  const compared = inForce ?? held?.last;
  const comparison = markets.rates.comparison(quote, now);
  return fields.viewOf(SecondRateSchema.properties, {
    source,
    mid: witness?.mid,
    fixingDate: witness?.fixingDate,
    refreshedAt: witness?.refreshedAt,
    differencePercent: witness && compared && percentChange(witness.mid, compared.mid),
    agrees: comparison?.isOfOneTime ? comparison.isAgreed : undefined,
    lastOutcome: read?.lastOutcome,
    lastFault: read?.lastFault,
    failingSince: read?.failingSince,
  });
}

/** Every converted quote's rate. */
export function rateViews(
  markets: Markets,
  converted: ReadonlyMap<CurrencyCode, { readonly via: CurrencyCode }>,
  read: readonly ReadRate[],
  now: EpochMs,
): RateView[] {
  return [...converted].map(([quote, { via }]) => {
    const health = read.find((each) => each.quote === quote);
    return rateView(markets, { quote, via }, health, now);
  });
}

/**
 * The rate that an operator can accept: the one that is held, or the one in force that nothing has confirmed.
 * `undefined` where nothing is doubted.
 */
export function acceptableRate({ held, mid, confirmed }: RateView): string | undefined {
  return held?.mid ?? (confirmed ? undefined : (mid ?? undefined));
}
