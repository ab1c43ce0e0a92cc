import type { Clock, Timer } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { CloseReason, LiveConnection, LiveListener } from '../connector.ts';
import { asUpstreamError, type UpstreamError, type UpstreamErrorKind } from '../wire.ts';

interface PolledLiveOptions {
  readonly clock: Clock;
  /** The current tickers of all markets. */
  readonly load: (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>;
}

/** 30 requests a minute of the 100 that an address has. */
export const pollEveryMs = 2_000;

/**
 * The regular path of an exchange that is only polled: each answer stands for a frame, the first one opens the
 * connection, and a failed one ends it; one that cannot be read is dropped as a frame would be.
 */
export class PolledLive implements LiveConnection {
  readonly #options: PolledLiveOptions;
  readonly #listener: LiveListener;
  readonly #controller = new AbortController();
  readonly #wanted = new Set<MarketSymbol>();
  readonly #unanswered = new Set<MarketSymbol>();
  #timer: Timer | undefined;
  #isOpen = false;

  constructor(options: PolledLiveOptions, listener: LiveListener) {
    this.#options = options;
    this.#listener = listener;
    void this.#poll();
  }

  /** Answered by the next poll. */
  subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) {
      this.#wanted.add(symbol);
      this.#unanswered.add(symbol);
    }
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) {
      this.#wanted.delete(symbol);
      this.#unanswered.delete(symbol);
    }
  }

  /** Each poll is a new snapshot. */
  resubscribe(): void {}

  /** The next poll is the answer. */
  ping(): void {}

  terminate(): void {
    this.#controller.abort();
    this.#timer?.cancel();
  }

  async #poll(): Promise<void> {
    const { load } = this.#options;
    const { signal } = this.#controller;
    try {
      const tickers = await load(signal);
      if (signal.aborted) return;
      this.#pollLater();
      this.#polled(tickers);
    } catch (error) {
      if (!signal.aborted) this.#failed(asUpstreamError(error));
    }
  }

  #pollLater(): void {
    this.#timer = this.#options.clock.after(pollEveryMs, () => void this.#poll());
  }

  #polled(tickers: readonly UpstreamTicker[]): void {
    const isSnapshot = !this.#isOpen;
    if (isSnapshot) {
      this.#isOpen = true;
      this.#listener({ type: 'opened' });
    }
    if (this.#controller.signal.aborted) return;
    this.#listener({ type: 'frame' });
    const listed = new Set(tickers.map(({ symbol }) => symbol));
    for (const symbol of this.#unanswered) {
      if (listed.has(symbol)) this.#listener({ type: 'accepted', symbol });
      else this.#listener({ type: 'rejected', symbol, reason: 'refused' });
    }
    this.#unanswered.clear();
    const wanted = tickers.filter(({ symbol }) => this.#wanted.has(symbol));
    if (wanted.length > 0) this.#listener({ type: 'ticker', isSnapshot, tickers: wanted });
  }

  #failed({ kind, message, retryAfterMs }: UpstreamError): void {
    if (kind === 'malformed' && this.#isOpen) {
      this.#pollLater();
      this.#listener({ type: 'dropped', reason: 'malformed' });
      return;
    }
    this.terminate();
    this.#listener({ type: 'closed', reason: closeReasons[kind] ?? 'protocol', detail: message, retryAfterMs });
  }
}

const closeReasons: Partial<Record<UpstreamErrorKind, CloseReason>> = {
  network: 'network',
  timeout: 'connect_timeout',
  too_large: 'oversized',
  status: 'refused',
  rate_limited: 'refused',
  refused: 'refused',
};
