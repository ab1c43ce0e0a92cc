import type { Selectable } from 'kysely';
import type { Language } from '../ground/languages.ts';
import type { NoticeStatus, NoticeTable } from './message-tables.ts';
import { decideNotices, type NoticeDecision, type NoticeRecord, noticeOf } from './notice-decision.ts';
import { Outbox } from './outbox.ts';
import type { Database } from './schema.ts';
import type { StoreContext } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

export type { NoticeStatus } from './message-tables.ts';
export type { NoticeDecision, NoticeFigures, NoticeRecord, NoticeRule } from './notice-decision.ts';

export interface NoticeWithAccount extends NoticeRecord {
  /** The address of the account now; `undefined` when the account is gone. */
  readonly accountEmail: string | undefined;
  /** That account's. */
  readonly language: Language | undefined;
}

interface NoticeFilter {
  readonly limit: number;
  readonly status?: NoticeStatus | undefined;
  readonly keyId?: string | undefined;
}

export interface ClaimedNotice extends NoticeWithAccount {
  readonly messageId: string;
}

/** The outbox of notices to account holders. */
export class Notices extends Outbox<ClaimedNotice> {
  constructor(context: StoreContext) {
    super(context, 'notices');
  }

  /** Makes the notices that are due. See `decideNotices`. */
  decide(decision: NoticeDecision): Promise<readonly NoticeRecord[]> {
    return decideNotices(this.context, decision);
  }

  protected async claimed(db: Database, id: string): Promise<ClaimedNotice> {
    const row = await selectWithAccount(db).where('notices.id', '=', id).executeTakeFirstOrThrow();
    return { ...noticeWithAccountOf(row), messageId: row.message_id! };
  }

  /** Latest first, at most `limit`. */
  async list({ limit, status, keyId }: NoticeFilter): Promise<readonly NoticeWithAccount[]> {
    const all = selectWithAccount(this.context.db);
    let query = all.orderBy('notices.created_at_ms', 'desc').orderBy('notices.id').limit(limit);
    if (status !== undefined) query = query.where('notices.status', '=', status);
    if (keyId !== undefined) query = query.where('notices.key_id', '=', keyId);
    return (await query.execute()).map(noticeWithAccountOf);
  }

  /** Throws `notice_unknown`. */
  async get(id: string): Promise<NoticeWithAccount> {
    const row = await selectWithAccount(this.context.db).where('notices.id', '=', id).executeTakeFirst();
    if (row === undefined) throw noticeUnknown({ id });
    return noticeWithAccountOf(row);
  }
}

function selectWithAccount(db: Database) {
  return db
    .selectFrom('notices')
    .leftJoin('accounts', 'accounts.id', 'notices.account_id')
    .selectAll('notices')
    .select(['accounts.email as account_email', 'accounts.language']);
}

function noticeWithAccountOf({
  account_email,
  language,
  ...row
}: Selectable<NoticeTable> & {
  readonly account_email: string | null;
  readonly language: Language | null;
}): NoticeWithAccount {
  return { ...noticeOf(row), accountEmail: account_email ?? undefined, language: language ?? undefined };
}

export function noticeUnknown(values: StoreErrorValues['notice_unknown']) {
  return new StoreError('notice_unknown', values, `There is no notice ${values.id}.`);
}
