import type { Clock, EpochMs } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { TickerAssembler } from '../ticker-assembler.ts';
import { asCount, asEpoch, asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { readBestPrices, readStatistics } from './prices.ts';

interface BinanceLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  /** The newest update of each market's book. Shared by a connection and its successor, which both send it. */
  readonly updates: Map<MarketSymbol, number>;
}

/**
 * Binance cuts off whoever sends more than 5 messages a second on one connection, pings and pongs included. Ours are sent
 * outside the pace: at most 2 a second, even when a server asks for a pong.
 */
export const binancePace = { intervalMs: 350, burst: 1 };
/** Two streams each; a connection takes 1,024 streams. */
export const symbolsOfConnectionMax = 500;
/** Every connection ends after 24 hours. */
export const lifetimeMs = (24 * 60 - 10) * 60_000;

/**
 * For this long after a change of the book the best prices of the `ticker` stream are not used: it is sent once a second
 * and can be from before the change.
 */
const tickerLagMs = 2_000;

/**
 * Binance's market streams: `bookTicker` with each change of the best prices, `ticker` once a second with the statistics
 * of the rolling day. `bookTicker` says nothing until the book changes, and carries no time; until then, and while the
 * book is quiet, the best prices of `ticker` are used.
 */
export class BinanceLive implements LiveProtocol {
  readonly #options: BinanceLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;
  readonly #assembler: TickerAssembler;
  /** When each market's book last changed. Monotonic. */
  readonly #bookAtMs = new Map<MarketSymbol, number>();
  /** The time of each market's newest `ticker` event. The market room cannot order it among book changes without a time. */
  readonly #tickerTimes = new Map<MarketSymbol, EpochMs>();

  constructor(options: BinanceLiveOptions, channel: LiveChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#assembler = new TickerAssembler(options.clock, () => channel.dropped('old_statistics'));
    this.#subscriptions = new Subscriptions({
      clock: options.clock,
      style: 'none',
      batchMax: 100,
      listener: channel.emit,
      send: (method, symbols, request, sent) => channel.send(this.#request(method, symbols, request), sent),
    });
  }

  opened(): void {}

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#options.updates.delete(symbol);
    this.#subscriptions.resubscribe(symbols);
  }

  ping(): void {
    this.#channel.pingSocket();
  }

  stop(): void {
    this.#subscriptions.stop();
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text)) ?? {};
    const event = asObject(frame.data) ?? frame;
    if (event.e === 'serverShutdown') this.#channel.announceEnd('serverShutdown');
    else if (event.e === '24hrTicker') this.#ticker(event);
    else if (event.e === undefined && event.u !== undefined) this.#bookTicker(event);
    else if (frame.id !== undefined || frame.code !== undefined) this.#answered(frame);
    else this.#channel.dropped('unknown_kind');
  }

  #request(method: 'subscribe' | 'unsubscribe', symbols: readonly MarketSymbol[], id: number): object {
    const names = symbols.flatMap((symbol) => this.#options.directory.bySymbol.get(symbol)?.liveName ?? []);
    const params = names.flatMap((name) => [`${name}@ticker`, `${name}@bookTicker`]);
    return { method: method.toUpperCase(), params, id };
  }

  /** `result` is null for every stream name, known or not: only an error says something. */
  #answered(frame: WireObject): void {
    if (frame.code === undefined && frame.error === undefined) return;
    const request = asCount(frame.id, Number.MAX_SAFE_INTEGER);
    if (request === undefined) this.#channel.dropped('unknown_kind');
    else this.#subscriptions.refusedRequest(request);
  }

  #ticker(event: WireObject): void {
    const symbol = this.#symbolOf(event);
    if (symbol === undefined) return;
    const upstreamTime = asEpoch(event.E);
    if (upstreamTime !== undefined) {
      if (upstreamTime < (this.#tickerTimes.get(symbol) ?? 0)) {
        this.#channel.dropped('late');
        return;
      }
      this.#tickerTimes.set(symbol, upstreamTime);
    }
    this.#emit(this.#assembler.statistics(symbol, readStatistics(event)));
    const { clock } = this.#options;
    const bookAgeMs = clock.monotonicMs() - (this.#bookAtMs.get(symbol) ?? Number.NEGATIVE_INFINITY);
    if (bookAgeMs < tickerLagMs) return;
    const receivedAt = clock.now();
    const dated = { upstreamTime, askedAt: receivedAt, receivedAt, path: 'live' } as const;
    this.#emit(this.#assembler.prices(symbol, { ...readBestPrices(event), ...dated }));
  }

  #bookTicker(event: WireObject): void {
    const symbol = this.#symbolOf(event);
    if (symbol === undefined) return;
    const update = asCount(event.u, Number.MAX_SAFE_INTEGER);
    const { clock, updates } = this.#options;
    if (update === undefined || update < (updates.get(symbol) ?? 0)) {
      this.#channel.dropped(update === undefined ? 'malformed' : 'late');
      return;
    }
    updates.set(symbol, update);
    this.#bookAtMs.set(symbol, clock.monotonicMs());
    const receivedAt = clock.now();
    const dated = { upstreamTime: undefined, askedAt: receivedAt, receivedAt, path: 'live' } as const;
    this.#emit(this.#assembler.prices(symbol, { ...readBestPrices(event), ...dated }));
  }

  #symbolOf(event: WireObject): MarketSymbol | undefined {
    const symbol = this.#options.directory.byId.get(asText(event.s) ?? '')?.symbol;
    if (symbol === undefined) this.#channel.dropped('unknown_symbol');
    else this.#subscriptions.delivered(symbol);
    return symbol;
  }

  #emit(ticker: UpstreamTicker | undefined): void {
    if (ticker !== undefined) this.#channel.emit({ type: 'ticker', isSnapshot: false, tickers: [ticker] });
  }
}
