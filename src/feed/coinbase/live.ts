import type { Clock, Timer } from '../../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LivePair } from '../connector.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import { readCurrency } from '../market-listing.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { type Statistics, TickerAssembler } from '../ticker-assembler.ts';
import { TopOfBook } from '../top-of-book.ts';
import { asCount, asList, asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { productStatus, readLiveStatistics, readTime } from './messages.ts';

interface CoinbaseLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
  /** Asks for statistics over REST, behind all other requests; `undefined` when that failed. */
  readonly loadStatistics: (symbol: MarketSymbol, signal: AbortSignal) => Promise<Statistics | undefined>;
}

/** One product on this connection. */
interface Product {
  /** `undefined` before its snapshot. */
  book: TopOfBook | undefined;
  /** The number of the product's last heartbeat: it grows with whatever happens in the product's book. */
  sequence: number | undefined;
  /** A change arrived since the last heartbeat. */
  hasChanged: boolean;
  resubscribedAtMs: number;
  /** When its statistics were last asked for over REST. */
  refreshedAtMs: number;
}

/** 8 requests a second are allowed. */
export const coinbasePace = { intervalMs: 150, burst: 5 };

const channels = ['level2_batch', 'ticker', 'heartbeat'];
const resubscribeEveryMs = 10_000;
const refreshEveryMs = 20_000;
/** Statistics move with trades alone on the channel; older ones are asked for over REST. */
const refreshAfterMs = 120_000;
const refreshesAtOnce = 20;
const never = Number.NEGATIVE_INFINITY;
const sequenceMax = Number.MAX_SAFE_INTEGER;

/**
 * Coinbase Exchange's WebSocket. Best prices come from `level2_batch`: the channel `ticker` moves with trades alone, and
 * in a thin market its best prices are as old as the last trade. It gives the statistics. A heartbeat confirms unchanged
 * prices only if its sequence number did not move, or a change of the book arrived before it: a book that moves
 * unseen is stale. The answer to a subscription names the channel `level2` or a variant of it, so any name beginning so
 * counts; no heartbeat is relied on for the connection itself, which is probed by pings of the WebSocket protocol.
 */
export class CoinbaseLive implements LiveProtocol {
  readonly #options: CoinbaseLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;
  readonly #assembler: TickerAssembler;
  readonly #products = new Map<MarketSymbol, Product>();
  readonly #refreshTimer: Timer;
  readonly #controller = new AbortController();

  constructor(options: CoinbaseLiveOptions, channel: LiveChannel) {
    const { clock, directory } = options;
    this.#options = options;
    this.#channel = channel;
    this.#assembler = new TickerAssembler(clock, () => channel.dropped('old_statistics'));
    this.#subscriptions = new Subscriptions({
      clock,
      style: 'set',
      batchMax: 50,
      listener: channel.emit,
      send: (type, symbols, _request, sent) => {
        const product_ids = symbols.flatMap((symbol) => directory.bySymbol.get(symbol)?.liveName ?? []);
        channel.send({ type, product_ids, channels }, sent);
      },
    });
    this.#refreshTimer = clock.every(refreshEveryMs, () => this.#refresh());
  }

  opened(): void {
    this.#channel.send({ type: 'subscribe', channels: [{ name: 'status' }] });
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#products.set(symbol, newProduct());
    this.#subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#products.delete(symbol);
    this.#subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#lose(symbol);
    this.#subscriptions.resubscribe(symbols);
  }

  ping(): void {
    this.#channel.pingSocket();
  }

  stop(): void {
    this.#refreshTimer.cancel();
    this.#controller.abort();
    this.#subscriptions.stop();
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text));
    if (frame === undefined) this.#channel.dropped('malformed');
    else if (frame.type === 'subscriptions') this.#confirmed(asList(frame.channels) ?? []);
    else if (frame.type === 'error') this.#subscriptions.refusedRequest();
    else if (frame.type === 'status') this.#instruments(asList(frame.products) ?? []);
    else this.#ofProduct(frame);
  }

  #ofProduct(frame: WireObject): void {
    const read = this.#readers[asText(frame.type) ?? ''];
    const symbol = this.#options.directory.byLiveName.get(asText(frame.product_id) ?? '')?.symbol;
    const product = symbol === undefined ? undefined : this.#products.get(symbol);
    if (read === undefined) this.#channel.dropped('unknown_kind');
    else if (symbol === undefined || product === undefined) this.#channel.dropped('unknown_symbol');
    else read(symbol, product, frame);
  }

  readonly #readers: Readonly<Record<string, (symbol: MarketSymbol, product: Product, frame: WireObject) => void>> = {
    snapshot: (symbol, product, frame) => {
      product.book = new TopOfBook();
      product.book.snapshot(frame.bids, frame.asks);
      this.#bookChanged(symbol, product, frame);
    },
    l2update: (symbol, product, frame) => {
      // Between two subscriptions the changes of the first still arrive.
      if (product.book === undefined) return;
      for (const change of asList(frame.changes) ?? []) {
        const [side, price, size] = asList(change) ?? [];
        const isRead = product.book.change(side === 'buy' ? 'bid' : 'ask', price, size);
        if (!isRead) this.#channel.dropped('malformed');
      }
      this.#bookChanged(symbol, product, frame);
    },
    ticker: (symbol, _product, frame) =>
      this.#emit(this.#assembler.statistics(symbol, readLiveStatistics(frame)), true),
    heartbeat: (symbol, product, frame) => this.#heartbeat(symbol, product, frame),
  };

  #bookChanged(symbol: MarketSymbol, product: Product, frame: WireObject): void {
    const { book } = product;
    if (book === undefined) return;
    product.hasChanged = true;
    this.#subscriptions.delivered(symbol);
    if (book.isCrossed || book.isExhausted) {
      this.#renew(symbol, product);
      return;
    }
    const receivedAt = this.#options.clock.now();
    const upstreamTime = readTime(frame.time);
    const prices = { ...book.best, upstreamTime, askedAt: receivedAt, receivedAt, path: 'live' as const };
    this.#emit(this.#assembler.prices(symbol, prices), frame.type === 'snapshot');
  }

  /** Nothing confirms these prices until a new snapshot arrives. */
  #lose(symbol: MarketSymbol): void {
    const product = this.#products.get(symbol);
    if (product !== undefined) product.book = undefined;
    this.#assembler.pricesLost(symbol);
  }

  /** A crossed book has missed a change: only a new snapshot brings it right. */
  #renew(symbol: MarketSymbol, product: Product): void {
    this.#channel.dropped('crossed');
    this.#assembler.pricesLost(symbol);
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - product.resubscribedAtMs < resubscribeEveryMs) return;
    product.resubscribedAtMs = nowMs;
    this.resubscribe([symbol]);
  }

  #heartbeat(symbol: MarketSymbol, product: Product, frame: WireObject): void {
    const sequence = asCount(frame.sequence, sequenceMax);
    const isCurrent = product.hasChanged || (sequence !== undefined && sequence === product.sequence);
    product.sequence = sequence;
    product.hasChanged = false;
    if (!isCurrent || product.book === undefined) return;
    this.#emit(this.#assembler.confirmed(symbol, readTime(frame.time), this.#options.clock.now()), false);
  }

  #emit(ticker: UpstreamTicker | undefined, isSnapshot: boolean): void {
    if (ticker !== undefined) this.#channel.emit({ type: 'ticker', isSnapshot, tickers: [ticker] });
  }

  /** A product is subscribed once the book and the ticker are. */
  #confirmed(subscribed: readonly unknown[]): void {
    const names = (isMeant: (channel: string) => boolean) =>
      new Set(
        subscribed.flatMap((value) => {
          const channel = asObject(value);
          return isMeant(asText(channel?.name) ?? '') ? (asList(channel?.product_ids) ?? []) : [];
        }),
      );
    const books = names((channel) => channel.startsWith('level2'));
    const both = [...names((channel) => channel === 'ticker')].filter((name) => books.has(name));
    const { byLiveName } = this.#options.directory;
    this.#subscriptions.confirmed(both.flatMap((name) => byLiveName.get(asText(name) ?? '')?.symbol ?? []));
  }

  #instruments(products: readonly unknown[]): void {
    const pairs = products.flatMap((value): LivePair[] => {
      const product = asObject(value) ?? {};
      const name = asText(product.id)?.slice(0, 40);
      if (name === undefined) return [];
      const quote = readCurrency(name.split('-')[1]);
      const symbol = this.#options.directory.byLiveName.get(name)?.symbol;
      const isOurs = quote !== undefined && this.#options.quotes.includes(quote);
      if (symbol !== undefined && product.status === 'delisted') this.#lose(symbol);
      return [{ name, symbol, isOurs, status: product.status === 'delisted' ? 'delisted' : productStatus(product) }];
    });
    this.#channel.emit({ type: 'instruments', pairs });
  }

  #refresh(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const due = [...this.#products].filter(
      ([symbol, { refreshedAtMs }]) =>
        nowMs - refreshedAtMs >= refreshAfterMs && this.#assembler.statisticsAgeMs(symbol) >= refreshAfterMs,
    );
    for (const [symbol, product] of due.slice(0, refreshesAtOnce)) {
      product.refreshedAtMs = nowMs;
      void this.#options.loadStatistics(symbol, this.#controller.signal).then((statistics) => {
        if (statistics !== undefined) this.#emit(this.#assembler.statistics(symbol, statistics), false);
      });
    }
  }
}

function newProduct(): Product {
  return { book: undefined, sequence: undefined, hasChanged: false, resubscribedAtMs: never, refreshedAtMs: never };
}
