import { Backoff } from '../ground/backoff.ts';
import type { Timer } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveConnection, LiveEvent } from './connector.ts';
import { countOne, type EndReason, type LinkState } from './health.ts';
import type { FeedParts } from './parts.ts';
import { RecentConnects } from './recent-connects.ts';
import { Watchdog } from './timers.ts';

interface LiveLinkListener {
  /** An event of the current connection, or of its successor; never `closed` or `ending`. */
  event(event: LiveEvent): void;
  ended(): void;
  /** Gives the markets that a successor has to be subscribed to. */
  subscribed(): readonly MarketSymbol[];
}

/** A connection to the exchange, from the attempt on. */
interface Attempt {
  connection: LiveConnection | undefined;
  isOpen: boolean;
}

/** A subscribed successor takes over after this long, by when quiet markets have delivered as well. */
const handoverMs = 10_000;
const standstillMaxMs = 3_000;
/** Between two renewals, and after a failed one. */
const renewalSpacingMs = 60_000;

/**
 * Keeps one live connection up: connects, watches transport and data, and after any end reconnects with back-off. Each
 * connection is an epoch; events of an older one are dropped. A connection whose end the exchange announces has a
 * successor within its epoch: both deliver for a while, then the old one is dropped. An end without a successor is an
 * end like any other.
 */
export class LiveLink {
  readonly #parts: FeedParts;
  readonly #listener: LiveLinkListener;
  readonly #backoff: Backoff;
  readonly #transportWatchdog: Watchdog;
  /** Watches for live data; heartbeats do not count. */
  readonly #dataWatchdog: Watchdog;
  #state: LinkState = 'idle';
  #current: Attempt | undefined;
  #successor: Attempt | undefined;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #renewalDetail = '';
  /** Until the renewal begins, or the successor takes over. */
  #renewalTimer: Timer | undefined;
  readonly #connects: RecentConnects;
  #firstDataAtMs: number | undefined;
  #pingTimer: Timer | undefined;
  #pingedAtMs = Number.POSITIVE_INFINITY;
  #reconnectTimer: Timer | undefined;

  constructor(parts: FeedParts, listener: LiveLinkListener) {
    const { clock, randomness, timing } = parts;
    this.#parts = parts;
    this.#listener = listener;
    this.#connects = parts.connects ?? new RecentConnects();
    this.#backoff = new Backoff(randomness, { minMs: timing.reconnectMinMs, maxMs: timing.reconnectMaxMs });
    this.#transportWatchdog = new Watchdog(clock, timing.transportTimeoutMs, () =>
      this.#end('transport_silent', 'timed out'),
    );
    this.#dataWatchdog = new Watchdog(clock, timing.staleAfterMs, () => this.#end('data_silent', 'timed out'));
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The open connections: one, or with its successor two. */
  get connections(): readonly LiveConnection[] {
    return [this.#current, this.#successor].flatMap((attempt) => (attempt?.isOpen ? (attempt.connection ?? []) : []));
  }

  /** The connection is open, and something arrived on it lately. */
  get isReceiving(): boolean {
    return this.#state === 'open' && this.#transportWatchdog.idleMs < this.#parts.timing.takeoverAfterMs;
  }

  /** When anything last arrived, on any connection, by the monotonic clock; `-Infinity` before that. */
  get heardMs(): number {
    return this.#transportWatchdog.touchedAtMs;
  }

  /** Does nothing when already started. */
  start(): void {
    if (this.#state !== 'idle') return;
    const delayMs = this.#untilNextAllowedMs();
    if (delayMs === 0) this.#connect();
    else this.#connectAfter(delayMs);
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
    // A ban can have begun since this was planned.
    const bannedMs = this.#bannedMs;
    if (bannedMs > 0) {
      this.#connectAfter(bannedMs);
      return;
    }
    const epoch = ++this.#parts.counters.epoch;
    this.#state = 'connecting';
    this.#connects.note(this.#parts.clock.monotonicMs());
    this.#parts.log.debug({ epoch }, 'connecting to the exchange');
    this.#current = { connection: undefined, isOpen: false };
    this.#open(this.#current);
  }

  #connectAfter(delayMs: number): void {
    this.#state = 'waiting';
    this.#reconnectTimer = this.#parts.clock.after(delayMs, () => this.#connect());
  }

  #open(attempt: Attempt): void {
    try {
      attempt.connection = this.#parts.connector.openLive((event) => this.#received(attempt, event));
      if (!this.#isInUse(attempt)) attempt.connection.terminate();
    } catch (error) {
      const detail = error instanceof Error ? error.name : 'not an error';
      if (this.#isInUse(attempt)) this.#closed(attempt, 'protocol', detail);
    }
  }

  #isInUse(attempt: Attempt): boolean {
    return attempt === this.#current || attempt === this.#successor;
  }

  #received(attempt: Attempt, event: LiveEvent): void {
    if (!this.#isInUse(attempt)) {
      countOne(this.#parts.counters.framesDropped, 'late');
    } else if (event.type === 'closed') {
      this.#closed(attempt, event.reason, event.detail, event.retryAfterMs);
    } else if (event.type === 'ending') {
      if (attempt === this.#current) this.#ending(event.detail);
    } else if (this.#endsAfterStandstill()) {
      countOne(this.#parts.counters.framesDropped, 'late');
    } else {
      this.#transportWatchdog.touch();
      if (event.type === 'opened') this.#opened(attempt);
      else this.#listener.event(event);
    }
  }

  /**
   * Ends the connection if the process stood still, as its own pings show: what waited is older than it looks. Returns
   * whether it did.
   */
  #endsAfterStandstill(): boolean {
    const { clock, timing } = this.#parts;
    const standsStill = clock.monotonicMs() - this.#pingedAtMs > timing.pingEveryMs + standstillMaxMs;
    if (standsStill) this.#end('transport_silent', 'the process stood still');
    return standsStill;
  }

  #opened(attempt: Attempt): void {
    const { clock, timing } = this.#parts;
    attempt.isOpen = true;
    if (this.#state === 'connecting') {
      this.#state = 'open';
      this.#transportWatchdog.start();
      this.#pingedAtMs = clock.monotonicMs();
      this.#pingTimer = clock.every(timing.pingEveryMs, () => {
        if (this.#endsAfterStandstill()) return;
        this.#pingedAtMs = clock.monotonicMs();
        for (const connection of this.connections) connection.ping();
      });
      this.#listener.event({ type: 'opened' });
      return;
    }
    attempt.connection?.subscribe(this.#listener.subscribed());
    if (attempt === this.#successor) this.#renewalTimer = clock.after(handoverMs, () => this.#takeOver());
  }

  #closed(attempt: Attempt, reason: EndReason, detail: string, retryAfterMs = 0): void {
    if (attempt === this.#successor) {
      this.#successor = undefined;
      this.#cancelRenewal();
      this.#renewAfter(Math.max(renewalSpacingMs, retryAfterMs));
    } else if (this.#successor !== undefined) {
      this.#takeOver();
    } else {
      this.#end(reason, detail, retryAfterMs);
    }
  }

  #ending(detail: string): void {
    if (this.#successor !== undefined || this.#renewalTimer !== undefined) return;
    this.#renewalDetail = detail;
    this.#renewAfter(Math.max(0, this.#renewedAtMs + renewalSpacingMs - this.#parts.clock.monotonicMs()));
  }

  #renewAfter(delayMs: number): void {
    const { clock } = this.#parts;
    this.#renewalTimer = clock.after(delayMs, () => {
      this.#renewalTimer = undefined;
      if (this.#bannedMs > 0) {
        this.#renewAfter(this.#bannedMs);
        return;
      }
      this.#renewedAtMs = clock.monotonicMs();
      this.#successor = { connection: undefined, isOpen: false };
      this.#open(this.#successor);
    });
  }

  #takeOver(): void {
    const before = this.#current;
    this.#current = this.#successor;
    this.#successor = undefined;
    this.#cancelRenewal();
    before?.connection?.terminate();
    this.#parts.counters.connectionsRenewed++;
    this.#parts.log.info({ detail: this.#renewalDetail }, 'live connection replaced as planned');
  }

  #cancelRenewal(): void {
    this.#renewalTimer?.cancel();
    this.#renewalTimer = undefined;
  }

  #end(reason: EndReason, detail: string, retryAfterMs = 0): void {
    this.#clear();
    const delayMs = Math.max(retryAfterMs, this.#untilNextAllowedMs()) + this.#backoff.nextMs();
    const { log, counters } = this.#parts;
    this.#connectAfter(delayMs);
    log.warn({ epoch: counters.epoch, reason, detail, reconnectInMs: Math.round(delayMs) }, 'live connection ended');
    countOne(counters.connectionsEnded, reason);
    this.#listener.ended();
  }

  #clear(): void {
    this.#transportWatchdog.stop();
    this.#dataWatchdog.stop();
    this.#firstDataAtMs = undefined;
    this.#pingTimer?.cancel();
    this.#pingedAtMs = Number.POSITIVE_INFINITY;
    this.#reconnectTimer?.cancel();
    this.#cancelRenewal();
    const attempts = [this.#current, this.#successor];
    this.#current = undefined;
    this.#successor = undefined;
    for (const attempt of attempts) attempt?.connection?.terminate();
  }

  get #bannedMs(): number {
    return this.#parts.connector.ban?.waitMs ?? 0;
  }

  #untilNextAllowedMs(): number {
    const { clock, timing } = this.#parts;
    return Math.max(this.#connects.waitMs(clock.monotonicMs(), timing.connectsPerMinuteMax), this.#bannedMs);
  }
}
