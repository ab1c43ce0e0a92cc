import { candles } from '../candles.ts';
import type { Dialect, Venue } from '../dialect.ts';
import { difference, nestedArrays, objectText, requestIn, stringText } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import type { WireTicker } from '../ticker.ts';
import type { Connection } from '../ws-connection.ts';

interface Request {
  readonly event?: unknown;
  readonly data?: { readonly channel?: unknown };
}

const restPath = /^\/api\/v2\/(markets|ticker|ohlc\/[^/]+)\/$/;
const bookChannel = /^order_book_(\w+)$/;
const candlesMax = 1_000;

/** Bitstamp: one channel, `order_book_btceur`, of which the topic is `order_book BTC/EUR`. */
export class BitstampDialect implements Dialect {
  readonly livePath = '/';
  readonly restPath = '';
  readonly calls = ['markets', 'ticker', 'ohlc'];
  readonly endedState = 'Disabled';
  readonly filler = '{"event":"bts:heartbeat","channel":"","data":""}';
  readonly reconnectNotice = '{"event":"bts:request_reconnect","channel":"","data":""}';
  readonly garbage = {
    json: '{"data":{"microtimestamp":"1641343691244908","bids":[["',
    nested: `{"data":${nestedArrays},"channel":"order_book_btceur","event":"data"}`,
    channel: '{"data":{"sky":"clear"},"channel":"weather_btceur","event":"weather"}',
    symbol: '{"data":{"bids":[["1","1"]],"asks":[["2","1"]]},"channel":"order_book_nopeeur","event":"data"}',
  };
  readonly #venue: Venue;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  callOf({ pathname }: URL): string | undefined {
    return restPath.exec(pathname)?.[1]?.split('/')[0];
  }

  answer(call: string, { pathname, searchParams }: URL): Reply {
    switch (call) {
      case 'markets':
        return json(JSON.stringify(this.#markets()));
      case 'ticker':
        return json(this.#tickers());
      default:
        return json(JSON.stringify(this.#candles(pathname.split('/')[4] ?? '', searchParams)));
    }
  }

  refusal(message: string): Reply {
    const body = JSON.stringify({ response_code: '400.001', response_explanation: message });
    return { ...json(body), status: 400 };
  }

  received(client: Connection, text: string): void {
    const nowMs = this.#venue.clock.monotonicMs();
    const { event, data } = requestIn<Request>(text);
    if (event === 'bts:heartbeat') {
      if (this.#venue.beatsHeart) client.send(this.filler, nowMs);
      return;
    }
    const channel = String(data?.channel);
    const market = this.#marketNamed(bookChannel.exec(channel)?.[1] ?? '');
    const full = market && this.#venue.fullFor(client, [market.pair.symbol], 'Too many subscriptions.');
    if (event === 'bts:unsubscribe' && market !== undefined) {
      this.#venue.clients.unsubscribe(client, topicOf(market));
      client.send(answer('bts:unsubscription_succeeded', channel, {}), nowMs);
    } else if (event !== 'bts:subscribe' || market === undefined || this.#venue.isRejected(market.pair.symbol)) {
      client.send(answer('bts:error', channel, { code: null, message: 'Incorrect JSON format.' }), nowMs);
    } else if (full !== undefined) {
      client.send(answer('bts:error', channel, { code: null, message: full }), nowMs);
    } else {
      this.#venue.clients.subscribe(client, topicOf(market));
      client.send(answer('bts:subscription_succeeded', channel, {}), nowMs);
      if (!this.#venue.isMuted(market.pair.symbol)) client.send(this.#frame(market), nowMs);
    }
  }

  tickerChanged(market: Market): void {
    const topic = topicOf(market);
    if (this.#venue.clients.hasSubscribers(topic)) this.#venue.clients.publish(topic, this.#frame(market));
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number): void {
    client.send(bookFrame(market, values, atUs), this.#venue.clock.monotonicMs());
  }

  #frame(market: Market): string {
    return bookFrame(market, this.#venue.values(market, 'ws'), this.#venue.changedAtUs(market));
  }

  #marketNamed(name: string): Market | undefined {
    return [...this.#venue.exchange.markets.values()].find((market) => nameOf(market) === name);
  }

  #markets(): object[] {
    if (this.#venue.faults.find('catalogue-empty') !== undefined) return [];
    const isUp = this.#venue.systemStatus === 'online';
    return this.#venue.listed.map((market) => ({
      name: market.pair.symbol,
      market_symbol: nameOf(market),
      base_currency: market.pair.base,
      base_decimals: market.pair.lotDecimals,
      counter_currency: market.pair.quote,
      counter_decimals: market.pair.priceDecimals,
      minimum_order_value: market.pair.costMin,
      trading: isUp && market.status === 'online' ? 'Enabled' : this.endedState,
      instant_and_market_orders: 'Enabled',
      market_type: 'SPOT',
    }));
  }

  #tickers(): string {
    const traded = this.#venue.traded;
    return `[${traded.map((market) => this.#ticker(market)).join(',')}]`;
  }

  #ticker(market: Market): string {
    const values = this.#venue.values(market, 'rest');
    const today = market.today(this.#venue.clock.now());
    return objectText({
      timestamp: `"${Math.floor(this.#venue.nowUs() / 1_000_000)}"`,
      open: `"${today.open}"`,
      high: stringText(values.high),
      low: stringText(values.low),
      last: stringText(values.last),
      volume: stringText(values.volume),
      vwap: stringText(values.vwap),
      bid: stringText(values.bid),
      ask: stringText(values.ask),
      open_24: stringText(difference(values.last, values.change)),
      percent_change_24: stringText(values.change_pct),
      pair: `"${market.pair.symbol}"`,
    });
  }

  #candles(name: string, query: URLSearchParams): object {
    const market = this.#marketNamed(name);
    const minutes = Number(query.get('step')) / 60;
    if (market === undefined || ![1, 60, 1440].includes(minutes)) throw new Refusal('Invalid step.');
    const limit = Math.min(candlesMax, Number(query.get('limit') ?? 100));
    const rows = candles(market, minutes, this.#venue.clock.now(), undefined).slice(-limit);
    const ohlc = rows.map(([seconds, open, high, low, close, , volume]) => ({
      timestamp: String(seconds),
      open,
      high,
      low,
      close,
      volume,
    }));
    return { data: { pair: market.pair.symbol, ohlc } };
  }
}

/** `btceur` */
function nameOf({ pair }: Market): string {
  return `${pair.base}${pair.quote}`.toLowerCase();
}

function topicOf({ pair }: Market): string {
  return `order_book ${pair.symbol}`;
}

function answer(event: string, channel: string, data: object): string {
  return JSON.stringify({ event, channel, data });
}

/** The members in the order of the real frames. A side without a price is empty. */
function bookFrame(market: Market, values: WireTicker, atUs: number | undefined): string {
  const side = (price: string | undefined, quantity: string | undefined) =>
    price === undefined ? '[]' : `[[${stringText(price)},${stringText(quantity) ?? '"0"'}]]`;
  const data = objectText({
    timestamp: atUs === undefined ? undefined : `"${Math.floor(atUs / 1_000_000)}"`,
    microtimestamp: atUs === undefined ? undefined : `"${atUs}"`,
    bids: side(values.bid, values.bid_qty),
    asks: side(values.ask, values.ask_qty),
  });
  return `{"data":${data},"channel":"order_book_${nameOf(market)}","event":"data"}`;
}
