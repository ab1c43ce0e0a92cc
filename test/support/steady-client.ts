import assert from 'node:assert/strict';
import type { ServiceStatusBody, TickerBody } from '../../src/contract/schemas.ts';
import type { ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';

/** What a client saw that polled all the while. */
export interface Seen {
  /** States of the market data, each once and in the order they came. */
  readonly states: readonly string[];
  readonly rounds: number;
}

/**
 * A client that polls `/v1/status` and `/v1/tickers` without pause while something happens. Whatever that is:
 * every answer is 200, no market that had a price loses it, no time goes back or lies in the future, and what a
 * client buys at is never below what it sells at.
 */
export class SteadyClient {
  readonly #api: ApiClient;
  readonly #states: string[] = [];
  readonly #running: Promise<void>;
  #last: ReadonlyMap<string, TickerBody> = new Map();
  #lastUpdatedAtMs = 0;
  #stopped = false;
  #rounds = 0;

  private constructor(api: ApiClient) {
    this.#api = api;
    this.#running = this.#poll();
    // `stop` reports it.
    this.#running.catch(() => {
      this.#stopped = true;
    });
  }

  /** Resolves after a first round. */
  static async watch(api: ApiClient): Promise<SteadyClient> {
    const client = new SteadyClient(api);
    await eventually('a first round', () => client.#rounds > 0 || client.#stopped);
    return client;
  }

  /** Resolves once it saw this state of the market data. */
  async untilSaw(state: string): Promise<void> {
    await eventually(`the client saw ${state}`, () => this.#states.includes(state) || this.#stopped);
  }

  /** Ends the polling after one last round. Throws what the client saw and should not have. */
  async stop(): Promise<Seen> {
    this.#stopped = true;
    await this.#running;
    await this.#round();
    return { states: this.#states, rounds: this.#rounds };
  }

  async #poll(): Promise<void> {
    while (!this.#stopped) {
      await this.#round();
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  async #round(): Promise<void> {
    const tickers = await this.#api.tickers();
    this.#judge(tickers, await this.#api.status());
    this.#last = tickers;
    this.#rounds++;
  }

  #judge(
    tickers: ReadonlyMap<string, TickerBody>,
    { components, serverTimeMs, lastUpdatedAtMs }: ServiceStatusBody,
  ): void {
    assert.ok((lastUpdatedAtMs ?? 0) >= this.#lastUpdatedAtMs, 'the last update never goes back');
    this.#lastUpdatedAtMs = lastUpdatedAtMs ?? 0;
    if (this.#states.at(-1) !== components.ticker) this.#states.push(components.ticker);
    for (const [symbol, before] of this.#last) {
      const now = tickers.get(symbol);
      assert.ok(now !== undefined, `${symbol} keeps its price`);
      assert.ok(
        now.timestampMs >= before.timestampMs,
        `${symbol}: ${before.timestamp} does not become ${now.timestamp}`,
      );
    }
    for (const { symbol, timestampMs, buyPrice, sellPrice } of tickers.values()) {
      assert.ok(timestampMs <= serverTimeMs, `${symbol} was captured before it is served`);
      assert.ok(Number(buyPrice) >= Number(sellPrice), `${symbol}: ${buyPrice} is not below ${sellPrice}`);
    }
  }
}
