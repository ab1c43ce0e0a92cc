import type { Clock, Timer } from '../clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveConnection, LiveEvent, LiveListener } from './connector.ts';

interface RenewalOptions {
  readonly clock: Clock;
  /** The exchange ends every connection about this long after its opening; `undefined`: it does not. */
  readonly lifetimeMs?: number | undefined;
}

type Open = (listener: LiveListener, announceEnd: (detail: string) => void) => LiveConnection;

interface Successor {
  readonly connection: LiveConnection;
  /** Symbols that it has not delivered yet; `undefined` until it is open. */
  waiting: Set<MarketSymbol> | undefined;
}

/** A successor that has not delivered every symbol takes over after this long: quiet markets send nothing. */
const handoverMs = 10_000;
/** Between two renewals, and after a failed one. */
const spacingMs = 60_000;

/**
 * One connection to its user, several in turn to the exchange: when the exchange announces the end of the current one, or its
 * lifetime is nearly over, a successor is opened and subscribed, and takes over once it delivers. The end that was
 * planned is no event; the `renewed` one is. An end without a successor is an end like any other.
 */
export class RenewedConnection implements LiveConnection {
  readonly #open: Open;
  readonly #options: RenewalOptions;
  readonly #listener: LiveListener;
  readonly #wanted = new Set<MarketSymbol>();
  #current: LiveConnection;
  #successor: Successor | undefined;
  #detail = '';
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #renewal: Timer | undefined;
  #handover: Timer | undefined;
  #hasOpened = false;
  #hasEnded = false;

  constructor(open: Open, options: RenewalOptions, listener: LiveListener) {
    this.#open = open;
    this.#options = options;
    this.#listener = listener;
    this.#current = this.#connect();
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#wanted.add(symbol);
    this.#current.subscribe(symbols);
    this.#openSuccessor?.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#wanted.delete(symbol);
    this.#current.unsubscribe(symbols);
    this.#openSuccessor?.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.#current.resubscribe(symbols);
  }

  ping(): void {
    this.#current.ping();
    this.#openSuccessor?.ping();
  }

  terminate(): void {
    this.#hasEnded = true;
    this.#renewal?.cancel();
    this.#handover?.cancel();
    this.#current.terminate();
    this.#successor?.connection.terminate();
  }

  get #openSuccessor(): LiveConnection | undefined {
    return this.#successor?.waiting === undefined ? undefined : this.#successor.connection;
  }

  #connect(): LiveConnection {
    const connection: LiveConnection = this.#open(
      (event) => this.#received(connection, event),
      (detail) => {
        if (connection === this.#current) this.#renewSoon(detail);
      },
    );
    return connection;
  }

  #received(connection: LiveConnection, event: LiveEvent): void {
    if (this.#hasEnded) return;
    if (this.#successor?.connection === connection) this.#fromSuccessor(this.#successor, event);
    else if (event.type === 'closed' && this.#successor !== undefined) this.#takeOver(this.#successor);
    else this.#fromCurrent(event);
  }

  #fromCurrent(event: LiveEvent): void {
    if (event.type === 'opened') this.#expectEnd();
    else if (event.type === 'rejected') this.#noteRefusal(event);
    else if (event.type === 'closed') this.terminate();
    if (event.type === 'opened' && this.#hasOpened) {
      // It had to take over before it was open.
      this.#current.subscribe([...this.#wanted]);
      return;
    }
    this.#hasOpened ||= event.type === 'opened';
    this.#listener(event);
  }

  #fromSuccessor(successor: Successor, event: LiveEvent): void {
    if (event.type === 'opened') {
      this.#subscribeAll(successor);
    } else if (event.type === 'closed') {
      this.#successor = undefined;
      this.#handover?.cancel();
      this.#renewal = this.#options.clock.after(Math.max(spacingMs, event.retryAfterMs ?? 0), () => this.#renew());
    } else {
      if (event.type === 'rejected') this.#noteRefusal(event);
      this.#listener(event);
      this.#noteDelivery(successor, event);
    }
  }

  /** A late answer is still possible, and the symbol delivers then. */
  #noteRefusal({ symbol, reason }: Extract<LiveEvent, { readonly type: 'rejected' }>): void {
    if (reason === 'refused') this.#wanted.delete(symbol);
  }

  #noteDelivery(successor: Successor, event: LiveEvent): void {
    if (event.type === 'rejected') successor.waiting?.delete(event.symbol);
    else if (event.type === 'ticker') for (const { symbol } of event.tickers) successor.waiting?.delete(symbol);
    if (successor.waiting?.size === 0 && this.#successor === successor) this.#takeOver(successor);
  }

  #subscribeAll(successor: Successor): void {
    successor.waiting = new Set(this.#wanted);
    if (successor.waiting.size === 0) {
      this.#takeOver(successor);
      return;
    }
    this.#handover = this.#options.clock.after(handoverMs, () => this.#takeOver(successor));
    successor.connection.subscribe([...this.#wanted]);
  }

  #takeOver(successor: Successor): void {
    const before = this.#current;
    this.#handover?.cancel();
    this.#current = successor.connection;
    this.#successor = undefined;
    before.terminate();
    this.#listener({ type: 'renewed', detail: this.#detail });
    this.#expectEnd();
  }

  #expectEnd(): void {
    const { clock, lifetimeMs } = this.#options;
    this.#renewal?.cancel();
    if (lifetimeMs === undefined) return;
    this.#renewal = clock.after(lifetimeMs, () => this.#renewSoon('the connection reached its age limit'));
  }

  /** An exchange that announces ends again and again is followed once a minute. */
  #renewSoon(detail: string): void {
    if (this.#successor !== undefined || this.#hasEnded) return;
    this.#detail = detail;
    this.#renewal?.cancel();
    const delayMs = this.#renewedAtMs + spacingMs - this.#options.clock.monotonicMs();
    if (delayMs > 0) this.#renewal = this.#options.clock.after(delayMs, () => this.#renew());
    else this.#renew();
  }

  #renew(): void {
    this.#renewedAtMs = this.#options.clock.monotonicMs();
    this.#successor = { connection: this.#connect(), waiting: undefined };
  }
}
