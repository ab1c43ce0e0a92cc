import { readFile } from 'node:fs/promises';
import { BreachLog } from './access/breach-log.ts';
import { ClientAddresses } from './access/client-address.ts';
import { KeyDirectory } from './access/key-directory.ts';
import { KeyDirectoryLoader } from './access/key-directory-loader.ts';
import { MemoryLimits } from './access/limits.ts';
import { adminListener } from './admin/admin-listener.ts';
import type { Phase } from './admin/sources.ts';
import { Board } from './board/board.ts';
import { ServiceBoard } from './board/service-board.ts';
import type { Clock, Randomness } from './clock.ts';
import { type Configuration, publicUrls } from './configuration/configuration.ts';
import type { FeedLog } from './feed/log.ts';
import { EventLoopDelay } from './http/event-loop-delay.ts';
import { heapShare } from './http/heap-share.ts';
import { PublicListener } from './http/public-listener.ts';
import { FeedStatus } from './market/service-status.ts';
import type { FeedSink } from './market/upstream.ts';
import type { Store } from './store/store.ts';
import { bookFor } from './wiring/book.ts';
import { ClusteredFeed } from './wiring/clustered-feed.ts';
import { createFeed } from './wiring/feed.ts';
import { keySource } from './wiring/key-source.ts';
import { startManagement } from './wiring/management.ts';
import { MarketMemory } from './wiring/market-memory.ts';
import { marketInputs, marketStateOf, recorded } from './wiring/market-replication.ts';
import { createNotifier, noticeFigures } from './wiring/notices.ts';
import { openStoreWhenThere } from './wiring/open-store.ts';
import { followOperatorChanges, loadMaintenanceWindows } from './wiring/operator-changes.ts';
import { publicRoutes } from './wiring/public-routes.ts';
import { sharedLimits } from './wiring/shared-limits.ts';
import { Teardown } from './wiring/teardown.ts';
import { WorkerPool } from './workers/pool.ts';

/** What a service is made from. */
export interface ServiceOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: FeedLog;
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
  const { configuration, clock, randomness, log, signal = new AbortController().signal } = options;
  const store = await openStoreWhenThere({ url: configuration.store.url, clock, randomness, log, signal });
  teardown.add(() => store.close());
  const market = await startMarket(options, store, teardown);
  const access = accessRoom(options, store);
  const delay = new EventLoopDelay(clock);
  teardown.add(() => delay.stop());
  const hasWorkers = configuration.server.workers > 1 && options.only !== 'feed';
  const pool = hasWorkers ? await workerPool(options, market, access) : undefined;
  if (pool === undefined) access.shared?.start();
  teardown.add(() => access.shared?.stop());
  const ownInputs = marketInputs(market, clock);
  const inputs = pool === undefined ? ownInputs : recorded(ownInputs, market.book, pool.record);
  const followers = { book: inputs, service: inputs, keys: access.loader };
  const changes = followOperatorChanges(store, followers, clock, options.log, configuration.admin.auditForMs);
  teardown.add(() => changes.stop());

  const notifier = createNotifier(configuration, { ...options, store, breaches: access.breaches });
  teardown.add(() => notifier.stop());
  const restored = () => pool?.record({ kind: 'state', ...marketStateOf(market, clock) });
  const { feed, replication } = feedFor(options, market, { sink: inputs, restored });
  const listener = pool ?? (await publicListener(options, market, access, delay));
  let phase: Phase = 'starting';
  let listeningPort = configuration.server.port;
  const management = await startManagement(
    configuration,
    {
      ...options,
      ...market,
      store,
      access,
      feed,
      changes,
      delay,
      requests: listener.counts,
      publicUrls: () => publicUrls(configuration.server, listeningPort),
    },
    teardown,
  );
  const sources = {
    ...market,
    version: options.version,
    clock,
    phase: () => phase,
    requests: listener.counts,
    connections: () => listener.connectionFigures(),
    keysHeld: () => access.directory.size,
    storeReachable: () => changes.reachable(),
    feedHealth: () => feed.health(),
    notices: () => noticeFigures(access.breaches, notifier),
    sharedLimits: () => (pool === undefined ? access.shared?.figures() : pool.sharedLimits()),
    replication,
    workers: () => pool?.figures(),
    convertedQuotes: [...configuration.pricing.converted.keys()],
  };
  const admin = adminListener(sources, management);
  const { host, port: adminPort } = configuration.admin;
  const adminUrl = await admin.listen({ host, port: adminPort });
  teardown.add(() => admin.close());
  await access.loader.refresh();
  if (options.only !== 'feed') {
    listeningPort = (await listener.listen()).port;
    teardown.add(() => listener.close(configuration.server.shutdownDeadlineMs));
  }
  const port = listeningPort;
  const { baseUrl } = publicUrls(configuration.server, port);
  notifier.start(baseUrl);
  feed.start();
  teardown.add(() => feed.stop());
  phase = 'serving';

  let stopped: Promise<void> | undefined;
  return {
    baseUrl,
    port,
    adminUrl,
    stop() {
      phase = 'draining';
      listener.drain();
      stopped ??= drained(clock, configuration.server.drainDelayMs).then(() => teardown.run());
      return stopped;
    },
  };
}

/** The feed of this process alone, or the one that several processes have together. */
function feedFor(
  options: ServiceOptions,
  market: Awaited<ReturnType<typeof startMarket>>,
  { sink, restored }: { readonly sink: FeedSink; readonly restored: () => void },
) {
  const { configuration, only } = options;
  const makeFeed = (to: FeedSink) => createFeed(configuration, { ...options, sink: to });
  const { redis } = configuration;
  if (redis === undefined) return { feed: makeFeed(sink), replication: () => undefined };
  const feed = new ClusteredFeed({
    ...options,
    ...market,
    address: redis,
    sink,
    restored,
    makeFeed,
    mayLead: only !== 'api',
  });
  return { feed, replication: () => feed.figures() };
}

/** Resolves once balancers have had their time to look elsewhere. */
async function drained(clock: Clock, delayMs: number): Promise<void> {
  if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve));
}

/** The market room and what publishes it, with all that was known before a restart. */
async function startMarket(
  { configuration, clock, randomness, log }: ServiceOptions,
  store: Store,
  teardown: Teardown,
) {
  const book = bookFor(configuration);
  const feedStatus = new FeedStatus();
  const memory = new MarketMemory(store, book, feedStatus, clock, log);
  await memory.restore();
  memory.start();
  teardown.add(() => memory.stop());
  const service = new ServiceBoard(feedStatus, clock);
  await loadMaintenanceWindows(store, service, clock);
  const runTag = Buffer.from(randomness.bytes(6)).toString('base64url');
  return { book, feedStatus, memory, service, runTag, board: new Board(book) };
}

/** Who may ask, how often, and from where. No key is known before the first `loader.refresh()`. */
function accessRoom({ configuration, clock, randomness, log }: ServiceOptions, store: Store) {
  const limits = new MemoryLimits(randomness, configuration.limits);
  const directory: KeyDirectory = new KeyDirectory((slot) => {
    limits.forgetSlot(slot);
    breaches.forgetSlot(slot);
  });
  const breaches = new BreachLog(directory);
  const loader = new KeyDirectoryLoader(directory, keySource(store));
  const shared = sharedLimits(configuration, { clock, randomness, log, memory: limits, keys: directory });
  const addresses = new ClientAddresses(configuration.server.trustedProxies);
  return { limits, shared, directory, breaches, loader, addresses };
}

async function publicListener(
  { configuration: { server }, clock, randomness, log, version }: ServiceOptions,
  { board, service, runTag }: Awaited<ReturnType<typeof startMarket>>,
  { directory, limits, shared, breaches, addresses }: ReturnType<typeof accessRoom>,
  delay: EventLoopDelay,
): Promise<PublicListener> {
  const offerAt = (port: number) => {
    const urls = publicUrls(server, port);
    return { routes: publicRoutes({ ...urls, runTag, version }), errorsUrl: urls.errorsUrl };
  };
  const options = { host: server.host, port: server.port, tls: await readTls(server.tls), limits: server };
  return new PublicListener(options, {
    offerAt,
    gate: { keys: directory, limits: shared ?? limits, breaches },
    addresses,
    sources: { board, service },
    clock,
    randomness,
    log,
    strain: () => ({ eventLoopDelayMs: delay.p99Ms(), heapShare: heapShare() }),
  });
}

/** Threads that serve in the place of this one, from the same memory. */
async function workerPool(
  { configuration, clock, randomness, log, version }: ServiceOptions,
  market: Awaited<ReturnType<typeof startMarket>>,
  access: ReturnType<typeof accessRoom>,
): Promise<WorkerPool> {
  const { server, exchange, pricing, rates, limits, redis } = configuration;
  return new WorkerPool({
    configuration: { server, exchange, pricing, rates, limits, redis },
    tls: await readTls(server.tls),
    version,
    runTag: market.runTag,
    access,
    market,
    clock,
    randomness,
    log,
  });
}

async function readTls(tls: Configuration['server']['tls']): Promise<{ cert: string; key: string } | undefined> {
  if (tls === undefined) return undefined;
  return { cert: await readFile(tls.certFile, 'utf8'), key: await readFile(tls.keyFile, 'utf8') };
}
