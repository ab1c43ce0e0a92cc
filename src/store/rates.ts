import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { AuditAction, RateControlTable } from './schema.ts';
import { StorePart } from './store-context.ts';

export type RateControlRecord = RecordOf<RateControlTable>;

/** The decisions of operators about rates, by their quote currencies. */
export class RateControls extends StorePart {
  async list(): Promise<readonly RateControlRecord[]> {
    return (await this.context.db.selectFrom('rate_controls').selectAll().orderBy('quote').execute()).map(recordOf);
  }

  /** Since `heldAt`, or no longer. A rate that is on hold stays so since when it was. Returns whether that is new. */
  async setHeld(quote: string, heldAt: EpochMs | undefined): Promise<boolean> {
    const { transact, audit } = this.context;
    return transact(async (trx) => {
      const asked = trx.selectFrom('rate_controls').select('held_at_ms').where('quote', '=', quote);
      const before = (await asked.forUpdate().executeTakeFirst())?.held_at_ms ?? null;
      if ((before === null) === (heldAt === undefined)) return false;
      const row = { held_at_ms: heldAt ?? null };
      await trx
        .insertInto('rate_controls')
        .values({ quote, ...row })
        .onConflict((conflict) => conflict.column('quote').doUpdateSet(row))
        .execute();
      const [action, verb] =
        heldAt === undefined ? (['rate.release', 'Released'] as const) : (['rate.hold', 'Held'] as const);
      await audit(trx, entryOf(action, quote, `${verb} the rate of ${quote}.`));
      return true;
    });
  }

  /** Takes the rate that an operator saw: one that is held, or in force and unconfirmed. */
  async accept(quote: string, mid: string, at: EpochMs): Promise<void> {
    const { transact, audit } = this.context;
    const row = { accepted_at_ms: at, accepted_mid: mid };
    await transact(async (trx) => {
      await trx
        .insertInto('rate_controls')
        .values({ quote, ...row })
        .onConflict((conflict) => conflict.column('quote').doUpdateSet(row))
        .execute();
      await audit(trx, {
        ...entryOf('rate.accept', quote, `Accepted the rate of ${quote}: ${mid}.`),
        details: { mid },
      });
    });
  }
}

function entryOf(action: AuditAction, quote: string, summary: string) {
  return { action, subject: { kind: 'rate', id: quote } as const, summary };
}
