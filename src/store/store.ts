import type { Clock, Randomness } from '../clock.ts';
import { type AccessChanges, accessChangesIn } from './access-changes.ts';
import { type Accounts, accountsIn } from './accounts.ts';
import { type Breaches, breachesIn } from './breaches.ts';
import { type Keys, keysIn } from './keys.ts';
import { type Markets, marketsIn } from './markets.ts';
import { migrateToLatest } from './migrate.ts';
import { type Notices, noticesIn } from './notices.ts';
import type { Database } from './schema.ts';
import { type Snapshots, snapshotsIn } from './snapshots.ts';
import { openSqlite } from './sqlite/open.ts';
import { StoreError } from './store-error.ts';
import { type ChangeListener, type ChangeWatch, type WatchOptions, watchChanges } from './watch-changes.ts';
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
  watchChanges(options: WatchOptions, listener: ChangeListener): ChangeWatch;
  /** Stops every watch and closes the database. Closing twice does nothing. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  /** `sqlite:PATH` (relative to the working directory, or absolute) or `sqlite::memory:`. */
  readonly url: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

const knownSchemes = '`sqlite:PATH` or `sqlite::memory:`';

/**
 * Opens the database, makes it when it is missing and brings its schema up to date. Throws `StoreError`
 * with one sentence that names the path and the mend.
 */
export async function openStore({ url, clock, randomness }: OpenStoreOptions): Promise<Store> {
  const location = sqliteLocationOf(url);
  const db = await openSqlite(location, clock);
  try {
    await migrateToLatest(db, location);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return storeOver(db, clock, randomness);
}

function storeOver(db: Database, clock: Clock, randomness: Randomness): Store {
  const watches = new Set<ChangeWatch>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([...watches].map((watch) => watch.stop()));
    await db.destroy();
  }

  return {
    accounts: accountsIn(db, clock, randomness),
    keys: keysIn(db, clock, randomness),
    markets: marketsIn(db, clock),
    windows: windowsIn(db, clock, randomness),
    snapshots: snapshotsIn(db, clock),
    accessChanges: accessChangesIn(db),
    breaches: breachesIn(db),
    notices: noticesIn(db, clock, randomness),
    watchChanges(options, listener) {
      const watch = watchChanges(db, options, listener);
      watches.add(watch);
      return {
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
}

/** The URL may hold a password in another scheme, so that only its scheme is ever shown. */
function sqliteLocationOf(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== 'sqlite') {
    const given = scheme === undefined ? 'no scheme' : `the scheme \`${scheme}:\``;
    throw new StoreError('url_invalid', `The store URL has ${given}, which is not supported. Use ${knownSchemes}.`);
  }
  const location = url.slice('sqlite:'.length);
  const hasHost = location.startsWith('//') && !location.startsWith('///');
  if (location === '' || hasHost || location.includes('\0')) {
    throw new StoreError('url_invalid', `The store URL names no file. Use ${knownSchemes}.`);
  }
  return location;
}
