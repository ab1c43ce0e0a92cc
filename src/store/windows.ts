import type { Updateable } from 'kysely';
import { isoInstant, lastInstantMs } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database, MaintenanceWindowTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

export type WindowRecord = RecordOf<MaintenanceWindowTable>;

export type NewWindow = Pick<WindowRecord, 'from' | 'to' | 'description'>;

const descriptionLengthMax = 500;

const verbs = { 'window.extend': 'Extended', 'window.end': 'Ended', 'window.cancel': 'Cancelled' } as const;

/** Every change throws `window_unknown`, `window_cancelled` and `window_over`, besides what each names. */
export class MaintenanceWindows extends StorePart {
  /** May overlap others and may have begun already. Throws `window_order`, `window_in_past`, `window_description`. */
  async announce(window: NewWindow): Promise<WindowRecord> {
    const { db, clock, randomness, audit } = this.context;
    const now = clock.now();
    assertNewWindow(window, now);
    const { from, to, description } = window;
    const id = newId('win', randomness);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('maintenance_windows')
        .values({ id, from_ms: from, to_ms: to, description: description.trim(), created_at_ms: now })
        .returningAll()
        .executeTakeFirstOrThrow();
      const record = recordOf(row);
      await audit(trx, { action: 'window.announce', ...entryOf('Announced', record) });
      return record;
    });
  }

  /** Moves the end to a later instant. Throws `window_not_later`. */
  extend(id: string, to: EpochMs): Promise<WindowRecord> {
    return this.#change(id, 'window.extend', (window) => {
      if (to > window.to && to <= lastInstantMs) return { to_ms: to };
      throw windowEndNotLater({ id, to: window.to });
    });
  }

  /** Ends a running window now. Throws `window_not_running`. */
  end(id: string): Promise<WindowRecord> {
    return this.#change(id, 'window.end', (window, now) => {
      if (window.from <= now) return { to_ms: now, ended_at_ms: now };
      throw windowNotRunning({ id });
    });
  }

  /** Cancels a window that has not begun. Throws `window_started`. */
  cancel(id: string): Promise<WindowRecord> {
    return this.#change(id, 'window.cancel', (window, now) => {
      if (now < window.from) return { cancelled_at_ms: now };
      throw windowStarted({ id });
    });
  }

  /** At most `limit` that are over or cancelled, the latest first. */
  async listPast(at: EpochMs, limit: number): Promise<readonly WindowRecord[]> {
    const rows = await this.context.db
      .selectFrom('maintenance_windows')
      .selectAll()
      .where(({ or, eb }) => or([eb('cancelled_at_ms', 'is not', null), eb('to_ms', '<=', at)]))
      .orderBy('from_ms', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(recordOf);
  }

  /** By start. With `currentAt` only those that still matter then: not cancelled and not over. */
  async list({ currentAt }: { readonly currentAt?: EpochMs | undefined } = {}): Promise<readonly WindowRecord[]> {
    let query = this.context.db.selectFrom('maintenance_windows').selectAll().orderBy('from_ms').orderBy('id');
    if (currentAt !== undefined) query = query.where('cancelled_at_ms', 'is', null).where('to_ms', '>', currentAt);
    return (await query.execute()).map(recordOf);
  }

  #change(
    id: string,
    action: keyof typeof verbs,
    decide: (window: WindowRecord, now: EpochMs) => Updateable<MaintenanceWindowTable>,
  ): Promise<WindowRecord> {
    const { db, clock, audit } = this.context;
    const now = clock.now();
    return db.transaction().execute(async (trx) => {
      const change = decide(await lockChangeable(trx, now, id), now);
      const row = await trx
        .updateTable('maintenance_windows')
        .set(change)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const record = recordOf(row);
      await audit(trx, { action, ...entryOf(verbs[action], record) });
      return record;
    });
  }
}

/** Throws the `StoreError` of the first rule that a window to be announced at `now` breaks. */
export function assertNewWindow({ from, to, description }: NewWindow, now: EpochMs): void {
  if (from >= to || to > lastInstantMs) throw windowEndsBeforeStart();
  if (to <= now) throw windowInPast();
  if (description.trim() === '' || description.length > descriptionLengthMax) throw windowWithoutDescription();
}

function entryOf(verb: string, { id, from, to, description }: WindowRecord) {
  return {
    subject: { kind: 'window', id } as const,
    summary: `${verb} the maintenance from ${isoInstant(from)} to ${isoInstant(to)}.`,
    details: { fromMs: from, toMs: to, description },
  };
}

async function lockChangeable(trx: Database, now: EpochMs, id: string): Promise<WindowRecord> {
  const asked = trx.selectFrom('maintenance_windows').selectAll().where('id', '=', id);
  const row = await asked.forUpdate().executeTakeFirst();
  if (row === undefined) throw windowUnknown({ id });
  const window = recordOf(row);
  if (window.cancelledAt !== undefined) throw windowCancelled({ id });
  if (window.to > now) return window;
  throw windowOver({ id, to: window.to });
}

export function windowUnknown(values: StoreErrorValues['window_unknown']) {
  return new StoreError('window_unknown', values, `There is no maintenance window ${values.id}.`);
}

export function windowEndsBeforeStart() {
  return new StoreError('window_order', {}, 'A window must end after it begins.');
}

export function windowInPast() {
  return new StoreError('window_in_past', {}, 'The end of a window must lie in the future.');
}

export function windowWithoutDescription() {
  const message = `A window needs a description of 1 to ${descriptionLengthMax} characters, in English.`;
  return new StoreError('window_description', {}, message);
}

export function windowEndNotLater(values: StoreErrorValues['window_not_later']) {
  const message = `The window ${values.id} already lasts until ${isoInstant(values.to)}. Name a later end.`;
  return new StoreError('window_not_later', values, message);
}

export function windowNotRunning(values: StoreErrorValues['window_not_running']) {
  return new StoreError('window_not_running', values, `The window ${values.id} has not begun. Cancel it instead.`);
}

export function windowStarted(values: StoreErrorValues['window_started']) {
  return new StoreError('window_started', values, `The window ${values.id} is running. End it instead.`);
}

export function windowOver(values: StoreErrorValues['window_over']) {
  const message = `The window ${values.id} ended at ${isoInstant(values.to)}. Announce a new one.`;
  return new StoreError('window_over', values, message);
}

export function windowCancelled(values: StoreErrorValues['window_cancelled']) {
  return new StoreError('window_cancelled', values, `The window ${values.id} was cancelled.`);
}
