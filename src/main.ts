import { startPrivateListener } from './admin/private-listener.ts';
import type { Phase } from './conditions/observed.ts';
import { publicUrls } from './configuration/configuration.ts';
import { sleep } from './ground/clock.ts';
import { EventLoopDelay } from './http/event-loop-delay.ts';
import { requestIds } from './http/request-ids.ts';
import { SourceReload } from './management/source-reload.ts';
import { Heartbeat } from './notices/heartbeat.ts';
import { Notifier } from './notices/notifier.ts';
import { Subscribing } from './notices/subscribing.ts';
import { noticePlace } from './operator/notice.ts';
import { publishApprovalKinds } from './persistence/approval-kinds.ts';
import { StatusRecorder } from './persistence/status-recorder.ts';
import { StoreFollower } from './persistence/store-follower.ts';
import { openStoreWhenThere } from './store/open-store.ts';
import { storeCheck } from './store/store-check.ts';
import { OtlpExporter } from './telemetry/otlp-exporter.ts';
import { accessRoom } from './wiring/access-room.ts';
import { processFeed } from './wiring/clustered-feed.ts';
import { marketRoom } from './wiring/market-room.ts';
import { publicListener } from './wiring/public-listener.ts';
import { lostStoreRefusal, pastPricesOf, recordRoom } from './wiring/record-room.ts';
import { RunningParts } from './wiring/running-parts.ts';
import type { ServiceOptions } from './wiring/service-options.ts';

/** A service that answers requests. */
export interface Service {
  /** Where clients reach it, without a trailing slash. */
  readonly baseUrl: string;
  readonly port: number;
  /** The private listener's address, without a trailing slash. */
  readonly adminUrl: string;
  /**
   * Shuts down in steps: unready first, while every answer closes its connection; after the configured delay no new
   * connections; what is still open is cut at the configured deadline. Resolves when all is saved and closed; rejects
   * with `StopOverdue` five seconds after that deadline, naming the parts that held it. Further calls give the same
   * promise.
   */
  stop(): Promise<void>;
  /** Takes over the sources of the configuration as it is now. Rejects where that is refused, which is in the log. */
  reload(): Promise<unknown>;
}

/** For the parts that save, once the answers in progress are over. */
const savingMs = 5_000;

/** Starts a service. Throws what the first part that cannot start throws, with all others stopped again. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const running = new RunningParts(options.clock, options.log);
  try {
    return await startParts(options, running);
  } catch (error) {
    await running.stop(savingMs).catch(() => {});
    throw error;
  }
}

/** Something that runs until it is stopped. */
interface Part {
  start(): unknown;
  stop(): void | Promise<void>;
}

/** Every part of the process, in the order in which they start; they stop in reverse. */
async function startParts(options: ServiceOptions, running: RunningParts): Promise<Service> {
  const { configuration, clock, randomness, log, only } = options;
  const { server, mail, notices } = configuration;
  let phase: Phase = 'starting';
  let { port } = server;
  const urls = () => publicUrls(server, port);
  /**
   * One after the other; `undefined` is one that this process does not have. One that fails may have started halfway:
   * it is stopped too.
   */
  const start = async (parts: Readonly<Record<string, Part | undefined>>) => {
    for (const [name, part] of Object.entries(parts)) {
      if (part === undefined) continue;
      running.defer(name, () => part.stop());
      await part.start();
    }
  };

  // Waits for its server, migrates.
  const isSoleService = configuration.redis === undefined;
  const beforeMaking = lostStoreRefusal(options);
  const store = await openStoreWhenThere(
    { ...options, url: configuration.store.url, isSoleService, beforeMaking },
    log,
    options.signal,
  );
  running.defer('store', () => store.close());
  await publishApprovalKinds(store, configuration.admin.approvals, log);
  const delay = new EventLoopDelay(clock);
  running.defer('delay', () => delay.stop());

  const market = marketRoom(options, store);
  const access = accessRoom(options, store);
  const past = pastPricesOf(options);
  running.defer('past prices', () => past?.stop());
  const feed = await processFeed(options, market, past?.ask, access.position);
  const reload = new SourceReload({ ...options, store: store.as('SIGHUP'), feed });
  const { markets, service } = market;
  const followers = { keys: access.loader, markets, rates: markets.rates, service };
  const changes = new StoreFollower(store, followers, clock, log, configuration.admin.auditForMs);
  const check = storeCheck(configuration.store, clock, log);
  const recorder = new StatusRecorder({
    ...options,
    store,
    service: market.service,
    isWriter: () => only !== 'api' && (feed.figures?.().isLeading ?? true),
  });
  const notifier = new Notifier({ ...options, store, source: access.breaches, rule: notices, mail });
  const place = () => noticePlace(configuration, urls().baseUrl);
  const kinds = configuration.portal.subscriptions;
  const subscribing = new Subscribing({ ...options, store, kinds, mail, place });
  const heartbeat = new Heartbeat({
    ...options,
    heartbeat: configuration.alerts.heartbeat,
    isReady: () => phase === 'serving',
  });
  const telemetry = configuration.telemetry && new OtlpExporter(configuration.telemetry, options);
  const ids = requestIds(randomness);
  const clocks = { readClock: feed.clock, shared: access.shared };
  const recording = recordRoom({ ...options, ...clocks, sharing: feed.figures }, market, store, ids.key);
  const own = { ...options, telemetry, store, ids, subscribing };
  const listener = await publicListener(own, market, access, changes, delay, recording);

  await start({ market, recording, 'shared limits': access.shared, changes });
  const admin = await startPrivateListener({
    ...options,
    store,
    market,
    access,
    feed,
    reload,
    changes,
    storeCheck: check,
    notifier,
    subscribing,
    heartbeat,
    sharedNames: feed.names,
    listener,
    delay,
    phase: () => phase,
    publicUrls: urls,
    recording: () => recording?.figures(),
    record: recording?.asking,
    sharedLimits: () => access.shared?.figures(),
    replication: () => feed.figures?.(),
  });
  running.defer('private listener', () => admin.close());
  await start({
    telemetry: telemetry && { start: () => telemetry.start(admin.registry), stop: () => telemetry.stop() },
  });
  // A million keys take seconds; meanwhile the private listener answers that the process starts.
  await access.loader.refresh();
  // Before it answers, and until it has: no price older than what the others have served.
  await start({ feed: { start: () => feed.join?.(), stop: () => feed.stop() } });
  running.defer('notifier', () => notifier.stop());
  const listen = async () => {
    port = await listener.listen();
  };
  if (only !== 'feed') await start({ 'public listener': { start: listen, stop: () => listener.stop() } });
  // After the listener, so that a port in use is refused in one line.
  notifier.start(place());
  // Last: an exchange that is down delays nothing.
  feed.start();
  await start({ check, recorder, subscribing });
  delay.restart();
  phase = 'serving';
  await start({ heartbeat });
  const { version, configurationFile = null } = options;
  log.info({ version, configuration: configurationFile, port, privateListener: admin.url }, 'the service has started');

  let stopped: Promise<void> | undefined;
  return {
    baseUrl: urls().baseUrl,
    port,
    adminUrl: admin.url,
    reload: () => reload.run(),
    stop() {
      if (phase !== 'draining') log.info({}, 'the service is stopping');
      phase = 'draining';
      listener.drain();
      stopped ??= sleep(clock, server.drainDelayMs, new AbortController().signal).then(async () => {
        await running.stop(server.shutdownDeadlineMs + savingMs);
        log.info({}, 'the service has stopped');
      });
      return stopped;
    },
  };
}
