import type { BreachLog } from '../access/breach-log.ts';
import type { KeyDirectory, KeyGrowth } from '../access/key-directory.ts';
import { freeLocksOf, type MemoryLimits } from '../access/limits.ts';
import { mainThread } from '../access/thread-lock.ts';
import type { WorkerFigures } from '../admin/sources.ts';
import { Backoff } from '../backoff.ts';
import type { Clock, Randomness, Timer } from '../clock.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { Certificate, ConnectionFigures } from '../http/public-listener.ts';
import { RequestCounts } from '../http/request-counts.ts';
import type { Log } from '../log.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { type MarketParts, stateEventsOf } from '../wiring/market-replication.ts';
import { Broadcast } from './broadcast.ts';
import { FigureSums } from './figure-sums.ts';
import type { ThreadConfiguration, ThreadData, ThreadFigures } from './messages.ts';
import { assertPortIsFree } from './port-probe.ts';
import { ServingThread } from './serving-thread.ts';

/** What the threads serve, and what they are made with. */
export interface WorkerPoolParts extends Pick<ThreadData, 'tls' | 'version'> {
  readonly configuration: ThreadConfiguration;
  readonly access: { readonly directory: KeyDirectory; readonly limits: MemoryLimits; readonly breaches: BreachLog };
  readonly market: MarketParts;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

const restartRange = { minMs: 200, maxMs: 10_000 };
/** One that served this long and ends is started again without delay. */
const soundAfterMs = 60_000;
/** A thread tells its figures every second. One that was silent for so long hangs, and its connections with it. */
const silentForMs = 30_000;
const watchEveryMs = 5_000;
/** Longer than the deadline a thread may take to tell that it is closed. */
const closingGraceMs = 2_000;

interface Place {
  readonly backoff: Backoff;
  thread: ServingThread | undefined;
  eventLoopDelayMs: number;
  timer: Timer | undefined;
}

/**
 * Serves one port from several threads. Stands where a `PublicListener` stands when there is one thread only. A thread
 * that ends is replaced; meanwhile the others serve the port, and what was counted stays, for it is in shared memory.
 */
export class WorkerPool {
  /** Of all threads together, as of their last report. */
  readonly counts = new RequestCounts();
  readonly #parts: WorkerPoolParts;
  readonly #broadcast: Broadcast;
  readonly #sums = new FigureSums();
  readonly #places: readonly Place[];
  #port: number;
  #certificate: Certificate | undefined;
  #newestOwner = mainThread;
  #restarts = 0;
  #isDraining = false;
  #isClosing = false;
  #watch: Timer | undefined;
  #watchedMs = 0;

  constructor(parts: WorkerPoolParts) {
    const { configuration, randomness, access } = parts;
    this.#parts = parts;
    this.#broadcast = new Broadcast(parts.clock);
    this.#port = configuration.server.port;
    this.#certificate = parts.tls;
    this.#places = Array.from({ length: configuration.server.workers }, () => ({
      backoff: new Backoff(randomness, restartRange),
      thread: undefined,
      eventLoopDelayMs: 0,
      timer: undefined,
    }));
    access.directory.tellGrowth((growth) => this.#tellGrowth(growth));
  }

  /** For whoever changes the market: every thread is to hear of it. */
  readonly record = (event: MarketEvent): void => this.#broadcast.tell(event);

  /** Resolves once all threads listen; rejects with the system's error, and no thread left, when one cannot. */
  async listen(): Promise<{ readonly port: number }> {
    const { host } = this.#parts.configuration.server;
    try {
      if (this.#port !== 0) await assertPortIsFree(host, this.#port);
      // The first finds out the port when any will do.
      this.#port = await this.#start(0).listening;
      await Promise.all(this.#places.slice(1).map((_, index) => this.#start(index + 1).listening));
    } catch (error) {
      await this.close(0);
      throw error;
    }
    this.#watchedMs = this.#parts.clock.monotonicMs();
    this.#watch = this.#parts.clock.every(watchEveryMs, () => this.#endSilent());
    return { port: this.#port };
  }

  /** As `PublicListener.renewCertificate`, in every thread there is and will be. */
  renewCertificate(certificate: Certificate): void {
    this.#certificate = certificate;
    for (const { thread } of this.#places) thread?.order({ kind: 'renewCertificate', certificate });
  }

  /** As `PublicListener.drain`. */
  drain(): void {
    this.#isDraining = true;
    this.#broadcast.tellDraining();
  }

  /** As `PublicListener.close`; all threads have ended afterwards. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true;
    this.#watch?.cancel();
    await Promise.all(
      this.#places.map(async ({ thread, timer }) => {
        timer?.cancel();
        if (thread !== undefined) await this.#close(thread, deadlineMs);
      }),
    );
  }

  connectionFigures(): ConnectionFigures {
    return this.#sums.connections();
  }

  figures(): WorkerFigures {
    const serving = [...this.#places.entries()].filter(([, { thread }]) => thread?.isListening === true);
    return {
      configured: this.#places.length,
      serving: serving.length,
      restarts: this.#restarts,
      eventLoopDelaysMs: new Map(serving.map(([index, { eventLoopDelayMs }]) => [index, eventLoopDelayMs])),
    };
  }

  /** Of all threads together, each of which counts as a node of its own; `undefined` where Redis is not configured. */
  sharedLimits(): SharedLimitFigures | undefined {
    return this.#parts.configuration.redis === undefined ? undefined : this.#sums.sharedLimits();
  }

  /** Ends a thread at once, whatever it does. Another takes its place. */
  async end(index: number): Promise<void> {
    await this.#places[index]?.thread?.terminate();
  }

  async #close(thread: ServingThread, deadlineMs: number): Promise<void> {
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#parts.clock.after(deadlineMs + closingGraceMs, resolve);
    });
    await Promise.race([thread.close(deadlineMs), late]);
    timer?.cancel();
    await thread.terminate();
  }

  #start(index: number): ServingThread {
    const { configuration, version, access, market, clock, log } = this.#parts;
    const { port, origin } = this.#broadcast.subscribe(() => stateEventsOf(market, clock));
    const keys = access.directory.memory();
    // Every slot has its counter before a thread can find it.
    access.limits.counterSegment(keys.segments.length - 1);
    const data: ThreadData = {
      owner: ++this.#newestOwner,
      configuration,
      port: this.#port,
      tls: this.#certificate,
      version,
      limits: access.limits.memory,
      keys,
      news: origin,
    };
    const place = this.#places[index]!;
    const thread = new ServingThread(data, clock, {
      figures: (figures) => this.#take(index, thread, figures),
      ended: (cause) => {
        this.#broadcast.unsubscribe(port);
        this.#ended(index, thread, cause);
      },
      log: {
        info: (fields, message) => log.info({ worker: index, ...fields }, message),
        warn: (fields, message) => log.warn({ worker: index, ...fields }, message),
        error: (fields, message) => log.error({ worker: index, ...fields }, message),
      },
    });
    // Who starts a thread again does not wait for it; its end tells.
    thread.listening.catch(() => {});
    place.thread = thread;
    return thread;
  }

  #take(index: number, { owner }: ServingThread, figures: ThreadFigures): void {
    this.counts.add(figures.counts);
    for (const minute of figures.breaches) this.#parts.access.breaches.merge(minute);
    this.#sums.report(owner, figures);
    this.#places[index]!.eventLoopDelayMs = figures.eventLoopDelayMs;
  }

  /** What the thread held is let go first: the others may be waiting for it. */
  #ended(index: number, thread: ServingThread, cause: Error | undefined): void {
    const { access, clock, log } = this.#parts;
    freeLocksOf(thread.owner, access.limits.memory);
    this.#sums.ended(thread.owner);
    const place = this.#places[index]!;
    place.thread = undefined;
    if (this.#isClosing || this.#watch === undefined) return;
    if (clock.monotonicMs() - thread.startedMs >= soundAfterMs) place.backoff.reset();
    log.error({ worker: index, err: cause }, 'a worker ended; another is started');
    place.timer = clock.after(place.backoff.nextMs(), () => this.#startAgain(index));
  }

  #startAgain(index: number): void {
    if (this.#isClosing) return;
    this.#restarts++;
    const thread = this.#start(index);
    thread.listening.then(
      () => {
        if (this.#isDraining) this.#broadcast.tellDraining();
        this.#parts.log.info({ worker: index }, 'the new worker serves');
      },
      () => {},
    );
  }

  /** Ends threads that hang. Where the whole process stood still, nobody was heard of, and that says nothing. */
  #endSilent(): void {
    const { clock, log } = this.#parts;
    const nowMs = clock.monotonicMs();
    const stoodStill = nowMs - this.#watchedMs > 2 * watchEveryMs;
    this.#watchedMs = nowMs;
    for (const [index, { thread }] of this.#places.entries()) {
      if (thread === undefined || !thread.isListening) continue;
      if (stoodStill) thread.heardMs = nowMs;
      if (nowMs - thread.heardMs < silentForMs) continue;
      log.error({ worker: index }, 'a worker was not heard of for half a minute and is ended');
      void thread.terminate();
    }
  }

  #tellGrowth(growth: KeyGrowth): void {
    const counters = growth.kind === 'segment' ? this.#parts.access.limits.counterSegment(growth.index) : undefined;
    this.#broadcast.tellGrowth({ ...growth, counters });
  }
}
