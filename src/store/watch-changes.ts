import { sql } from 'kysely';
import type { Clock, Timer } from '../clock.ts';
import type { Database } from './schema.ts';
import { StoreError } from './store-error.ts';

/** What may have changed since the listener was last told. */
export interface ChangedTopics {
  /** Keys or accounts: read `AccessChanges.since`. */
  readonly access: boolean;
  /** An operator's pause, or a delisting: read `Markets.list`. */
  readonly marketControls: boolean;
  /** Read `MaintenanceWindows.list`. */
  readonly maintenanceWindows: boolean;
}

export interface ChangeListener {
  /**
   * Called about `everyMs` after a change at most, whoever made it, this process included. The first call comes with
   * the first look and names every topic, so that nothing between loading and watching is lost. Calls never
   * overlap. If it throws or rejects, `failed` is told and the same topics come again with the next look.
   */
  changed(topics: ChangedTopics): void | Promise<void>;
  /** The first failure of a row of failures: of the database, or of `changed` itself. */
  failed(error: unknown): void;
  /** The first success after `failed`. */
  recovered?(): void;
}

export interface WatchOptions {
  readonly clock: Clock;
  /** Between two looks; 100 ms when left out. A look costs some microseconds. */
  readonly everyMs?: number | undefined;
}

export interface ChangeWatch {
  /** No look begins after this. Resolves once one that was under way has ended. */
  stop(): Promise<void>;
}

interface Versions {
  readonly access: number;
  readonly market_controls: number;
  readonly maintenance_windows: number;
}

const defaultEveryMs = 100;

export function watchChanges(db: Database, options: WatchOptions, listener: ChangeListener): ChangeWatch {
  let seen: Versions | undefined;
  let failing = false;
  let look: Promise<void> | undefined;

  async function lookOnce(): Promise<void> {
    const found = await readVersions(db);
    const topics = differences(seen, found);
    if (topics !== undefined) await listener.changed(topics);
    seen = found;
  }

  async function guardedLook(): Promise<void> {
    try {
      await lookOnce();
      if (failing) listener.recovered?.();
      failing = false;
    } catch (error) {
      if (!failing) listener.failed(error);
      failing = true;
    } finally {
      look = undefined;
    }
  }

  const timer: Timer = options.clock.every(options.everyMs ?? defaultEveryMs, () => {
    look ??= guardedLook();
  });
  return {
    async stop() {
      timer.cancel();
      await look;
    },
  };
}

function differences(seen: Versions | undefined, found: Versions): ChangedTopics | undefined {
  const topics = {
    access: seen?.access !== found.access,
    marketControls: seen?.market_controls !== found.market_controls,
    maintenanceWindows: seen?.maintenance_windows !== found.maintenance_windows,
  };
  return topics.access || topics.marketControls || topics.maintenanceWindows ? topics : undefined;
}

/** The triggers keep these figures, so one look sees this process's writes and everybody else's alike. */
async function readVersions(db: Database): Promise<Versions> {
  const { rows } = await sql<Versions>`select
    (select coalesce(max(seq), 0) from access_changes) as access,
    (select version from change_versions where topic = 'market_controls') as market_controls,
    (select version from change_versions where topic = 'maintenance_windows') as maintenance_windows`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new StoreError('unexpected', 'The database gave no change counters.');
  return row;
}
