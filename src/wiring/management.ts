import type { BreachLog } from '../access/breach-log.ts';
import type { ClientAddresses } from '../access/client-address.ts';
import type { KeyDirectory } from '../access/key-directory.ts';
import type { MemoryLimits } from '../access/limits.ts';
import type { ManagementSettings, ManagementSources } from '../admin/api/sources.ts';
import { FeedTimeline } from '../admin/feed-timeline.ts';
import { PriceHistory } from '../admin/price-history.ts';
import { RequestRate } from '../admin/request-rate.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, Randomness } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { EventLoopDelay } from '../http/event-loop-delay.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { Store } from '../store/store.ts';
import type { Feed } from './feed.ts';
import type { MarketMemory } from './market-memory.ts';
import type { OperatorChanges } from './operator-changes.ts';
import type { Teardown } from './teardown.ts';

/** What the management API is made with. */
export interface ManagementParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly book: MarketBook;
  readonly service: ServiceBoard;
  readonly access: {
    readonly directory: KeyDirectory;
    readonly limits: MemoryLimits;
    readonly breaches: BreachLog;
    readonly addresses: ClientAddresses;
  };
  readonly feed: Feed;
  readonly changes: OperatorChanges;
  readonly delay: EventLoopDelay;
  readonly memory: MarketMemory;
  readonly requests: RequestCounts;
  readonly publicUrls: ManagementSources['publicUrls'];
}

/** Starts what gathers figures for operators, and gives all that the management API reads and changes. */
export async function startManagement(
  configuration: Configuration,
  parts: ManagementParts,
  teardown: Teardown,
): Promise<ManagementSources> {
  const { store, clock, randomness, log, book, service, access, feed, changes, delay } = parts;
  const history = new PriceHistory(book, clock, log);
  teardown.add(() => history.stop());
  const requestRate = new RequestRate(parts.requests, clock);
  teardown.add(() => requestRate.stop());
  const timeline = new FeedTimeline(service, store.snapshots, clock, log);
  await timeline.start();
  teardown.add(() => timeline.stop());
  return {
    store,
    randomness,
    settings: settingsOf(configuration),
    startedAt: clock.now(),
    addresses: access.addresses,
    keys: access.directory,
    limits: access.limits,
    breaches: access.breaches,
    rates: () => feed.rates(),
    converted: configuration.pricing.converted,
    history,
    timeline,
    requestRate,
    eventLoopDelayMs: () => delay.p99Ms(),
    publicUrls: parts.publicUrls,
    remember: () => parts.memory.save(),
    follow: () => changes.look(),
    log,
  };
}

function settingsOf({ admin, mail, notices }: Configuration): ManagementSettings {
  return {
    token: admin.token,
    sessionForMs: admin.sessionForMs,
    host: admin.host,
    hosts: admin.hosts,
    mailConfigured: mail !== undefined,
    noticesAtMostEveryMs: notices.atMostEveryMs,
  };
}
