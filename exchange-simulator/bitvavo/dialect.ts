import { candles } from '../candles.ts';
import { type MarketState, tickText } from '../catalogue.ts';
import type { Dialect, Venue } from '../dialect.ts';
import { nestedArrays, requestIn } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import { quoted, unitsText, type WireTicker } from '../ticker.ts';
import type { Connection } from '../ws-connection.ts';

const dayMs = 86_400_000;
const sendEveryMs = 1_000;
const intervalMinutes: Readonly<Record<string, number>> = { '1m': 1, '5m': 5, '1h': 60, '1d': 1440 };

interface Pending {
  readonly changed: Set<Market>;
  sentAtMs: number;
}

interface Request {
  readonly action?: unknown;
  readonly channels?: readonly { readonly name?: unknown; readonly markets?: readonly string[] }[];
}

/** Bitvavo: the calls `markets`, `ticker/24h`, `candles` and `time`, and the channel `ticker24h`, once a second. */
export class BitvavoDialect implements Dialect {
  readonly livePath = '/v2/';
  readonly restPath = '/v2';
  readonly calls = ['markets', 'ticker24h', 'candles', 'time'];
  readonly filler = '{"event":"unsubscribed","subscriptions":{}}';
  readonly garbage = {
    json: '{"event":"ticker24h","data":[{"market":"BTC-EUR","bid":',
    nested: `{"event":"weather","data":${nestedArrays}}`,
    channel: '{"event":"weather","data":[{"market":"BTC-EUR","sky":"clear"}]}',
    symbol: '{"event":"ticker24h","data":[{"market":"NOPE-EUR","timestamp":1,"bid":"1","ask":"2"}]}',
  };
  readonly #venue: Venue;
  readonly #pending = new WeakMap<Connection, Pending>();

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  callOf({ pathname }: URL): string | undefined {
    if (pathname === '/v2/ticker/24h') return 'ticker24h';
    const [, version, first = '', second] = pathname.split('/');
    if (version !== 'v2') return undefined;
    if (second === 'candles') return 'candles';
    return second === undefined && ['markets', 'time'].includes(first) ? first : undefined;
  }

  answer(call: string, { pathname, searchParams }: URL): Reply {
    switch (call) {
      case 'markets':
        return json(JSON.stringify(this.#markets()));
      case 'ticker24h':
        return json(this.#tickers(searchParams.get('market')));
      case 'candles':
        return json(JSON.stringify(this.#candles(pathname.split('/')[2] ?? '', searchParams)));
      default:
        return json(JSON.stringify({ time: this.#nowMs() }));
    }
  }

  refusal(message: string): Reply {
    const body = JSON.stringify({ errorCode: 205, error: message });
    return { status: 400, contentType: 'application/json', body };
  }

  received(client: Connection, text: string): void {
    const answer = this.#answerTo(client, requestIn<Request>(text));
    client.send(JSON.stringify(answer), this.#venue.clock.monotonicMs());
  }

  beat(client: Connection, nowMs: number): void {
    const pending = this.#pendingOf(client);
    if (pending.changed.size === 0 || nowMs - pending.sentAtMs < sendEveryMs) return;
    const entries = [...pending.changed].map((market) => this.#entry(market, 'ws'));
    pending.changed.clear();
    pending.sentAtMs = nowMs;
    client.send(`{"event":"ticker24h","data":[${entries.join(',')}]}`, nowMs);
  }

  tickerChanged(market: Market): void {
    const topic = topicOf(market.pair.symbol);
    if (!this.#venue.clients.hasSubscribers(topic)) return;
    this.#venue.clients.each((client) => {
      if (client.topics.has(topic)) this.#pendingOf(client).changed.add(market);
    });
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number): void {
    const entry = entryOf(market, values, this.#openOf(market), atUs);
    client.send(`{"event":"ticker24h","data":[${entry}]}`, this.#venue.clock.monotonicMs());
  }

  #answerTo(client: Connection, { action, channels = [] }: Request): object {
    const [channel] = channels;
    const symbols = (channel?.markets ?? []).map(symbolNamed);
    const isKnown = channel?.name === 'ticker24h' && symbols.length > 0;
    if (!isKnown || (action !== 'subscribe' && action !== 'unsubscribe')) return invalid('action');
    if (action === 'subscribe' && symbols.some((symbol) => this.#venue.isRejected(symbol))) return invalid('market');
    const full = action === 'subscribe' && this.#venue.fullFor(client, symbols, 'Too many subscriptions.');
    if (full) return { event: 'error', errorCode: 100, error: full };
    for (const symbol of symbols) this.#venue.clients.follow(client, topicOf(symbol), action === 'subscribe');
    return { event: `${action}d`, subscriptions: { ticker24h: [...client.symbols].map(marketNamed) } };
  }

  #pendingOf(client: Connection): Pending {
    const known = this.#pending.get(client) ?? { changed: new Set(), sentAtMs: Number.NEGATIVE_INFINITY };
    this.#pending.set(client, known);
    return known;
  }

  #markets(): object[] {
    if (this.#venue.faults.find('catalogue-empty') !== undefined) return [];
    const isUp = this.#venue.systemStatus === 'online';
    return this.#venue.listed.map(({ pair, status }) => ({
      market: marketNamed(pair.symbol),
      status: isUp ? stateOf(status) : 'halted',
      base: pair.base,
      quote: pair.quote,
      tickSize: tickText(pair),
      minOrderInBaseAsset: pair.orderMin,
      minOrderInQuoteAsset: pair.costMin,
      quantityDecimals: pair.lotDecimals,
      notionalDecimals: 2,
      maxOpenOrders: 100,
      feeCategory: 'A',
      orderTypes: ['market', 'limit'],
    }));
  }

  #tickers(name: string | null): string {
    if (name !== null) return this.#entry(this.#market(name), 'rest');
    const traded = this.#venue.traded;
    return `[${traded.map((market) => this.#entry(market, 'rest')).join(',')}]`;
  }

  /** Newest first. */
  #candles(name: string, query: URLSearchParams): unknown[] {
    const minutes = intervalMinutes[query.get('interval') ?? ''];
    if (minutes === undefined) throw new Refusal('Invalid parameter: interval');
    const rows = candles(this.#market(name), minutes, this.#venue.clock.now(), undefined);
    const limit = Number(query.get('limit') ?? 1440);
    return rows
      .slice(-limit)
      .reverse()
      .map(([seconds, open, high, low, close, , volume]) => [seconds * 1000, open, high, low, close, volume]);
  }

  #market(name: string): Market {
    const market = this.#venue.exchange.listed(symbolNamed(name));
    if (market === undefined) throw new Refusal('Invalid parameter: market');
    return market;
  }

  #entry(market: Market, path: 'ws' | 'rest'): string {
    const values = this.#venue.values(market, path);
    return entryOf(market, values, this.#openOf(market), this.#venue.changedAtUs(market));
  }

  #openOf(market: Market): string {
    return unitsText(market.unitsAt(this.#venue.clock.now() - dayMs), market.pair.priceDecimals);
  }

  #nowMs(): number {
    return Math.floor(this.#venue.nowUs() / 1000);
  }
}

function topicOf(symbol: string): string {
  return `ticker24h ${symbol}`;
}

function marketNamed(symbol: string): string {
  return symbol.replace('/', '-');
}

function symbolNamed(market: unknown): string {
  return String(market).replace('-', '/');
}

function stateOf(status: MarketState): string {
  if (status === 'online') return 'trading';
  return status === 'cancel_only' ? 'cancelOnly' : 'halted';
}

function invalid(parameter: string): object {
  return { event: 'error', errorCode: 205, error: `Invalid parameter: ${parameter}` };
}

/** One entry of `ticker24h`, built as text so that every digit is sent as it is. */
function entryOf(market: Market, values: WireTicker, open: string, atUs: number | undefined): string {
  const { vwap, volume } = values;
  const members: [string, string | undefined][] = [
    ['timestamp', atUs === undefined ? undefined : String(Math.floor(atUs / 1000))],
    ['open', open],
    ['high', values.high],
    ['low', values.low],
    ['last', values.last],
    ['bid', values.bid],
    ['bidSize', values.bid_qty],
    ['ask', values.ask],
    ['askSize', values.ask_qty],
    ['volume', volume],
    ['volumeQuote', (Number(vwap) * Number(volume)).toFixed(2)],
  ];
  const texts = members.flatMap(([name, value]) =>
    value === undefined ? [] : [`"${name}":${name === 'timestamp' ? value : quoted(value)}`],
  );
  return `{"market":"${marketNamed(market.pair.symbol)}",${texts.join(',')}}`;
}
