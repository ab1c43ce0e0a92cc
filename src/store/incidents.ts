import type { Selectable } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import {
  assertIncidentEnd,
  assertIncidentStart,
  type IncidentPart,
  incidentAdopted,
  incidentCzechAlone,
  incidentFull,
  incidentNotResolved,
  incidentResolved,
  incidentsTooMany,
  incidentText,
  incidentUnchanged,
  incidentUnknown,
  incidentUpdatesMax,
  openIncidentsMax,
  optionalIncidentText,
  partsText,
} from './incident-rules.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database, IncidentState, IncidentTable, IncidentUpdateTable, WrittenIncidentTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';

/** A time that the service itself found a part not operational in. */
export type FoundOutage = RecordOf<IncidentTable>;

export interface IncidentRecord extends Omit<RecordOf<WrittenIncidentTable>, 'found' | 'parts'> {
  readonly parts: readonly IncidentPart[];
  /** Whether it tells of an outage that the service found, whose id it has. */
  readonly isFound: boolean;
  /** That outage, as long as the history of the status has it. */
  readonly measured: FoundOutage | undefined;
  /** The latest first. */
  readonly updates: readonly Omit<RecordOf<IncidentUpdateTable>, 'incidentId'>[];
}

/** Texts are plain, in English; Czech beside it is optional. */
interface UpdateTexts {
  readonly text: string;
  readonly textCs?: string | undefined;
}

export interface NewIncident extends UpdateTexts {
  readonly title: string;
  readonly titleCs?: string | undefined;
  /** The part of the found outage when left out. */
  readonly parts?: readonly string[] | undefined;
  readonly state?: Exclude<IncidentState, 'resolved'> | undefined;
  /** When it began, now when left out. A found outage has its own begin. */
  readonly from?: EpochMs | undefined;
  /** The id of the found outage that it tells of. */
  readonly found?: string | undefined;
}

interface Review {
  readonly review?: string | undefined;
  readonly reviewCs?: string | undefined;
}

export interface IncidentChange extends Review, Pick<NewIncident, 'titleCs' | 'textCs' | 'parts' | 'state'> {
  readonly title?: string | undefined;
  readonly text?: string | undefined;
}

export interface IncidentClosing extends UpdateTexts, Review {
  /** When it was over: with the found outage, or now, when left out. */
  readonly to?: EpochMs | undefined;
}

interface IncidentListOptions {
  readonly since?: EpochMs;
  readonly changedSince?: EpochMs;
  readonly limit: number;
}

const verbs = { 'incident.update': 'Updated', 'incident.close': 'Closed' } as const;

type Changes = Partial<Omit<WrittenIncidentTable, 'id' | 'found'>>;
type NewUpdate = Pick<IncidentUpdateTable, 'state' | 'text' | 'text_cs'>;

/**
 * Incidents as people tell them. None is ever deleted by an operator, nor is anything that was told of it changed; what
 * was measured is not theirs. A text that is refused throws `incident_title`, `incident_text` or `incident_review`.
 */
export class Incidents extends StorePart {
  /** Throws `incident_parts`, `incident_start`, `incident_unknown`, `incident_adopted` and `incidents_many`. */
  async open(asked: NewIncident): Promise<IncidentRecord> {
    const { db, clock, audit } = this.context;
    const now = clock.now();
    return db.transaction().execute(async (trx) => {
      const outage = asked.found === undefined ? undefined : await foundOutage(trx, asked.found);
      const row = this.#newRow(asked, outage, now);
      const { id, title, state, parts } = row;
      const update = { state, ...textsOf(asked) };
      await assertRoom(trx);
      const added = trx.insertInto('incidents').values(row);
      const outcome = await added.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow();
      if (outcome.numInsertedOrUpdatedRows !== 1n) throw incidentAdopted({ id });
      await addUpdate(trx, id, 1, update, now);
      const details = { title, state, parts, isFound: outage !== undefined };
      const summary = `Opened the incident “${title}”${outage === undefined ? '' : ', of an outage that was found'}.`;
      await audit(trx, { action: 'incident.open', subject: { kind: 'incident', id }, summary, details });
      return find(trx, id);
    });
  }

  /** An incident of its own, or one that has the id and the begin of a found outage. */
  #newRow(asked: NewIncident, outage: FoundOutage | undefined, now: EpochMs) {
    const { title, titleCs, parts = outage === undefined ? [] : [outage.component], state = 'investigating' } = asked;
    if (outage === undefined && asked.from !== undefined) assertIncidentStart(asked.from, now);
    return {
      id: outage?.id ?? newId('inc', this.context.randomness),
      found: Number(outage !== undefined),
      title: incidentText('title', title),
      title_cs: optionalIncidentText('title', titleCs) ?? null,
      parts: partsText(parts),
      state,
      from_ms: outage?.from ?? asked.from ?? now,
      created_at_ms: now,
      updated_at_ms: now,
    };
  }

  /**
   * Adds an update, or changes title, parts or review. Throws `incident_unknown`, `incident_unchanged`,
   * `incident_resolved` for an update of one that is over, `incident_not_resolved` for a review of one that is not,
   * `incident_czech`, `incident_parts` and `incident_full`.
   */
  update(id: string, change: IncidentChange): Promise<IncidentRecord> {
    return this.#change(id, 'incident.update', (incident, now) => {
      const { state, text } = change;
      if (incident.state === 'resolved' && (text ?? state) !== undefined) throw incidentResolved({ id });
      if (text === undefined && change.textCs !== undefined) throw incidentCzechAlone();
      // A state is told with words.
      const update =
        (text ?? state) === undefined
          ? undefined
          : { state: state ?? incident.state, ...textsOf({ text: text ?? '', textCs: change.textCs }) };
      const changes: Changes = {
        ...(update && { state: update.state }),
        ...titlesOf(change),
        ...(change.parts && { parts: partsText(change.parts) }),
        ...reviewOf(change, incident, incident.state === 'resolved', now),
      };
      if (Object.keys(changes).length === 0) throw incidentUnchanged();
      return { changes, update };
    });
  }

  /** Resolves it. Throws `incident_unknown`, `incident_resolved`, `incident_end`, `incident_czech`, `incident_full`. */
  close(id: string, closing: IncidentClosing): Promise<IncidentRecord> {
    return this.#change(id, 'incident.close', (incident, now) => {
      if (incident.state === 'resolved') throw incidentResolved({ id });
      const to = closing.to ?? incident.measured?.to ?? now;
      assertIncidentEnd(to, incident.from, now);
      const changes = { state: 'resolved', to_ms: to, ...reviewOf(closing, incident, true, now) } as const;
      return { changes, update: { state: 'resolved', ...textsOf(closing) } };
    });
  }

  /**
   * Those that are open, or were over after `since`; with `changedSince` only those that changed after it. The latest
   * first, at most `limit`.
   */
  async list({ since, changedSince, limit }: IncidentListOptions): Promise<readonly IncidentRecord[]> {
    const { db } = this.context;
    let query = db.selectFrom('incidents').selectAll().orderBy('from_ms', 'desc').orderBy('id').limit(limit);
    if (since !== undefined)
      query = query.where(({ or, eb }) => or([eb('to_ms', 'is', null), eb('to_ms', '>=', since)]));
    if (changedSince !== undefined) query = query.where('updated_at_ms', '>=', changedSince);
    return recordsOf(db, await query.execute());
  }

  /** Outages that were found and that nobody has written about: the latest first, at most `limit`. */
  async drafts(limit: number): Promise<readonly FoundOutage[]> {
    const { db } = this.context;
    const written = db.selectFrom('incidents').select('id').where('found', '=', 1);
    const drafts = db.selectFrom('status_incidents').selectAll().where('id', 'not in', written);
    const rows = await drafts.orderBy('from_ms', 'desc').orderBy('id').limit(limit).execute();
    return rows.map(recordOf);
  }

  /** Drops those that were over before an instant, with all that was told of them. */
  async prune(before: EpochMs): Promise<void> {
    await this.context.db.deleteFrom('incidents').where('to_ms', '<', before).execute();
  }

  #change(
    id: string,
    action: keyof typeof verbs,
    decide: (
      incident: IncidentRecord,
      now: EpochMs,
    ) => { readonly changes: Changes; readonly update?: NewUpdate | undefined },
  ): Promise<IncidentRecord> {
    const { db, clock, audit } = this.context;
    const now = clock.now();
    return db.transaction().execute(async (trx) => {
      const locked = trx.selectFrom('incidents').select('id').where('id', '=', id).forUpdate();
      if ((await locked.executeTakeFirst()) === undefined) throw incidentUnknown({ id });
      const incident = await find(trx, id);
      const { changes, update } = decide(incident, now);
      if (update !== undefined) {
        const number = (incident.updates[0]?.number ?? 0) + 1;
        if (number > incidentUpdatesMax) throw incidentFull({ id, max: incidentUpdatesMax });
        await addUpdate(trx, id, number, update, now);
      }
      const own = trx.updateTable('incidents').where('id', '=', id);
      await own.set({ ...changes, updated_at_ms: now }).execute();
      const changed = await find(trx, id);
      await audit(trx, { action, ...entryOf(verbs[action], incident, changed, update !== undefined) });
      return changed;
    });
  }
}

function textsOf({ text, textCs }: UpdateTexts): Pick<IncidentUpdateTable, 'text' | 'text_cs'> {
  return { text: incidentText('text', text), text_cs: optionalIncidentText('text', textCs) ?? null };
}

/** A new title says something else than the Czech one of before. */
function titlesOf({ title, titleCs }: IncidentChange): Changes {
  if (title === undefined && titleCs === undefined) return {};
  const inCzech = { title_cs: optionalIncidentText('title', titleCs) ?? null };
  return title === undefined ? inCzech : { title: incidentText('title', title), ...inCzech };
}

/** The same of a review, which keeps the instant at which there first was one. */
function reviewOf({ review, reviewCs }: Review, incident: IncidentRecord, isResolved: boolean, now: EpochMs): Changes {
  if (review === undefined && reviewCs === undefined) return {};
  if (!isResolved) throw incidentNotResolved({ id: incident.id });
  if (review === undefined && incident.review === undefined) throw incidentCzechAlone();
  return {
    ...(review !== undefined && { review: incidentText('review', review) }),
    review_cs: optionalIncidentText('review', reviewCs) ?? null,
    reviewed_at_ms: incident.reviewedAt ?? now,
  };
}

function entryOf(verb: string, before: IncidentRecord, { id, title, state, review }: IncidentRecord, isTold: boolean) {
  const isRenamed = before.title !== title;
  const isReviewed = review !== before.review;
  const told = [isTold && `now ${state}`, isRenamed && `before “${before.title}”`, isReviewed && 'with a review'];
  const what = told.filter((each) => each !== false).join(', ');
  return {
    subject: { kind: 'incident', id } as const,
    summary: `${verb} the incident “${title}”${what === '' ? '' : `: ${what}`}.`,
    details: { title, state, isTold, isReviewed, ...(isRenamed && { before: before.title }) },
  };
}

async function foundOutage(trx: Database, id: string): Promise<FoundOutage> {
  const row = await trx.selectFrom('status_incidents').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw incidentUnknown({ id });
  return recordOf(row);
}

async function assertRoom(trx: Database): Promise<void> {
  const open = trx
    .selectFrom('incidents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('to_ms', 'is', null);
  const { count } = await open.executeTakeFirstOrThrow();
  if (Number(count) >= openIncidentsMax) throw incidentsTooMany({ max: openIncidentsMax });
}

async function addUpdate(trx: Database, id: string, number: number, update: NewUpdate, at: EpochMs): Promise<void> {
  await trx
    .insertInto('incident_updates')
    .values({ incident_id: id, number, ...update, at_ms: at })
    .execute();
}

async function find(db: Database, id: string): Promise<IncidentRecord> {
  const row = await db.selectFrom('incidents').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return (await recordsOf(db, [row]))[0]!;
}

async function recordsOf(db: Database, rows: readonly Selectable<WrittenIncidentTable>[]) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const updates = await db
    .selectFrom('incident_updates')
    .selectAll()
    .where('incident_id', 'in', ids)
    .orderBy('number', 'desc')
    .execute();
  const outages = await db.selectFrom('status_incidents').selectAll().where('id', 'in', ids).execute();
  return rows.map((row): IncidentRecord => {
    const { found, parts, ...incident } = recordOf(row);
    const outage = outages.find(({ id }) => id === row.id);
    return {
      ...incident,
      parts: parts.split(' ') as IncidentPart[],
      isFound: found === 1,
      measured: outage && recordOf(outage),
      updates: updates.filter((each) => each.incident_id === row.id).map(updateOf),
    };
  });
}

function updateOf(row: Selectable<IncidentUpdateTable>) {
  const { incidentId: _, ...update } = recordOf(row);
  return update;
}
