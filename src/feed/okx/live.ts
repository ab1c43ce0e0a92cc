import type { Clock } from '../../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LivePair } from '../connector.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { asList, asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { instrumentStatus } from './catalogue.ts';
import { readTicker } from './prices.ts';

interface OkxLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
}

/** A connection takes 480 operations an hour; this makes at most 470. Pings are not operations. */
export const okxPace = { intervalMs: 8_000, burst: 20 };
/** Arguments in one operation, which may have 64 KB: one takes some 50 bytes. */
const batchMax = 200;
/** The code of the notice that the connection will be ended for an upgrade of the service. */
const upgradeNotice = '64008';
/** WebSocket and spot trading, of the services that a maintenance can be of. */
const ourServices: ReadonlySet<unknown> = new Set(['0', '1']);

/**
 * OKX's public channels: `tickers` (at most ten times a second for each instrument, whole values), `instruments` (states)
 * and `status` (maintenance of the exchange). Keep-alives are the bare texts `ping` and `pong`.
 */
export class OkxLive implements LiveProtocol {
  readonly #options: OkxLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;
  /** Instruments whose first ticker on this connection has arrived: the first is a snapshot. */
  readonly #seen = new Set<MarketSymbol>();

  constructor(options: OkxLiveOptions, channel: LiveChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#subscriptions = new Subscriptions({
      clock: options.clock,
      style: 'each',
      batchMax,
      listener: channel.emit,
      send: (op, symbols, _request, sent) => channel.send({ op, args: this.#tickersOf(symbols) }, sent),
    });
  }

  opened(): void {
    const args = [{ channel: 'instruments', instType: 'SPOT' }, { channel: 'status' }];
    this.#channel.send({ op: 'subscribe', args });
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#seen.delete(symbol);
    this.#subscriptions.resubscribe(symbols);
  }

  ping(): void {
    this.#channel.sendNow('ping');
  }

  stop(): void {
    this.#subscriptions.stop();
  }

  received(text: string): void {
    if (text === 'pong') return;
    const frame = asObject(parsePlain(text)) ?? {};
    if (frame.event !== undefined) this.#answered(frame);
    else this.#pushed(asText(asObject(frame.arg)?.channel), asList(frame.data));
  }

  #tickersOf(symbols: readonly MarketSymbol[]): object[] {
    const names = symbols.flatMap((symbol) => this.#options.directory.bySymbol.get(symbol)?.liveName ?? []);
    return names.map((instId) => ({ channel: 'tickers', instId }));
  }

  #answered(frame: WireObject): void {
    switch (frame.event) {
      case 'subscribe':
      case 'unsubscribe':
        this.#acknowledged(frame.event, asObject(frame.arg));
        break;
      case 'error':
        this.#refused(asText(frame.msg) ?? '');
        break;
      case 'notice':
        if (frame.code === upgradeNotice) this.#channel.announceEnd('the service is upgraded');
        break;
      default:
        this.#channel.dropped('unknown_kind');
    }
  }

  #acknowledged(event: 'subscribe' | 'unsubscribe', argument: WireObject | undefined): void {
    const symbol = this.#symbolOf(argument?.instId);
    if (symbol === undefined || argument?.channel !== 'tickers') return;
    if (event === 'subscribe') this.#subscriptions.accepted(symbol);
    else this.#subscriptions.unsubscribed(symbol);
  }

  /** `channel:tickers,instId:BTC-XXX doesn't exist`. Without an instrument the deadline decides. */
  #refused(message: string): void {
    const symbol = this.#symbolOf(/\binstId:([^\s,]+)/.exec(message)?.[1]);
    if (symbol === undefined) this.#channel.dropped('unknown_kind');
    else this.#subscriptions.refused(symbol);
  }

  #pushed(channel: string | undefined, data: readonly unknown[] | undefined): void {
    if (data === undefined) {
      this.#channel.dropped(channel === undefined ? 'unknown_kind' : 'malformed');
      return;
    }
    const entries = data.map((value) => asObject(value) ?? {});
    if (channel === 'tickers') this.#tickers(entries);
    else if (channel === 'instruments') this.#instruments(entries);
    else if (channel === 'status') this.#status(entries);
    else this.#channel.dropped('unknown_kind');
  }

  #tickers(entries: readonly WireObject[]): void {
    const receivedAt = this.#options.clock.now();
    for (const entry of entries) {
      const symbol = this.#symbolOf(entry.instId);
      if (symbol === undefined) {
        this.#channel.dropped('unknown_symbol');
        continue;
      }
      const ticker: UpstreamTicker = readTicker(symbol, entry, { path: 'live', askedAt: receivedAt, receivedAt });
      this.#subscriptions.delivered(symbol);
      const isSnapshot = !this.#seen.has(symbol);
      this.#seen.add(symbol);
      this.#channel.emit({ type: 'ticker', isSnapshot, tickers: [ticker] });
    }
  }

  #instruments(entries: readonly WireObject[]): void {
    const pairs = entries.flatMap((entry): LivePair | [] => {
      const name = asText(entry.instId)?.slice(0, 40);
      if (name === undefined || entry.instType !== 'SPOT') return [];
      const isOurs = this.#options.quotes.some((quote) => quote === entry.quoteCcy);
      return { name, symbol: this.#symbolOf(name), isOurs, status: instrumentStatus(entry.state) };
    });
    this.#channel.emit({ type: 'instruments', pairs });
  }

  /** A maintenance of another service says nothing of ours. */
  #status(entries: readonly WireObject[]): void {
    for (const { serviceType, state } of entries) {
      const word = asText(state)?.slice(0, 20);
      if (ourServices.has(serviceType) && word !== undefined) {
        this.#channel.emit({ type: 'system', status: word === 'ongoing' ? 'maintenance' : `maintenance ${word}` });
      }
    }
  }

  #symbolOf(name: unknown): MarketSymbol | undefined {
    return this.#options.directory.byLiveName.get(asText(name) ?? '')?.symbol;
  }
}
