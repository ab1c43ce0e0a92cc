import type { Clock, Randomness } from '../clock.ts';
import { type AccessChanges, accessChangesIn } from './access-changes.ts';
import { type Accounts, accountsIn } from './accounts.ts';
import { type AuditLog, auditLogIn, journalsOf } from './audit.ts';
import { type Breaches, breachesIn } from './breaches.ts';
import { type Keys, keysIn } from './keys.ts';
import { type Markets, marketsIn } from './markets.ts';
import { type Notices, noticesIn } from './notices.ts';
import { openDatabase } from './open-database.ts';
import type { Database } from './schema.ts';
import { type Snapshots, snapshotsIn } from './snapshots.ts';
import { type OperatorTokens, tokensIn } from './tokens.ts';
import {
  type ChangeListener,
  type ChangeSignal,
  type ChangeWatch,
  type WatchOptions,
  watchChanges,
} from './watch-changes.ts';
import { type MaintenanceWindows, windowsIn } from './windows.ts';

/** What must last. Safe to open from several processes at once. What the database refuses comes as `StoreError`. */
export interface Store {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly markets: Markets;
  readonly windows: MaintenanceWindows;
  readonly snapshots: Snapshots;
  readonly accessChanges: AccessChanges;
  readonly breaches: Breaches;
  readonly notices: Notices;
  readonly tokens: OperatorTokens;
  readonly audit: AuditLog;
  /** The same store, for changes that the audit log puts down to this actor. */
  as(actor: string): Store;
  watchChanges(options: WatchOptions, listener: ChangeListener): ChangeWatch;
  /** Stops every watch and closes the database. Closing twice does nothing. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  /**
   * `sqlite:PATH` (relative to the working directory, or absolute), `sqlite::memory:`, or
   * `postgres://user@host:port/database`, see `postgresLocationOf`.
   */
  readonly url: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Whom the audit log puts changes down to; `system` when left out. See `Store.as`. */
  readonly actor?: string | undefined;
}

/**
 * Opens the database, makes it when it is missing and brings its schema up to date. Throws `StoreError`
 * with one sentence that names the database and the mend.
 */
export async function openStore({ url, clock, randomness, actor = 'system' }: OpenStoreOptions): Promise<Store> {
  const { db, signal } = await openDatabase(url, clock, randomness);
  return storeOver(db, signal, clock, randomness, actor);
}

function storeOver(
  db: Database,
  signal: ChangeSignal | undefined,
  clock: Clock,
  randomness: Randomness,
  actor: string,
): Store {
  const journals = journalsOf(clock, randomness);
  const watches = new Set<ChangeWatch>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([...watches].map((watch) => watch.stop()));
    await db.destroy();
  }

  /** What records its changes in the audit log. */
  const recorded = (by: string) => {
    const journal = journals(by);
    return {
      accounts: accountsIn(db, clock, randomness, journal),
      keys: keysIn(db, clock, randomness, journal),
      markets: marketsIn(db, clock, journal),
      windows: windowsIn(db, clock, randomness, journal),
      tokens: tokensIn(db, clock, randomness, journal),
      audit: auditLogIn(db, journal),
    };
  };
  const store: Store = {
    ...recorded(actor),
    as: (by) => ({ ...store, ...recorded(by) }),
    snapshots: snapshotsIn(db, clock),
    accessChanges: accessChangesIn(db),
    breaches: breachesIn(db),
    notices: noticesIn(db, clock, randomness),
    watchChanges(options, listener) {
      const watch = watchChanges(db, options, listener, signal);
      watches.add(watch);
      return {
        look: () => watch.look(),
        async stop() {
          watches.delete(watch);
          await watch.stop();
        },
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  return store;
}
