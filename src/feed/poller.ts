import { Backoff } from '../backoff.ts';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { ExchangeConnector } from './connector.ts';
import type { AttemptOutcome, FeedCounters } from './health.ts';
import { Loop } from './loop.ts';
import type { FeedTiming } from './timing.ts';
import { asUpstreamError } from './upstream-error.ts';

/** What to poll now. `all`: the fallback for the whole feed. `some`: symbols the live connection does not serve. */
export interface PollPlan {
  readonly scope: 'all' | 'some';
  readonly symbols: readonly MarketSymbol[];
}

export interface PollerOptions {
  readonly connector: Pick<ExchangeConnector, 'pollTickers'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly timing: FeedTiming;
  readonly counters: FeedCounters;
}

export interface PollerOutput {
  /** Asked before each poll. */
  plan(): PollPlan;
  /** At least one ticker. */
  polled(plan: PollPlan, tickers: readonly UpstreamTicker[]): void;
}

/** Polls tickers over REST, one poll at a time: everything while the feed is on the fallback, the silent few otherwise. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #output: PollerOutput;
  readonly #loop: Loop;
  readonly #backoff: Backoff;
  #lastPollAt: EpochMs | undefined;
  #failing = false;

  constructor(options: PollerOptions, output: PollerOutput) {
    const { clock, randomness, timing } = options;
    this.#options = options;
    this.#output = output;
    this.#loop = new Loop(clock, (signal) => this.#poll(signal));
    this.#backoff = new Backoff(randomness, { minMs: timing.fallbackPollMs, maxMs: timing.fallbackRetryMaxMs });
  }

  /** When a poll last succeeded, of either scope. */
  get lastPollAt(): EpochMs | undefined {
    return this.#lastPollAt;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** The plan has changed: looks at it at once, unless failures hold the next poll back. */
  wake(): void {
    if (!this.#failing) this.#loop.wakeWithin(0);
  }

  async #poll(signal: AbortSignal): Promise<number> {
    const { connector, clock, timing } = this.#options;
    const plan = this.#output.plan();
    if (plan.symbols.length === 0) return plan.scope === 'all' ? timing.fallbackPollMs : timing.quietCheckMs;
    const startedMs = clock.monotonicMs();
    try {
      const tickers = await connector.pollTickers(plan.symbols, signal);
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      if (tickers.length === 0) return this.#failed('empty', 'no ticker in the answer', undefined);
      this.#succeeded();
      this.#output.polled(plan, tickers);
    } catch (thrown) {
      const error = asUpstreamError(thrown);
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      return this.#failed(error.kind, error.message, error.retryAfterMs);
    }
    if (this.#output.plan().scope === 'some') return timing.quietCheckMs;
    return Math.max(timing.fallbackPollMs / 4, startedMs + timing.fallbackPollMs - clock.monotonicMs());
  }

  #succeeded(): void {
    const { clock, counters, log } = this.#options;
    if (this.#failing) log.info({}, 'polling works again');
    this.#failing = false;
    this.#lastPollAt = clock.now();
    this.#backoff.reset();
    counters.pollEnded('ok');
  }

  #failed(outcome: AttemptOutcome, detail: string, retryAfterMs: number | undefined): number {
    const { counters, log, timing } = this.#options;
    counters.pollEnded(outcome);
    if (!this.#failing) log.warn({ outcome, detail }, 'polling failed');
    this.#failing = true;
    return Math.max(retryAfterMs ?? 0, timing.fallbackPollMs / 2) + this.#backoff.nextMs();
  }
}
