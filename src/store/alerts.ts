import type { Selectable } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import { Deliveries, type NewDelivery } from './deliveries.ts';
import type { AlertTable, Database } from './schema.ts';
import { newId, StorePart } from './store-context.ts';

/** Something that is so now. */
export interface AlertFact {
  /** The name in the alert rules for Prometheus, where they have it. */
  readonly name: string;
  /** The thing or person concerned; with the name it says which alert it is. */
  readonly subject: string;
  /** The kind of thing, which a destination can leave out. */
  readonly event: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** One plain sentence. */
  readonly summary: string;
  /**
   * The values that the sentence names, from which other languages make theirs. Of an alert that an older version wrote
   * there is none.
   */
  readonly values?: object;
  /** It begins and ends at an instant that somebody set: both are told at once. */
  readonly isExact?: boolean;
}

export interface AlertRecord extends AlertFact {
  readonly id: string;
  readonly raisedAt: EpochMs;
}

/** The beginning or the end of an alert, told once each. */
export interface AlertChange extends AlertRecord {
  /** `undefined` when it begins. */
  readonly endedAt?: EpochMs;
}

interface Observation {
  /**
   * All that is so; `isDue` once it has been for long enough to be told. What is told stays on while it is so at all.
   */
  readonly facts: readonly (AlertFact & { readonly isDue: boolean })[];
  /** How long this process has watched: nothing ends that nobody could see. */
  readonly watchedMs: number;
  readonly endAfterMs: number;
  /** Written together with what they tell. */
  readonly deliveriesOf: (change: AlertChange) => readonly NewDelivery[];
}

type Row = Selectable<AlertTable>;

/** A few looks of any process: by then what ends at an instant has ended. */
const exactEndAfterMs = 15_000;

/**
 * Alerts that are on in any of the processes on the database. Each is told once when it begins and once when it ends.
 */
export class Alerts extends StorePart {
  /** Resolves with what this process tells now. */
  async observe({ facts, ...rest }: Observation): Promise<readonly AlertChange[]> {
    const { db, clock } = this.context;
    const now = clock.now();
    const unseen = new Map((await this.#rows()).map((row) => [keyOf(row), row]));
    const seen: string[] = [];
    const told: (AlertChange | undefined)[] = [];
    for (const { isDue, ...fact } of facts) {
      const row = unseen.get(keyOf(fact));
      unseen.delete(keyOf(fact));
      if (row !== undefined) seen.push(row.id);
      else if (isDue) told.push(await this.#raise(fact, rest, now));
    }
    if (seen.length > 0) await db.updateTable('alerts').set({ last_seen_ms: now }).where('id', 'in', seen).execute();
    for (const row of unseen.values()) told.push(await this.#end(row, rest, now));
    return told.filter((change) => change !== undefined);
  }

  /** Gives those that are on, the latest first. */
  async list(): Promise<readonly AlertRecord[]> {
    return (await this.#rows()).map(recordOf);
  }

  #rows(): Promise<Row[]> {
    return this.context.db.selectFrom('alerts').selectAll().orderBy('raised_at_ms', 'desc').orderBy('id').execute();
  }

  #raise(fact: AlertFact, { deliveriesOf }: Omit<Observation, 'facts'>, now: EpochMs) {
    const { name, subject } = fact;
    const change = { ...fact, id: newId('alr', this.context.randomness), raisedAt: now };
    const row = { id: change.id, name, subject, content: JSON.stringify(fact), raised_at_ms: now, last_seen_ms: now };
    return this.#tell(change, deliveriesOf, async (trx) => {
      const added = trx
        .insertInto('alerts')
        .values(row)
        .onConflict((conflict) => conflict.doNothing());
      return (await added.executeTakeFirst()).numInsertedOrUpdatedRows;
    });
  }

  async #end(row: Row, { watchedMs, endAfterMs, deliveriesOf }: Omit<Observation, 'facts'>, now: EpochMs) {
    const record = recordOf(row);
    const waitMs = record.isExact ? exactEndAfterMs : endAfterMs;
    if (now - row.last_seen_ms < waitMs || watchedMs < waitMs) return undefined;
    return this.#tell({ ...record, endedAt: now }, deliveriesOf, async (trx) => {
      const own = trx.deleteFrom('alerts').where('id', '=', row.id).where('last_seen_ms', '=', row.last_seen_ms);
      return (await own.executeTakeFirst()).numDeletedRows;
    });
  }

  /** Tells it from the one process that changes the row. */
  #tell(
    change: AlertChange,
    deliveriesOf: Observation['deliveriesOf'],
    take: (trx: Database) => Promise<bigint | undefined>,
  ): Promise<AlertChange | undefined> {
    return this.context.db.transaction().execute(async (trx) => {
      if ((await take(trx)) !== 1n) return undefined;
      await new Deliveries({ ...this.context, db: trx }).add(deliveriesOf(change));
      return change;
    });
  }
}

function keyOf({ name, subject }: Pick<AlertFact, 'name' | 'subject'>): string {
  return `${name} ${subject}`;
}

function recordOf({ content, id, raised_at_ms }: Row): AlertRecord {
  return { ...(JSON.parse(content) as AlertFact), id, raisedAt: raised_at_ms };
}
