import { Backoff } from '../ground/backoff.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { type AttemptOutcome, countOne } from './health.ts';
import type { FeedParts } from './parts.ts';
import { Loop } from './timers.ts';
import type { UpstreamError } from './wire.ts';

/**
 * The markets to poll now. `all`: the fallback for the whole feed. `some`: symbols the live connection does not serve.
 */
export interface PollPlan {
  readonly scope: 'all' | 'some';
  readonly symbols: readonly MarketSymbol[];
  /** To be repeated as often as the fallback is. */
  readonly isUrgent?: boolean;
}

interface PollerListener {
  /** Asked before each poll. */
  plan(): PollPlan;
  /** At least one ticker. */
  polled(plan: PollPlan, tickers: readonly UpstreamTicker[]): void;
}

/** Polls tickers over REST, one poll at a time: all of them on the fallback, otherwise the few that are silent. */
export class Poller extends Loop {
  readonly #parts: FeedParts;
  readonly #listener: PollerListener;
  readonly #backoff: Backoff;
  #isFailing = false;

  constructor(parts: FeedParts, listener: PollerListener) {
    super(parts.clock);
    const { randomness, timing } = parts;
    this.#parts = parts;
    this.#listener = listener;
    this.#backoff = new Backoff(randomness, { minMs: timing.fallbackPollMs, maxMs: timing.fallbackRetryMaxMs });
  }

  /** The plan has changed: polls at once, unless failures hold the next poll back. */
  wake(): void {
    if (!this.#isFailing) this.wakeWithin(0);
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const { connector, clock, timing } = this.#parts;
    const plan = this.#listener.plan();
    if (plan.symbols.length === 0) return plan.scope === 'all' ? timing.fallbackPollMs : timing.quietCheckMs;
    const startedMs = clock.monotonicMs();
    const tickers = await connector.pollTickers(plan.symbols, signal);
    signal.throwIfAborted();
    if (tickers.length === 0) return this.#retryAfter('empty', 'no ticker in the answer');
    this.#succeeded();
    this.#listener.polled(plan, tickers);
    const next = this.#listener.plan();
    if (next.scope === 'some' && next.isUrgent !== true) return timing.quietCheckMs;
    return Math.max(timing.fallbackPollMs / 4, startedMs + timing.fallbackPollMs - clock.monotonicMs());
  }

  #succeeded(): void {
    const { clock, counters, log } = this.#parts;
    if (this.#isFailing) log.info({}, 'polling works again');
    this.#isFailing = false;
    counters.lastFallbackPollAt = clock.now();
    this.#backoff.reset();
    countOne(counters.polls, 'ok');
  }

  protected override failed({ kind, message, retryAfterMs }: UpstreamError): number {
    return this.#retryAfter(kind, message, retryAfterMs);
  }

  #retryAfter(outcome: AttemptOutcome, detail: string, retryAfterMs = 0): number {
    const { counters, log, timing } = this.#parts;
    countOne(counters.polls, outcome);
    if (!this.#isFailing) log.warn({ outcome, detail }, 'polling failed');
    this.#isFailing = true;
    return Math.max(retryAfterMs, timing.fallbackPollMs / 2) + this.#backoff.nextMs();
  }
}
