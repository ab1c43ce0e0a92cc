import type { Clock, Timer } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { SubscriptionRefusal } from '../connector.ts';
import type { PairDirectory } from './names.ts';

interface SubscriberOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly send: (message: object) => void;
  readonly answered: (symbol: MarketSymbol, outcome: 'accepted' | SubscriptionRefusal) => void;
}

type SubscriptionMethod = 'subscribe' | 'unsubscribe';

interface Acknowledgement {
  readonly method: SubscriptionMethod;
  readonly isSuccess: boolean;
  readonly error: string | undefined;
}

interface Batch {
  readonly method: SubscriptionMethod;
  readonly symbols: readonly MarketSymbol[];
}

/** Symbols in one request, at most. */
const batchMax = 50;
/** The shortest time between two requests. */
const spacingMs = 100;
/** The exchange's deadline for answering a symbol. */
const answerTimeoutMs = 10_000;

/** The subscriptions of one connection: sent in paced batches; each symbol is answered or given up within a deadline. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #outbox: Batch[] = [];
  /** Symbols without an answer yet, with the number of their latest request. */
  readonly #unanswered = new Map<MarketSymbol, number>();
  /** Symbols to subscribe again as soon as their unsubscription is acknowledged. */
  readonly #renewing = new Set<MarketSymbol>();
  readonly #timers = new Set<Timer>();
  #requests = 0;
  #isPacing = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#enqueue('subscribe', symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) {
      this.#unanswered.delete(symbol);
      this.#renewing.delete(symbol);
    }
    this.#enqueue('unsubscribe', symbols);
  }

  /** Subscribing to an existing subscription changes nothing, so the old one has to end first. */
  resubscribe(symbols: readonly MarketSymbol[]): void {
    const idle = symbols.filter((symbol) => !this.#renewing.has(symbol));
    for (const symbol of idle) this.#renewing.add(symbol);
    this.#enqueue('unsubscribe', idle);
    this.#after(answerTimeoutMs, () => this.#renew(idle));
  }

  acknowledged(symbol: MarketSymbol, { method, isSuccess, error }: Acknowledgement): void {
    if (method === 'unsubscribe') {
      this.#renew([symbol]);
    } else if (this.#unanswered.delete(symbol)) {
      const isSubscribed = isSuccess || error?.startsWith('Already subscribed') === true;
      this.#options.answered(symbol, isSubscribed ? 'accepted' : 'refused');
    }
  }

  /** Data is as good as an acknowledgement. */
  delivered(symbol: MarketSymbol): void {
    if (this.#unanswered.delete(symbol)) this.#options.answered(symbol, 'accepted');
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#outbox.length = 0;
  }

  #renew(symbols: readonly MarketSymbol[]): void {
    const due = symbols.filter((symbol) => this.#renewing.delete(symbol));
    this.#enqueue('subscribe', due);
  }

  #enqueue(method: SubscriptionMethod, symbols: readonly MarketSymbol[]): void {
    for (let from = 0; from < symbols.length; from += batchMax) {
      this.#outbox.push({ method, symbols: symbols.slice(from, from + batchMax) });
    }
    if (!this.#isPacing) this.#sendNext();
  }

  #sendNext(): void {
    const batch = this.#outbox.shift();
    this.#isPacing = batch !== undefined;
    if (batch === undefined) return;
    this.#sendBatch(batch);
    this.#after(spacingMs, () => this.#sendNext());
  }

  #sendBatch({ method, symbols }: Batch): void {
    const request = ++this.#requests;
    const names = symbols.flatMap((symbol) => this.#options.directory.bySymbol.get(symbol)?.liveName ?? []);
    const isSubscribing = method === 'subscribe';
    const params = { channel: 'ticker', symbol: names, event_trigger: 'bbo', ...(isSubscribing && { snapshot: true }) };
    this.#options.send({ method, params, req_id: request });
    if (!isSubscribing) return;
    for (const symbol of symbols) this.#unanswered.set(symbol, request);
    this.#after(answerTimeoutMs, () => this.#giveUp(symbols, request));
  }

  #giveUp(symbols: readonly MarketSymbol[], request: number): void {
    for (const symbol of symbols) {
      if (this.#unanswered.get(symbol) !== request) continue;
      this.#unanswered.delete(symbol);
      this.#options.answered(symbol, 'unanswered');
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
