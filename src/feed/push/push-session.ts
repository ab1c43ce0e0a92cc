import type { Clock } from '../../ground/clock.ts';
import { isAbove, isPositive, toBig } from '../../market/decimal.ts';
import type { UpstreamMarket } from '../../market/upstream.ts';
import {
  closeCodes,
  type EngineMessage,
  isRefusal,
  type PushErrorCode,
  type PushedMarket,
  type PushedTicker,
  type ResyncReason,
  readMessage,
  type ServiceMessage,
} from './messages.ts';

/** The connection below a session, as far as a session uses it. */
export interface PushTransport {
  send(message: ServiceMessage): void;
  /** Ends it with a closing frame of this code. */
  close(code: number): void;
  /** Bytes the engine has not taken yet. */
  unsentBytes(): number;
}

/** The events of a session. */
export interface PushListener {
  /**
   * The engine identified its run. Returns false when a later run of it is, or was, connected: the session ends then.
   */
  helloReceived(session: PushSession, epoch: number): boolean;
  /** Returns why the markets cannot be, by field; `undefined` when they are taken. */
  catalogueReceived(markets: readonly PushedMarket[]): string | undefined;
  isListed(symbol: string): boolean;
  tickerReceived(ticker: PushedTicker, isSnapshot: boolean): void;
  /** A snapshot has ended: no other market has a price. */
  snapshotEnded(symbols: ReadonlySet<string>): void;
  /** A message of any kind. */
  messageReceived(): void;
  ended(session: PushSession, detail: string): void;
}

const helloWithinMs = 5_000;
const heartbeatTimeoutMs = 3_000;
const unsentBytesMax = 64 * 1024;
/** An engine without a change sends its state again: a heartbeat alone proves no price. */
const quietAfterMs = 5_000;
const ackEveryMs = 250;
/** Clocks of two machines differ a little. */
const aheadMsMax = 1_000;
/** No market has such a spread: one side of it is a mistake. */
const askFactorMax = 10;

/**
 * One connection of an engine: its messages in their order, sequence and time limits. It judges form alone; the market
 * room judges prices.
 */
export class PushSession {
  readonly #clock: Clock;
  readonly #transport: PushTransport;
  readonly #listener: PushListener;
  readonly #startedAtMs: number;
  readonly #watch: { cancel(): void };
  #heardAtMs: number;
  #tickerAtMs: number;
  /** `asked`: for a snapshot that has not begun. Tickers count within one and after it. */
  #phase: 'opened' | 'greeted' | 'asked' | 'snapshot' | 'changes' = 'opened';
  #hasCatalogue = false;
  /** The markets of the snapshot. */
  #bracketed = new Set<string>();
  /** `undefined`: any number may come. */
  #expectedSeq: number | undefined;
  #seen = 0;
  #acked = 0;
  #hasEnded = false;

  constructor(clock: Clock, transport: PushTransport, listener: PushListener) {
    this.#clock = clock;
    this.#transport = transport;
    this.#listener = listener;
    this.#startedAtMs = clock.monotonicMs();
    this.#heardAtMs = this.#startedAtMs;
    this.#tickerAtMs = this.#startedAtMs;
    this.#watch = clock.every(ackEveryMs, () => this.#check());
  }

  /** Takes one text frame. */
  received(text: string): void {
    if (this.#hasEnded) return;
    this.#heardAtMs = this.#clock.monotonicMs();
    this.#listener.messageReceived();
    const read = readMessage(text);
    if (!isRefusal(read)) {
      if (this.#isInTurn(read)) this.#take(read);
    } else if (this.#hasHello) {
      if (read.ticker === undefined || !this.#countsTickers) this.#refuse(read.code, read.message);
      else if (this.#isNext(read.ticker)) this.#refuse(read.code, read.message, read.ticker.seq);
    } else {
      this.#fail(read.code, read.message);
    }
  }

  /** Asks for the whole state again. */
  resync(reason: ResyncReason, expectedSeq?: number): void {
    if (this.#hasEnded || !this.#hasHello || this.#phase === 'asked') return;
    this.#phase = 'asked';
    this.#transport.send({ type: 'resync', reason, ...(expectedSeq !== undefined && { expectedSeq }) });
  }

  /** A later run of the engine took over. */
  fence(): void {
    this.#fail('FENCED', 'A later run of the engine is connected. End this one, or start it with a higher epoch.');
  }

  /** The connection is gone. */
  closed(): void {
    this.end();
    this.#listener.ended(this, 'the engine closed the connection');
  }

  /** Ends the session without an event; with a code, its connection too. */
  end(code?: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watch.cancel();
    if (code !== undefined) this.#transport.close(code);
  }

  get #hasHello(): boolean {
    return this.#phase !== 'opened';
  }

  get #countsTickers(): boolean {
    return this.#phase === 'snapshot' || this.#phase === 'changes';
  }

  #isInTurn({ type }: EngineMessage): boolean {
    if (this.#hasHello === (type !== 'hello')) {
      if (type !== 'snapshot' || this.#hasCatalogue) return true;
      this.#fail('OUT_OF_TURN', 'snapshot: send the catalogue of this connection first.');
    } else if (this.#hasHello) {
      this.#fail('OUT_OF_TURN', 'hello: was sent on this connection already.');
    } else {
      this.#fail('OUT_OF_TURN', `${type}: a connection begins with hello.`);
    }
    return false;
  }

  #take(message: EngineMessage): void {
    switch (message.type) {
      case 'hello':
        this.#phase = 'greeted';
        if (this.#listener.helloReceived(this, message.epoch)) this.resync('connected');
        else this.fence();
        return;
      case 'catalogue':
        this.#takeCatalogue(message.markets);
        return;
      case 'snapshot':
        this.#takeBracket(message.phase);
        return;
      case 'ticker':
        if (this.#countsTickers && this.#isNext(message)) this.#takeTicker(message);
        return;
      case 'heartbeat':
        if (this.#countsTickers && this.#expectedSeq !== undefined && message.lastSeq >= this.#expectedSeq) {
          this.resync('gap', this.#expectedSeq);
        }
    }
  }

  #takeCatalogue(markets: readonly PushedMarket[]): void {
    const fault = this.#listener.catalogueReceived(markets);
    if (fault === undefined) this.#hasCatalogue = true;
    else this.#refuse('INVALID_MESSAGE', fault);
  }

  #takeBracket(phase: 'begin' | 'end'): void {
    if (phase === 'begin') {
      this.#phase = 'snapshot';
      this.#expectedSeq = undefined;
      this.#bracketed = new Set();
    } else if (this.#phase === 'snapshot') {
      this.#phase = 'changes';
      this.#listener.snapshotEnded(this.#bracketed);
    }
  }

  /** Counts a ticker in the sequence, whatever is in it. Returns false for one that is not the next. */
  #isNext({ seq, symbol }: Pick<PushedTicker, 'seq' | 'symbol'>): boolean {
    const expected = this.#expectedSeq ?? seq;
    if (seq > expected) this.resync('gap', expected);
    if (seq !== expected) return false;
    this.#expectedSeq = seq + 1;
    this.#tickerAtMs = this.#clock.monotonicMs();
    this.#seen = seq;
    if (this.#phase === 'snapshot') this.#bracketed.add(symbol);
    return true;
  }

  #takeTicker(ticker: PushedTicker): void {
    const [code, message] = this.#faultOf(ticker) ?? [];
    if (code === undefined) this.#listener.tickerReceived(ticker, this.#phase === 'snapshot');
    else this.#refuse(code, message!, ticker.seq);
  }

  #faultOf({ symbol, time, bid, ask, high24h, low24h }: PushedTicker): readonly [PushErrorCode, string] | undefined {
    if (!this.#listener.isListed(symbol)) return ['UNKNOWN_SYMBOL', `symbol: ${symbol} is not in the catalogue.`];
    if (time > this.#clock.now() + aheadMsMax) {
      return [
        'FUTURE_TIME',
        `time: ${time} is in the future; it is ${this.#clock.now()} here. Set the clock of the engine.`,
      ];
    }
    if (!isPositive(bid)) return ['INVALID_PRICE', 'bid: must be above zero.'];
    if (isAbove(bid, ask)) return ['INVALID_PRICE', 'ask: is below the bid.'];
    if (toBig(ask).gt(toBig(bid).times(askFactorMax)))
      return ['INVALID_PRICE', `ask: is more than ${askFactorMax} times the bid.`];
    return isAbove(low24h, high24h) ? ['INVALID_PRICE', 'high24h: is below low24h.'] : undefined;
  }

  #refuse(code: PushErrorCode, message: string, seq?: number): void {
    this.#transport.send({ type: 'error', code, message, ...(seq !== undefined && { seq }), fatal: false });
  }

  #fail(code: PushErrorCode & keyof typeof closeCodes, message: string): void {
    if (this.#hasEnded) return;
    this.#transport.send({ type: 'error', code, message, fatal: true });
    this.end(closeCodes[code].code);
    this.#listener.ended(this, code);
  }

  #acknowledge(): void {
    if (this.#seen === this.#acked) return;
    this.#acked = this.#seen;
    this.#transport.send({ type: 'ack', seq: this.#seen });
  }

  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#hasHello && nowMs - this.#startedAtMs >= helloWithinMs) {
      this.#fail('OUT_OF_TURN', `No hello within ${helloWithinMs} ms.`);
    } else if (nowMs - this.#heardAtMs >= (this.#hasHello ? heartbeatTimeoutMs : helloWithinMs)) {
      this.#fail('SILENT', `No message for ${heartbeatTimeoutMs} ms. Send a heartbeat every second.`);
    } else if (this.#transport.unsentBytes() > unsentBytesMax) {
      this.#fail('SLOW', 'Answers are not read.');
    } else {
      if (nowMs - this.#tickerAtMs >= quietAfterMs) this.resync('quiet');
      this.#acknowledge();
    }
  }
}

/** The markets of a catalogue as the feed knows them, or what is wrong with one of them. */
export function upstreamMarkets(markets: readonly PushedMarket[]): readonly UpstreamMarket[] | string {
  const found = new Map<string, UpstreamMarket>();
  for (const [index, market] of markets.entries()) {
    const symbol = `${market.base}${market.quote}` as UpstreamMarket['symbol'];
    if (found.has(symbol)) return `markets.${index}: ${symbol} is listed twice.`;
    for (const name of ['tickSize', 'minOrderSize'] as const) {
      if (!/[1-9]/.test(market[name])) return `markets.${index}.${name}: must be above zero.`;
    }
    found.set(symbol, { ...market, symbol, minOrderValue: market.minOrderValue } as UpstreamMarket);
  }
  return [...found.values()];
}
