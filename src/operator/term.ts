import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import { type PriceRounding, priceRoundings } from '../market/pricing.ts';
import {
  holdingTerms,
  inherit,
  type MarketTerms,
  type Term,
  type TermField,
  type TermsInForce,
  termFields,
  termScopes,
  termVersion,
} from '../market/terms.ts';
import type { NewTerm, TermRecord } from '../store/terms.ts';
import * as fields from './fields.ts';

export const termRounding = fields.openEnum(
  priceRoundings,
  '`outward` rounds buy prices up and sell prices down; `nearest` rounds both to the nearest step, half to even.',
);
export const termPrecision = part.places('Decimal places of the prices of converted markets.', 0);
const termInherits = Type.Array(fields.openEnum(termFields, 'A value.'), {
  description: 'The values that it takes from the next wider scope again.',
  maxItems: termFields.length,
});

export const TermSchema = fields.named('Term', 'Values that prices are made with from an instant on.', {
  id: fields.id('trm', 'The term’s id; `cfg_…` for what the configuration sets.'),
  version: fields.line(
    'The id and the start: names it in records and derivations.',
    'trm_4fGh72Kq0ZsTn1Lw@2026-12-01T00:00:00.000Z',
    100,
  ),
  state: fields.openEnum(
    ['announced', 'holding', 'past', 'cancelled'],
    'Where it is in its life: `holding` while at least one of its values holds in its scope, `past` once others do.',
  ),
  ...fields.nullableInstantFields(
    'from',
    'The first instant at which it holds; null for the configuration, which was there before.',
  ),
  scope: fields.openEnum(termScopes, 'What it is for. Of several that set the same value the narrowest scope holds.'),
  subject: fields.nullableLine('The quote currency or the market; null for the service.', 'BTCEUR', 32),
  feePercent: fields.nullableDecimal('The fee in percent; null where it sets none, as with the others.', '0.4'),
  marginPercent: fields.nullableDecimal('The currency margin of converted markets in percent.', '1'),
  pricePrecision: fields.nullable(termPrecision, 'The precision.'),
  rounding: fields.nullable(termRounding, 'The rounding.'),
  inherits: termInherits,
  ...fields.nullableInstantFields('createdAt', 'When it was set.'),
  ...fields.nullableInstantFields('cancelledAt', 'When it was cancelled, before it began.'),
});

export type TermView = Static<typeof TermSchema>;

/** Values as a request gives them. */
export interface TermInput extends Omit<NewTerm, 'pricePrecision'> {
  readonly pricePrecision?: number | undefined;
  readonly inherits?: readonly TermField[] | undefined;
}

export function newTermOf({ inherits = [], pricePrecision, ...input }: TermInput): NewTerm {
  const inherited = Object.fromEntries(inherits.map((field) => [field, inherit]));
  return { ...input, pricePrecision: pricePrecision?.toString(), ...inherited };
}

/** A stored term, or one that is about to be stored, as the market applies it. Its texts were checked by the store. */
export function termOf({ from, scope, subject, ...record }: NewTerm & { readonly id?: string }): Term {
  const { id = '', feePercent, marginPercent, pricePrecision, rounding } = record;
  return {
    id,
    from,
    scope,
    subject,
    values: {
      feePercent: feePercent as DecimalString | undefined,
      marginPercent: marginPercent as DecimalString | undefined,
      pricePrecision:
        pricePrecision === undefined || pricePrecision === inherit ? pricePrecision : Number(pricePrecision),
      rounding: rounding as PriceRounding | undefined,
    },
  };
}

/** The views of the terms of the configuration, then of the records, in their order. */
export function termViews(
  known: Pick<TermsInForce, 'all'>,
  records: readonly TermRecord[],
  now: EpochMs,
): readonly TermView[] {
  const first = known.all().filter(({ from }) => from === undefined);
  const stored = records.map((record) => ({ term: termOf(record), record }));
  const all = [...first.map((term) => ({ term, record: undefined })), ...stored];
  const live = all.flatMap(({ term, record }) => (record?.cancelledAt === undefined ? [term] : []));
  const holding = holdingTerms(live, now);
  const stateOf = (term: Term, record?: TermRecord): TermView['state'] => {
    if (record?.cancelledAt !== undefined) return 'cancelled';
    if (term.from !== undefined && now < term.from) return 'announced';
    return holding.has(term) ? 'holding' : 'past';
  };
  return all.map(({ term, record }) => viewIn(term, stateOf(term, record), record));
}

/** The view of one stored term among all. */
export function termView(id: string, ...all: Parameters<typeof termViews>): TermView {
  return termViews(...all).find((view) => view.id === id)!;
}

function viewIn(term: Term, state: TermView['state'], record?: TermRecord): TermView {
  const { values } = term;
  const own = <Field extends TermField>(field: Field) => {
    const value = values[field];
    return value === undefined || value === inherit ? null : (value as Exclude<typeof value, typeof inherit>);
  };
  return fields.viewOf(TermSchema.properties, {
    ...term,
    version: termVersion(term),
    state,
    feePercent: own('feePercent'),
    marginPercent: own('marginPercent'),
    pricePrecision: own('pricePrecision'),
    rounding: own('rounding'),
    inherits: termFields.filter((field) => values[field] === inherit),
    createdAt: record?.createdAt,
    cancelledAt: record?.cancelledAt,
  });
}

/** The values of terms that a price is made on. */
export const termValues = ['fee', 'margin', 'precision', 'rounding'] as const;

const TermValueSchema = fields.object('A value and the term it comes from.', {
  what: fields.openEnum(termValues, 'What it sets.'),
  value: fields.line('The value.', '0.4', 64),
  version: fields.line(
    'The term, by its id and start; of the configuration its id alone.',
    'trm_4fGh72Kq0ZsTn1Lw@2026-12-01T00:00:00.000Z',
    100,
  ),
  scope: fields.openEnum(termScopes, 'The scope of the term.'),
  ...fields.nullableInstantFields('from', 'Since when it holds; null for the configuration.'),
});

/** The terms a price is made on. */
export const MarketTermsSchema = fields.named('MarketTerms', 'The terms that a market is priced on.', {
  version: fields.line(
    'Names all terms that the price is made on, with a blank between them.',
    'cfg_0f3a91c07d1e',
    400,
  ),
  values: fields.listOf(TermValueSchema, 'The values.', 4),
});

export function marketTermsView(terms: MarketTerms): Static<typeof MarketTermsSchema> {
  const values = termValues.flatMap((what) => {
    const inForce = terms[what];
    if (inForce === undefined) return [];
    const { term, value } = inForce;
    return fields.viewOf(TermValueSchema.properties, {
      ...term,
      what,
      value: String(value),
      version: termVersion(term),
    });
  });
  return { version: terms.version, values };
}
