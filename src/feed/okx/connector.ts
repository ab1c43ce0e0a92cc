import { changePercentOf, vwapOf } from '../../market/derived-statistics.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { MarketTerms } from '../../market/upstream.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { type FrameReaders, ignored, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import {
  type ListedPair,
  listedPairs,
  requirePositive,
  requireStep,
  type StateTable,
  statusIn,
} from '../market-listing.ts';
import { leadsTo, type RefusalKind } from '../refusal.ts';
import { readCandleRows, readCommonValues, readPolled, type TickerValues } from '../rest-answers.ts';
import { asDecimal, asEpoch, asObject, asText, requireList, UpstreamError, type WireObject } from '../wire.ts';
import { okxRefusals } from './refusals.ts';

const candles = { hour: { bar: '1H', limit: '170' }, minute: { bar: '1m', limit: '62' } } as const;
const spot = { instType: 'SPOT' };
/** The least time between two questions about maintenance. */
const statusEveryMs = 5_000;

/** The connector for OKX, spot only; by default on the hosts of its European entity. */
export class OkxConnector extends ConnectorBase {
  protected readonly refusals = okxRefusals;
  protected readonly requests = {
    // 10 requests in 2 seconds; each kind of request may be made 20 times.
    pace: { intervalMs: 200, burst: 2 },
    unwrap: readEnvelope,
  };
  protected readonly listing = { path: '/api/v5/public/instruments', parameters: spot, read: readInstruments };
  #status = { askedMs: Number.NEGATIVE_INFINITY, rows: Promise.resolve<unknown>([]) };

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const parameters = { instId: this.idOf(symbol), ...candles[interval] };
    return readCandleRows(await this.askCandles({ path: '/api/v5/market/candles', parameters }, signal));
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, okxSocket, (...live) => new OkxLive(...live, () => this.#loadStatus()));
  }

  /** Every maintenance that is announced or on. */
  #loadStatus(): Promise<unknown> {
    const askedMs = this.options.clock.monotonicMs();
    if (askedMs - this.#status.askedMs >= statusEveryMs) {
      const rows = this.askListing({ path: '/api/v5/system/status' }, new AbortController().signal);
      this.#status = { askedMs, rows };
    }
    return this.#status.rows;
  }

  protected async loadTickers(_: readonly MarketSymbol[], signal: AbortSignal) {
    const answer = await this.rest.ask({ path: '/api/v5/market/tickers', parameters: spot }, signal);
    return readPolled(answer, this.directory, readTicker, ({ instId }) => instId);
  }
}

/** Takes `data` out of `{code, msg, data}`. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  if (asText(envelope?.code) === undefined) throw new UpstreamError('malformed', 'no code');
  return envelope?.data;
}

export const okxSocket: SocketTraits = {
  refusals: okxRefusals,
  /** A connection takes 480 operations an hour; this makes at most 470. Pings are not operations. */
  pace: { intervalMs: 8_000, burst: 20 },
  /** All instruments are one frame, of about 700 bytes each. */
  frameBytesMax: 4_194_304,
  /** 3 connections a second are allowed. */
  openingPace: { intervalMs: 1_000, burst: 3 },
  acknowledges: 'each',
  /** One operation may have 64 KB, of which an instrument takes some 50 bytes. */
  batchMax: 200,
};
/** The notice that the connection will be closed for a service upgrade. */
const upgradeNotice = '64008';
/** The `serviceType` of WebSocket, of spot trading and of trading as a whole. */
const ourServices: ReadonlySet<unknown> = new Set(['0', '1', '5']);

/**
 * OKX's public channels: `tickers` (at most ten times a second for each instrument, whole values), `instruments`
 * (states) and `status` (maintenance of the exchange). Keep-alives are the bare texts `ping` and `pong`.
 */
export class OkxLive extends LiveProtocol<() => Promise<unknown>> {
  /** Instruments whose first ticker on this connection has arrived: the first is a snapshot. */
  readonly #seen = new Set<MarketSymbol>();
  /** The state of every maintenance heard of on this connection: one can end while another goes on. */
  readonly #maintenance = new Map<string, string>();
  /** Loads all that is on: the channel first says the latest change alone. */
  readonly #loadStatus = this.context;

  override opened(): void {
    if (!this.isLeading) return;
    const args = [{ channel: 'instruments', instType: 'SPOT' }, { channel: 'status' }];
    this.channel.send({ op: 'subscribe', args });
    const rows = this.#loadStatus();
    rows.then((answer) => this.#status(requireList(answer, 'status'), false)).catch(() => {});
  }

  override unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#seen.delete(symbol);
    super.unsubscribe(symbols);
  }

  override ping(): void {
    this.channel.sendNow('ping');
  }

  override received(text: string): void {
    if (text !== 'pong') super.received(text);
  }

  protected readonly readers: FrameReaders = {
    tickers: ({ data }) => this.#tickers(requireList(data, 'tickers')),
    instruments: ({ data }) => this.#instruments(requireList(data, 'instruments')),
    status: ({ data }) => this.#status(requireList(data, 'status')),
    subscribe: ({ arg }) => this.#subscribed(asObject(arg)),
    unsubscribe: ignored,
    error: (frame) => this.#refused(asText(frame.msg) ?? '', this.refusalIn(frame)),
    notice: ({ code }) => {
      if (code === upgradeNotice) this.channel.emit({ type: 'ending', detail: 'the service is upgraded' });
    },
  };

  /** Answers have an event, and what is pushed a channel. */
  protected readonly kindOf = ({ event, arg }: WireObject) => event ?? asObject(arg)?.channel;

  protected request(op: string, names: readonly string[]): object {
    return { op, args: names.map((instId) => ({ channel: 'tickers', instId })) };
  }

  #subscribed(argument: WireObject | undefined): void {
    const symbol = this.symbolOf(argument?.instId);
    if (symbol !== undefined && argument?.channel === 'tickers') this.subscriptions.accepted(symbol);
  }

  /**
   * `channel:tickers,instId:BTC-XXX doesn't exist`. An error without an instrument refuses none: the subscription times
   * out, unless the session is full for whatever has no answer yet.
   */
  #refused(message: string, kind: RefusalKind): void {
    const symbol = this.symbolOf(/\binstId:([^\s,]+)/.exec(message)?.[1]);
    if (symbol !== undefined) this.subscriptions.refused(symbol, kind);
    else if (leadsTo[kind] === 'split') this.subscriptions.full();
    else {
      this.subscriptions.objected();
      this.dropped('unknown_kind');
    }
  }

  #tickers(entries: readonly WireObject[]): void {
    for (const ticker of this.readTickers(entries, 'instId', readTicker)) {
      const isSnapshot = !this.#seen.has(ticker.symbol);
      this.#seen.add(ticker.symbol);
      this.emitTicker(ticker, isSnapshot);
    }
  }

  #instruments(entries: readonly WireObject[]): void {
    const ours = entries.filter(({ instType }) => instType === 'SPOT');
    this.emitInstruments(ours, (instrument) => ({
      liveName: instrument.instId,
      quote: instrument.quoteCcy,
      status: instrumentStatus(instrument),
      terms: () => readTerms(instrument),
    }));
  }

  /**
   * Maintenance of another service, or of paper trading (`env` 2), does not concern the feed.
   *
   * @param isNews pushed: it overrides what was heard before
   */
  #status(entries: readonly WireObject[], isNews = true): void {
    for (const { serviceType, title, env, state } of entries) {
      const word = asText(state)?.slice(0, 20);
      const key = `${serviceType} ${asText(title)}`;
      const isOurs = ourServices.has(serviceType) && env !== '2' && word !== undefined;
      if (!isOurs) continue;
      if (!isNews && this.#maintenance.has(key)) continue;
      this.#maintenance.set(key, word);
      const words = [...this.#maintenance.values()];
      const now = ['ongoing', 'pre_open'].find((each) => words.includes(each));
      const status = now === 'ongoing' ? 'maintenance' : `maintenance ${now ?? word}`;
      this.channel.emit({ type: 'system', status, isTrading: now === undefined });
    }
  }
}

/** An instrument is suspended before it leaves the list, and `test` is none of the market's. */
export const instrumentStates = {
  live: 'trading',
  preopen: 'paused',
  post_only: 'paused',
  rebase: 'paused',
  settling: 'paused',
  suspend: 'ended',
  test: 'ended',
} as const satisfies StateTable;

/** Reads the data of `public/instruments`, spot only. There is no minimum value of an order. */
export function readInstruments(data: unknown): ListedPair[] {
  const spot = requireList(data, 'instruments').filter(({ instType }) => instType === 'SPOT');
  return listedPairs(spot, 'instruments', ['instId', 'baseCcy', 'quoteCcy'], instrumentStatus, readTerms);
}

function readTerms(entry: WireObject): MarketTerms {
  const tick = requireStep(entry, 'tickSz');
  return {
    pricePrecision: tick.places,
    amountPrecision: requireStep(entry, 'lotSz').places,
    tickSize: tick.size,
    minOrderSize: requirePositive(entry, 'minSz'),
    minOrderValue: undefined,
  };
}

function instrumentStatus({ state }: WireObject) {
  return statusIn(instrumentStates, state);
}

/**
 * Reads a spot ticker, which is the same on both paths. A value that OKX does not have is an empty text, and so
 * `undefined`. For spot `vol24h` is in the base currency and `volCcy24h` in the quote currency.
 */
export function readTicker(entry: WireObject): TickerValues {
  const { bidPx: bid, askPx: ask, last, high24h: high, low24h: low, vol24h: volume } = entry;
  const values = readCommonValues({ bid, ask, last, high, low, volume });
  return {
    ...values,
    vwap24h: vwapOf(asDecimal(entry.volCcy24h), values.volume24h),
    priceChangePercent24h: changePercentOf(values.last, asDecimal(entry.open24h)),
    upstreamTime: asEpoch(entry.ts),
  };
}
