import { Backoff } from '../backoff.ts';
import type { Clock, Randomness, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { CloseReason, ExchangeConnector, LiveConnection, LiveEvent } from './connector.ts';
import type { FeedTiming } from './timing.ts';
import { Watchdog } from './watchdog.ts';

export type LinkState = 'idle' | 'connecting' | 'open' | 'waiting';

/** Why a connection ended: the connector's reasons, and the watchdogs'. The names are metric labels. */
export type EndReason = CloseReason | 'transport_silent' | 'data_silent';

export interface LiveLinkOutput {
  /** Only of the current connection; never `closed`. */
  event(event: LiveEvent): void;
  ended(reason: EndReason): void;
  /** An event of a connection that is over. */
  late(): void;
}

export interface LiveLinkOptions {
  readonly connector: Pick<ExchangeConnector, 'openLive'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly timing: FeedTiming;
}

const minuteMs = 60_000;

/**
 * Keeps one live connection up: connects, watches the transport, and after any end connects again
 * with back-off. Each connection is an epoch; what comes from an older one is not passed on.
 */
export class LiveLink {
  readonly #options: LiveLinkOptions;
  readonly #output: LiveLinkOutput;
  readonly #backoff: Backoff;
  readonly #transport: Watchdog;
  #state: LinkState = 'idle';
  #epoch = 0;
  #connection: LiveConnection | undefined;
  #connectedAtMs: number[] = [];
  #pingTimer: Timer | undefined;
  #reconnectTimer: Timer | undefined;

  constructor(options: LiveLinkOptions, output: LiveLinkOutput) {
    const { clock, randomness, timing } = options;
    this.#options = options;
    this.#output = output;
    this.#backoff = new Backoff(randomness, { minMs: timing.reconnectMinMs, maxMs: timing.reconnectMaxMs });
    this.#transport = new Watchdog(clock, timing.transportPatienceMs, () => this.drop('transport_silent'));
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

  /** Does nothing when already started. */
  start(): void {
    if (this.#state === 'idle') this.#connect();
  }

  /** Ends everything at once. */
  stop(): void {
    this.#clear();
    this.#state = 'idle';
  }

  /** Ends the current connection, if there is one, and connects again after the back-off. */
  drop(reason: EndReason): void {
    if (this.#state === 'connecting' || this.#state === 'open') this.#end(reason, 'ended by a watchdog', undefined);
  }

  /** The connection has proved healthy: the next back-off starts over. */
  settled(): void {
    this.#backoff.reset();
  }

  #connect(): void {
    const { connector, clock, log } = this.#options;
    this.#epoch += 1;
    const epoch = this.#epoch;
    this.#state = 'connecting';
    this.#connectedAtMs.push(clock.monotonicMs());
    log.debug({ epoch }, 'connecting to the exchange');
    try {
      const connection = connector.openLive((event) => this.#received(epoch, event));
      if (this.#isCurrent(epoch)) this.#connection = connection;
      else connection.terminate();
    } catch (thrown) {
      if (this.#isCurrent(epoch))
        this.#end('protocol', thrown instanceof Error ? thrown.name : 'not an error', undefined);
    }
  }

  #isCurrent(epoch: number): boolean {
    return epoch === this.#epoch && (this.#state === 'connecting' || this.#state === 'open');
  }

  #received(epoch: number, event: LiveEvent): void {
    if (!this.#isCurrent(epoch)) {
      this.#output.late();
    } else if (event.type === 'closed') {
      this.#end(event.reason, event.detail, event.retryAfterMs);
    } else {
      this.#transport.touch();
      if (event.type === 'opened') this.#opened();
      this.#output.event(event);
    }
  }

  #opened(): void {
    this.#state = 'open';
    this.#transport.start();
    this.#pingTimer = this.#options.clock.every(this.#options.timing.pingEveryMs, () => this.#connection?.ping());
  }

  #end(reason: EndReason, detail: string, retryAfterMs: number | undefined): void {
    this.#clear();
    this.#state = 'waiting';
    const delayMs = Math.max(retryAfterMs ?? 0, this.#crowdedMs()) + this.#backoff.nextMs();
    const { clock, log } = this.#options;
    this.#reconnectTimer = clock.after(delayMs, () => this.#connect());
    log.warn({ epoch: this.#epoch, reason, detail, reconnectInMs: Math.round(delayMs) }, 'live connection ended');
    this.#output.ended(reason);
  }

  #clear(): void {
    this.#transport.stop();
    this.#pingTimer?.cancel();
    this.#reconnectTimer?.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.terminate();
  }

  /** How long until one more connection would be within the limit of a minute. */
  #crowdedMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    this.#connectedAtMs = this.#connectedAtMs.filter((atMs) => nowMs - atMs < minuteMs);
    const oldest = this.#connectedAtMs.at(-this.#options.timing.connectsPerMinuteMax);
    return oldest === undefined ? 0 : oldest + minuteMs - nowMs;
  }
}
