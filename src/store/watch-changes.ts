import { sql } from 'kysely';
import type { Clock, Timer } from '../clock.ts';
import { engineOf } from './engine.ts';
import type { Database } from './schema.ts';
import { StoreError } from './store-error.ts';

/** What may have changed since the listener was last called. */
export interface ChangedTopics {
  /** Keys or accounts: read `AccessChanges.since`. */
  readonly access: boolean;
  /** An operator's pause, or a delisting: read `Markets.list`. */
  readonly marketControls: boolean;
  /** Read `MaintenanceWindows.list`. */
  readonly maintenanceWindows: boolean;
  /** Read `Terms.list`. */
  readonly terms: boolean;
  /** Something was recorded: read `AuditLog.page`. */
  readonly audit: boolean;
  /** When an operator last accepted what had vanished, in epoch milliseconds; 0 for never. See `AccessChanges.acceptLosses`. */
  readonly lossesAcceptedAt: number;
}

export interface ChangeListener {
  /**
   * Called about `everyMs` after a change at most, whoever made it, this process included. The first call comes with
   * the first look and names every topic, so that nothing between loading and watching is lost. Calls never
   * overlap. If it throws or rejects, `failed` is called and the same topics come again with the next look.
   */
  changed(topics: ChangedTopics): void | Promise<void>;
  /** The first of several failures in a row: of the database, or of `changed` itself. */
  failed(error: unknown): void;
  /** The first success after `failed`. */
  recovered?(): void;
}

export interface WatchOptions {
  readonly clock: Clock;
  /**
   * Between two looks. When left out 100 ms on SQLite, where a look costs some microseconds, and 500 ms on PostgreSQL,
   * where changes announce themselves and looking finds what was announced while nobody listened.
   */
  readonly everyMs?: number | undefined;
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

/** What the triggers count. */
export interface Versions {
  readonly access: number;
  readonly market_controls: number;
  readonly maintenance_windows: number;
  readonly terms: number;
  readonly losses_accepted: number;
  /** The instant of the latest entry. */
  readonly audit: number;
  /** 1 where nothing can be written: on a standby that has not become the primary. */
  readonly read_only: number;
}

const defaultEveryMs = { sqlite: 100, postgres: 500 } as const;

/** @param signal announces changes sooner than the next look */
export function watchChanges(
  db: Database,
  options: WatchOptions,
  listener: ChangeListener,
  signal?: ChangeSignal,
): ChangeWatch {
  let seen: Versions | undefined;
  let failing = false;
  let look: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  async function lookOnce(): Promise<void> {
    const found = await readVersions(db);
    const topics = differences(seen, found);
    if (topics !== undefined) await listener.changed(topics);
    seen = found;
    if (found.read_only === 1) throw new StoreError('read_only', 'The database is read-only: nothing can be saved.');
  }

  async function guardedLook(): Promise<void> {
    again = false;
    try {
      await lookOnce();
      if (failing) listener.recovered?.();
      failing = false;
    } catch (error) {
      if (!failing) listener.failed(error);
      failing = true;
    } finally {
      look = again && !stopped ? guardedLook() : undefined;
    }
  }

  const timer: Timer = options.clock.every(options.everyMs ?? defaultEveryMs[engineOf(db)], () => {
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

function differences(seen: Versions | undefined, found: Versions): ChangedTopics | undefined {
  const topics = {
    access: seen?.access !== found.access,
    marketControls: seen?.market_controls !== found.market_controls,
    maintenanceWindows: seen?.maintenance_windows !== found.maintenance_windows,
    terms: seen?.terms !== found.terms,
    audit: seen?.audit !== found.audit,
    lossesAcceptedAt: found.losses_accepted,
  };
  const isAccepted = seen?.losses_accepted !== found.losses_accepted;
  const { lossesAcceptedAt: _, ...changed } = topics;
  return Object.values(changed).includes(true) || isAccepted ? topics : undefined;
}

const readOnly = { sqlite: sql`0`, postgres: sql`(current_setting('transaction_read_only') = 'on')::integer` } as const;

/** The triggers keep these figures, so one look sees this process's writes and everybody else's alike. */
export async function readVersions(db: Database): Promise<Versions> {
  const { rows } = await sql<Versions>`select
    (select coalesce(max(seq), 0) from access_changes) as access,
    (select version from change_versions where topic = 'market_controls') as market_controls,
    (select version from change_versions where topic = 'maintenance_windows') as maintenance_windows,
    (select version from change_versions where topic = 'terms') as terms,
    (select version from change_versions where topic = 'losses_accepted') as losses_accepted,
    (select coalesce(max(at_ms), 0) from audit_log) as audit,
    ${readOnly[engineOf(db)]} as read_only`.execute(db);
  return rows[0]!;
}
