import type { Clock, Timer } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveListener, SubscriptionRefusal } from './connector.ts';
import { leadsTo, type RefusalKind } from './refusal.ts';

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

/** So many in a row, after others were accepted: it is hardly the symbols. */
const refusedInRowMax = 4;
/** The pause after a request that came too soon; it doubles with each. */
const pauseMsMin = 5_000;
const pauseMsMax = 60_000;

/** The consequence of a refusal for a symbol. One that is not of the market is no verdict on it. */
const reasons: Readonly<Record<RefusalKind, SubscriptionRefusal>> = {
  market: 'refused',
  full: 'full',
  rate: 'unclear',
  ban: 'unclear',
  maintenance: 'unclear',
  unclear: 'unclear',
};

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
  #hasAccepted = false;
  #hasObjection = false;
  /** Symbols refused alone and for no known reason since the last that was accepted. */
  #refusedInRow = 0;
  /** A request came too soon: none goes out before it is repeated. */
  #isPaused = false;
  #pauseMs = pauseMsMin;

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
    this.#hasAccepted = true;
    this.#refusedInRow = 0;
    this.#pauseMs = pauseMsMin;
    this.#options.listener({ type: 'accepted', symbol });
    this.#settle();
  }

  refused(symbol: MarketSymbol, kind: RefusalKind): void {
    if (this.#unanswered.has(symbol)) this.#reject(symbol, reasons[kind]);
    this.#settle();
  }

  /** The session takes nothing more: whatever has no answer, or was not sent yet, is refused with it. */
  full(): void {
    for (const symbol of [...this.#unanswered.keys()]) this.#reject(symbol, 'full');
    this.#rejectWaiting('full');
    this.#settle();
  }

  /** Something was refused for no known reason, without a word about what: it is whatever gets no answer. */
  objected(): void {
    this.#hasObjection = true;
  }

  /** Everything that is subscribed now, as the exchange lists it. */
  confirmed(symbols: Iterable<MarketSymbol>): void {
    for (const symbol of symbols) this.accepted(symbol);
  }

  /**
   * A request was refused as a whole, by default the one that is awaited. One that comes too soon is repeated later.
   * Any other is repeated in halves, for one bad symbol is enough for a refusal, until the symbol is alone in one; once
   * one is because the session is full, or several in a row are for no known reason, what waits is refused without
   * asking.
   */
  refusedRequest(kind: RefusalKind, request: number | undefined = this.#awaited): void {
    const symbols = [...this.#unanswered].flatMap(([symbol, latest]) => (latest === request ? [symbol] : []));
    if (symbols.length === 0) return;
    if (leadsTo[kind] === 'wait') this.#postpone(symbols);
    else if (symbols.length === 1) this.#refusedAlone(symbols[0]!, kind);
    else this.#halve(symbols);
  }

  #halve(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#unanswered.delete(symbol);
    const middle = Math.ceil(symbols.length / 2);
    for (const half of [symbols.slice(middle), symbols.slice(0, middle)]) {
      this.#outbox.unshift({ method: 'subscribe', symbols: half });
    }
    this.#awaited = undefined;
    this.#pump();
  }

  #refusedAlone(symbol: MarketSymbol, kind: RefusalKind): void {
    const isFull = leadsTo[kind] === 'split';
    const isHopeless = leadsTo[kind] === 'ask_for_all' && this.#hasAccepted && ++this.#refusedInRow >= refusedInRowMax;
    this.#reject(symbol, reasons[kind]);
    if (isFull || isHopeless) this.#rejectWaiting(reasons[kind]);
    this.#settle();
  }

  #postpone(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#unanswered.delete(symbol);
    this.#isPaused = true;
    this.#after(this.#pauseMs, () => {
      this.#isPaused = false;
      this.#awaited = undefined;
      this.#outbox.unshift({ method: 'subscribe', symbols });
      this.#pump();
    });
    this.#pauseMs = Math.min(pauseMsMax, 2 * this.#pauseMs);
  }

  #reject(symbol: MarketSymbol, reason: SubscriptionRefusal): void {
    this.#unanswered.delete(symbol);
    this.#options.listener({ type: 'rejected', symbol, reason });
  }

  #rejectWaiting(reason: SubscriptionRefusal): void {
    const waiting = this.#outbox.filter(({ method }) => method === 'subscribe').flatMap(({ symbols }) => symbols);
    const rest = this.#outbox.filter(({ method }) => method !== 'subscribe');
    this.#outbox.splice(0, this.#outbox.length, ...rest);
    for (const symbol of waiting) this.#reject(symbol, reason);
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
    while (this.#awaited === undefined && !this.#isPaused) {
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
      else this.#reject(symbol, this.#hasObjection ? 'unclear' : 'unanswered');
    }
    this.#settle();
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}
