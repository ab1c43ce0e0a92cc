import type { KeyDirectoryLoader } from '../access/key-directory-loader.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import { dayMs, firstDayAt } from '../board/status-history.ts';
import type { WrittenIncident } from '../board/written-incidents.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { LossHold, nothing, someEntries } from '../ground/loss-hold.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { CatalogueReviews, ListDecision } from '../market/catalogue-review.ts';
import type { ConversionRates } from '../market/conversion-rates.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { Markets } from '../market/markets.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import { termOf } from '../operator/term.ts';
import type { Store } from '../store/store.ts';
import type { TermRecord } from '../store/terms.ts';
import type { ChangeListener, ChangeWatch } from '../store/watch-changes.ts';
import type { WindowRecord } from '../store/windows.ts';
import { holdOf } from './market-snapshots.ts';

const pruneEveryMs = 3_600_000;

const auditRead = 100;

/** The page shows 90 days; a review, and what is filed with authorities, take longer. */
const incidentsForMs = 400 * dayMs;

/** Far more changes than a server misses while it is busy; one that missed more loads everything again. */
const changesKept = 100_000;

/** The parts of this process that follow what operators and account holders decide, in any process. */
export interface Followers {
  readonly keys: Pick<KeyDirectoryLoader<unknown>, 'refresh' | 'acceptLosses' | 'held'>;
  readonly markets: Pick<Markets, 'applyControls' | 'applyHolds' | 'applyTerms'> & {
    readonly catalogue: { readonly reviews: Pick<CatalogueReviews, 'decide'> };
  };
  /** Absent where nothing is converted. */
  readonly rates?: Pick<ConversionRates, 'control'>;
  readonly service: Pick<ServiceBoard, 'setWindows' | 'written'>;
}

/**
 * Follows the store: what others write of keys, markets, terms and maintenance holds here a quarter of a second later
 * at most.
 */
export class StoreFollower {
  readonly #store: Store;
  readonly #followers: Followers;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #auditForMs: number;
  #isReachable = true;
  readonly #windows: LossHold<WindowRecord>;
  /** Terms are never deleted: a database that lacks one is not the one that prices were made on. */
  readonly #terms = new LossHold<TermRecord>(nothing, async () => new Set());
  #heldSince: EpochMs | undefined;
  /** The latest entries of the audit log, once they were read. */
  #audited: ReadonlySet<string> | undefined;
  #watch: ChangeWatch | undefined;
  #pruning: Timer | undefined;

  constructor(store: Store, followers: Followers, clock: Clock, log: Log, auditForMs: number) {
    this.#store = store;
    this.#followers = followers;
    this.#clock = clock;
    this.#log = log;
    this.#auditForMs = auditForMs;
    this.#windows = new LossHold(someEntries, (ids) => store.audit.namedOf(ids));
  }

  start(): void {
    this.#watch = this.#store.watchChanges(this.#listener());
    this.#pruning = this.#clock.every(pruneEveryMs, () => void this.#prune());
  }

  async stop(): Promise<void> {
    this.#pruning?.cancel();
    await this.#watch?.stop();
  }

  /** Looks now: what this process just wrote holds when it resolves, unless the store cannot be read. Never rejects. */
  async look(): Promise<void> {
    await this.#watch?.look();
  }

  /** False from a failed look at the store to the next that succeeds. */
  reachable(): boolean {
    return this.#isReachable;
  }

  /**
   * Counts what vanished from the store at once without an operator's doing and is kept, until it is back or until
   * `mdapi store accept-changes`.
   */
  held() {
    return { keys: this.#followers.keys.held, windows: this.#windows.held, terms: this.#terms.held };
  }

  #listener(): ChangeListener {
    const { keys } = this.#followers;
    return {
      changed: async (topics) => {
        const isAccepted = this.#heldSince !== undefined && topics.lossesAcceptedAt >= this.#heldSince;
        if (isAccepted) {
          await keys.acceptLosses();
          this.#windows.release();
          this.#terms.release();
        } else if (topics.access) await keys.refresh();
        if (topics.marketControls) await this.#loadControls();
        if (topics.terms || isAccepted) await this.#loadTerms();
        if (topics.maintenanceWindows || isAccepted) await this.#loadWindows();
        if (topics.incidents) await this.#loadIncidents();
        this.#noteHeld();
        if (topics.audit) await this.#logAudit();
      },
      failed: (error) => {
        this.#isReachable = false;
        this.#log.error({ err: error }, 'changes in the store cannot be read; serving continues as before');
      },
      recovered: () => {
        this.#isReachable = true;
        this.#log.info({}, 'changes in the store are followed again');
      },
    };
  }

  async #loadControls(): Promise<void> {
    const { markets, rates } = this.#followers;
    await loadMarketControls(this.#store, markets);
    if (rates !== undefined) await loadRateControls(this.#store, rates);
  }

  async #loadWindows(): Promise<void> {
    const now = this.#clock.now();
    const listed = await this.#store.windows.list({ currentAt: now });
    const isHolding = this.#followers.keys.held > 0;
    const windows = await this.#windows.take(listed, ({ to }) => to > now, isHolding);
    this.#followers.service.setWindows(windows);
  }

  async #loadIncidents(): Promise<void> {
    this.#followers.service.written = await loadWrittenIncidents(this.#store, this.#clock.now());
  }

  async #loadTerms(): Promise<void> {
    const listed = await this.#store.terms.list({ withCancelled: true });
    const terms = await this.#terms.take(listed, () => true);
    const live = terms.filter(({ cancelledAt }) => cancelledAt === undefined);
    this.#followers.markets.applyTerms(live.map(termOf), this.#clock.now());
  }

  /**
   * Logs new entries of the audit log. Of more at once than are read the oldest are left out: the audit log has them
   * all.
   */
  async #logAudit(): Promise<void> {
    const { items } = await this.#store.audit.page({ limit: auditRead });
    const logged = this.#audited;
    this.#audited = new Set(items.map(({ id }) => id));
    if (logged === undefined) return;
    for (const { id, action, subject, actor } of items.toReversed()) {
      if (!logged.has(id))
        this.#log.info(
          { audit: id, action, subject: subject.id, actor: withoutAddress(actor) },
          'an entry of the audit log',
        );
    }
  }

  #noteHeld(): void {
    const { keys, windows, terms } = this.held();
    const isHeld = keys + windows + terms > 0;
    if (isHeld === (this.#heldSince !== undefined)) return;
    this.#heldSince = isHeld ? this.#clock.now() : undefined;
    if (!isHeld) this.#log.warn({}, 'nothing that vanished from the store is held back any more');
    else
      this.#log.error(
        { keys, windows, terms },
        'many entries vanished from the store at once; they are held back and stay in service',
      );
  }

  async #prune(): Promise<void> {
    try {
      await this.#store.accessChanges.prune(changesKept);
      const before = (this.#clock.now() - this.#auditForMs) as EpochMs;
      await this.#store.audit.prune(before);
      await this.#store.approvals.prune(before);
      await this.#store.incidents.prune((this.#clock.now() - incidentsForMs) as EpochMs);
    } catch (error) {
      this.#log.error({ err: error }, 'old entries in the store could not be removed; the next try is in an hour');
    }
  }
}

/** Applies what the operator paused, delisted or holds, and what was decided on lists of sources. */
async function loadMarketControls(store: Store, book: Followers['markets']): Promise<void> {
  const markets = await store.markets.list();
  // The controls tell everybody that something has changed.
  book.catalogue.reviews.decide((await store.lists.list()) as readonly ListDecision[]);
  book.applyControls(markets.map((market) => ({ ...market, symbol: market.symbol as MarketSymbol })));
  book.applyHolds(markets.map(holdOf));
}

/**
 * Applies what the operator holds or accepted of rates.
 *
 * @param isRestart acceptances were for doubts before it
 */
export async function loadRateControls(
  store: Pick<Store, 'rates'>,
  rates: Pick<ConversionRates, 'control'>,
  isRestart = false,
): Promise<void> {
  const controls = (await store.rates.list()).map(({ quote, acceptedMid, ...control }) => {
    return { ...control, quote: quote as CurrencyCode, acceptedMid: acceptedMid as DecimalString | undefined };
  });
  rates.control(controls, isRestart);
}

/** More than any page shows. */
const incidentsListed = 200;

/** Reads the incidents that people wrote and that are open, or were in the days that the status page shows. */
export function loadWrittenIncidents(
  { incidents }: Pick<Store, 'incidents'>,
  now: EpochMs,
): Promise<readonly WrittenIncident[]> {
  return incidents.list({ since: firstDayAt(now), limit: incidentsListed });
}

/** The terms that hold or will. */
export async function loadTerms(
  store: Pick<Store, 'terms'>,
  markets: Pick<Markets, 'applyTerms'>,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const terms = await store.terms.list();
  markets.applyTerms(terms.map(termOf), clock.now());
}

/**
 * People who sign in through a provider are named by their e-mail address, which the audit log keeps and no other log.
 */
function withoutAddress(actor: string): string {
  return actor.includes('@') ? actor.slice(0, actor.indexOf(':')) : actor;
}

export const storeMetrics: MetricGroup<{
  readonly changes: Pick<StoreFollower, 'reachable' | 'held'>;
  readonly snapshots: { lastError(): Error | undefined };
}> = {
  title: 'Store',
  metrics: [
    {
      name: 'store_reachable',
      help: '1 while changes in the store can be read, and it can be written.',
      read: ({ changes, snapshots }) => Number(changes.reachable() && snapshots.lastError() === undefined),
    },
    {
      name: 'store_mass_change_held',
      help: 'Keys, maintenance windows and terms that vanished from the store at once and are held back.',
      labels: ['kind'],
      read: ({ changes }) => ({ ...changes.held() }),
    },
  ],
};
