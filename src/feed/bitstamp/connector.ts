import type { Clock, EpochMs } from '../../ground/clock.ts';
import { unitAt } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { MarketTerms, UpstreamTicker } from '../../market/upstream.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { type FrameReaders, ignored, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import { type ListedPair, requirePlaces, type StateTable, statusIn } from '../market-listing.ts';
import { readCandleRows, readCommonValues, readPolled, type TickerValues } from '../rest-answers.ts';
import { Loop } from '../timers.ts';
import type { BestPrices } from '../top-of-book.ts';
import { asDecimal, asEpoch, asList, asObject, asPositive, asText, requireList, type WireObject } from '../wire.ts';
import { bitstampRefusals } from './refusals.ts';

/** The current tickers of all markets over REST. */
type LoadTickers = (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>;

const candles = { hour: { step: '3600', limit: '170' }, minute: { step: '60', limit: '62' } } as const;

/**
 * The connector for Bitstamp. Its channels carry neither maintenance nor the state of a market: both are taken from the
 * catalogue.
 */
export class BitstampConnector extends ConnectorBase {
  readonly catalogueReloadMs = 60_000;
  protected readonly refusals = bitstampRefusals;
  protected readonly requests = {
    // 3,000 in 10 minutes of the 10,000 that an address has.
    pace: { intervalMs: 200, burst: 2 },
  };
  protected readonly listing = { path: '/api/v2/markets/', read: readMarkets };

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const path = `/api/v2/ohlc/${encodeURIComponent(this.idOf(symbol))}/`;
    const result = await this.askCandles({ path, parameters: candles[interval] }, signal);
    return readCandleRows(asObject(asObject(result)?.data)?.ohlc, 'timestamp', 'open');
  }

  openLive(listener: LiveListener) {
    const loadTickers = (signal: AbortSignal) => this.loadTickers([], signal);
    return this.openSocket(listener, bitstampSocket, (...live) => new BitstampLive(...live, loadTickers));
  }

  protected async loadTickers(_: readonly MarketSymbol[], signal: AbortSignal): Promise<UpstreamTicker[]> {
    const answer = await this.rest.ask({ path: '/api/v2/ticker/' }, signal);
    return readPolled(answer, this.directory, readPolledTicker, idOf);
  }
}

export const bitstampSocket: SocketTraits = {
  refusals: bitstampRefusals,
  /** Bitstamp documents no limit; other clients send more than 20 messages a second. */
  pace: { intervalMs: 50, burst: 10 },
  /** A book of 100 levels a side has about 10 kB. */
  frameBytesMax: 1_048_576,
  acknowledges: 'each',
  batchMax: 1,
};
const statisticsEveryMs = 5_000;
/** The longest interval while they cannot be read: it doubles with each failure. */
const statisticsEveryMsMax = 60_000;
const channelPrefix = 'order_book_';

/** Reads the statistics of all markets every five seconds, and less often while that fails. */
class StatisticsLoop extends Loop {
  readonly #load: LoadTickers;
  readonly #loaded: (ticker: UpstreamTicker) => void;
  #everyMs = statisticsEveryMs;

  constructor(clock: Clock, load: LoadTickers, loaded: (ticker: UpstreamTicker) => void) {
    super(clock);
    this.#load = load;
    this.#loaded = loaded;
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const tickers = await this.#load(signal);
    this.#everyMs = statisticsEveryMs;
    for (const ticker of signal.aborted ? [] : tickers) this.#loaded(ticker);
    return this.#everyMs;
  }

  protected override failed(): number {
    this.#everyMs = Math.min(2 * this.#everyMs, statisticsEveryMsMax);
    return this.#everyMs;
  }
}

/**
 * Bitstamp's `order_book` channels, one for each message and market: the first level of each side, with the statistics
 * of the REST ticker.
 */
export class BitstampLive extends LiveProtocol<LoadTickers> {
  /** No channel has them. */
  readonly #statistics = new StatisticsLoop(this.clock, this.context, (ticker) =>
    this.emitTicker(this.assembler.statistics(ticker.symbol, ticker)),
  );

  override opened(): void {
    this.#statistics.start();
  }

  /**
   * The heartbeat keeps a quiet connection open; that it is answered is not documented, so the socket is pinged as
   * well.
   */
  override ping(): void {
    this.channel.sendNow({ event: 'bts:heartbeat' });
    super.ping();
  }

  override stop(): void {
    this.#statistics.stop();
    super.stop();
  }

  protected readonly readers: FrameReaders = {
    data: (frame) => this.#book(frame),
    'bts:subscription_succeeded': (frame) => this.#answered(frame),
    'bts:unsubscription_succeeded': ignored,
    'bts:error': (frame) => this.#answered(frame),
    'bts:heartbeat': ignored,
    'bts:request_reconnect': () => this.channel.emit({ type: 'ending', detail: 'request_reconnect' }),
  };

  protected readonly kindOf = ({ event }: WireObject) => event;

  protected request(method: string, [name]: readonly string[]): object {
    return { event: `bts:${method}`, data: { channel: `${channelPrefix}${name}` } };
  }

  /** An error without a channel refuses no symbol: its subscription times out. */
  #answered(frame: WireObject): void {
    const symbol = this.#symbolOfChannel(frame.channel);
    const refusal = frame.event === 'bts:error' ? this.refusalIn(frame) : undefined;
    if (symbol === undefined) {
      if (refusal === undefined) return;
      this.subscriptions.objected();
      this.dropped('unknown_kind');
    } else if (refusal !== undefined) this.subscriptions.refused(symbol, refusal);
    else this.subscriptions.accepted(symbol);
  }

  #book(frame: WireObject): void {
    const symbol = this.#symbolOfChannel(frame.channel);
    const data = asObject(frame.data);
    if (symbol === undefined || data === undefined) {
      this.dropped(symbol === undefined ? 'unknown_symbol' : 'malformed');
      return;
    }
    this.subscriptions.accepted(symbol);
    this.emitTicker(this.assembler.prices(symbol, { ...readTopOfBook(data), ...this.arrival() }));
  }

  #symbolOfChannel(channel: unknown): MarketSymbol | undefined {
    const name = asText(channel) ?? '';
    return name.startsWith(channelPrefix) ? this.symbolOf(name.slice(channelPrefix.length)) : undefined;
  }
}

/** The member `trading` of a market. There is no other word for a market that ended, nor for one that stands still. */
export const tradingStates = { Enabled: 'trading', Disabled: 'ended' } as const satisfies StateTable;

/**
 * Reads the answer of `markets`, in today's shape or in that of the older `trading-pairs-info`, which names a pair
 * `url_symbol` and writes its smallest order as `20.0 EUR`. Perpetuals are ignored. Bitstamp gives no minimum amount of
 * a spot order, so the smallest amount that can be written is the minimum.
 */
export function readMarkets(result: unknown): ListedPair[] {
  const spot = requireList(result, 'markets').filter(({ market_type = 'SPOT' }) => market_type === 'SPOT');
  return spot.map((entry) => {
    const [base, quote] = asText(entry.name)?.split('/') ?? [];
    const id = asText(entry.market_symbol) ?? asText(entry.url_symbol);
    return { id, base, quote, status: statusIn(tradingStates, entry.trading), terms: () => readTerms(entry) };
  });
}

function readTerms(entry: WireObject): MarketTerms {
  const pricePrecision = requirePlaces(entry, 'counter_decimals');
  const amountPrecision = requirePlaces(entry, 'base_decimals');
  return {
    pricePrecision,
    amountPrecision,
    tickSize: unitAt(pricePrecision),
    minOrderSize: unitAt(amountPrecision),
    minOrderValue: asPositive(entry.minimum_order_value) ?? asPositive(asText(entry.minimum_order)?.split(' ')[0]),
  };
}

/** The first level of an `order_book` frame's data: both sides are sent whole, best price first. */
export function readTopOfBook(data: WireObject): BestPrices & { readonly upstreamTime: EpochMs | undefined } {
  const best = (side: unknown) => asDecimal(asList(asList(side)?.[0])?.[0]);
  // Microseconds have more digits than a count may; the last three are below our resolution.
  const upstreamTime = asEpoch(asText(data.microtimestamp)?.slice(0, -3));
  return { bid: best(data.bids), ask: best(data.asks), upstreamTime };
}

/**
 * Reads one entry of `ticker`. `open` is today's, `open_24` that of 24 hours ago. `timestamp` has whole seconds, and
 * shows an answer from a cache.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  return {
    ...readCommonValues(entry),
    priceChangePercent24h: asDecimal(entry.percent_change_24),
    upstreamTime: asEpoch(entry.timestamp),
  };
}

/** The id of such an entry's pair: `BTC/EUR` is `btceur` in requests and channels. */
export function idOf({ pair }: WireObject): string | undefined {
  return asText(pair)?.replace('/', '').toLowerCase();
}
