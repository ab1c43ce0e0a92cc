import type { Selectable, Transaction } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import { isoInstant, lastInstantMs } from '../contract/instant.ts';
import type { Journal } from './audit.ts';
import { locked } from './engine.ts';
import { newId } from './ids.ts';
import type { Database, MaintenanceWindowTable, Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** A maintenance window runs while `from ≤ now < to`, unless it was cancelled. */
export interface WindowRecord {
  readonly id: string;
  readonly from: EpochMs;
  /** Moved by `extend` and `end`. */
  readonly to: EpochMs;
  readonly description: string;
  readonly createdAt: EpochMs;
  readonly cancelledAt: EpochMs | undefined;
  /** When the operator ended it before its time. */
  readonly endedAt: EpochMs | undefined;
}

export interface NewWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** English, 1 to 500 characters: clients read it (contract, MaintenanceWindow). */
  readonly description: string;
}

/** Every change throws `window_unknown` for an id that does not exist, besides what stands at each. */
export interface MaintenanceWindows {
  /** May overlap others and may have begun already. Throws `window_order`, `window_in_past`, `window_description`. */
  announce(window: NewWindow): Promise<WindowRecord>;
  /** Moves the end to a later instant. Throws `window_cancelled`, `window_over`, `window_not_later`. */
  extend(id: string, to: EpochMs): Promise<WindowRecord>;
  /** Ends a running window now. Throws `window_cancelled`, `window_over`, `window_not_running`. */
  end(id: string): Promise<WindowRecord>;
  /** Takes back a window that has not begun. Throws `window_cancelled`, `window_over`, `window_started`. */
  cancel(id: string): Promise<WindowRecord>;
  /** At most `limit` that are over or cancelled, the latest first. */
  listPast(at: EpochMs, limit: number): Promise<readonly WindowRecord[]>;
  /** By start. With `currentAt` only those that still matter then: not cancelled and not over. */
  list(filter?: { readonly currentAt?: EpochMs | undefined }): Promise<readonly WindowRecord[]>;
}

const descriptionLengthMax = 500;

export function windowsIn(db: Database, clock: Clock, randomness: Randomness, journal: Journal): MaintenanceWindows {
  return {
    announce: (window) => announceWindow(db, clock.now(), newId('win', randomness), window, journal),
    extend: (id, to) =>
      changeWindow({ db, journal, now: clock.now(), id, action: 'window.extend' }, (window) => {
        if (to > window.to && to <= lastInstantMs) return { to_ms: to };
        throw new StoreError(
          'window_not_later',
          `The window ${id} already lasts until ${isoInstant(window.to)}. Name a later end.`,
        );
      }),
    end: (id) => {
      const now = clock.now();
      return changeWindow({ db, journal, now, id, action: 'window.end' }, (window) => {
        if (window.from <= now) return { to_ms: now, ended_at_ms: now };
        throw new StoreError('window_not_running', `The window ${id} has not begun. Cancel it instead.`);
      });
    },
    cancel: (id) => {
      const now = clock.now();
      return changeWindow({ db, journal, now, id, action: 'window.cancel' }, (window) => {
        if (now < window.from) return { cancelled_at_ms: now };
        throw new StoreError('window_started', `The window ${id} is running. End it instead.`);
      });
    },
    async listPast(at, limit) {
      const rows = await db
        .selectFrom('maintenance_windows')
        .selectAll()
        .where(({ or, eb }) => or([eb('cancelled_at_ms', 'is not', null), eb('to_ms', '<=', at)]))
        .orderBy('from_ms', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(recordOf);
    },
    async list(filter) {
      const currentAt = filter?.currentAt;
      const all = db.selectFrom('maintenance_windows').selectAll().orderBy('from_ms').orderBy('id');
      const chosen =
        currentAt === undefined ? all : all.where('cancelled_at_ms', 'is', null).where('to_ms', '>', currentAt);
      return (await chosen.execute()).map(recordOf);
    },
  };
}

/** Throws the `StoreError` of the first rule that a window to be announced at `now` breaks. */
export function assertNewWindow({ from, to, description }: NewWindow, now: EpochMs): void {
  if (from >= to || to > lastInstantMs) throw new StoreError('window_order', 'A window must end after it begins.');
  if (to <= now) throw new StoreError('window_in_past', 'The end of a window must lie in the future.');
  if (description.trim() === '' || description.length > descriptionLengthMax) {
    throw new StoreError('window_description', 'A window needs a description of 1 to 500 characters, in English.');
  }
}

async function announceWindow(
  db: Database,
  now: EpochMs,
  id: string,
  window: NewWindow,
  journal: Journal,
): Promise<WindowRecord> {
  assertNewWindow(window, now);
  const { from, to, description } = window;
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('maintenance_windows')
      .values({ id, from_ms: from, to_ms: to, description: description.trim(), created_at_ms: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    const record = recordOf(row);
    await journal(trx, { action: 'window.announce', ...wordsOf('Announced', record) });
    return record;
  });
}

interface WindowChange {
  readonly db: Database;
  readonly journal: Journal;
  readonly now: EpochMs;
  readonly id: string;
  readonly action: keyof typeof verbs;
}

const verbs = { 'window.extend': 'Extended', 'window.end': 'Ended', 'window.cancel': 'Cancelled' } as const;

function changeWindow(
  { db, journal, now, id, action }: WindowChange,
  decide: (window: WindowRecord) => Partial<Selectable<MaintenanceWindowTable>>,
): Promise<WindowRecord> {
  return db.transaction().execute(async (trx) => {
    const change = decide(await changeable(trx, now, id));
    const row = await trx
      .updateTable('maintenance_windows')
      .set(change)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const record = recordOf(row);
    await journal(trx, { action, ...wordsOf(verbs[action], record) });
    return record;
  });
}

function wordsOf(verb: string, { id, from, to, description }: WindowRecord) {
  return {
    subject: { kind: 'window', id } as const,
    summary: `${verb} the maintenance from ${isoInstant(from)} to ${isoInstant(to)}.`,
    details: { fromMs: from, toMs: to, description },
  };
}

async function changeable(trx: Transaction<Schema>, now: EpochMs, id: string): Promise<WindowRecord> {
  const asked = trx.selectFrom('maintenance_windows').selectAll().where('id', '=', id);
  const row = await locked(trx, asked, 'maintenance_windows').executeTakeFirst();
  if (row === undefined) throw new StoreError('window_unknown', `There is no maintenance window ${id}.`);
  const window = recordOf(row);
  if (window.cancelledAt !== undefined) throw new StoreError('window_cancelled', `The window ${id} was cancelled.`);
  if (window.to > now) return window;
  throw new StoreError('window_over', `The window ${id} ended at ${isoInstant(window.to)}. Announce a new one.`);
}

function recordOf(row: Selectable<MaintenanceWindowTable>): WindowRecord {
  return {
    id: row.id,
    from: row.from_ms as EpochMs,
    to: row.to_ms as EpochMs,
    description: row.description,
    createdAt: row.created_at_ms as EpochMs,
    cancelledAt: (row.cancelled_at_ms ?? undefined) as EpochMs | undefined,
    endedAt: (row.ended_at_ms ?? undefined) as EpochMs | undefined,
  };
}
