import type { EpochMs } from '../../ground/clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { type FrameReaders, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import type { Statistics } from '../ticker-assembler.ts';
import { TopOfBook } from '../top-of-book.ts';
import { asCount, asList, asText, requireList, type WireObject } from '../wire.ts';
import { productStatus, readLiveStatistics, readTerms, readTime } from './messages.ts';
import { coinbaseRefusals } from './refusals.ts';

const never = Number.NEGATIVE_INFINITY;

/** Asks for statistics over REST, behind all other requests; `undefined` when that failed. */
type LoadStatistics = (symbol: MarketSymbol, signal: AbortSignal) => Promise<Statistics | undefined>;

/** One product on this connection. */
class Product {
  /** `undefined` before its snapshot. */
  book: TopOfBook | undefined;
  /** The newest time of a frame that made it. */
  bookAt = never;
  /** The sequence number of the product's last heartbeat: it grows with every event of the product's book. */
  sequence: number | undefined;
  /** A change arrived since the last heartbeat. */
  hasChanged = false;
  /** When a crossed book last made a new subscription necessary. */
  renewedAtMs = never;
  /** When its statistics were last asked for over REST. */
  refreshedAtMs = never;
}

export const coinbaseSocket: SocketTraits = {
  refusals: coinbaseRefusals,
  /** 8 requests a second are allowed. */
  pace: { intervalMs: 150, burst: 5 },
  /** A snapshot is a whole book, which can have megabytes: as much as can be configured. */
  frameBytesMax: 67_108_864,
  /**
   * A session takes 16 books; more are refused, where it does not happen to take more. `streamsPerSession` says
   * otherwise.
   */
  symbolsMax: 16,
  /** 8 connections a second are allowed, 20 at once. */
  openingPace: { intervalMs: 250, burst: 8 },
  acknowledges: 'set',
  batchMax: 50,
};

const channels = ['level2_batch', 'ticker', 'heartbeat'];
const renewEveryMs = 10_000;
const refreshEveryMs = 20_000;
/** On the channel statistics change with trades only; older ones are loaded over REST. */
const refreshAfterMs = 120_000;
const refreshesAtOnce = 20;
const sequenceMax = Number.MAX_SAFE_INTEGER;

/**
 * Coinbase Exchange's WebSocket. Best prices come from `level2_batch`: the channel `ticker` moves with trades alone,
 * and in a thin market its best prices are as old as the last trade. The statistics come from it. A heartbeat confirms
 * unchanged prices only if its sequence number did not move, or a change of the book arrived before it: a book that
 * moves unseen is stale. The answer to a subscription names the channel `level2` or a variant of it, so any name
 * beginning so counts; no heartbeat is relied on for the connection itself, which is probed by pings of the WebSocket
 * protocol.
 */
export class CoinbaseLive extends LiveProtocol<LoadStatistics> {
  readonly #loadStatistics = this.context;
  readonly #products = new Map<MarketSymbol, Product>();
  readonly #refreshTimer = this.clock.every(refreshEveryMs, () => this.#refresh());
  readonly #controller = new AbortController();

  override opened(): void {
    if (this.isLeading) this.channel.send({ type: 'subscribe', channels: [{ name: 'status' }] });
  }

  override subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#products.set(symbol, new Product());
    super.subscribe(symbols);
  }

  override unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#products.delete(symbol);
    super.unsubscribe(symbols);
  }

  override stop(): void {
    this.#refreshTimer.cancel();
    this.#controller.abort();
    super.stop();
  }

  protected readonly readers: FrameReaders = {
    subscriptions: (frame) => this.#confirmed(requireList(frame.channels, 'channels')),
    error: (frame) => this.subscriptions.refusedRequest(this.refusalIn(frame)),
    status: ({ products }) => this.#instruments(requireList(products, 'products')),
    snapshot: this.#ofProduct((symbol, product, frame) => {
      // The next heartbeat would confirm a book of before as the one of now.
      if (this.#timeOf(frame) < product.bookAt) {
        this.dropped('late');
        return;
      }
      product.book = new TopOfBook();
      product.book.snapshot(frame.bids, frame.asks);
      this.#bookChanged(symbol, product, frame);
    }),
    l2update: this.#ofProduct((symbol, product, frame) => {
      // Between two subscriptions the changes of the first still arrive.
      if (product.book === undefined) return;
      for (const change of asList(frame.changes) ?? []) {
        const [side, price, size] = asList(change) ?? [];
        const isRead = product.book.change(side === 'buy' ? 'bid' : 'ask', price, size);
        if (!isRead) this.dropped('malformed');
      }
      this.#bookChanged(symbol, product, frame);
    }),
    ticker: this.#ofProduct((symbol, _product, frame) =>
      this.emitTicker(this.assembler.statistics(symbol, readLiveStatistics(frame)), true),
    ),
    heartbeat: this.#ofProduct((symbol, product, frame) => this.#heartbeat(symbol, product, frame)),
  };

  protected readonly kindOf = ({ type }: WireObject) => type;

  protected request(type: string, product_ids: readonly string[]): object {
    return { type, product_ids, channels };
  }

  #ofProduct(read: (symbol: MarketSymbol, product: Product, frame: WireObject) => void): FrameReaders[string] {
    return (frame) => {
      const symbol = this.symbolOf(frame.product_id);
      const product = symbol === undefined ? undefined : this.#products.get(symbol);
      if (symbol === undefined || product === undefined) this.dropped('unknown_symbol');
      else read(symbol, product, frame);
    };
  }

  #bookChanged(symbol: MarketSymbol, product: Product, frame: WireObject): void {
    const { book } = product;
    if (book === undefined) return;
    product.hasChanged = true;
    product.bookAt = Math.max(product.bookAt, this.#timeOf(frame));
    this.subscriptions.accepted(symbol);
    if (book.isCrossed || book.isExhausted) {
      this.#renew(symbol, product);
      return;
    }
    const prices = { ...book.best, upstreamTime: readTime(frame.time), ...this.arrival() };
    this.emitTicker(this.assembler.prices(symbol, prices), frame.type === 'snapshot');
  }

  /** When it was sent, or arrived where it does not say so. */
  #timeOf({ time }: WireObject): EpochMs {
    return readTime(time) ?? this.clock.now();
  }

  /** Drops the prices until a new snapshot arrives. */
  #dropPrices(symbol: MarketSymbol | undefined): void {
    if (symbol === undefined) return;
    const product = this.#products.get(symbol);
    if (product !== undefined) product.book = undefined;
    this.assembler.dropPrices(symbol);
  }

  /** A crossed book has missed a change: only a new snapshot corrects it. */
  #renew(symbol: MarketSymbol, product: Product): void {
    this.dropped('crossed');
    this.assembler.dropPrices(symbol);
    const nowMs = this.clock.monotonicMs();
    if (nowMs - product.renewedAtMs < renewEveryMs) return;
    this.unsubscribe([symbol]);
    this.subscribe([symbol]);
    this.#products.get(symbol)!.renewedAtMs = nowMs;
  }

  #heartbeat(symbol: MarketSymbol, product: Product, frame: WireObject): void {
    const sequence = asCount(frame.sequence, sequenceMax);
    const isCurrent = product.hasChanged || (sequence !== undefined && sequence === product.sequence);
    product.sequence = sequence;
    product.hasChanged = false;
    if (!isCurrent || product.book === undefined) return;
    this.emitTicker(this.assembler.confirmed(symbol, readTime(frame.time), this.clock.now()), false);
  }

  /** A product is subscribed once the book and the ticker are. */
  #confirmed(subscribed: readonly WireObject[]): void {
    const products = (isMeant: (channel: string) => boolean) =>
      subscribed.flatMap(({ name, product_ids }) => (isMeant(asText(name) ?? '') ? (asList(product_ids) ?? []) : []));
    const books = new Set(products((channel) => channel.startsWith('level2')));
    const both = products((channel) => channel === 'ticker').filter((name) => books.has(name));
    this.subscriptions.confirmed(both.flatMap((name) => this.symbolOf(name) ?? []));
  }

  #instruments(products: readonly WireObject[]): void {
    for (const product of products) if (productStatus(product) === 'ended') this.#dropPrices(this.symbolOf(product.id));
    this.emitInstruments(products, (product) => ({
      liveName: product.id,
      quote: asText(product.id)?.split('-')[1],
      status: productStatus(product),
      terms: () => readTerms(product),
    }));
  }

  #refresh(): void {
    const nowMs = this.clock.monotonicMs();
    const due = [...this.#products].filter(
      ([symbol, { refreshedAtMs }]) =>
        nowMs - refreshedAtMs >= refreshAfterMs && this.assembler.statisticsAgeMs(symbol) >= refreshAfterMs,
    );
    for (const [symbol, product] of due.slice(0, refreshesAtOnce)) {
      product.refreshedAtMs = nowMs;
      void this.#loadStatistics(symbol, this.#controller.signal).then((statistics) => {
        // Other sessions ask as well: what there was no room for is asked for again at the next turn.
        if (statistics === undefined) product.refreshedAtMs = never;
        else this.emitTicker(this.assembler.statistics(symbol, statistics));
      });
    }
  }
}
