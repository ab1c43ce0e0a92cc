import type { Selectable, SqlBool } from 'kysely';
import type { Language } from '../ground/languages.ts';
import { sql } from './kysely.ts';
import { type ListPosition, type Page, type PagedList, type PageOptions, searchPage } from './paging.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { AccountTable, Database, KeyStatus } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

export interface AccountRecord extends Omit<RecordOf<AccountTable>, 'active'> {
  readonly active: boolean;
}

/** How many keys of an account are in each state. */
export type KeyCounts = Readonly<Record<KeyStatus, number>>;

/** An account and how many keys it has. */
interface AccountWithKeys extends AccountRecord {
  readonly keys: KeyCounts;
}

interface AccountPageOptions extends PageOptions<ListPosition> {
  /** A part of the e-mail address in any case, or a whole id. */
  readonly query?: string | undefined;
}

/** The settings of an account. */
export interface AccountSettings {
  readonly email?: string | undefined;
  /** The language of notices to its holder. */
  readonly language?: Language | undefined;
}

type AccountRow = Selectable<AccountTable>;

/** No control characters and no direction marks either (both in `C`), which make a reader see another address. */
const emailShape = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const emailLengthMax = 254;

/** Throws `email_invalid`. */
export function assertEmail(email: string): void {
  if (email.length > emailLengthMax || !emailShape.test(email)) throw emailInvalid();
}

export class Accounts extends StorePart {
  /** Throws `email_invalid`, or `email_taken` (the case of letters makes no difference). */
  async create({ email, language }: AccountSettings & { readonly email: string }): Promise<AccountRecord> {
    assertEmail(email);
    const { db, clock, randomness, audit } = this.context;
    const id = newId('acc', randomness);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('accounts')
        .values({ id, email, language: language ?? null, created_at_ms: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw emailTaken({ email });
      const summary = `Made the account of ${email}.`;
      await audit(trx, { action: 'account.create', subject: { kind: 'account', id }, summary, details: { email } });
      return accountOf(row);
    });
  }

  /** Setting what is already set changes nothing. Throws `account_unknown`. */
  setActive(id: string, active: boolean): Promise<AccountRecord> {
    const { db, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const before = await lockAccount(trx, id);
      const changed = { ...before, active: active ? 1 : 0 };
      if (changed.active === before.active) return accountOf(before);
      await trx.updateTable('accounts').set({ active: changed.active }).where('id', '=', id).execute();
      const action = active ? 'account.activate' : 'account.deactivate';
      const verb = active ? 'Activated' : 'Deactivated';
      const summary = `${verb} the account of ${before.email}.`;
      await audit(trx, { action, subject: { kind: 'account', id }, summary, details: { email: before.email } });
      return accountOf(changed);
    });
  }

  /** Changes what is given. Throws `account_unknown`, `email_invalid`, `email_taken`. */
  async update(id: string, settings: AccountSettings): Promise<AccountRecord> {
    if (settings.email !== undefined) assertEmail(settings.email);
    const { db, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const before = await lockAccount(trx, id);
      const { email = before.email, language = before.language } = settings;
      if (before.email === email && before.language === language) return accountOf(before);
      const same = trx
        .selectFrom('accounts')
        .select('id')
        .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', fn('lower', [eb.val(email)])));
      if ((await same.where('id', '<>', id).executeTakeFirst()) !== undefined) throw emailTaken({ email });
      await trx.updateTable('accounts').set({ email, language }).where('id', '=', id).execute();
      const summary =
        email === before.email
          ? `Changed the language of notices to ${email} to ${language}.`
          : `Changed the e-mail address of ${before.email} to ${email}.`;
      const details = { email, before: before.email, language };
      await audit(trx, { action: 'account.update', subject: { kind: 'account', id }, summary, details });
      return accountOf({ ...before, email, language });
    });
  }

  /**
   * Erases an account's personal data, for good: its keys are revoked and lose their labels, its address becomes a
   * pseudonym made from its id, also in the audit log, and notices that wait are not sent. The entry of the audit log
   * that it makes identifies no person. Throws `account_unknown`.
   */
  erase(id: string): Promise<AccountRecord> {
    const { db, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const before = await lockAccount(trx, id);
      // A name that no mail can ever be sent to (RFC 6761 §6.4).
      const pseudonym = `${id}@erased.invalid`;
      const keys = await trx.selectFrom('api_keys').select('id').where('account_id', '=', id).execute();
      await eraseFromAudit(trx, [id, ...keys.map((key) => key.id)], pseudonym);
      await eraseFromNotices(trx, id);
      await trx.updateTable('api_keys').set({ status: 'revoked', label: '' }).where('account_id', '=', id).execute();
      const erased = { email: pseudonym, active: 0 };
      await trx.updateTable('accounts').set(erased).where('id', '=', id).execute();
      const summary = `Erased the account ${id} and revoked its ${keys.length} keys.`;
      const details = { keys: keys.length };
      await audit(trx, { action: 'account.erase', subject: { kind: 'account', id }, summary, details });
      return accountOf({ ...before, ...erased });
    });
  }

  async get(id: string): Promise<AccountRecord | undefined> {
    const row = await this.context.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    return row && accountOf(row);
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
    const latest = db.selectFrom('accounts').selectAll().orderBy('created_at_ms', 'desc').orderBy('id', 'desc');
    const list: PagedList<AccountRow, ListPosition> = {
      limit,
      after,
      read: (from, count) => {
        const rest = from && latest.where(sql<SqlBool>`(created_at_ms, id) < (${from.atMs}, ${from.id})`);
        return (rest ?? latest).limit(count).execute();
      },
      positionOf: ({ created_at_ms, id }) => ({ atMs: created_at_ms, id }),
    };
    const { items, next } = await searchPage(list, {
      query,
      withId: (id) => db.selectFrom('accounts').selectAll().where('id', '=', id).execute(),
      matches: ({ email }, wanted) => email.toLowerCase().includes(wanted.toLowerCase()),
    });
    const ids = items.map(({ id }) => id);
    const counts = await keyCountsOf(db, ids);
    return { items: items.map((row) => withKeys(row, counts)), next };
  }

  /** How many keys an account has, by their state. */
  async countKeys(id: string): Promise<KeyCounts> {
    return (await keyCountsOf(this.context.db, [id])).get(id) ?? noKeys;
  }
}

async function lockAccount(trx: Database, id: string): Promise<AccountRow> {
  const account = await trx.selectFrom('accounts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (account === undefined) throw accountUnknown({ id });
  return account;
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
  return { ...accountOf(row), keys: counts.get(row.id) ?? noKeys };
}

function accountOf(row: AccountRow): AccountRecord {
  return { ...recordOf(row), active: row.active === 1 };
}

const idsPerQuery = 1_000;
/** Finds a label as summaries write it: see `labelled`. */
const labelInSummary = / \(".*"\)(?=\.$| by )/u;
const address = /[^\s"()<>]+@[^\s"()<>]*[^\s"()<>.,]/gu;

/** Entries about one account and its keys hold no other address than the account's, today's and earlier ones. */
async function eraseFromAudit(trx: Database, subjectIds: readonly string[], pseudonym: string): Promise<void> {
  for (let start = 0; start < subjectIds.length; start += idsPerQuery) {
    const some = subjectIds.slice(start, start + idsPerQuery);
    const entries = trx.selectFrom('audit_log').select(['id', 'summary', 'details']).where('subject_id', 'in', some);
    for (const { id, summary, details } of await entries.execute()) {
      const change = {
        summary: summary.replace(labelInSummary, '').replace(address, pseudonym),
        details: JSON.stringify(JSON.parse(details), (key, value) => erasedValue(key, value, pseudonym)),
      };
      await trx.updateTable('audit_log').set(change).where('id', '=', id).execute();
    }
  }
}

function erasedValue(key: string, value: unknown, pseudonym: string): unknown {
  if (key === 'label') return '';
  return typeof value === 'string' ? value.replace(address, pseudonym) : value;
}

/** A notice holds no address of its own; what a mail server said of one may. */
async function eraseFromNotices(trx: Database, accountId: string): Promise<void> {
  const notices = trx.selectFrom('notices').select(['id', 'figures', 'status']).where('account_id', '=', accountId);
  for (const { id, figures, status } of await notices.execute()) {
    const change = {
      figures: JSON.stringify({ ...JSON.parse(figures), label: '' }),
      last_error: status === 'sent' ? null : 'the account was erased',
      status: status === 'pending' ? ('failed' as const) : status,
    };
    await trx.updateTable('notices').set(change).where('id', '=', id).execute();
  }
}

export function emailInvalid() {
  const message =
    'The e-mail address must have the form name@domain, without spaces, control characters and direction marks.';
  return new StoreError('email_invalid', {}, message);
}

export function emailTaken(values: StoreErrorValues['email_taken']) {
  const message = `An account with the e-mail address ${values.email} exists already.`;
  return new StoreError('email_taken', values, message);
}

export function accountUnknown(values: StoreErrorValues['account_unknown']) {
  return new StoreError('account_unknown', values, `There is no account ${values.id}.`);
}
