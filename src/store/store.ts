import type { Randomness } from '../ground/clock.ts';
import { AccessChanges } from './access.ts';
import { Accounts } from './accounts.ts';
import { Alerts } from './alerts.ts';
import { Approvals } from './approvals.ts';
import { AuditLog, auditsOf } from './audit.ts';
import { Breaches } from './breaches.ts';
import { Deliveries } from './deliveries.ts';
import { Incidents } from './incidents.ts';
import { Keys } from './keys.ts';
import { ListDecisions } from './list-decisions.ts';
import { Markets } from './markets.ts';
import { Notices } from './notices.ts';
import { changeSignalFor, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
import { ProcessLives } from './process-lives.ts';
import { RateControls } from './rates.ts';
import { RequestMinutes } from './request-minutes.ts';
import type { Database } from './schema.ts';
import { Snapshots } from './snapshots.ts';
import { StatusRecords } from './status-records.ts';
import type { StoreContext } from './store-context.ts';
import { SubscriptionMessages } from './subscription-messages.ts';
import { Subscriptions } from './subscriptions.ts';
import { Terms } from './terms.ts';
import { OperatorTokens, SourceTokens } from './tokens.ts';
import { type ChangeListener, type ChangeWatch, watchChanges } from './watch-changes.ts';
import { MaintenanceWindows } from './windows.ts';

/**
 * Everything that must last. Safe to open from several processes at once. What the database refuses comes as
 * `StoreError`.
 */
export interface Store extends StoreParts {
  /** The same store, whose changes the audit log attributes to this actor. */
  as(actor: string): Store;
  /** Does work with the parts of this store in one transaction: all that it changes is written, or nothing. */
  atomically<T>(work: (parts: StoreParts) => Promise<T>): Promise<T>;
  watchChanges(listener: ChangeListener): ChangeWatch;
  /** The copy of the file as it was before this opening brought it up to date. */
  readonly kept?: string | undefined;
  /** The name of the database, where this opening made it: it holds no key. */
  readonly made?: string | undefined;
  /** Stops every watch and closes the database. Closing twice does nothing. */
  close(): Promise<void>;
}

/** The kinds of things that a store keeps. */
export type StoreParts = ReturnType<typeof partsOf>;

function partsOf(context: StoreContext) {
  return {
    accounts: new Accounts(context),
    keys: new Keys(context),
    markets: new Markets(context),
    rates: new RateControls(context),
    lists: new ListDecisions(context),
    windows: new MaintenanceWindows(context),
    terms: new Terms(context),
    approvals: new Approvals(context),
    snapshots: new Snapshots(context),
    statusRecords: new StatusRecords(context),
    incidents: new Incidents(context),
    processLives: new ProcessLives(context),
    accessChanges: new AccessChanges(context),
    breaches: new Breaches(context),
    notices: new Notices(context),
    tokens: new OperatorTokens(context),
    sourceTokens: new SourceTokens(context),
    requestMinutes: new RequestMinutes(context),
    deliveries: new Deliveries(context),
    alerts: new Alerts(context),
    subscriptions: new Subscriptions(context),
    subscriptionMessages: new SubscriptionMessages(context),
    audit: new AuditLog(context),
  };
}

export interface OpenStoreOptions extends OpenDatabaseOptions {
  readonly randomness: Randomness;
  /** The actor that the audit log attributes changes to; `system` when left out. See `Store.as`. */
  readonly actor?: string | undefined;
}

/** Says how to undo what opening a database did. */
export function wayBack(kept: string): string {
  return `To go back: stop the service, run \`mdapi store restore ${kept} --replace\`, and start the version before`;
}

/**
 * Opens the database, makes it or brings its schema up to date. Throws `StoreError` with one sentence that names the
 * database and the fix.
 */
export async function openStore({ actor = 'system', ...options }: OpenStoreOptions): Promise<Store> {
  const { url, clock, randomness } = options;
  const { db, release, kept, made } = await openDatabase(options);
  const signal = await changeSignalFor(url, clock, randomness);
  const auditOf = auditsOf(clock, randomness);
  const watches: ChangeWatch[] = [];
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all(watches.map((watch) => watch.stop()));
    await db.destroy();
    release?.();
  }

  const contextIn = (trx: Database, by: string): StoreContext => {
    return { db: trx, clock, randomness, audit: auditOf(by), actor: by, transact: (work) => work(trx) };
  };
  const boundTo = (by: string): StoreParts & Pick<Store, 'atomically'> => ({
    ...partsOf({ ...contextIn(db, by), transact: (work) => db.transaction().execute(work) }),
    atomically: (work) => db.transaction().execute((trx) => work(partsOf(contextIn(trx, by)))),
  });
  const store: Store = {
    ...boundTo(actor),
    kept,
    made,
    as: (by) => ({ ...store, ...boundTo(by) }),
    watchChanges(listener) {
      const watch = watchChanges(db, clock, listener, signal);
      watches.push(watch);
      return watch;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  return store;
}
