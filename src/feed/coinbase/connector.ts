import type { EpochMs } from '../../ground/clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import type { RequestPriority } from '../request-queue.ts';
import { readCandleRows, settledSome } from '../rest-answers.ts';
import { type Statistics, TickerAssembler } from '../ticker-assembler.ts';
import { CoinbaseLive, coinbaseSocket } from './live.ts';
import { readPolledPrices, readProducts, readStats } from './messages.ts';
import { coinbaseRefusals } from './refusals.ts';

/** Products in one poll: there is no request for all, so each poll takes those that were polled longest ago. */
const polledAtOnce = 8;
/** Statistics of polled products are asked for again after this long. */
const statisticsForMs = 60_000;
const candles = { hour: { seconds: 3_600, count: 170 }, minute: { seconds: 60, count: 62 } } as const;

/** The connector for Coinbase Exchange's public REST and WebSocket feed (not Advanced Trade). */
export class CoinbaseConnector extends ConnectorBase {
  protected readonly refusals = coinbaseRefusals;
  protected readonly requests = {
    // 8 of the 10 requests a second that an address has.
    pace: { intervalMs: 125, burst: 10 },
  };
  protected readonly listing = { path: '/products', read: readProducts };
  readonly #polled = new TickerAssembler(this.options.clock);
  readonly #polledAtMs = new Map<MarketSymbol, number>();
  readonly #tradedAt = new Map<MarketSymbol, EpochMs>();

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const { seconds, count } = candles[interval];
    const end = Math.floor(this.options.clock.now() / 1000) * 1000;
    const parameters = {
      granularity: String(seconds),
      start: new Date(end - seconds * count * 1000).toISOString(),
      end: new Date(end).toISOString(),
    };
    const rows = await this.askCandles({ path: `/products/${this.idOf(symbol)}/candles`, parameters }, signal);
    // A row is `[time s, low, high, open, close, volume]`.
    return readCandleRows(rows, 0, 3);
  }

  openLive(listener: LiveListener) {
    const loadStatistics = (symbol: MarketSymbol, signal: AbortSignal) =>
      this.#loadStatistics(symbol, signal, 'background').catch(() => undefined);
    return this.openSocket(listener, coinbaseSocket, (...live) => new CoinbaseLive(...live, loadStatistics));
  }

  /** At most eight at a time: those that were polled longest ago. */
  protected async loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const polledAt = (symbol: MarketSymbol) => this.#polledAtMs.get(symbol) ?? -1;
    const turn = symbols.toSorted((one, other) => polledAt(one) - polledAt(other)).slice(0, polledAtOnce);
    return settledSome(turn.map((symbol) => this.#poll(symbol, signal)));
  }

  async #loadStatistics(symbol: MarketSymbol, signal: AbortSignal, priority?: RequestPriority): Promise<Statistics> {
    const call = { path: `/products/${this.idOf(symbol)}/stats`, ...(priority && { priority }) };
    return readStats((await this.rest.ask(call, signal)).result);
  }

  /**
   * The time in the answer is that of the last trade, not that of the prices. It reveals an answer from a cache, which
   * this call has served for hours: its last trade is older than the last known one.
   */
  async #poll(symbol: MarketSymbol, signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    this.#polledAtMs.set(symbol, this.options.clock.monotonicMs());
    if (this.#polled.statisticsAgeMs(symbol) > statisticsForMs) {
      this.#polled.statistics(symbol, await this.#loadStatistics(symbol, signal));
    }
    const { result, ...times } = await this.rest.ask({ path: `/products/${this.idOf(symbol)}/ticker` }, signal);
    const { tradedAt, ...best } = readPolledPrices(result);
    const known = this.#tradedAt.get(symbol);
    if (tradedAt !== undefined && known !== undefined && tradedAt < known) return [];
    if (tradedAt !== undefined) this.#tradedAt.set(symbol, tradedAt);
    this.#polled.dropPrices(symbol);
    return [this.#polled.prices(symbol, { ...best, ...times, upstreamTime: undefined, path: 'fallback' }) ?? []].flat();
  }
}
