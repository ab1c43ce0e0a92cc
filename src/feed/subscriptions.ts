import type { Clock, Timer } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveListener, SubscriptionRefusal } from './connector.ts';

/**
 * How an exchange acknowledges subscriptions.
 *
 * - `each`: one answer for each symbol
 * - `set`: each answer is the whole set that is subscribed now, and an error concerns a whole request. The next
 *   request waits for the answer, so that it is clear which one an error concerns
 * - `none`: there are no answers. The first frame of a symbol accepts it, and so does the deadline: the catalogue lists
 *   it, and a quiet market may send nothing
 */
export type AcknowledgementStyle = 'each' | 'set' | 'none';

export type SubscriptionMethod = 'subscribe' | 'unsubscribe';

interface SubscriptionsOptions {
  readonly clock: Clock;
  readonly acknowledges: AcknowledgementStyle;
  /** Symbols in one request, at most. */
  readonly batchMax: number;
  /** Sends one request; calls `sent` when it goes out. `request` counts from 1 on each connection. */
  readonly send: (
    method: SubscriptionMethod,
    symbols: readonly MarketSymbol[],
    request: number,
    sent: () => void,
  ) => void;
  readonly listener: LiveListener;
}

interface Batch {
  readonly method: SubscriptionMethod;
  readonly symbols: readonly MarketSymbol[];
}

/** The exchange's deadline for answering a request. */
const answerTimeoutMs = 10_000;

/** The subscriptions of one connection: sent in batches; each symbol is answered or refused within a deadline. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #outbox: Batch[] = [];
  /** Symbols without an answer yet, with the number of their latest request. */
  readonly #unanswered = new Map<MarketSymbol, number>();
  readonly #timers = new Set<Timer>();
  #requests = 0;
  /** The request whose answer the next one waits for; only with whole sets. */
  #awaited: number | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#enqueue('subscribe', symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#unanswered.delete(symbol);
    this.#enqueue('unsubscribe', symbols);
    this.#settle();
  }

  /** An acknowledgement, or data, which implies one. */
  accepted(symbol: MarketSymbol): void {
    if (!this.#unanswered.delete(symbol)) return;
    this.#options.listener({ type: 'accepted', symbol });
    this.#settle();
  }

  refused(symbol: MarketSymbol, reason: SubscriptionRefusal = 'refused'): void {
    if (!this.#unanswered.delete(symbol)) return;
    this.#options.listener({ type: 'rejected', symbol, reason });
    this.#settle();
  }

  /** Everything that is subscribed now, as the exchange lists it. */
  confirmed(symbols: Iterable<MarketSymbol>): void {
    for (const symbol of symbols) this.accepted(symbol);
  }

  /**
   * A request was refused as a whole, by default the one that is awaited: one bad symbol is enough for that. It is
   * repeated in halves, until the bad symbol is alone in one.
   */
  refusedRequest(request: number | undefined = this.#awaited): void {
    const symbols = [...this.#unanswered].flatMap(([symbol, latest]) => (latest === request ? [symbol] : []));
    const [alone] = symbols;
    if (alone === undefined) return;
    if (symbols.length === 1) {
      this.refused(alone);
      return;
    }
    for (const symbol of symbols) this.#unanswered.delete(symbol);
    const middle = Math.ceil(symbols.length / 2);
    for (const half of [symbols.slice(middle), symbols.slice(0, middle)]) {
      this.#outbox.unshift({ method: 'subscribe', symbols: half });
    }
    this.#awaited = undefined;
    this.#pump();
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#outbox.length = 0;
  }

  #enqueue(method: SubscriptionMethod, symbols: readonly MarketSymbol[]): void {
    const { batchMax } = this.#options;
    for (let from = 0; from < symbols.length; from += batchMax) {
      this.#outbox.push({ method, symbols: symbols.slice(from, from + batchMax) });
    }
    this.#pump();
  }

  #pump(): void {
    while (this.#awaited === undefined) {
      const batch = this.#outbox.shift();
      if (batch === undefined) return;
      this.#sendBatch(batch);
    }
  }

  #sendBatch({ method, symbols }: Batch): void {
    const request = ++this.#requests;
    const isSubscribing = method === 'subscribe';
    if (isSubscribing) {
      for (const symbol of symbols) this.#unanswered.set(symbol, request);
      if (this.#options.acknowledges === 'set') this.#awaited = request;
    }
    this.#options.send(method, symbols, request, () => {
      if (isSubscribing) this.#after(answerTimeoutMs, () => this.#giveUp(symbols, request));
    });
  }

  /** With whole sets the next request goes out once every symbol of the last one has its answer. */
  #settle(): void {
    if (this.#awaited === undefined) return;
    for (const request of this.#unanswered.values()) if (request === this.#awaited) return;
    this.#awaited = undefined;
    this.#pump();
  }

  #giveUp(symbols: readonly MarketSymbol[], request: number): void {
    for (const symbol of symbols) {
      if (this.#unanswered.get(symbol) !== request) continue;
      if (this.#options.acknowledges === 'none') this.accepted(symbol);
      else this.refused(symbol, 'unanswered');
    }
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}
