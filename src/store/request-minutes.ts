import type { EpochMs } from '../ground/clock.ts';
import { StorePart } from './store-context.ts';

/** A minute of one process. */
export interface RequestMinute {
  readonly process: string;
  /** Its end: a whole minute, so that those of several processes add up. */
  readonly at: EpochMs;
  /**
   * Answers by the most seconds that they took: a bound of the histogram, or `+Inf`. Bounds without answers are left
   * out.
   */
  readonly answers: Readonly<Record<string, number>>;
  /** Error answers by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Prices and rates that the guard held back at its end. */
  readonly held: number;
}

/** Requests of a day, from every process. */
export class RequestMinutes extends StorePart {
  /** Adds minutes, and drops those that ended before an instant: all of it or, when it rejects, nothing. */
  async add(minutes: readonly RequestMinute[], before: EpochMs): Promise<void> {
    if (minutes.length === 0) return;
    const rows = minutes.map(({ process, at, answers, errors, held }) => {
      return { process, at_ms: at, answers: JSON.stringify(answers), errors: JSON.stringify(errors), held };
    });
    await this.context.db.transaction().execute(async (trx) => {
      await trx
        .insertInto('request_minutes')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['at_ms', 'process']).doNothing())
        .execute();
      await trx.deleteFrom('request_minutes').where('at_ms', '<', before).execute();
    });
  }

  /** Lists those that ended in a span, its end included, oldest first. */
  async between(after: EpochMs, until: EpochMs): Promise<readonly RequestMinute[]> {
    const all = this.context.db.selectFrom('request_minutes').selectAll();
    const within = all.where('at_ms', '>', after).where('at_ms', '<=', until);
    return (await within.orderBy('at_ms').orderBy('process').execute()).map((row) => ({
      process: row.process,
      at: row.at_ms,
      answers: JSON.parse(row.answers) as RequestMinute['answers'],
      errors: JSON.parse(row.errors) as RequestMinute['errors'],
      held: row.held,
    }));
  }
}
