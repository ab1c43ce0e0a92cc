import type { Clock, Randomness } from '../src/ground/clock.ts';
import { Clients } from './clients.ts';
import type { Exchange } from './exchange.ts';
import { corrupted, type FaultBoard } from './fault-board.ts';
import { numberOf, textOf } from './fault-request.ts';
import type { Market } from './market-walk.ts';
import type { Reply } from './reply.ts';
import type { WireTicker } from './ticker.ts';
import { wireClock } from './wire-clock.ts';
import type { Connection } from './ws-connection.ts';

/**
 * The protocol of one exchange. The market, the faults, the sockets and the bounds on them are the same for
 * all; a dialect is a folder that implements this. It holds no timers.
 */
export interface Dialect {
  /** Where its WebSocket is, for example `/v2`. */
  readonly livePath: string;
  /** The base of REST below the port, for example `/v2`; empty where its calls begin at the root. */
  readonly restPath: string;
  /** The names of its REST calls, for counting and for the faults' `call`. */
  readonly calls: readonly string[];
  /** Which call this is; `undefined`: there is nothing at this path. */
  callOf(url: URL): string | undefined;
  answer(call: string, url: URL): Reply;
  /** The answer to a request that it refuses with this text. */
  refusal(message: string): Reply;
  /** A client has connected: sends the first messages, where the exchange has any. */
  greet?(client: Connection): void;
  /** One message of a client. */
  received(client: Connection, text: string): void;
  /** Ten times a second for each connection: heartbeats, and frames that are collected before they are sent. */
  beat?(client: Connection, nowMs: number): void;
  /** A market's bid or ask changed, and perhaps its last price. Not called for a market that a fault mutes. */
  tickerChanged(market: Market, lastChanged: boolean): void;
  /** A pair was listed, delisted or changed its status. Absent where states are in the catalogue alone. */
  instrumentChanged?(market: Market): void;
  /** The fault `system-status` began or ended. Absent likewise. */
  statusChanged?(): void;
  /** A whole ticker with these values, as it would have been sent at that instant. */
  oldTicker(client: Connection, market: Market, values: WireTicker, atUs: number, type: 'snapshot' | 'update'): void;
  /** Truncated JSON, 100,000 nested arrays, a channel that does not exist, a ticker of a symbol that does not exist. */
  readonly garbage: {
    readonly json: string;
    readonly nested?: string;
    readonly channel?: string;
    readonly symbol?: string;
  };
  /** A valid message without meaning, an object. */
  readonly filler: string;
  /** Its word for a pair that stays in the list after its end; absent where such a pair is taken out of it. */
  readonly endedState?: string;
  /** The announcement that the connection will end; `undefined`: the exchange has none. */
  readonly reconnectNotice?: string;
}

/** What a dialect is constructed with: the market of one exchange, its faults, its clock and its clients. */
export class Venue {
  readonly clock: Clock;
  /** For ids; the market has its own. */
  readonly randomness: Randomness;
  readonly exchange: Exchange;
  readonly faults: FaultBoard;
  readonly clients: Clients;
  readonly #nowUs: () => number;

  constructor(options: Pick<Venue, 'clock' | 'randomness' | 'exchange' | 'faults'>) {
    this.clock = options.clock;
    this.randomness = options.randomness;
    this.exchange = options.exchange;
    this.faults = options.faults;
    this.clients = new Clients(options.clock);
    this.#nowUs = wireClock(options.clock);
  }

  /** The exchange's own clock in microseconds since the epoch: the fault `clock-skew` is in it. */
  nowUs(): number {
    return this.skewed(this.#nowUs());
  }

  /** An instant as the exchange's own clock has it. */
  skewed(epochUs: number): number {
    const skew = this.faults.find('clock-skew');
    return epochUs + (skew === undefined ? 0 : numberOf(skew, 'ms') * 1000);
  }

  /** When the market last changed; `undefined` while a fault removes times. */
  changedAtUs(market: Market): number | undefined {
    return this.faults.find('no-timestamp') === undefined ? this.skewed(market.changedAtUs) : undefined;
  }

  /** What is sent of a market now: its values with the faults applied. */
  values(market: Market, path: 'ws' | 'rest'): WireTicker {
    const values = market.values(this.clock.now());
    const zero = '0.00000000';
    const last = market.status === 'ended' ? { ...values, bid: zero, ask: zero } : values;
    return corrupted(this.faults, market.pair.symbol, path, last);
  }

  /** No ticker of this market is sent on live connections. */
  isMuted(symbol: string): boolean {
    return this.faults.find('mute') !== undefined || this.faults.find('mute-symbol', symbol) !== undefined;
  }

  isRejected(symbol: string): boolean {
    return this.exchange.listed(symbol) === undefined || this.faults.find('reject', symbol) !== undefined;
  }

  /**
   * The words that refuse a client these symbols on its connection: those of the fault, or the exchange's own.
   * `undefined` while it takes them.
   */
  fullFor(client: Connection, symbols: readonly string[], own: string): string | undefined {
    const fault = this.faults.find('session-limit');
    if (fault === undefined) return undefined;
    const isFull = client.symbols.union(new Set(symbols)).size > numberOf(fault, 'streams');
    return isFull ? (textOf(fault, 'message') ?? own) : undefined;
  }

  /** The state that the exchange announces for itself: `online`, or that of the fault `system-status`. */
  get systemStatus(): string {
    const fault = this.faults.find('system-status');
    return (fault && textOf(fault, 'status')) ?? 'online';
  }

  get beatsHeart(): boolean {
    return this.faults.find('no-heartbeat') === undefined;
  }

  /** The markets that are not delisted. */
  get traded(): readonly Market[] {
    return [...this.exchange.markets.values()].filter(({ status }) => status !== 'delisted');
  }

  /** The markets that REST lists. */
  get listed(): readonly Market[] {
    const hidden = this.faults.all('pair-unlisted');
    return this.traded.filter(({ pair }) => hidden.every(({ symbols }) => symbols?.includes(pair.symbol) !== true));
  }
}
