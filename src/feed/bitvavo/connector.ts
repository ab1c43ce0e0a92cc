import type { EpochMs } from '../../ground/clock.ts';
import { changePercentOf, vwapOf } from '../../market/derived-statistics.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { MarketTerms } from '../../market/upstream.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { type FrameReaders, ignored, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import {
  asStep,
  type ListedPair,
  listedPairs,
  requirePlaces,
  requireStep,
  type StateTable,
  statusIn,
} from '../market-listing.ts';
import { readCandleRows, readCommonValues, readPolled, type TickerValues } from '../rest-answers.ts';
import { asDecimal, asEpoch, asList, asObject, asPositive, requireList, type WireObject } from '../wire.ts';
import { bitvavoRefusals } from './refusals.ts';

const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;
/** Points of `ticker/24h` for all markets; for one it is 1. */
const allTickersWeight = 25;

/** The connector for Bitvavo's public REST and WebSocket protocol, version 2. */
export class BitvavoConnector extends ConnectorBase {
  /** No channel carries the state of a market, and the catalogue weighs 1 point. */
  readonly catalogueReloadMs = 60_000;

  protected readonly refusals = bitvavoRefusals;
  protected readonly requests = {
    // 600 of the 1,000 points a minute that an address has.
    pace: { intervalMs: 100, burst: 50 },
    retryAfter,
  };
  protected readonly listing = { path: '/markets', read: readMarkets };

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const call = { path: `/${this.idOf(symbol)}/candles`, parameters: candles[interval] };
    return readCandleRows(await this.askCandles(call, signal));
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, bitvavoSocket, (...live) => new BitvavoLive(...live));
  }

  protected loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const ask = async (ids: readonly string[] | undefined) => {
      const call = ids === undefined ? { weight: allTickersWeight } : { parameters: { market: ids.join() } };
      const answer = await this.rest.ask({ path: '/ticker/24h', ...call }, signal);
      return asObject(answer.result) === undefined ? answer : { ...answer, result: [answer.result] };
    };
    return this.pollByName(symbols, 1, ask, (answer) =>
      readPolled(answer, this.directory, readTicker, ({ market }) => market),
    );
  }
}

/** A header of its own has the instant at which the points are reset, in milliseconds since the epoch. */
function retryAfter(headers: Headers, now: EpochMs): number | undefined {
  const resetAt = asEpoch(headers.get('bitvavo-ratelimit-resetat'));
  return resetAt === undefined ? undefined : Math.max(0, resetAt - now);
}

export const bitvavoSocket: SocketTraits = {
  refusals: bitvavoRefusals,
  /** No limit on messages is documented; this is a few requests for the largest catalogue. */
  pace: { intervalMs: 200, burst: 5 },
  /** A frame has at most all markets, of about 300 bytes each. */
  frameBytesMax: 1_048_576,
  acknowledges: 'set',
  batchMax: 100,
};

/**
 * Bitvavo's WebSocket: the channel `ticker24h` alone, which has prices, statistics and its own time in one message, at
 * most once a second for each market that changed. The channel `ticker` is faster but has no time, so the two could not
 * be ordered. There is no heartbeat: a silent connection is detected by pings of the WebSocket protocol. A market that
 * has not changed since the subscription sends nothing; it is polled over REST. Whether a new subscription begins with
 * the current values is not documented, so nothing depends on it.
 */
export class BitvavoLive extends LiveProtocol {
  protected readonly readers: FrameReaders = {
    ticker24h: ({ data }) => this.emitTickers(this.readTickers(requireList(data, 'data'), 'market', readTicker)),
    subscribed: ({ subscriptions }) => this.#subscribed(asList(asObject(subscriptions)?.ticker24h) ?? []),
    unsubscribed: ignored,
    // Only subscriptions are requested on this connection.
    error: (frame) => this.subscriptions.refusedRequest(this.refusalIn(frame)),
  };

  protected readonly kindOf = ({ event }: WireObject) => event;

  protected request(action: string, markets: readonly string[]): object {
    return { action, channels: [{ name: 'ticker24h', markets }] };
  }

  #subscribed(markets: readonly unknown[]): void {
    this.subscriptions.confirmed(markets.flatMap((name) => this.symbolOf(name) ?? []));
  }
}

/** A market that ended leaves the list. */
export const marketStates = {
  trading: 'trading',
  halted: 'paused',
  auction: 'paused',
  auctionMatching: 'paused',
  cancelOnly: 'paused',
} as const satisfies StateTable;

/** Reads the answer of `GET /markets`. */
export function readMarkets(result: unknown): ListedPair[] {
  const statusOf = ({ status }: WireObject) => statusIn(marketStates, status);
  return listedPairs(result, 'markets', ['market', 'base', 'quote'], statusOf, readTerms);
}

/** `pricePrecision` is no longer sent: it follows from the tick. */
function readTerms(entry: WireObject): MarketTerms {
  const tick = requireStep(entry, 'tickSize');
  return {
    pricePrecision: tick.places,
    amountPrecision: requirePlaces(entry, 'quantityDecimals'),
    tickSize: tick.size,
    minOrderSize: requireStep(entry, 'minOrderInBaseAsset').size,
    minOrderValue: asStep(entry.minOrderInQuoteAsset)?.size,
  };
}

/**
 * Reads one entry of `ticker24h`, the same live and over REST. An empty side of the book or empty statistics are null:
 * missing. Average and change are derived, from volumes and prices of the same 24 hours.
 */
export function readTicker(entry: WireObject): TickerValues {
  const values = readCommonValues(entry);
  return {
    ...values,
    vwap24h: vwapOf(asDecimal(entry.volumeQuote), values.volume24h),
    priceChangePercent24h: changePercentOf(values.last, asPositive(entry.open)),
    upstreamTime: asEpoch(entry.timestamp),
  };
}
