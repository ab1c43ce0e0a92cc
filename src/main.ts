import { startPrivateListener } from './admin/private-listener.ts';
import type { Phase } from './admin/sources.ts';
import type { Clock, Randomness } from './clock.ts';
import { type Configuration, publicUrls } from './configuration/configuration.ts';
import { EventLoopDelay } from './http/event-loop-delay.ts';
import type { Certificate, PublicListener } from './http/public-listener.ts';
import type { Log } from './log.ts';
import type { MarketEvent } from './market/market-event.ts';
import type { FeedSink } from './market/upstream.ts';
import type { Notifier } from './notices/notifier.ts';
import type { Store } from './store/store.ts';
import { type AccessRoom, accessRoom } from './wiring/access-room.ts';
import { readCertificate, watchCertificate } from './wiring/certificate.ts';
import { ClusteredFeed, type ClusteredFeedParts } from './wiring/clustered-feed.ts';
import { createFeed } from './wiring/feed.ts';
import { MarketReplica, marketInputs, recorded } from './wiring/market-replication.ts';
import { type MarketRoom, startMarketRoom } from './wiring/market-room.ts';
import { createNotifier } from './wiring/notices.ts';
import { openStoreWhenThere } from './wiring/open-store.ts';
import { followOperatorChanges, type OperatorChanges } from './wiring/operator-changes.ts';
import { createPublicListener } from './wiring/public-listener.ts';
import { Teardown } from './wiring/teardown.ts';
import { WorkerPool } from './workers/pool.ts';

/** What a service is made from. */
export interface ServiceOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Of this software, for the root document and the metrics. */
  readonly version: string;
  /** Only this part of the service; with Redis, over which the parts hear of each other. Both when left out. */
  readonly only?: 'feed' | 'api' | undefined;
  /** Ends a start that still waits for its database. */
  readonly signal?: AbortSignal | undefined;
}

/** A service that answers requests. */
export interface Service {
  /** Where clients are told it is, without a trailing slash. */
  readonly baseUrl: string;
  readonly port: number;
  /** The private listener's address, without a trailing slash. */
  readonly adminUrl: string;
  /**
   * Shuts down in steps: unready first, while every answer closes its connection; after the configured
   * delay no new connections; what is still open is cut at the configured deadline. Resolves when all is
   * saved and closed; further calls give the same promise.
   */
  stop(): Promise<void>;
}

/** The rooms of a service, once they stand. */
interface Rooms {
  readonly store: Store;
  readonly market: MarketRoom;
  readonly access: AccessRoom;
  readonly delay: EventLoopDelay;
  /** Set where other threads serve in the place of this one. */
  readonly pool: WorkerPool | undefined;
  readonly listener: PublicListener | WorkerPool;
  readonly tls: Certificate | undefined;
}

/** What keeps the rooms up to date and speaks for them. */
interface Followers {
  readonly changes: OperatorChanges;
  readonly notifier: Notifier;
  readonly feeding: ReturnType<typeof feedFor>;
}

/**
 * Starts everything in the order of its needs: the store (waiting for its server), what it remembers, the private listener,
 * the keys (a million take seconds), the public listener, and last the feed, which may take its
 * time. Throws what the first part that cannot start throws, with all others stopped again.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const teardown = new Teardown();
  try {
    return await startParts(options, teardown);
  } catch (error) {
    await teardown.run().catch(() => {});
    throw error;
  }
}

async function startParts(options: ServiceOptions, teardown: Teardown): Promise<Service> {
  const { configuration, clock, only } = options;
  const life: { phase: Phase; port: number } = { phase: 'starting', port: configuration.server.port };
  const rooms = await makeRooms(options, teardown);
  const { listener } = rooms;
  const followers = follow(options, rooms, teardown);
  const adminUrl = await openPrivateListener(options, rooms, followers, life, teardown);
  await rooms.access.loader.refresh();
  if (only !== 'feed') {
    life.port = (await listener.listen()).port;
    teardown.add(() => listener.close(configuration.server.shutdownDeadlineMs));
    renewCertificate(options, rooms, teardown);
  }
  const { baseUrl } = publicUrls(configuration.server, life.port);
  const { feed } = followers.feeding;
  followers.notifier.start(baseUrl);
  feed.start();
  teardown.add(() => feed.stop());
  rooms.delay.restart();
  life.phase = 'serving';

  let stopped: Promise<void> | undefined;
  return {
    baseUrl,
    port: life.port,
    adminUrl,
    stop() {
      life.phase = 'draining';
      listener.drain();
      stopped ??= drained(clock, configuration.server.drainDelayMs).then(() => teardown.run());
      return stopped;
    },
  };
}

async function makeRooms(options: ServiceOptions, teardown: Teardown): Promise<Rooms> {
  const { configuration, clock, randomness, log, only, signal = new AbortController().signal } = options;
  const store = await openStoreWhenThere({ url: configuration.store.url, clock, randomness, log, signal });
  teardown.add(() => store.close());
  const market = await startMarketRoom({ ...options, store }, teardown);
  const access = accessRoom({ ...options, store });
  const delay = new EventLoopDelay(clock);
  teardown.add(() => delay.stop());
  const { tls: files } = configuration.server;
  const tls = files === undefined ? undefined : await readCertificate(files);
  const hasWorkers = configuration.server.workers > 1 && only !== 'feed';
  const pool = hasWorkers ? workerPool(options, market, access, tls) : undefined;
  if (pool === undefined) access.shared?.start();
  teardown.add(() => access.shared?.stop());
  const listener = pool ?? ownListener(options, market, access, delay, tls);
  return { store, market, access, delay, pool, listener, tls };
}

function follow(options: ServiceOptions, rooms: Rooms, teardown: Teardown): Followers {
  const { configuration, clock, log } = options;
  const { store, market, access, pool } = rooms;
  const ownInputs = marketInputs(market, clock);
  const inputs = pool === undefined ? ownInputs : recorded(ownInputs, market.book, pool.record);
  const whom = { book: inputs, service: inputs, keys: access.loader };
  const changes = followOperatorChanges(store, whom, clock, log, configuration.admin.auditForMs);
  teardown.add(() => changes.stop());
  const notifier = createNotifier(configuration, { ...options, store, breaches: access.breaches });
  teardown.add(() => notifier.stop());
  const replica = new MarketReplica(market, clock);
  const apply = (event: MarketEvent) => {
    replica.apply(event);
    pool?.record(event);
  };
  return { changes, notifier, feeding: feedFor(options, market, { sink: inputs, apply }) };
}

/** Returns its address. */
async function openPrivateListener(
  options: ServiceOptions,
  { store, market, access, delay, pool, listener }: Rooms,
  { changes, notifier, feeding: { feed, replication } }: Followers,
  life: { readonly phase: Phase; readonly port: number },
  teardown: Teardown,
): Promise<string> {
  const admin = await startPrivateListener({
    ...options,
    store,
    market,
    access,
    delay,
    listener,
    changes,
    notifier,
    feed,
    replication,
    phase: () => life.phase,
    publicUrls: () => publicUrls(options.configuration.server, life.port),
    sharedLimits: () => (pool === undefined ? access.shared?.figures() : pool.sharedLimits()),
    workers: () => pool?.figures(),
  });
  teardown.add(() => admin.close());
  return admin.url;
}

/** A renewed certificate is served without a restart. */
function renewCertificate(
  { configuration, clock, log }: ServiceOptions,
  { listener, tls }: Rooms,
  teardown: Teardown,
): void {
  const { tls: files } = configuration.server;
  if (files === undefined || tls === undefined) return;
  const watch = watchCertificate({ files, served: tls, clock, log }, (renewed) => listener.renewCertificate(renewed));
  teardown.add(() => watch.cancel());
}

/** The feed of this process alone, or the one that several processes have together. */
function feedFor(
  options: ServiceOptions,
  market: MarketRoom,
  { sink, apply }: Pick<ClusteredFeedParts, 'sink' | 'apply'>,
) {
  const { configuration, only } = options;
  const makeFeed = (to: FeedSink) => createFeed(configuration, { ...options, sink: to });
  const { redis } = configuration;
  if (redis === undefined) return { feed: makeFeed(sink), replication: () => undefined };
  const mayLead = only !== 'api';
  const feed = new ClusteredFeed({ ...options, ...market, address: redis, sink, apply, makeFeed, mayLead });
  return { feed, replication: () => feed.figures() };
}

/** Resolves once balancers have had their time to look elsewhere. */
async function drained(clock: Clock, delayMs: number): Promise<void> {
  if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve));
}

/** The listener of this thread. */
function ownListener(
  { configuration: { server }, clock, randomness, log, version }: ServiceOptions,
  { board, service }: MarketRoom,
  { directory, limits, shared, breaches, addresses }: AccessRoom,
  delay: EventLoopDelay,
  tls: Certificate | undefined,
): PublicListener {
  return createPublicListener(server, {
    version,
    tls,
    gate: { keys: directory, limits: shared ?? limits, breaches },
    addresses,
    sources: { board, service },
    clock,
    randomness,
    log,
    eventLoopDelayMs: () => delay.p99Ms(),
  });
}

/** Threads that serve in the place of this one, from the same memory. */
function workerPool(
  { configuration, clock, randomness, log, version }: ServiceOptions,
  market: MarketRoom,
  access: AccessRoom,
  tls: Certificate | undefined,
): WorkerPool {
  const { server, exchange, pricing, rates, limits, redis } = configuration;
  const parts = { tls, version, access, market, clock, randomness, log };
  return new WorkerPool({ configuration: { server, exchange, pricing, rates, limits, redis }, ...parts });
}
