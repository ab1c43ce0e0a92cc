import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import { sql } from './kysely.ts';
import type { Database } from './schema.ts';
import { engineOf } from './store-context.ts';
import { StoreError } from './store-error.ts';

/** Kinds of entries of which some may have changed since the listener was last called. */
const topics = ['access', 'marketControls', 'maintenanceWindows', 'terms', 'incidents', 'audit'] as const;
type Topic = (typeof topics)[number];

export interface ChangedTopics extends Readonly<Record<Topic, boolean>> {
  /**
   * When an operator last accepted what had vanished, in epoch milliseconds; 0 for never. See
   * `AccessChanges.acceptLosses`.
   */
  readonly lossesAcceptedAt: number;
}

export interface ChangeListener {
  /**
   * Called half a second after a change at most, whichever process made it, and sooner where the engine announces it.
   * The first call comes with the first look and names every topic, so that nothing between loading and watching is
   * lost. Calls never overlap. If it throws or rejects, `failed` is called and the same topics come again with the next
   * look.
   */
  changed(topics: ChangedTopics): void | Promise<void>;
  /** The first of several failures in a row: of the database, or of `changed` itself. */
  failed(error: unknown): void;
  /** The first success after `failed`. */
  recovered?(): void;
}

export interface ChangeWatch {
  /** Looks now, after a look that is under way: resolves once the listener has everything that was written before. */
  look(): Promise<void>;
  /** No look begins after this. Resolves once one that was under way has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `wake` when something has changed, until it is stopped. It may call without a reason, and may miss something.
 */
export type ChangeSignal = (wake: () => void) => { stop(): Promise<void> };

/** The triggers' counts, and the instant of the latest entry of the audit log. */
export interface Versions extends Readonly<Record<Topic, number>> {
  readonly lossesAccepted: number;
  /** 1 where nothing can be written: on a standby that has not become the primary. */
  readonly readOnly: number;
}

/**
 * A look costs some microseconds on SQLite, and a round trip to PostgreSQL, where it finds what no signal announced.
 */
const lookEveryMs = { sqlite: 100, postgres: 500 } as const;

/** @param signal announces changes sooner than the next look */
export function watchChanges(
  db: Database,
  clock: Clock,
  listener: ChangeListener,
  signal: ChangeSignal | undefined,
): ChangeWatch {
  let seen: Versions | undefined;
  let look: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  async function lookOnce(): Promise<void> {
    const found = await readVersions(db);
    if (!isDeepStrictEqual(found, seen)) await listener.changed(differences(seen, found));
    seen = found;
    if (found.readOnly === 1) throw standsBy();
  }

  const guarded = tellingOnce(
    (error) => listener.failed(error),
    () => listener.recovered?.(),
  );

  async function guardedLook(): Promise<void> {
    again = false;
    await guarded(lookOnce);
    look = again && !stopped ? guardedLook() : undefined;
  }

  const timer = clock.every(lookEveryMs[engineOf(db)], () => {
    look ??= guardedLook();
  });
  const signalled = signal?.(() => {
    if (look !== undefined) again = true;
    else if (!stopped) look = guardedLook();
  });
  return {
    async look() {
      await look;
      if (!stopped) look ??= guardedLook();
      await look;
    },
    async stop() {
      stopped = true;
      timer.cancel();
      await signalled?.stop();
      await look;
    },
  };
}

function differences(seen: Versions | undefined, found: Versions): ChangedTopics {
  const differing = Object.fromEntries(topics.map((topic) => [topic, seen?.[topic] !== found[topic]]));
  return { ...(differing as Record<Topic, boolean>), lossesAcceptedAt: found.lossesAccepted };
}

const readOnly = { sqlite: sql`0`, postgres: sql`(current_setting('transaction_read_only') = 'on')::integer` } as const;

/** The triggers keep these figures, so one look sees this process's writes and everybody else's alike. */
export async function readVersions(db: Database): Promise<Versions> {
  const version = (topic: string) => sql`(select version from change_versions where topic = ${topic})`;
  const { rows } = await sql<Versions>`select
    (select coalesce(max(seq), 0) from access_changes) as access,
    ${version('market_controls')} as "marketControls",
    ${version('maintenance_windows')} as "maintenanceWindows",
    ${version('terms')} as terms,
    ${version('incidents')} as incidents,
    ${version('losses_accepted')} as "lossesAccepted",
    (select coalesce(max(at_ms), 0) from audit_log) as audit,
    ${readOnly[engineOf(db)]} as "readOnly"`.execute(db);
  return rows[0]!;
}

export function standsBy() {
  return new StoreError('read_only.standby', {}, 'The database is read-only: nothing can be saved.');
}
