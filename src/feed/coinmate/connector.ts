import type { Clock } from '../../ground/clock.ts';
import { unitAt } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { FeedPath, MarketTerms, UpstreamTicker } from '../../market/upstream.ts';
import type { CloseReason, LiveConnection, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { type ListedPair, listedPairs, requirePlaces, requirePositive } from '../market-listing.ts';
import { readCommonValues, readPolled, type TickerValues } from '../rest-answers.ts';
import type { RestAnswer } from '../rest-client.ts';
import { Loop } from '../timers.ts';
import * as wire from '../wire.ts';
import { coinmateRefusals } from './refusals.ts';

/**
 * The connector for Coinmate, which has books in CZK. It is polled: one request has the tickers of all markets. It has
 * no candles, and no states.
 */
export class CoinmateConnector extends ConnectorBase {
  protected readonly refusals = coinmateRefusals;
  protected readonly requests = {
    // 40 a minute of the 100 that an address has; more is a ban.
    pace: { intervalMs: 1_500, burst: 2 },
    unwrap: readEnvelope,
  };
  protected readonly listing = { path: '/api/tradingPairs', read: readTradingPairs };
  #latest: RestAnswer | undefined;
  /** When the latest answer arrived. Monotonic. */
  #latestAtMs = Number.NEGATIVE_INFINITY;

  openLive(listener: LiveListener) {
    return new PolledLive(this.options.clock, (signal) => this.#load('live', signal), listener);
  }

  protected loadTickers(_: readonly MarketSymbol[], signal: AbortSignal) {
    return this.#load('fallback', signal);
  }

  /** Both paths ask for the same: an answer of the one serves the other until the next is due. */
  async #load(path: FeedPath, signal: AbortSignal): Promise<UpstreamTicker[]> {
    const { clock } = this.options;
    if (this.#latest === undefined || clock.monotonicMs() - this.#latestAtMs >= pollEveryMs) {
      this.#latest = await this.rest.ask({ path: '/api/tickerAll' }, signal);
      this.#latestAtMs = clock.monotonicMs();
    }
    return readPolled(this.#latest, this.directory, readTicker).map((ticker) => ({ ...ticker, path }));
  }
}

/** Takes `data` out of `{error, errorMessage, data}`. */
function readEnvelope(body: unknown): unknown {
  const envelope = wire.asObject(body);
  if (typeof envelope?.error !== 'boolean') throw new wire.UpstreamError('malformed', 'no error member');
  return envelope.data;
}

/** 30 requests a minute of the 100 that an address has. */
export const pollEveryMs = 2_000;

/**
 * The regular path of an exchange that is only polled: each answer stands for a frame, the first one opens the
 * connection, and a failed one ends it; one that cannot be read is dropped as a frame would be.
 */
export class PolledLive extends Loop implements LiveConnection {
  readonly #load: (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>;
  readonly #listener: LiveListener;
  /** The subscribed symbols, and whether an answer listed or lacked them since. */
  readonly #wanted = new Map<MarketSymbol, boolean>();
  #isOpen = false;

  /** `load` asks for the current tickers of all markets. */
  constructor(clock: Clock, load: (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>, listener: LiveListener) {
    super(clock);
    this.#load = load;
    this.#listener = listener;
    this.start();
  }

  /** Answered by the next poll, which is a new snapshot. */
  subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#wanted.set(symbol, false);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#wanted.delete(symbol);
  }

  /** The next poll is the answer. */
  ping(): void {}

  terminate(): void {
    this.stop();
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const tickers = await this.#load(signal);
    const isSnapshot = !this.#isOpen;
    if (isSnapshot && !signal.aborted) this.#listener({ type: 'opened' });
    this.#isOpen = true;
    signal.throwIfAborted();
    this.#listener({ type: 'frame' });
    this.#answer(tickers);
    const wanted = tickers.filter(({ symbol }) => this.#wanted.has(symbol));
    if (wanted.length > 0) this.#listener({ type: 'ticker', isSnapshot, tickers: wanted });
    return pollEveryMs;
  }

  #answer(tickers: readonly UpstreamTicker[]): void {
    const listed = new Set(tickers.map(({ symbol }) => symbol));
    for (const [symbol, isAnswered] of this.#wanted) {
      if (isAnswered) continue;
      this.#wanted.set(symbol, true);
      if (listed.has(symbol)) this.#listener({ type: 'accepted', symbol });
      else this.#listener({ type: 'rejected', symbol, reason: 'refused' });
    }
  }

  protected override failed({ kind, message, retryAfterMs }: wire.UpstreamError): number {
    if (kind === 'malformed' && this.#isOpen) {
      this.#listener({ type: 'dropped', reason: 'malformed' });
    } else {
      this.stop();
      this.#listener({ type: 'closed', reason: closeReasons[kind] ?? 'protocol', detail: message, retryAfterMs });
    }
    return pollEveryMs;
  }
}

const closeReasons: Partial<Record<wire.UpstreamErrorKind, CloseReason>> = {
  network: 'network',
  timeout: 'connect_timeout',
  too_large: 'oversized',
  status: 'refused',
  rate_limited: 'refused',
  banned: 'refused',
  refused: 'refused',
};

/**
 * Reads the data of `tradingPairs`, whose numbers must be their source text. Coinmate gives a pair no state: one that
 * is listed is trading.
 */
export function readTradingPairs(data: unknown): ListedPair[] {
  const names = ['name', 'firstCurrency', 'secondCurrency'] as const;
  return listedPairs(data, 'tradingPairs', names, () => 'trading', readTerms);
}

function readTerms(entry: wire.WireObject): MarketTerms {
  const pricePrecision = requirePlaces(entry, 'priceDecimals');
  return {
    pricePrecision,
    amountPrecision: requirePlaces(entry, 'lotDecimals'),
    tickSize: unitAt(pricePrecision),
    minOrderSize: requirePositive(entry, 'minAmount'),
    minOrderValue: undefined,
  };
}

/**
 * Reads one entry of `tickerAll`, its numbers as source text. `change` and `open` are since today's open, not over 24
 * hours: neither is used.
 */
export function readTicker(entry: wire.WireObject): TickerValues {
  return {
    ...readCommonValues(entry),
    volume24h: wire.asDecimal(entry.amount),
    priceChangePercent24h: undefined,
    // Documented as milliseconds, and sent as seconds: the size decides.
    upstreamTime: wire.asEpoch(entry.timestamp),
  };
}
