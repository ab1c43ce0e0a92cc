import { candles } from '../candles.ts';
import { tickText } from '../catalogue.ts';
import type { Dialect, Venue } from '../dialect.ts';
import { difference, nestedArrays, objectText, product, requestIn, stringText } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import { unitsText, type WireTicker } from '../ticker.ts';
import { type Connection, MessageLimit } from '../ws-connection.ts';

interface Argument {
  readonly channel?: unknown;
  readonly instId?: unknown;
}

const restPath = '/api/v5/';
const connectionId = 'd604ccd0';
const hourMs = 3_600_000;
const candlesMax = 300;
const minutesOf: Readonly<Record<string, number>> = { '1m': 1, '1H': 60, '1D': 1440 };

/** OKX, spot. Topics are `tickers BTC/EUR`, `instruments` and `status`. */
export class OkxDialect implements Dialect {
  readonly livePath = '/ws/v5/public';
  readonly restPath = '';
  readonly calls = ['public/instruments', 'market/tickers', 'market/candles', 'system/status'];
  readonly endedState = 'suspend';
  readonly filler = '{"event":"subscribe","arg":{"channel":"tickers","instId":"NOPE-EUR"}}';
  readonly reconnectNotice =
    `{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"${connectionId}"}`;
  readonly garbage = {
    json: '{"arg":{"channel":"tickers","instId":"BTC-EUR"},"data":[{"instId":"BTC-EUR","bidPx":"',
    nested: `{"arg":{"channel":"weather"},"data":${nestedArrays}}`,
    channel: '{"arg":{"channel":"weather","instId":"BTC-EUR"},"data":[{"sky":"clear"}]}',
    symbol:
      '{"arg":{"channel":"tickers","instId":"NOPE-EUR"},"data":[{"instType":"SPOT","instId":"NOPE-EUR","bidPx":"1","askPx":"2"}]}',
  };
  readonly #venue: Venue;
  readonly #limit = new MessageLimit(480, hourMs);

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  callOf({ pathname }: URL): string | undefined {
    return pathname.startsWith(restPath) ? pathname.slice(restPath.length) : undefined;
  }

  answer(call: string, { searchParams }: URL): Reply {
    switch (call) {
      case 'public/instruments':
        return succeed(JSON.stringify(this.#instruments()));
      case 'market/tickers':
        return succeed(this.#tickers());
      case 'market/candles':
        return succeed(JSON.stringify(this.#candles(searchParams)));
      case 'system/status':
        return succeed(JSON.stringify(this.#venue.systemStatus === 'online' ? [] : [this.#maintenance()]));
      default:
        throw new Refusal('Unknown endpoint');
    }
  }

  refusal(message: string): Reply {
    return json(JSON.stringify({ code: '51000', msg: message, data: [] }));
  }

  received(client: Connection, text: string): void {
    const nowMs = this.#venue.clock.monotonicMs();
    if (text === 'ping') {
      client.send('pong', nowMs);
      return;
    }
    if (!this.#limit.takes(client, nowMs)) {
      client.close(1008);
      return;
    }
    const { op, args } = requestIn<{ op: unknown; args: unknown }>(text);
    if ((op !== 'subscribe' && op !== 'unsubscribe') || !Array.isArray(args)) {
      client.send(failure('60012', `Invalid request: ${text.slice(0, 100)}`), nowMs);
      return;
    }
    for (const argument of args as Argument[]) this.#follow(client, op, argument, nowMs);
  }

  tickerChanged(market: Market): void {
    const topic = topicOf(market.pair.symbol);
    if (this.#venue.clients.hasSubscribers(topic)) this.#venue.clients.publish(topic, this.#frame(market));
  }

  instrumentChanged(market: Market): void {
    this.#venue.clients.publish('instruments', instrumentsFrame([this.#instrument(market)]));
  }

  statusChanged(): void {
    this.#venue.clients.publish('status', statusFrame(this.#maintenance()));
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number): void {
    client.send(framed(market, tickerText(market, values, atUs)), this.#venue.clock.monotonicMs());
  }

  #follow(client: Connection, op: 'subscribe' | 'unsubscribe', argument: Argument, nowMs: number): void {
    const { channel } = argument;
    const symbol = String(argument.instId).replace('-', '/');
    if (channel === 'tickers' && op === 'subscribe' && this.#venue.isRejected(symbol)) {
      client.send(failure('60018', `channel:tickers,instId:${argument.instId} doesn't exist`), nowMs);
      return;
    }
    const isTicker = channel === 'tickers' && op === 'subscribe';
    const full = isTicker
      ? this.#venue.fullFor(client, [symbol], 'The number of subscribed channels exceeds the maximum limit')
      : undefined;
    if (full !== undefined) {
      client.send(failure('60012', full), nowMs);
      return;
    }
    const topic = channel === 'tickers' ? topicOf(symbol) : String(channel);
    this.#venue.clients.follow(client, topic, op === 'subscribe');
    client.send(JSON.stringify({ event: op, arg: argument, connId: connectionId }), nowMs);
    const first = op === 'subscribe' ? this.#first(topic, symbol) : undefined;
    if (first !== undefined) client.send(first, nowMs);
  }

  /** What follows an acknowledgement at once. */
  #first(topic: string, symbol: string): string | undefined {
    if (topic === 'instruments') {
      return instrumentsFrame(this.#venue.listed.map((market) => this.#instrument(market)));
    }
    // Only the latest change of all comes at once: here that of another service.
    if (topic === 'status') return statusFrame(otherMaintenance);
    const market = this.#venue.exchange.listed(symbol);
    return market === undefined || this.#venue.isMuted(symbol) ? undefined : this.#frame(market);
  }

  #maintenance(): object {
    const state = this.#venue.systemStatus === 'online' ? 'completed' : 'ongoing';
    return { title: 'Trading account system upgrade', state, serviceType: '5', system: 'unified', env: '1' };
  }

  #frame(market: Market): string {
    return framed(market, tickerText(market, this.#venue.values(market, 'ws'), this.#venue.changedAtUs(market)));
  }

  #instruments(): object[] {
    const isEmpty = this.#venue.faults.find('catalogue-empty') !== undefined;
    return isEmpty ? [] : this.#venue.listed.map((market) => this.#instrument(market));
  }

  #instrument({ pair, status }: Market): object {
    return {
      instType: 'SPOT',
      instId: nameOf(pair.symbol),
      baseCcy: pair.base,
      quoteCcy: pair.quote,
      tickSz: tickText(pair),
      lotSz: unitsText(1, pair.lotDecimals),
      minSz: pair.orderMin,
      settleCcy: '',
      state: stateOf(status),
    };
  }

  #tickers(): string {
    const traded = this.#venue.traded;
    const texts = traded.map((market) =>
      tickerText(market, this.#venue.values(market, 'rest'), this.#venue.changedAtUs(market)),
    );
    return `[${texts.join(',')}]`;
  }

  /** Newest first. */
  #candles(query: URLSearchParams): unknown[] {
    const market = this.#venue.exchange.listed((query.get('instId') ?? '').replace('-', '/'));
    const minutes = minutesOf[query.get('bar') ?? '1m'];
    if (market === undefined || minutes === undefined) throw new Refusal('Parameter instId or bar error');
    const limit = Math.min(candlesMax, Number(query.get('limit') ?? 100));
    const rows = candles(market, minutes, this.#venue.clock.now(), undefined).slice(-limit).reverse();
    return rows.map(([seconds, open, high, low, close, , volume]) => {
      return [String(seconds * 1000), open, high, low, close, volume, '0', '0', '1'];
    });
  }
}

/** `BTC-EUR` */
function nameOf(symbol: string): string {
  return symbol.replace('/', '-');
}

function topicOf(symbol: string): string {
  return `tickers ${symbol}`;
}

function stateOf(status: Market['status']): string {
  if (status === 'online') return 'live';
  return status === 'post_only' ? 'post_only' : 'suspend';
}

const otherMaintenance = {
  title: 'Copy trading system scheduled maintenance',
  state: 'completed',
  serviceType: '11',
  system: 'unified',
  env: '1',
};

function statusFrame(maintenance: object): string {
  return JSON.stringify({ arg: { channel: 'status' }, data: [maintenance] });
}

function instrumentsFrame(data: readonly object[]): string {
  return JSON.stringify({ arg: { channel: 'instruments', instType: 'SPOT' }, data });
}

function framed({ pair }: Market, entry: string): string {
  return `{"arg":{"channel":"tickers","instId":"${nameOf(pair.symbol)}"},"data":[${entry}]}`;
}

/** A value that is missing is an empty text. */
function tickerText({ pair }: Market, values: WireTicker, atUs: number | undefined): string {
  const text = (value: string | undefined) => stringText(value) ?? '""';
  return objectText({
    instType: '"SPOT"',
    instId: `"${nameOf(pair.symbol)}"`,
    last: text(values.last),
    askPx: text(values.ask),
    askSz: text(values.ask_qty),
    bidPx: text(values.bid),
    bidSz: text(values.bid_qty),
    open24h: text(difference(values.last, values.change)),
    high24h: text(values.high),
    low24h: text(values.low),
    volCcy24h: text(product(values.volume, values.vwap)),
    vol24h: text(values.volume),
    ts: atUs === undefined ? '""' : `"${Math.floor(atUs / 1000)}"`,
  });
}

function succeed(data: string): Reply {
  return json(`{"code":"0","msg":"","data":${data}}`);
}

function failure(code: string, msg: string): string {
  return JSON.stringify({ event: 'error', code, msg, connId: connectionId });
}
