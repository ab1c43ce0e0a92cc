import type { Selectable } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import {
  type AccountPageOptions,
  type AccountPosition,
  accountPage,
  type KeyCounts,
  keyCountsOf,
} from './account-pages.ts';
import type { Journal } from './audit.ts';
import { newId } from './ids.ts';
import type { AccountTable, Database } from './schema.ts';
import { StoreError } from './store-error.ts';

/** The holder of API keys. Keys of an account that is not active cannot be used. */
export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly createdAt: EpochMs;
}

/** An account and how many keys it has. */
export interface AccountWithKeys extends AccountRecord {
  readonly keys: KeyCounts;
}

export type { AccountPosition, KeyCounts } from './account-pages.ts';

export interface Accounts {
  /** Throws `email_invalid`, or `email_taken` (the case of letters makes no difference). */
  create(account: { readonly email: string }): Promise<AccountRecord>;
  /** Oldest first. */
  list(): Promise<readonly AccountRecord[]>;
  /** Latest first. `next` is where the next page begins; a page of a search can be short although there is one. */
  page(options: AccountPageOptions): Promise<AccountPage>;
  get(id: string): Promise<AccountRecord | undefined>;
  /** How many keys an account has, by their state. */
  countKeys(id: string): Promise<KeyCounts>;
  /** Setting what is already set changes nothing. Throws `account_unknown`. */
  setActive(id: string, active: boolean): Promise<AccountRecord>;
}

export interface AccountPage {
  readonly accounts: readonly AccountWithKeys[];
  readonly next: AccountPosition | undefined;
}

const emailShape = /^[^\s@]+@[^\s@]+$/;
const emailLengthMax = 254;

export function accountsIn(db: Database, clock: Clock, randomness: Randomness, journal: Journal): Accounts {
  return {
    create: ({ email }) => createAccount(db, clock.now(), newId('acc', randomness), email, journal),
    async list() {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('created_at_ms').orderBy('id').execute();
      return rows.map(recordOf);
    },
    async page(options) {
      const { rows, next } = await accountPage(db, options);
      const counts = await keyCountsOf(
        db,
        rows.map(({ id }) => id),
      );
      return { accounts: rows.map((row) => ({ ...recordOf(row), keys: counts.get(row.id)! })), next };
    },
    async get(id) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : recordOf(row);
    },
    countKeys: async (id) => (await keyCountsOf(db, [id])).get(id)!,
    setActive: (id, active) => setAccountActive(db, id, active, journal),
  };
}

async function createAccount(
  db: Database,
  now: EpochMs,
  id: string,
  email: string,
  journal: Journal,
): Promise<AccountRecord> {
  if (email.length > emailLengthMax || !emailShape.test(email)) {
    throw new StoreError('email_invalid', 'The e-mail address must have the form name@domain, without spaces.');
  }
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('accounts')
      .values({ id, email, created_at_ms: now })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined)
      throw new StoreError('email_taken', `An account with the e-mail address ${email} exists already.`);
    const summary = `Made the account of ${email}.`;
    await journal(trx, { action: 'account.create', subject: { kind: 'account', id }, summary, details: { email } });
    return recordOf(row);
  });
}

function setAccountActive(db: Database, id: string, active: boolean, journal: Journal): Promise<AccountRecord> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('accounts')
      .set({ active: active ? 1 : 0 })
      .where('id', '=', id)
      .where('active', '=', active ? 0 : 1)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) {
      const [action, verb] = active ? ['account.activate', 'Activated'] : ['account.deactivate', 'Deactivated'];
      const summary = `${verb} the account of ${row.email}.`;
      await journal(trx, { action, subject: { kind: 'account', id }, summary, details: { email: row.email } });
      return recordOf(row);
    }
    const asIs = await trx.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    if (asIs === undefined) throw unknownAccount(id);
    return recordOf(asIs);
  });
}

export function unknownAccount(id: string): StoreError {
  return new StoreError('account_unknown', `There is no account ${id}.`);
}

function recordOf(row: Selectable<AccountTable>): AccountRecord {
  return { id: row.id, email: row.email, active: row.active === 1, createdAt: row.created_at_ms as EpochMs };
}
