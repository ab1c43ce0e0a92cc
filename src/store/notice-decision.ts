import type { Selectable } from 'kysely';
import type { BreachRecord } from '../access/key-records.ts';
import type { EpochMs } from '../ground/clock.ts';
import { breachesOf } from './breaches.ts';
import { sql } from './kysely.ts';
import type { NoticeKind, NoticeTable } from './message-tables.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database } from './schema.ts';
import { newId, type StoreContext, yieldToEvents } from './store-context.ts';

const kind: NoticeKind = 'repeated_breaches';
const minuteMs = 60_000;

/** The figures that a notice reports, as they were when it was decided. */
export interface NoticeFigures {
  readonly label: string;
  readonly lastFour: string;
  /** The limit of the latest minute, requests a minute. */
  readonly limitPerMinute: number;
  readonly breachedMinutes: number;
  readonly requestsRefused: number;
  readonly firstMinuteMs: number;
  readonly lastMinuteMs: number;
  /** The latest of the minutes, oldest first, `figuresMinutesMax` at most. */
  readonly minutes: readonly { readonly startMs: number; readonly refused: number }[];
}

/** Minutes that a notice lists one by one. */
const figuresMinutesMax = 10;

/** A row of the outbox. */
export interface NoticeRecord extends Omit<RecordOf<NoticeTable>, 'figures'> {
  readonly figures: NoticeFigures;
}

export function noticeOf(row: Selectable<NoticeTable>): NoticeRecord {
  return { ...recordOf(row), figures: JSON.parse(row.figures) as NoticeFigures };
}

/** When breaches make a notice (contract, Limits, rule 3). */
export interface NoticeRule {
  /** Breached minutes that make one, 1 or more. */
  readonly breachedMinutes: number;
  /** The span they have to lie in: each began less than this before the last of them. */
  readonly withinMs: number;
  /** Breaches of this long after a notice make no other. */
  readonly atMostEveryMs: number;
}

export interface NoticeDecision {
  readonly rule: NoticeRule;
  /** Only minutes that began by then count: one that can still grow would be reported with half its figures. */
  readonly upToMinute: EpochMs;
  /** Notices that were due for a minute up to this one count as decided. */
  readonly afterMinute: EpochMs;
  /** Whether there is a mail server: without one a notice is only recorded. */
  readonly mailed: boolean;
}

/**
 * Makes the notices that are due and not made yet. Whether one is due follows from the breaches and earlier notices
 * alone, not from the moment of asking: a decision that comes late, after a crash, is the same one. Safe to call from
 * several servers at once: those that decide about a key from the same notices give theirs the same number, and the
 * first one is kept.
 */
export async function decideNotices(
  { db, clock, randomness }: StoreContext,
  decision: NoticeDecision,
): Promise<readonly NoticeRecord[]> {
  const now = clock.now();
  const made: NoticeRecord[] = [];
  for (const keyId of await candidates(db, decision, now)) {
    const id = newId('ntc', randomness);
    const notice = await db.transaction().execute((trx) => decideFor(trx, keyId, { ...decision, now, id }));
    if (notice !== undefined) made.push(notice);
    await yieldToEvents();
  }
  return made;
}

/** Keys with enough breached minutes in sight and no notice that would still hold another back. */
async function candidates(db: Database, decision: NoticeDecision, now: EpochMs): Promise<string[]> {
  const { rule, upToMinute, afterMinute } = decision;
  const rows = await db
    .selectFrom('breaches')
    .select('key_id')
    .where('minute_start_ms', '>', (afterMinute - rule.withinMs) as EpochMs)
    .where('minute_start_ms', '<=', upToMinute)
    .groupBy('key_id')
    .having((eb) => eb(eb.fn.countAll<number>(), '>=', rule.breachedMinutes))
    .having(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notices')
            .select(sql<number>`1`.as('one'))
            .whereRef('notices.key_id', '=', 'breaches.key_id')
            .where('kind', '=', kind)
            .where('created_at_ms', '>', (now - rule.atMostEveryMs) as EpochMs),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.key_id);
}

/** @param id for the notice that may come of it */
async function decideFor(
  db: Database,
  keyId: string,
  { rule, upToMinute, afterMinute, mailed, now, id }: NoticeDecision & { readonly now: EpochMs; readonly id: string },
): Promise<NoticeRecord | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .select(['account_id', 'label', 'last_four'])
    .where('id', '=', keyId)
    .executeTakeFirst();
  if (key === undefined) return undefined;
  const last = await db
    .selectFrom('notices')
    .select(['number', 'created_at_ms', 'last_minute_ms'])
    .where('key_id', '=', keyId)
    .where('kind', '=', kind)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const from = Math.max(afterMinute - rule.withinMs, last?.last_minute_ms ?? 0) as EpochMs;
  const unreported = (await breachesOf(db, keyId, from)).filter(({ minuteStart }) => minuteStart <= upToMinute);
  const heldUntilMs = last === undefined ? 0 : last.created_at_ms + rule.atMostEveryMs;
  const minutes = minutesOfNotice(unreported, rule, Math.max(afterMinute + minuteMs + 1, heldUntilMs));
  if (minutes === undefined) return undefined;
  const row = await db
    .insertInto('notices')
    .values({
      id,
      key_id: keyId,
      account_id: key.account_id,
      kind,
      number: (last?.number ?? 0) + 1,
      created_at_ms: now,
      last_minute_ms: minutes.at(-1)!.minuteStart,
      figures: JSON.stringify(figuresOf(key, minutes)),
      status: mailed ? 'pending' : 'recorded',
      next_attempt_at_ms: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : noticeOf(row);
}

/**
 * The minutes that a notice reports, `undefined` when none is due: those from the window of the first minute that
 * completes the number, up to the latest.
 *
 * @param minutes not reported yet, in order
 * @param endedFromMs a minute that ended before this completes nothing, but counts
 */
function minutesOfNotice(
  minutes: readonly BreachRecord[],
  { breachedMinutes, withinMs }: NoticeRule,
  endedFromMs: number,
): readonly BreachRecord[] | undefined {
  for (const { minuteStart } of minutes) {
    if (minuteStart + minuteMs < endedFromMs) continue;
    const inWindow = minutes.filter((other) => other.minuteStart > minuteStart - withinMs);
    const until = inWindow.filter((other) => other.minuteStart <= minuteStart);
    if (until.length >= breachedMinutes) return inWindow;
  }
  return undefined;
}

function figuresOf(
  key: { readonly label: string; readonly last_four: string },
  minutes: readonly BreachRecord[],
): NoticeFigures {
  const latest = minutes.at(-1)!;
  return {
    label: key.label,
    lastFour: key.last_four,
    limitPerMinute: latest.limitPerMinute,
    breachedMinutes: minutes.length,
    requestsRefused: minutes.reduce((sum, { refused }) => sum + refused, 0),
    firstMinuteMs: minutes[0]!.minuteStart,
    lastMinuteMs: latest.minuteStart,
    minutes: minutes.slice(-figuresMinutesMax).map(({ minuteStart, refused }) => ({ startMs: minuteStart, refused })),
  };
}
