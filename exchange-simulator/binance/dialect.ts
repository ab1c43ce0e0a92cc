import type { Dialect, Venue } from '../dialect.ts';
import { difference, nestedArrays, objectText, product, requestIn, stringText } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, type Reply } from '../reply.ts';
import type { WireTicker } from '../ticker.ts';
import { type Connection, MessageLimit } from '../ws-connection.ts';
import { BinanceRest, binanceCalls, endedState, nameOf } from './rest.ts';

type Stream = 'ticker' | 'bookTicker';

interface Request {
  readonly method?: unknown;
  readonly params?: unknown;
  readonly id?: unknown;
}

const restPath = '/api/v3/';
const streamName = /^([^@]+)@(ticker|bookTicker)$/;
const tickerEveryMs = 1_000;
const streamsMax = 1_024;
const policyViolation = 1008;

/** Binance spot, combined streams. Topics are `ticker BTC/EUR` and `bookTicker BTC/EUR`. */
export class BinanceDialect implements Dialect {
  readonly livePath = '/stream';
  readonly restPath = '';
  readonly calls = binanceCalls;
  readonly endedState = endedState;
  readonly filler = '{"result":null,"id":0}';
  readonly reconnectNotice = '{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1770123456789}}';
  readonly garbage = {
    json: '{"stream":"btceur@bookTicker","data":{"u":1,"s":"BTCEUR","b":"',
    nested: `{"stream":"btceur@ticker","data":${nestedArrays}}`,
    channel: '{"stream":"btceur@weather","data":{"e":"weather","s":"BTCEUR"}}',
    symbol: '{"stream":"nopeeur@bookTicker","data":{"u":1,"s":"NOPEEUR","b":"1","B":"1","a":"2","A":"1"}}',
  };
  readonly #venue: Venue;
  readonly #rest: BinanceRest;
  readonly #limit = new MessageLimit(5, 1_000);
  readonly #tickersAtMs = new WeakMap<Connection, number>();
  #updates = 400_900_217;

  constructor(venue: Venue) {
    this.#venue = venue;
    this.#rest = new BinanceRest(venue);
  }

  callOf({ pathname }: URL): string | undefined {
    return pathname.startsWith(restPath) ? pathname.slice(restPath.length) : undefined;
  }

  answer(call: string, url: URL): Reply {
    return this.#rest.answer(call, url.searchParams);
  }

  refusal(message: string): Reply {
    return { ...json(JSON.stringify({ code: -1100, msg: message })), status: 400 };
  }

  received(client: Connection, text: string): void {
    const nowMs = this.#venue.clock.monotonicMs();
    if (!this.#limit.takes(client, nowMs)) {
      client.close(policyViolation);
      return;
    }
    const { method, params, id } = requestIn<Request>(text);
    const isSubscribing = method === 'SUBSCRIBE';
    if ((!isSubscribing && method !== 'UNSUBSCRIBE') || !Array.isArray(params)) {
      client.send('{"code":2,"msg":"Invalid request: unknown method or no params"}', nowMs);
      return;
    }
    // Unknown names are accepted, and nothing is sent for them.
    const streams = params.flatMap((name) => this.#streamOf(String(name)) ?? []);
    const symbols = streams.map(({ market }) => market.pair.symbol);
    const full = isSubscribing ? this.#venue.fullFor(client, symbols, 'Too many streams on one connection') : undefined;
    if (full !== undefined) {
      client.send(JSON.stringify({ code: 2, msg: full, id }), nowMs);
      return;
    }
    for (const { market, stream } of streams) {
      this.#venue.clients.follow(client, `${stream} ${market.pair.symbol}`, isSubscribing);
    }
    client.send(JSON.stringify({ result: null, id }), nowMs);
    if (client.topics.size > streamsMax) {
      client.close(policyViolation);
      return;
    }
    if (!isSubscribing) return;
    for (const { market, stream } of streams) if (stream === 'ticker') this.#sendTicker(client, market, nowMs);
  }

  beat(client: Connection, nowMs: number): void {
    if (nowMs - (this.#tickersAtMs.get(client) ?? client.connectedAtMs) < tickerEveryMs) return;
    this.#tickersAtMs.set(client, nowMs);
    for (const topic of client.topics) {
      const [stream, symbol = ''] = topic.split(' ');
      const market = this.#venue.exchange.listed(symbol);
      if (stream === 'ticker' && market !== undefined) this.#sendTicker(client, market, nowMs);
    }
  }

  tickerChanged(market: Market): void {
    const topic = `bookTicker ${market.pair.symbol}`;
    if (!this.#venue.clients.hasSubscribers(topic)) return;
    const values = this.#venue.values(market, 'ws');
    const data = objectText({
      u: String(++this.#updates),
      s: `"${nameOf(market)}"`,
      b: stringText(values.bid),
      B: stringText(values.bid_qty),
      a: stringText(values.ask),
      A: stringText(values.ask_qty),
    });
    this.#venue.clients.publish(topic, framed(market, 'bookTicker', data));
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number): void {
    client.send(this.#tickerFrame(market, values, atUs), this.#venue.clock.monotonicMs());
  }

  #streamOf(name: string): { market: Market; stream: Stream } | undefined {
    const [, symbol, stream] = streamName.exec(name) ?? [];
    for (const market of this.#venue.exchange.markets.values()) {
      if (nameOf(market).toLowerCase() !== symbol || this.#venue.isRejected(market.pair.symbol)) continue;
      return { market, stream: stream as Stream };
    }
    return undefined;
  }

  #sendTicker(client: Connection, market: Market, nowMs: number): void {
    if (this.#venue.isMuted(market.pair.symbol)) return;
    const atUs = this.#venue.faults.find('no-timestamp') === undefined ? this.#venue.nowUs() : undefined;
    client.send(this.#tickerFrame(market, this.#venue.values(market, 'ws'), atUs), nowMs);
  }

  #tickerFrame(market: Market, values: WireTicker, atUs: number | undefined): string {
    const data = objectText({
      e: '"24hrTicker"',
      E: atUs === undefined ? undefined : String(Math.floor(atUs / 1000)),
      s: `"${nameOf(market)}"`,
      p: stringText(values.change),
      P: stringText(values.change_pct),
      w: stringText(values.vwap),
      c: stringText(values.last),
      b: stringText(values.bid),
      B: stringText(values.bid_qty),
      a: stringText(values.ask),
      A: stringText(values.ask_qty),
      o: stringText(difference(values.last, values.change)),
      h: stringText(values.high),
      l: stringText(values.low),
      v: stringText(values.volume),
      q: stringText(product(values.volume, values.vwap)),
      n: values.trades,
    });
    return framed(market, 'ticker', data);
  }
}

function framed(market: Market, stream: Stream, data: string): string {
  return `{"stream":"${nameOf(market).toLowerCase()}@${stream}","data":${data}}`;
}
