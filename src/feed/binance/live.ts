import type { EpochMs } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { SocketTraits } from '../connector-base.ts';
import { type LiveChannel, type LiveParts, LiveProtocol } from '../live-protocol.ts';
import { TickerAssembler } from '../ticker-assembler.ts';
import { asCount, asEpoch, asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { readBestPrices, readStatistics } from './messages.ts';

interface BinanceLiveParts extends LiveParts {
  /** The newest update of each market's book. Shared by a connection and its successor, which both send it. */
  readonly updates: Map<MarketSymbol, number>;
}

export const binanceSocket: SocketTraits = {
  /**
   * Binance closes a connection that sends more than 5 messages a second, pings and pongs included. Those are
   * sent outside the pace: at most 2 a second, even when a server asks for a pong.
   */
  pace: { intervalMs: 350, burst: 1 },
  /** A frame is one event, of half a kilobyte. */
  frameBytesMax: 1_048_576,
  /** Every connection ends after 24 hours. */
  lifetimeMs: (24 * 60 - 10) * 60_000,
  /** Two streams each; a connection takes 1,024 streams. */
  symbolsMax: 500,
};

/**
 * For this long after a change of the book the best prices of the `ticker` stream are not used: it is sent once a second
 * and can be from before the change.
 */
const tickerLagMs = 2_000;

/**
 * Binance's market streams: `bookTicker` with each change of the best prices, `ticker` once a second with the statistics
 * of the rolling day. `bookTicker` is silent until the book changes, and carries no time; until then, and while the
 * book is quiet, the best prices of `ticker` are used.
 */
export class BinanceLive extends LiveProtocol {
  readonly #updates: Map<MarketSymbol, number>;
  readonly #assembler: TickerAssembler;
  /** When each market's book last changed. Monotonic. */
  readonly #bookAtMs = new Map<MarketSymbol, number>();
  /** The time of each market's newest `ticker` event. The market room cannot order it among book changes without a time. */
  readonly #tickerTimes = new Map<MarketSymbol, EpochMs>();

  constructor(parts: BinanceLiveParts, channel: LiveChannel) {
    super(parts, channel, { style: 'none', batchMax: 100 });
    this.#updates = parts.updates;
    this.#assembler = new TickerAssembler(parts.clock, () => channel.dropped('old_statistics'));
  }

  override resubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#updates.delete(symbol);
    super.resubscribe(symbols);
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text)) ?? {};
    const event = asObject(frame.data) ?? frame;
    if (event.e === 'serverShutdown') this.channel.announceEnd('serverShutdown');
    else if (event.e === '24hrTicker') this.#ticker(event);
    else if (event.e === undefined && event.u !== undefined) this.#bookTicker(event);
    else if (frame.id !== undefined || frame.code !== undefined) this.#answered(frame);
    else this.channel.dropped('unknown_kind');
  }

  protected request(method: string, names: readonly string[], id: number): object {
    const params = names.flatMap((name) => [`${name}@ticker`, `${name}@bookTicker`]);
    return { method: method.toUpperCase(), params, id };
  }

  /** `result` is null for every stream name, known or not: only errors are of use. */
  #answered(frame: WireObject): void {
    if (frame.code === undefined && frame.error === undefined) return;
    const request = asCount(frame.id, Number.MAX_SAFE_INTEGER);
    if (request === undefined) this.channel.dropped('unknown_kind');
    else this.subscriptions.refusedRequest(request);
  }

  #ticker(event: WireObject): void {
    const symbol = this.#symbolOfEvent(event);
    if (symbol === undefined) return;
    const upstreamTime = asEpoch(event.E);
    if (upstreamTime !== undefined) {
      if (upstreamTime < (this.#tickerTimes.get(symbol) ?? 0)) {
        this.channel.dropped('late');
        return;
      }
      this.#tickerTimes.set(symbol, upstreamTime);
    }
    this.emitTicker(this.#assembler.statistics(symbol, readStatistics(event)));
    const bookAgeMs = this.clock.monotonicMs() - (this.#bookAtMs.get(symbol) ?? Number.NEGATIVE_INFINITY);
    if (bookAgeMs >= tickerLagMs) this.#bestPrices(symbol, event, upstreamTime);
  }

  #bookTicker(event: WireObject): void {
    const symbol = this.#symbolOfEvent(event);
    if (symbol === undefined) return;
    const update = asCount(event.u, Number.MAX_SAFE_INTEGER);
    if (update === undefined || update < (this.#updates.get(symbol) ?? 0)) {
      this.channel.dropped(update === undefined ? 'malformed' : 'late');
      return;
    }
    this.#updates.set(symbol, update);
    this.#bookAtMs.set(symbol, this.clock.monotonicMs());
    this.#bestPrices(symbol, event, undefined);
  }

  #bestPrices(symbol: MarketSymbol, event: WireObject, upstreamTime: EpochMs | undefined): void {
    this.emitTicker(this.#assembler.prices(symbol, { ...readBestPrices(event), upstreamTime, ...this.arrival() }));
  }

  #symbolOfEvent(event: WireObject): MarketSymbol | undefined {
    const symbol = this.directory.byId.get(asText(event.s) ?? '')?.symbol;
    if (symbol === undefined) this.channel.dropped('unknown_symbol');
    else this.subscriptions.accepted(symbol);
    return symbol;
  }
}
