import type { Selectable } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
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

export interface Accounts {
  /** Throws `email_invalid`, or `email_taken` (the case of letters makes no difference). */
  create(account: { readonly email: string }): Promise<AccountRecord>;
  /** Oldest first. */
  list(): Promise<readonly AccountRecord[]>;
  get(id: string): Promise<AccountRecord | undefined>;
  /** Setting what is already set changes nothing. Throws `account_unknown`. */
  setActive(id: string, active: boolean): Promise<AccountRecord>;
}

const emailShape = /^[^\s@]+@[^\s@]+$/;
const emailLengthMax = 254;

export function accountsIn(db: Database, clock: Clock, randomness: Randomness): Accounts {
  return {
    async create({ email }) {
      if (email.length > emailLengthMax || !emailShape.test(email)) {
        throw new StoreError('email_invalid', 'The e-mail address must have the form name@domain, without spaces.');
      }
      const row = await db
        .insertInto('accounts')
        .values({ id: newId('acc', randomness), email, created_at_ms: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined)
        throw new StoreError('email_taken', `An account with the e-mail address ${email} exists already.`);
      return recordOf(row);
    },
    async list() {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('created_at_ms').orderBy('id').execute();
      return rows.map(recordOf);
    },
    async get(id) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : recordOf(row);
    },
    async setActive(id, active) {
      const row = await db
        .updateTable('accounts')
        .set({ active: active ? 1 : 0 })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw unknownAccount(id);
      return recordOf(row);
    },
  };
}

export function unknownAccount(id: string): StoreError {
  return new StoreError('account_unknown', `There is no account ${id}.`);
}

function recordOf(row: Selectable<AccountTable>): AccountRecord {
  return { id: row.id, email: row.email, active: row.active === 1, createdAt: row.created_at_ms as EpochMs };
}
