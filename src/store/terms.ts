import type { Selectable } from 'kysely';
import { isoInstant, lastInstantMs } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { TermTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** `subject` is `undefined` for the service. */
export interface TermRecord extends Omit<RecordOf<TermTable>, 'subject'> {
  readonly subject: string | undefined;
}

type TermValues = Pick<TermRecord, 'feePercent' | 'marginPercent' | 'pricePrecision' | 'rounding'>;

export type NewTerm = Pick<TermRecord, 'from' | 'scope' | 'subject'> & Partial<TermValues>;

/** Every process has read a new term when it begins, and no process begins one that is being cancelled. */
export const termLeadMs = 2_000;

const percentage = /^((0|[1-9]\d?)(\.\d{1,18})?|inherit)$/;
const shapes = {
  feePercent: { title: 'fee', fits: percentage, must: 'a decimal from 0 to under 100, in percent, or inherit' },
  marginPercent: { title: 'margin', fits: percentage, must: 'a decimal from 0 to under 100, in percent, or inherit' },
  pricePrecision: {
    title: 'precision',
    fits: /^(\d|1[0-8]|inherit)$/,
    must: 'a whole number from 0 to 18, or inherit',
  },
  rounding: { title: 'rounding', fits: /^(outward|nearest|inherit)$/, must: 'outward, nearest or inherit' },
} as const;
const fields = ['feePercent', 'marginPercent', 'pricePrecision', 'rounding'] as const;

export class Terms extends StorePart {
  /**
   * Adds a term. One that begins sooner than in `termLeadMs` begins then: what was quoted before stays as it was.
   * Throws `term_empty`, `term_value`, `term_scope`, `term_start`.
   */
  async add(term: NewTerm): Promise<TermRecord> {
    assertTerm(term);
    const { transact, clock, randomness, audit } = this.context;
    const now = clock.now();
    const id = newId('trm', randomness);
    return transact(async (trx) => {
      const row = await trx
        .insertInto('terms')
        .values({
          id,
          from_ms: Math.max(term.from, now + termLeadMs) as EpochMs,
          scope: term.scope,
          subject: term.subject ?? '',
          fee_percent: term.feePercent ?? null,
          margin_percent: term.marginPercent ?? null,
          price_precision: term.pricePrecision ?? null,
          rounding: term.rounding ?? null,
          created_at_ms: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const record = termOf(row);
      await audit(trx, { action: 'term.set', ...entryOf('Set', record) });
      return record;
    });
  }

  /** Cancels a term that has not begun. Throws `term_unknown`, `term_cancelled`, `term_begun`. */
  cancel(id: string): Promise<TermRecord> {
    const { transact, clock, audit } = this.context;
    const now = clock.now();
    return transact(async (trx) => {
      const row = await trx.selectFrom('terms').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
      if (row === undefined) throw termUnknown({ id });
      if (row.cancelled_at_ms !== null) throw termCancelled({ id });
      if (now + termLeadMs >= row.from_ms) throw termBegun({ id, from: row.from_ms });
      await trx.updateTable('terms').set({ cancelled_at_ms: now }).where('id', '=', id).execute();
      const record = termOf({ ...row, cancelled_at_ms: now });
      await audit(trx, { action: 'term.cancel', ...entryOf('Cancelled', record) });
      return record;
    });
  }

  /** By their start, and of the same start in the order in which they apply; cancelled ones only if asked for. */
  async list({ withCancelled = false } = {}): Promise<readonly TermRecord[]> {
    let query = this.context.db
      .selectFrom('terms')
      .selectAll()
      .orderBy('from_ms')
      .orderBy('created_at_ms')
      .orderBy('id');
    if (!withCancelled) query = query.where('cancelled_at_ms', 'is', null);
    return (await query.execute()).map(termOf);
  }
}

/** Throws the `StoreError` of the first rule that a new term breaks. */
export function assertTerm(term: NewTerm): void {
  if (fields.every((field) => term[field] === undefined)) throw termEmpty();
  for (const field of fields) {
    const { title, fits, must } = shapes[field];
    if (term[field] !== undefined && !fits.test(term[field])) throw termValueInvalid({ title, must });
  }
  if ((term.scope === 'service') !== (term.subject === undefined)) throw termWithoutSubject();
  if (term.scope === 'service' && (term.marginPercent ?? term.pricePrecision) !== undefined) {
    throw termWithoutCurrency();
  }
  if (term.from > lastInstantMs) throw termStartTooLate();
}

function termOf(row: Selectable<TermTable>): TermRecord {
  return { ...recordOf(row), subject: row.scope === 'service' ? undefined : row.subject };
}

function entryOf(verb: string, { id, from, scope, subject, ...record }: TermRecord) {
  const values = fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]] as const);
  const what = values.map(([field, value]) => `${shapes[field].title} ${value}`).join(', ');
  return {
    subject: { kind: 'term', id } as const,
    summary: `${verb} for ${subject ?? 'the service'} from ${isoInstant(from)}: ${what}.`,
    details: { fromMs: from, scope, subject: subject ?? null, ...Object.fromEntries(values) },
  };
}

export function termUnknown(values: StoreErrorValues['term_unknown']) {
  return new StoreError('term_unknown', values, `There is no term ${values.id}.`);
}

export function termEmpty() {
  const message = 'A term sets a fee, a margin, a precision or a rounding, or several of them.';
  return new StoreError('term_empty', {}, message);
}

export function termValueInvalid(values: StoreErrorValues['term_value']) {
  return new StoreError('term_value', values, `A ${values.title} is ${values.must}.`);
}

export function termWithoutSubject() {
  const message = 'A term is for a market, for a quote currency, or for the whole service.';
  return new StoreError('term_scope.subject', {}, message);
}

export function termWithoutCurrency() {
  const message =
    'A margin or a precision for the whole service would be for no currency. ' +
    'Name the quote currency or the market it is for.';
  return new StoreError('term_scope.service', {}, message);
}

export function termStartTooLate() {
  return new StoreError('term_start', {}, 'The start of a term must be before the year 10000.');
}

export function termCancelled(values: StoreErrorValues['term_cancelled']) {
  return new StoreError('term_cancelled', values, `The term ${values.id} was cancelled.`);
}

export function termBegun(values: StoreErrorValues['term_begun']) {
  const { id, from } = values;
  const message = `The term ${id} holds from ${isoInstant(from)} and cannot be cancelled. Set another one.`;
  return new StoreError('term_begun', values, message);
}
