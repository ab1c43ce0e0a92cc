import { Backoff } from '../backoff.ts';
import type { Timer } from '../clock.ts';
import type { CloseReason, LiveConnection, LiveEvent } from './connector.ts';
import { countOne } from './health.ts';
import type { FeedParts } from './parts.ts';
import { Watchdog } from './timers.ts';

export type LinkState = 'idle' | 'connecting' | 'open' | 'waiting';

/** Why a connection ended: the connector's reasons, and the watchdogs'. The names are metric labels. */
export type EndReason = CloseReason | 'transport_silent' | 'data_silent';

interface LiveLinkListener {
  /** An event of the current connection; never `closed`. */
  event(event: LiveEvent): void;
  ended(): void;
}

const minuteMs = 60_000;

/**
 * Keeps one live connection up: connects, watches transport and data, and after any end reconnects with back-off. Each
 * connection is an epoch; events of an older one are dropped.
 */
export class LiveLink {
  readonly #parts: FeedParts;
  readonly #listener: LiveLinkListener;
  readonly #backoff: Backoff;
  readonly #transportWatchdog: Watchdog;
  /** Watches for live data; heartbeats do not count. */
  readonly #dataWatchdog: Watchdog;
  #state: LinkState = 'idle';
  #epoch = 0;
  #connection: LiveConnection | undefined;
  #connectedAtMs: number[] = [];
  #firstDataAtMs: number | undefined;
  #pingTimer: Timer | undefined;
  #reconnectTimer: Timer | undefined;

  constructor(parts: FeedParts, listener: LiveLinkListener) {
    const { clock, randomness, timing } = parts;
    this.#parts = parts;
    this.#listener = listener;
    this.#backoff = new Backoff(randomness, { minMs: timing.reconnectMinMs, maxMs: timing.reconnectMaxMs });
    this.#transportWatchdog = new Watchdog(clock, timing.transportTimeoutMs, () =>
      this.#end('transport_silent', 'timed out'),
    );
    this.#dataWatchdog = new Watchdog(clock, timing.staleAfterMs, () => this.#end('data_silent', 'timed out'));
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Counts the connections tried so far. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The connection, once it is open. */
  get connection(): LiveConnection | undefined {
    return this.#state === 'open' ? this.#connection : undefined;
  }

  /** The connection is open, and something arrived on it lately. */
  get isReceiving(): boolean {
    return this.#state === 'open' && this.#transportWatchdog.idleMs < this.#parts.timing.silentAfterMs;
  }

  /** Does nothing when already started. */
  start(): void {
    if (this.#state === 'idle') this.#connect();
  }

  /** Ends everything at once. */
  stop(): void {
    this.#clear();
    this.#state = 'idle';
  }

  /** From now on a connection without data for `staleAfterMs` is ended. */
  expectData(): void {
    if (!this.#dataWatchdog.isRunning) this.#dataWatchdog.start();
  }

  /** No symbol is left to wait for: missing data does not mean that the connection is broken. */
  expectNoData(): void {
    this.#dataWatchdog.stop();
  }

  /** Live data arrived. After `healthyAfterMs` of it on one connection the back-off starts over. */
  dataArrived(nowMs: number): void {
    this.#dataWatchdog.touch();
    this.#firstDataAtMs ??= nowMs;
    if (nowMs - this.#firstDataAtMs >= this.#parts.timing.healthyAfterMs) this.#backoff.reset();
  }

  #connect(): void {
    const { connector, clock, log } = this.#parts;
    const epoch = ++this.#epoch;
    this.#state = 'connecting';
    this.#connectedAtMs.push(clock.monotonicMs());
    log.debug({ epoch }, 'connecting to the exchange');
    try {
      const connection = connector.openLive((event) => this.#received(epoch, event));
      if (this.#isCurrent(epoch)) this.#connection = connection;
      else connection.terminate();
    } catch (error) {
      const detail = error instanceof Error ? error.name : 'not an error';
      if (this.#isCurrent(epoch)) this.#end('protocol', detail);
    }
  }

  #isCurrent(epoch: number): boolean {
    return epoch === this.#epoch && (this.#state === 'connecting' || this.#state === 'open');
  }

  #received(epoch: number, event: LiveEvent): void {
    if (!this.#isCurrent(epoch)) {
      countOne(this.#parts.counters.framesDropped, 'late');
    } else if (event.type === 'closed') {
      this.#end(event.reason, event.detail, event.retryAfterMs);
    } else {
      this.#transportWatchdog.touch();
      if (event.type === 'opened') this.#opened();
      this.#listener.event(event);
    }
  }

  #opened(): void {
    this.#state = 'open';
    this.#transportWatchdog.start();
    this.#pingTimer = this.#parts.clock.every(this.#parts.timing.pingEveryMs, () => this.#connection?.ping());
  }

  #end(reason: EndReason, detail: string, retryAfterMs = 0): void {
    this.#clear();
    this.#state = 'waiting';
    const delayMs = Math.max(retryAfterMs, this.#untilNextAllowedMs()) + this.#backoff.nextMs();
    const { clock, log, counters } = this.#parts;
    this.#reconnectTimer = clock.after(delayMs, () => this.#connect());
    log.warn({ epoch: this.#epoch, reason, detail, reconnectInMs: Math.round(delayMs) }, 'live connection ended');
    countOne(counters.connectionsEnded, reason);
    this.#listener.ended();
  }

  #clear(): void {
    this.#transportWatchdog.stop();
    this.#dataWatchdog.stop();
    this.#firstDataAtMs = undefined;
    this.#pingTimer?.cancel();
    this.#reconnectTimer?.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.terminate();
  }

  /** How long until one more connection is within the limit per minute. */
  #untilNextAllowedMs(): number {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#connectedAtMs = this.#connectedAtMs.filter((atMs) => nowMs - atMs < minuteMs);
    const oldest = this.#connectedAtMs.at(-this.#parts.timing.connectsPerMinuteMax);
    return oldest === undefined ? 0 : oldest + minuteMs - nowMs;
  }
}
