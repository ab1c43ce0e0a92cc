import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { locked } from './engine.ts';
import { eraseAccount } from './erase-account.ts';
import { type ListPosition, type Page, type PagedList, searchPage } from './paging.ts';
import type { AccountTable, Database, KeyStatus } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError } from './store-error.ts';

/** The holder of API keys. Keys of an account that is not active cannot be used. */
export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly createdAt: EpochMs;
}

/** How many keys of an account are in each state. */
export type KeyCounts = Readonly<Record<KeyStatus, number>>;

/** An account and how many keys it has. */
interface AccountWithKeys extends AccountRecord {
  readonly keys: KeyCounts;
}

interface AccountPageOptions {
  /** A part of the e-mail address in any case, or a whole id. */
  readonly query?: string | undefined;
  readonly after?: ListPosition | undefined;
  readonly limit: number;
}

type AccountRow = Selectable<AccountTable>;

/** No control characters and no direction marks either (both in `C`), which make a reader see another address. */
const emailShape = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const emailLengthMax = 254;

/** Throws `email_invalid`. */
export function assertEmail(email: string): void {
  if (email.length <= emailLengthMax && emailShape.test(email)) return;
  const rule = 'without spaces, control characters and direction marks';
  throw new StoreError('email_invalid', `The e-mail address must have the form name@domain, ${rule}.`);
}

export class Accounts extends StorePart {
  /** Throws `email_invalid`, or `email_taken` (the case of letters makes no difference). */
  async create({ email }: { readonly email: string }): Promise<AccountRecord> {
    assertEmail(email);
    const { db, clock, randomness, journal } = this.context;
    const id = newId('acc', randomness);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('accounts')
        .values({ id, email, created_at_ms: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) {
        throw takenEmail(email);
      }
      const summary = `Made the account of ${email}.`;
      await journal(trx, { action: 'account.create', subject: { kind: 'account', id }, summary, details: { email } });
      return recordOf(row);
    });
  }

  /** Setting what is already set changes nothing. Throws `account_unknown`. */
  setActive(id: string, active: boolean): Promise<AccountRecord> {
    const { db, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('accounts')
        .set({ active: active ? 1 : 0 })
        .where('id', '=', id)
        .where('active', '=', active ? 0 : 1)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) {
        const unchanged = await trx.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
        if (unchanged === undefined) throw unknownAccount(id);
        return recordOf(unchanged);
      }
      const [action, verb] = active ? ['account.activate', 'Activated'] : ['account.deactivate', 'Deactivated'];
      const summary = `${verb} the account of ${row.email}.`;
      await journal(trx, { action, subject: { kind: 'account', id }, summary, details: { email: row.email } });
      return recordOf(row);
    });
  }

  /** Throws `account_unknown`, `email_invalid`, `email_taken`. */
  async setEmail(id: string, email: string): Promise<AccountRecord> {
    assertEmail(email);
    const { db, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const asked = trx.selectFrom('accounts').selectAll().where('id', '=', id);
      const before = await locked(trx, asked, 'accounts').executeTakeFirst();
      if (before === undefined) throw unknownAccount(id);
      if (before.email === email) return recordOf(before);
      const same = trx
        .selectFrom('accounts')
        .select('id')
        .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', fn('lower', [eb.val(email)])));
      if ((await same.where('id', '<>', id).executeTakeFirst()) !== undefined) throw takenEmail(email);
      await trx.updateTable('accounts').set({ email }).where('id', '=', id).execute();
      const summary = `Changed the e-mail address of ${before.email} to ${email}.`;
      const details = { email, before: before.email };
      await journal(trx, { action: 'account.update', subject: { kind: 'account', id }, summary, details });
      return recordOf({ ...before, email });
    });
  }

  /**
   * Erases an account's personal data, for good: its keys are revoked and lose their labels, its address becomes a pseudonym made from
   * its id, also in the audit log, and notices that wait are not sent. Throws `account_unknown`.
   */
  erase(id: string): Promise<AccountRecord> {
    return eraseAccount(this.context, id);
  }

  async get(id: string): Promise<AccountRecord | undefined> {
    const row = await this.context.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    return row && recordOf(row);
  }

  /** Oldest first. */
  async list(): Promise<readonly AccountWithKeys[]> {
    const { db } = this.context;
    const rows = await db.selectFrom('accounts').selectAll().orderBy('created_at_ms').orderBy('id').execute();
    const counts = await keyCountsOf(db);
    return rows.map((row) => withKeys(row, counts));
  }

  /** Latest first. */
  async page({ query, after, limit }: AccountPageOptions): Promise<Page<AccountWithKeys, ListPosition>> {
    const { db } = this.context;
    const list: PagedList<AccountRow, ListPosition> = {
      limit,
      after,
      read: (from, count) => readAccounts(db, from, count),
      positionOf: ({ created_at_ms, id }) => ({ atMs: created_at_ms, id }),
    };
    const { items, next } = await searchPage(list, {
      query,
      withId: (id) => db.selectFrom('accounts').selectAll().where('id', '=', id).execute(),
      matches: ({ email }, wanted) => email.toLowerCase().includes(wanted.toLowerCase()),
    });
    const counts = await keyCountsOf(
      db,
      items.map(({ id }) => id),
    );
    return { items: items.map((row) => withKeys(row, counts)), next };
  }

  /** How many keys an account has, by their state. */
  async countKeys(id: string): Promise<KeyCounts> {
    return (await keyCountsOf(this.context.db, [id])).get(id) ?? noKeys;
  }
}

function takenEmail(email: string): StoreError {
  return new StoreError('email_taken', `An account with the e-mail address ${email} exists already.`);
}

export function unknownAccount(id: string): StoreError {
  return new StoreError('account_unknown', `There is no account ${id}.`);
}

function readAccounts(db: Database, after: ListPosition | undefined, count: number): Promise<AccountRow[]> {
  const latest = db.selectFrom('accounts').selectAll().orderBy('created_at_ms', 'desc').orderBy('id', 'desc');
  const list = latest.limit(count);
  if (after === undefined) return list.execute();
  return list
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at_ms', 'id'), '<', tuple(after.atMs as EpochMs, after.id)),
    )
    .execute();
}

const noKeys: KeyCounts = { active: 0, disabled: 0, revoked: 0 };

/** The counts of the accounts that have keys: of all, or of these. */
async function keyCountsOf(db: Database, accountIds?: readonly string[]): Promise<ReadonlyMap<string, KeyCounts>> {
  const counts = new Map<string, KeyCounts>();
  if (accountIds?.length === 0) return counts;
  const all = db
    .selectFrom('api_keys')
    .select(({ fn }) => ['account_id', 'status', fn.countAll<number>().as('count')])
    .groupBy(['account_id', 'status']);
  const rows = await (accountIds === undefined ? all : all.where('account_id', 'in', accountIds)).execute();
  for (const { account_id, status, count } of rows) {
    counts.set(account_id, { ...(counts.get(account_id) ?? noKeys), [status]: count });
  }
  return counts;
}

function withKeys(row: AccountRow, counts: ReadonlyMap<string, KeyCounts>): AccountWithKeys {
  return { ...recordOf(row), keys: counts.get(row.id) ?? noKeys };
}

export function recordOf({ id, email, active, created_at_ms }: AccountRow): AccountRecord {
  return { id, email, active: active === 1, createdAt: created_at_ms };
}
