import type { Dialect, Venue } from '../dialect.ts';
import { nestedArrays } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import type { Reply } from '../reply.ts';
import { quoted, type WireTicker } from '../ticker.ts';
import { wireTime } from '../wire-clock.ts';
import type { Connection } from '../ws-connection.ts';
import { type Book, bookOf, changesOf } from './book.ts';
import { CoinbaseRest, coinbaseCalls, object, openOf, productNamed, symbolNamed } from './rest.ts';

const heartbeatEveryMs = 1_000;
const perProduct = ['level2_batch', 'ticker', 'heartbeat'];

interface Channel {
  readonly name: string;
  readonly symbols: readonly string[];
}

/** Coinbase Exchange: products over REST, and the channels `level2_batch`, `ticker`, `heartbeat` and `status`. */
export class CoinbaseDialect implements Dialect {
  readonly livePath = '/';
  readonly restPath = '';
  readonly calls = coinbaseCalls;
  readonly endedState = 'delisted';
  readonly filler = '{"type":"subscriptions","channels":[]}';
  readonly garbage = {
    json: '{"type":"l2update","product_id":"BTC-EUR","changes":[["buy",',
    nested: `{"type":"weather","data":${nestedArrays}}`,
    channel: '{"type":"weather","product_id":"BTC-EUR","sky":"clear"}',
    symbol: '{"type":"l2update","product_id":"NOPE-EUR","changes":[["buy","1.0","1"]]}',
  };
  readonly #venue: Venue;
  readonly #rest: CoinbaseRest;
  /** The book of each market as it was last sent to subscribers. */
  readonly #books = new Map<Market, Book>();
  readonly #sequences = new Map<string, number>();
  readonly #beatAtMs = new WeakMap<Connection, number>();

  constructor(venue: Venue) {
    this.#venue = venue;
    this.#rest = new CoinbaseRest(venue);
    venue.exchange.listen({
      // A change that a fault withholds from subscribers counts in the sequence.
      tickerChanged: ({ pair }) => this.#sequences.set(pair.symbol, this.#sequenceOf(pair.symbol) + 1),
    });
  }

  callOf(url: URL): string | undefined {
    return this.#rest.callOf(url);
  }

  answer(call: string, url: URL): Reply {
    return this.#rest.answer(call, url);
  }

  refusal(message: string): Reply {
    return { status: 404, contentType: 'application/json', body: JSON.stringify({ message }) };
  }

  received(client: Connection, text: string): void {
    const nowMs = this.#venue.clock.monotonicMs();
    const request = readRequest(text);
    const channels = request?.channels.filter(({ name }) => name === 'status' || perProduct.includes(name)) ?? [];
    const symbols = channels.flatMap((channel) => channel.symbols);
    const isSubscribing = request?.type === 'subscribe';
    const bad = isSubscribing ? symbols.find((symbol) => this.#venue.isRejected(symbol)) : undefined;
    if (request === undefined || channels.length === 0 || bad !== undefined) {
      const reason = bad === undefined ? 'malformed request' : `${productNamed(bad)} is not a valid product`;
      client.send(JSON.stringify({ type: 'error', message: 'Failed to subscribe', reason }), nowMs);
      return;
    }
    const full = isSubscribing ? this.#fullFor(client, channels) : undefined;
    if (full !== undefined) {
      client.send(JSON.stringify({ type: 'error', message: full }), nowMs);
      return;
    }
    const news = channels.flatMap((channel) => this.#apply(client, channel, isSubscribing));
    client.send(JSON.stringify(subscriptionsOf(client)), nowMs);
    for (const frame of news) client.send(frame, nowMs);
  }

  /** A session takes a number of books; a request that would exceed it is refused as a whole. */
  #fullFor(client: Connection, channels: readonly Channel[]): string | undefined {
    const books = channels.flatMap(({ name, symbols }) => (name === 'level2_batch' ? symbols : []));
    return this.#venue.fullFor(client, books, 'too many L2 streams requested in a single session');
  }

  beat(client: Connection, nowMs: number): void {
    if (nowMs - (this.#beatAtMs.get(client) ?? Number.NEGATIVE_INFINITY) < heartbeatEveryMs) return;
    this.#beatAtMs.set(client, nowMs);
    if (!this.#venue.beatsHeart) return;
    for (const topic of client.topics) {
      const [channel, symbol] = topic.split(' ');
      if (channel === 'heartbeat' && symbol !== undefined) client.send(this.#heartbeat(symbol), nowMs);
    }
  }

  tickerChanged(market: Market, lastChanged: boolean): void {
    const { clients } = this.#venue;
    const { symbol } = market.pair;
    if (clients.hasSubscribers(`level2_batch ${symbol}`)) this.#publishBook(market);
    if (lastChanged && clients.hasSubscribers(`ticker ${symbol}`)) {
      clients.publish(`ticker ${symbol}`, this.#ticker(market, this.#venue.values(market, 'ws')));
    }
  }

  instrumentChanged(): void {
    this.statusChanged();
  }

  statusChanged(): void {
    this.#venue.clients.publish('status', this.#status());
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number): void {
    const nowMs = this.#venue.clock.monotonicMs();
    client.send(snapshotOf(market, bookOf(market, values), wireTime(atUs)), nowMs);
    client.send(this.#ticker(market, values, atUs), nowMs);
  }

  /** Subscribes or unsubscribes one channel; gives the frames that a new subscription begins with. */
  #apply(client: Connection, { name, symbols }: Channel, isSubscribing: boolean): string[] {
    const { clients } = this.#venue;
    if (name === 'status') {
      clients.follow(client, 'status', isSubscribing);
      return isSubscribing ? [this.#status()] : [];
    }
    return symbols.flatMap((symbol) => {
      const topic = `${name} ${symbol}`;
      const isNew = !client.topics.has(topic);
      clients.follow(client, topic, isSubscribing);
      return isSubscribing && isNew ? this.#first(name, symbol) : [];
    });
  }

  #first(channel: string, symbol: string): string[] {
    const market = this.#venue.exchange.listed(symbol);
    if (market === undefined || this.#venue.isMuted(symbol)) return [];
    if (channel === 'ticker') return [this.#ticker(market, this.#venue.values(market, 'ws'))];
    return channel === 'level2_batch' ? [snapshotOf(market, this.#bookOf(market), undefined)] : [];
  }

  /** The book as it was last sent; for the first subscriber the current one. */
  #bookOf(market: Market): Book {
    const topic = `level2_batch ${market.pair.symbol}`;
    const isFirst = [...this.#venue.clients.connections].filter(({ topics }) => topics.has(topic)).length <= 1;
    const known = isFirst ? undefined : this.#books.get(market);
    const book = known ?? bookOf(market, this.#venue.values(market, 'ws'));
    this.#books.set(market, book);
    return book;
  }

  #publishBook(market: Market): void {
    const after = bookOf(market, this.#venue.values(market, 'ws'));
    const changes = changesOf(this.#books.get(market) ?? { buy: new Map(), sell: new Map() }, after);
    this.#books.set(market, after);
    const product_id = productNamed(market.pair.symbol);
    const levels = changes.map(([side, price, amount]) => `["${side}",${quoted(price)},"${amount}"]`);
    const changedAtUs = this.#venue.changedAtUs(market);
    const time = changedAtUs === undefined ? '' : `,"time":"${wireTime(changedAtUs)}"`;
    const frame = `{"type":"l2update","product_id":"${product_id}","changes":[${levels.join(',')}]${time}}`;
    this.#venue.clients.publish(`level2_batch ${market.pair.symbol}`, frame);
  }

  #ticker(market: Market, values: WireTicker, atUs = this.#venue.changedAtUs(market)): string {
    const { symbol } = market.pair;
    const { last, volume, low, high, bid, ask } = values;
    return object(
      {
        product_id: `"${productNamed(symbol)}"`,
        price: last,
        open_24h: openOf(this.#venue, market),
        volume_24h: volume,
        low_24h: low,
        high_24h: high,
        best_bid: bid,
        best_ask: ask,
        time: atUs === undefined ? undefined : `"${wireTime(atUs)}"`,
      },
      ['type', '"ticker"'],
      ['sequence', String(this.#sequenceOf(symbol))],
    );
  }

  #heartbeat(symbol: string): string {
    const time = wireTime(this.#venue.nowUs());
    const product_id = productNamed(symbol);
    return JSON.stringify({
      type: 'heartbeat',
      sequence: this.#sequenceOf(symbol),
      last_trade_id: 1,
      product_id,
      time,
    });
  }

  #sequenceOf(symbol: string): number {
    return this.#sequences.get(symbol) ?? 1_000;
  }

  #status(): string {
    return JSON.stringify({ type: 'status', products: this.#rest.products(), currencies: [] });
  }
}

function snapshotOf(market: Market, book: Book, time: string | undefined): string {
  const levels = (side: Book['buy']) => [...side].map(([price, amount]) => `[${quoted(price)},"${amount}"]`).join(',');
  const end = time === undefined ? '' : `,"time":"${time}"`;
  const product_id = productNamed(market.pair.symbol);
  return `{"type":"snapshot","product_id":"${product_id}","asks":[${levels(book.sell)}],"bids":[${levels(book.buy)}]${end}}`;
}

/** Everything that a client is subscribed to. */
function subscriptionsOf(client: Connection): object {
  const channels = new Map<string, string[]>();
  for (const topic of client.topics) {
    const [name = '', symbol] = topic.split(' ');
    const products = channels.get(name) ?? [];
    channels.set(name, products);
    if (symbol !== undefined) products.push(productNamed(symbol));
  }
  return { type: 'subscriptions', channels: [...channels].map(([name, product_ids]) => ({ name, product_ids })) };
}

/** A request names its products beside the channels, or within each of them. */
function readRequest(text: string): { type: string; channels: Channel[] } | undefined {
  try {
    const { type, product_ids = [], channels } = JSON.parse(text);
    if (type !== 'subscribe' && type !== 'unsubscribe') return undefined;
    const read = channels.map((channel: string | { name: string; product_ids?: string[] }) => {
      const { name, product_ids: own = product_ids } = typeof channel === 'string' ? { name: channel } : channel;
      return { name, symbols: own.map(symbolNamed) };
    });
    return { type, channels: read };
  } catch {
    return undefined;
  }
}
