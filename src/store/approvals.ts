import type { Selectable } from 'kysely';
import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type ListPosition, mapPage, type Page, type PageOptions, readPage } from './paging.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { ApprovalAction, ApprovalTable, Database } from './schema.ts';
import { type AuditChange, newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** One value that a change sets: what it is before and after, as text; null for none. */
export interface ApprovalValue {
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A change that waits for a second person, or was decided on. */
export interface ApprovalRecord extends Omit<RecordOf<ApprovalTable>, 'change' | 'basis'> {
  /** The change as it is applied. */
  readonly change: object;
  /** The values that it was proposed on: it is applied only while these are so. */
  readonly basis: readonly ApprovalValue[];
}

export type NewApproval = Pick<ApprovalRecord, 'action' | 'subject' | 'change' | 'basis'>;

/** How long a change waits: over a long weekend. */
export const approvalForMs = 72 * 3_600_000;
/** The most that wait at a time. */
export const approvalsMax = 100;

/** Changes that one person proposes and another one decides on. Who may is for the caller to say. */
export class Approvals extends StorePart {
  /** Throws `approval_waits` for a change that waits already, and `approval_too_many`. */
  propose({ action, subject, change, basis }: NewApproval): Promise<ApprovalRecord> {
    const { transact, clock, randomness, audit, actor } = this.context;
    const now = clock.now();
    return transact(async (trx) => {
      await this.#expire(trx, now);
      const waiting = await this.#locked(trx);
      const text = JSON.stringify(change);
      const same = waiting.find((each) => each.change === text);
      if (same !== undefined) throw waitsOf(same);
      if (waiting.length >= approvalsMax) throw tooManyApprovals({ max: approvalsMax });
      const row = await trx
        .insertInto('approvals')
        .values({
          id: newId('apr', randomness),
          action,
          subject,
          change: text,
          basis: JSON.stringify(basis),
          proposed_at_ms: now,
          proposed_by: actor,
          expires_at_ms: (now + approvalForMs) as EpochMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw waitsOf((await this.#locked(trx)).find((each) => each.change === text)!);
      const record = approvalOf(row);
      await audit(trx, entryOf('propose', record));
      return record;
    });
  }

  /**
   * Marks it as decided on, which happens once; to be called in the transaction that applies a confirmed one. Others
   * that wait are held back until the end of that: each is judged on what the one before has changed. Throws
   * `approval_unknown`, `approval_decided`, `approval_expired`.
   */
  decide(id: string, state: 'confirmed' | 'rejected' | 'withdrawn'): Promise<ApprovalRecord> {
    const { transact, clock, audit, actor } = this.context;
    const now = clock.now();
    return transact(async (trx) => {
      const waiting = (await this.#locked(trx)).find((each) => each.id === id);
      if (waiting === undefined) throw decidedBefore(id, await this.#find(trx, id));
      if (waiting.expires_at_ms <= now) throw approvalExpired({ id, at: waiting.expires_at_ms });
      const decided = { state, decided_at_ms: now, decided_by: actor };
      await trx.updateTable('approvals').set(decided).where('id', '=', id).execute();
      const record = approvalOf({ ...waiting, ...decided });
      await audit(trx, entryOf(verbs[state], record));
      return record;
    });
  }

  /** Throws `approval_unknown`. */
  async get(id: string): Promise<ApprovalRecord> {
    const row = await this.#find(this.context.db, id);
    if (row === undefined) throw approvalUnknown({ id });
    return approvalOf(this.#atPresent(row));
  }

  /** Gives those that wait, the oldest first. */
  async waiting(): Promise<readonly ApprovalRecord[]> {
    const { db, clock } = this.context;
    const rows = db.selectFrom('approvals').selectAll().where('state', '=', 'waiting');
    const open = rows.where('expires_at_ms', '>', clock.now()).orderBy('proposed_at_ms').orderBy('id');
    return (await open.execute()).map(approvalOf);
  }

  /** All, the latest first. */
  async page({ limit, after }: PageOptions<ListPosition>): Promise<Page<ApprovalRecord, ListPosition>> {
    const all = this.context.db.selectFrom('approvals').selectAll();
    const inOrder = all.orderBy('proposed_at_ms', 'desc').orderBy('id', 'desc');
    const read = (from: ListPosition | undefined, count: number) => {
      if (from === undefined) return inOrder.limit(count).execute();
      const before = inOrder.where(({ or, and, eb }) =>
        or([
          eb('proposed_at_ms', '<', from.atMs as EpochMs),
          and([eb('proposed_at_ms', '=', from.atMs as EpochMs), eb('id', '<', from.id)]),
        ]),
      );
      return before.limit(count).execute();
    };
    const positionOf = (row: Selectable<ApprovalTable>) => ({ atMs: row.proposed_at_ms, id: row.id });
    const page = await readPage({ limit, after, read, positionOf });
    return mapPage(page, (row) => approvalOf(this.#atPresent(row)));
  }

  /** Drops those that were proposed before an instant, unless they wait. */
  async prune(before: EpochMs): Promise<void> {
    const { db, clock } = this.context;
    await this.#expire(db, clock.now());
    await db.deleteFrom('approvals').where('proposed_at_ms', '<', before).where('state', '!=', 'waiting').execute();
  }

  /** All that wait, in one order everywhere: two that each held one the other needs would deadlock. */
  #locked(trx: Database) {
    return trx.selectFrom('approvals').selectAll().where('state', '=', 'waiting').orderBy('id').forUpdate().execute();
  }

  #find(db: Database, id: string) {
    return db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async #expire(db: Database, now: EpochMs): Promise<void> {
    const waiting = db.updateTable('approvals').set({ state: 'expired' }).where('state', '=', 'waiting');
    await waiting.where('expires_at_ms', '<=', now).execute();
  }

  /** One whose time is over is expired, whether or not that was written down yet. */
  #atPresent(row: Selectable<ApprovalTable>): Selectable<ApprovalTable> {
    const isOver = row.state === 'waiting' && row.expires_at_ms <= this.context.clock.now();
    return isOver ? { ...row, state: 'expired' } : row;
  }
}

const verbs = { confirmed: 'confirm', rejected: 'reject', withdrawn: 'withdraw' } as const;
const sentences = {
  propose: 'Proposed',
  confirm: 'Confirmed',
  reject: 'Rejected',
  withdraw: 'Withdrew',
} as const;

/** Says of each action what it does, before what it does it to. */
const actionTexts: Readonly<Record<ApprovalAction, string>> = {
  'term.set': 'a term for',
  'term.cancel': 'the cancellation of the term',
  'market.delist': 'the delisting of',
  'catalogue.delist': 'the delisting of what is missing from the list of',
  'rate.accept': 'the acceptance of the rate of',
  'rate.release': 'the release of the rate of',
};

/** Says what is changed and how, in a sentence without its verb: `a term for BTCEUR: fee 0.5 → 0.4`. */
export function approvalText({ action, subject, basis }: Pick<ApprovalRecord, 'action' | 'subject' | 'basis'>): string {
  const values = basis.map(({ what, from, to }) => `${what} ${from ?? 'none'} → ${to ?? 'none'}`).join(', ');
  return `${actionTexts[action]} ${subject}: ${values}`;
}

function entryOf(verb: keyof typeof sentences, record: ApprovalRecord): AuditChange {
  const { id, action, subject, basis, proposedBy, expiresAt } = record;
  const isProposal = verb === 'propose';
  return {
    action: `approval.${verb}`,
    subject: { kind: 'approval', id },
    summary: `${sentences[verb]} ${approvalText(record)}${isProposal ? '' : `, as ${proposedBy} proposed`}.`,
    details: { action, of: subject, values: basis, ...(isProposal ? { expiresAtMs: expiresAt } : { proposedBy }) },
  };
}

function approvalOf({ change, basis, ...row }: Selectable<ApprovalTable>): ApprovalRecord {
  return { ...recordOf(row), change: JSON.parse(change), basis: JSON.parse(basis) };
}

function waitsOf({ id, proposed_by: by }: Selectable<ApprovalTable>): StoreError {
  return approvalWaits({ id, by });
}

function decidedBefore(id: string, row: Selectable<ApprovalTable> | undefined): StoreError {
  if (row === undefined) return approvalUnknown({ id });
  if (row.state === 'expired') return approvalExpired({ id, at: row.expires_at_ms });
  return approvalDecided({ id, state: row.state, by: row.decided_by ?? 'unknown' });
}

export function approvalUnknown(values: StoreErrorValues['approval_unknown']) {
  const message = `There is no proposed change ${values.id}. See \`mdapi approvals list\`.`;
  return new StoreError('approval_unknown', values, message);
}

export function approvalDecided(values: StoreErrorValues['approval_decided']) {
  const { id, state, by } = values;
  return new StoreError('approval_decided', values, `The change ${id} is ${state} already, by ${by}.`);
}

export function approvalExpired(values: StoreErrorValues['approval_expired']) {
  const message = `The proposal ${values.id} expired at ${isoInstant(values.at)}. Propose it again.`;
  return new StoreError('approval_expired', values, message);
}

export function approvalWaits(values: StoreErrorValues['approval_waits']) {
  const message = `The same change waits already: ${values.id}, proposed by ${values.by}.`;
  return new StoreError('approval_waits', values, message);
}

export function tooManyApprovals(values: StoreErrorValues['approval_too_many']) {
  const message = `There are ${values.max} changes that wait already. Confirm or reject some first.`;
  return new StoreError('approval_too_many', values, message);
}

export function approvalOwn(values: StoreErrorValues['approval_own']) {
  const { id, by, actor } = values;
  const message =
    `The change ${id} was proposed by ${by}, who may be the same person as ${actor}. Another person confirms it; ` +
    'on the command line, the user of the system is who counts.';
  return new StoreError('approval_own', values, message);
}

export function approvalOutdated(values: StoreErrorValues['approval_outdated']) {
  const { id, what, was, is } = values;
  const message =
    `The change ${id} was proposed when ${what} was ${was ?? 'none'}; now it is ${is ?? 'none'}. ` +
    'Nothing was changed. Reject it, and propose it again.';
  return new StoreError('approval_outdated', values, message);
}

export function approvalStartPassed(values: StoreErrorValues['approval_start']) {
  const { id, from } = values;
  const message = `The term of ${id} was to begin at ${isoInstant(from)}, which has passed. Reject it, and propose it again.`;
  return new StoreError('approval_start', values, message);
}
