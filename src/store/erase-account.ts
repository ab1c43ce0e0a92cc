import { type AccountRecord, recordOf, unknownAccount } from './accounts.ts';
import { locked } from './engine.ts';
import type { NoticeFigures } from './notice-record.ts';
import type { Database } from './schema.ts';
import type { StoreContext } from './store-context.ts';

/** See `Accounts.erase`. All in one transaction; the entry of the audit log that it makes names nobody. */
export function eraseAccount({ db, journal }: StoreContext, id: string): Promise<AccountRecord> {
  return db.transaction().execute(async (trx) => {
    const asked = trx.selectFrom('accounts').selectAll().where('id', '=', id);
    const before = await locked(trx, asked, 'accounts').executeTakeFirst();
    if (before === undefined) throw unknownAccount(id);
    // A name that no mail can ever be sent to (RFC 6761 §6.4).
    const pseudonym = `${id}@erased.invalid`;
    const keys = await trx.selectFrom('api_keys').select('id').where('account_id', '=', id).execute();
    await eraseFromAudit(trx, [id, ...keys.map((key) => key.id)], pseudonym);
    await eraseFromNotices(trx, id);
    await trx.updateTable('api_keys').set({ status: 'revoked', label: '' }).where('account_id', '=', id).execute();
    const erased = { email: pseudonym, active: 0 };
    await trx.updateTable('accounts').set(erased).where('id', '=', id).execute();
    const summary = `Erased the account ${id} and revoked its ${keys.length} keys.`;
    await journal(trx, { action: 'account.erase', subject: { kind: 'account', id }, summary });
    return recordOf({ ...before, ...erased });
  });
}

const idsPerQuery = 1_000;
/** As summaries write them: see `labelled`. */
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
    const unlabelled: NoticeFigures = { ...(JSON.parse(figures) as NoticeFigures), label: '' };
    const change = {
      figures: JSON.stringify(unlabelled),
      last_error: status === 'sent' ? null : 'the account was erased',
      status: status === 'pending' ? ('failed' as const) : status,
    };
    await trx.updateTable('notices').set(change).where('id', '=', id).execute();
  }
}
