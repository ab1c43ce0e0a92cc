import type { Clock, Timer } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { SubscriptionRefusal } from '../connector.ts';
import type { PairDirectory } from './names.ts';

export interface SubscriberOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  /** Symbols in one request, at most. */
  readonly subscribeBatchMax: number;
  /** The distance between two requests. */
  readonly subscribeSpacingMs: number;
  /** How long the exchange has to answer for a symbol. */
  readonly answerWithinMs: number;
}

export interface SubscriberOutput {
  send(message: object): void;
  answered(symbol: MarketSymbol, outcome: 'accepted' | SubscriptionRefusal): void;
}

interface Acknowledgement {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly success: boolean;
  readonly error: string | undefined;
}

interface Batch {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly symbols: readonly MarketSymbol[];
}

/** Subscriptions of one connection: sent in batches at a pace, each symbol answered or given up within a deadline. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #output: SubscriberOutput;
  readonly #outbox: Batch[] = [];
  /** Symbols asked for and not yet answered, with the number of the request that asked last. */
  readonly #unanswered = new Map<MarketSymbol, number>();
  /** Symbols to be subscribed again as soon as their end is acknowledged. */
  readonly #renewing = new Set<MarketSymbol>();
  readonly #timers = new Set<Timer>();
  #requests = 0;
  #pacing = false;

  constructor(options: SubscriberOptions, output: SubscriberOutput) {
    this.#options = options;
    this.#output = output;
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

  /** Subscribing to what is subscribed changes nothing, so the old subscription has to end first. */
  resubscribe(symbols: readonly MarketSymbol[]): void {
    const idle = symbols.filter((symbol) => !this.#renewing.has(symbol));
    for (const symbol of idle) this.#renewing.add(symbol);
    this.#enqueue('unsubscribe', idle);
    this.#after(this.#options.answerWithinMs, () => this.#renew(idle));
  }

  acknowledged(symbol: MarketSymbol, answer: Acknowledgement): void {
    if (answer.method === 'unsubscribe') {
      this.#renew([symbol]);
    } else if (this.#unanswered.delete(symbol)) {
      const stands = answer.success || answer.error?.startsWith('Already subscribed') === true;
      this.#output.answered(symbol, stands ? 'accepted' : 'refused');
    }
  }

  /** Data came: as good as an acknowledgement. */
  delivered(symbol: MarketSymbol): void {
    if (this.#unanswered.delete(symbol)) this.#output.answered(symbol, 'accepted');
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

  #enqueue(method: 'subscribe' | 'unsubscribe', symbols: readonly MarketSymbol[]): void {
    const { subscribeBatchMax } = this.#options;
    for (let from = 0; from < symbols.length; from += subscribeBatchMax) {
      this.#outbox.push({ method, symbols: symbols.slice(from, from + subscribeBatchMax) });
    }
    if (!this.#pacing) this.#sendNext();
  }

  #sendNext(): void {
    const batch = this.#outbox.shift();
    this.#pacing = batch !== undefined;
    if (batch === undefined) return;
    this.#sendBatch(batch);
    this.#after(this.#options.subscribeSpacingMs, () => this.#sendNext());
  }

  #sendBatch(batch: Batch): void {
    this.#requests += 1;
    const request = this.#requests;
    const names = batch.symbols.flatMap((symbol) => this.#options.directory.bySymbol(symbol)?.liveName ?? []);
    const subscribing = batch.method === 'subscribe';
    const choice = subscribing ? { event_trigger: 'bbo', snapshot: true } : { event_trigger: 'bbo' };
    this.#output.send({
      method: batch.method,
      params: { channel: 'ticker', symbol: names, ...choice },
      req_id: request,
    });
    if (!subscribing) return;
    for (const symbol of batch.symbols) this.#unanswered.set(symbol, request);
    this.#after(this.#options.answerWithinMs, () => this.#giveUp(batch.symbols, request));
  }

  #giveUp(symbols: readonly MarketSymbol[], request: number): void {
    for (const symbol of symbols) {
      if (this.#unanswered.get(symbol) !== request) continue;
      this.#unanswered.delete(symbol);
      this.#output.answered(symbol, 'unanswered');
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
