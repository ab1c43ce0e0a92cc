import type { Dialect, Venue } from '../dialect.ts';
import { nestedArrays } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, type Reply } from '../reply.ts';
import type { WireTicker } from '../ticker.ts';
import { wireTime } from '../wire-clock.ts';
import type { Connection } from '../ws-connection.ts';
import { KrakenRest, krakenCalls } from './rest.ts';
import {
  type EventTrigger,
  heartbeat,
  instrumentSnapshot,
  instrumentUpdate,
  statusMessage,
  type Times,
  tickerFrame,
} from './ws-messages.ts';
import { answerRequest, type Subscriptions } from './ws-requests.ts';

const heartbeatAfterMs = 1_000;
const restPath = '/0/public/';
const triggers: readonly EventTrigger[] = ['bbo', 'trades'];

/** Kraken: REST and version 2 of its WebSocket. Topics are `instrument`, `bbo BTC/EUR` and `trades BTC/EUR`. */
export class KrakenDialect implements Dialect, Subscriptions {
  readonly livePath = '/v2';
  readonly restPath = '';
  readonly calls = krakenCalls;
  readonly filler = heartbeat;
  readonly garbage = {
    json: '{"channel":"ticker","type":"update","data":[{"symbol":"BTC/EUR","bid":',
    nested: `{"channel":"ticker","data":${nestedArrays}}`,
    channel: '{"channel":"weather","type":"update","data":[{"symbol":"BTC/EUR","sky":"clear"}]}',
    symbol:
      '{"channel":"ticker","type":"update","data":[{"symbol":"NOPE/EUR","bid":1.0,"bid_qty":1.0,"ask":1.1,"ask_qty":1.0,"last":1.0,"volume":1.0,"vwap":1.0,"low":1.0,"high":1.1,"change":0.0,"change_pct":0.00,"trades":1}]}',
  };
  readonly #venue: Venue;
  readonly #rest: KrakenRest;

  constructor(venue: Venue) {
    this.#venue = venue;
    this.#rest = new KrakenRest(venue);
  }

  callOf({ pathname }: URL): string | undefined {
    return pathname.startsWith(restPath) ? pathname.slice(restPath.length) : undefined;
  }

  answer(call: string, url: URL): Reply {
    return this.#rest.answer(call, url.searchParams);
  }

  refusal(message: string): Reply {
    return json(JSON.stringify({ error: [message] }));
  }

  greet(client: Connection): void {
    client.send(statusMessage(this.#venue.systemStatus, client.id), this.#venue.clock.monotonicMs());
  }

  received(client: Connection, text: string): void {
    const time_in = wireTime(this.#venue.nowUs());
    const times = (): Times => ({ time_in, time_out: wireTime(this.#venue.nowUs()) });
    const answers = answerRequest(client, text, this, times);
    const nowMs = this.#venue.clock.monotonicMs();
    for (const answer of answers) client.send(answer, nowMs);
  }

  beat(client: Connection, nowMs: number): void {
    const isDue = client.topics.size > 0 && nowMs - client.lastSentMs >= heartbeatAfterMs;
    if (isDue && this.#venue.beatsHeart) client.send(heartbeat, nowMs);
  }

  tickerChanged(market: Market, lastChanged: boolean): void {
    const { clients } = this.#venue;
    const [best, trades] = triggers.map((trigger) => `${trigger} ${market.pair.symbol}`) as [string, string];
    const reached = [best, ...(lastChanged ? [trades] : [])].filter((topic) => clients.hasSubscribers(topic));
    if (reached.length === 0) return;
    const frame = this.#frame('update', market);
    for (const topic of reached) clients.publish(topic, frame);
  }

  instrumentChanged(market: Market): void {
    this.#venue.clients.publish('instrument', instrumentUpdate(market));
  }

  statusChanged(): void {
    this.#venue.clients.each((client) => this.greet(client));
  }

  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number, type: 'snapshot' | 'update'): void {
    client.send(tickerFrame(type, market.pair.symbol, values, wireTime(atUs)), this.#venue.clock.monotonicMs());
  }

  addTicker(client: Connection, symbol: string, trigger: EventTrigger): string | undefined {
    if (this.#venue.isRejected(symbol)) return `Currency pair not supported ${symbol}`;
    if (this.triggerOf(client, symbol) !== undefined) return 'Already subscribed';
    const full = this.#venue.fullFor(client, [symbol], 'EGeneral:Too many subscriptions');
    if (full === undefined) this.#venue.clients.subscribe(client, `${trigger} ${symbol}`);
    return full;
  }

  triggerOf(client: Connection, symbol: string): EventTrigger | undefined {
    return triggers.find((trigger) => client.topics.has(`${trigger} ${symbol}`));
  }

  removeTicker(client: Connection, symbol: string): void {
    for (const trigger of triggers) this.#venue.clients.unsubscribe(client, `${trigger} ${symbol}`);
  }

  followInstruments(client: Connection, isWanted: boolean): void {
    this.#venue.clients.follow(client, 'instrument', isWanted);
  }

  tickerSnapshot(symbol: string): string | undefined {
    const market = this.#venue.exchange.listed(symbol);
    return market === undefined || this.#venue.isMuted(symbol) ? undefined : this.#frame('snapshot', market);
  }

  instrumentSnapshot(): string {
    return instrumentSnapshot(this.#venue.exchange.entries.values(), this.#venue.exchange.markets);
  }

  #frame(type: 'snapshot' | 'update', market: Market): string {
    const changedAtUs = this.#venue.changedAtUs(market);
    const time = changedAtUs === undefined ? undefined : wireTime(changedAtUs);
    return tickerFrame(type, market.pair.symbol, this.#venue.values(market, 'ws'), time);
  }
}
