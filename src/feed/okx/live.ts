import type { MarketSymbol } from '../../market/symbol.ts';
import type { LivePair } from '../connector.ts';
import type { SocketTraits } from '../connector-base.ts';
import { type LiveChannel, type LiveParts, LiveProtocol } from '../live-protocol.ts';
import { asObject, asText, parsePlain, requireList, type WireObject } from '../wire.ts';
import { instrumentStatus, readTicker } from './messages.ts';

export const okxSocket: SocketTraits = {
  /** A connection takes 480 operations an hour; this makes at most 470. Pings are not operations. */
  pace: { intervalMs: 8_000, burst: 20 },
  /** All instruments are one frame, of about 700 bytes each. */
  frameBytesMax: 4_194_304,
};
/** The notice that the connection will be closed for a service upgrade. */
const upgradeNotice = '64008';
/** The `serviceType` of WebSocket and of spot trading. */
const ourServices: ReadonlySet<unknown> = new Set(['0', '1']);

/**
 * OKX's public channels: `tickers` (at most ten times a second for each instrument, whole values), `instruments` (states)
 * and `status` (maintenance of the exchange). Keep-alives are the bare texts `ping` and `pong`.
 */
export class OkxLive extends LiveProtocol {
  /** Instruments whose first ticker on this connection has arrived: the first is a snapshot. */
  readonly #seen = new Set<MarketSymbol>();

  constructor(parts: LiveParts, channel: LiveChannel) {
    // One operation may have 64 KB, of which an instrument takes some 50 bytes.
    super(parts, channel, { style: 'each', batchMax: 200 });
  }

  override opened(): void {
    const args = [{ channel: 'instruments', instType: 'SPOT' }, { channel: 'status' }];
    this.channel.send({ op: 'subscribe', args });
  }

  override resubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#seen.delete(symbol);
    super.resubscribe(symbols);
  }

  override ping(): void {
    this.channel.sendNow('ping');
  }

  received(text: string): void {
    if (text === 'pong') return;
    const frame = asObject(parsePlain(text)) ?? {};
    if (frame.event === undefined) this.#pushed(asObject(frame.arg)?.channel, frame.data);
    else this.#answered(frame);
  }

  protected request(op: string, names: readonly string[]): object {
    return { op, args: names.map((instId) => ({ channel: 'tickers', instId })) };
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
        if (frame.code === upgradeNotice) this.channel.announceEnd('the service is upgraded');
        break;
      default:
        this.channel.dropped('unknown_kind');
    }
  }

  #acknowledged(event: 'subscribe' | 'unsubscribe', argument: WireObject | undefined): void {
    const symbol = this.symbolOf(argument?.instId);
    if (symbol === undefined || argument?.channel !== 'tickers') return;
    if (event === 'subscribe') this.subscriptions.accepted(symbol);
    else this.subscriptions.unsubscribed(symbol);
  }

  /** `channel:tickers,instId:BTC-XXX doesn't exist`. An error without an instrument refuses none: the subscription times out. */
  #refused(message: string): void {
    const symbol = this.symbolOf(/\binstId:([^\s,]+)/.exec(message)?.[1]);
    if (symbol === undefined) this.channel.dropped('unknown_kind');
    else this.subscriptions.refused(symbol);
  }

  #pushed(channel: unknown, data: unknown): void {
    if (channel === 'tickers') this.#tickers(requireList(data, channel));
    else if (channel === 'instruments') this.#instruments(requireList(data, channel));
    else if (channel === 'status') this.#status(requireList(data, channel));
    else this.channel.dropped('unknown_kind');
  }

  #tickers(entries: readonly WireObject[]): void {
    for (const ticker of this.readTickers(entries, 'instId', readTicker)) {
      const isSnapshot = !this.#seen.has(ticker.symbol);
      this.#seen.add(ticker.symbol);
      this.emitTicker(ticker, isSnapshot);
    }
  }

  #instruments(entries: readonly WireObject[]): void {
    const pairs = entries.flatMap(({ instId, instType, quoteCcy, state }): LivePair | [] => {
      const name = asText(instId);
      if (name === undefined || instType !== 'SPOT') return [];
      return this.livePair(name, quoteCcy, instrumentStatus(state));
    });
    this.channel.emit({ type: 'instruments', pairs });
  }

  /** Maintenance of another service does not concern the feed. */
  #status(entries: readonly WireObject[]): void {
    for (const { serviceType, state } of entries) {
      const word = asText(state)?.slice(0, 20);
      if (ourServices.has(serviceType) && word !== undefined) {
        this.channel.emit({ type: 'system', status: word === 'ongoing' ? 'maintenance' : `maintenance ${word}` });
      }
    }
  }
}
