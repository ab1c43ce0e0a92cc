import type { LivePair } from '../connector.ts';
import { LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import { asObject, asText, parseLossless, parsePlain, requireList, requireObject, type WireObject } from '../wire.ts';
import { commonCode, pairStatus, readLiveTicker } from './messages.ts';

export const krakenSocket: SocketTraits = {
  /** Kraken documents no limit on messages; 10 a second is moderate. */
  pace: { intervalMs: 100, burst: 2 },
  /** The catalogue is one frame, of about 400 bytes a pair: as much as can be configured. */
  frameBytesMax: 67_108_864,
  acknowledges: 'each',
  batchMax: 50,
};

/** `maintenance`, `cancel_only`, `post_only` and their like. */
const restricted = /^maintenance$|_only$/;

/** Version 2 of Kraken's WebSocket: the channels `ticker` (by best bid and offer), `instrument` and `status`. */
export class KrakenLive extends LiveProtocol {
  #pingCount = 0;

  override opened(): void {
    this.channel.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: true } });
  }

  override ping(): void {
    this.channel.sendNow({ method: 'ping', req_id: ++this.#pingCount });
  }

  received(text: string): void {
    // The catalogue frame has half a megabyte, and we read none of its numbers.
    const parse = text.startsWith('{"channel":"instrument"') ? parsePlain : parseLossless;
    const frame = requireObject(parse(text), 'frame');
    switch (frame.channel ?? frame.method) {
      case 'ticker':
        this.#tickers(frame);
        break;
      case 'instrument':
        this.#instruments(requireList(asObject(frame.data)?.pairs, 'pairs'));
        break;
      case 'status':
        this.#status(requireList(frame.data, 'status'));
        break;
      case 'subscribe':
      case 'unsubscribe':
        this.#acknowledged(frame);
        break;
      case 'heartbeat':
      case 'pong':
        break;
      default:
        this.dropped('unknown_kind');
    }
  }

  protected request(method: 'subscribe' | 'unsubscribe', symbol: readonly string[], request: number): object {
    const snapshot = method === 'subscribe' ? { snapshot: true } : {};
    return { method, params: { channel: 'ticker', symbol, event_trigger: 'bbo', ...snapshot }, req_id: request };
  }

  #tickers({ type, data }: WireObject): void {
    const entries = requireList(data, 'ticker');
    if (type === 'snapshot' || type === 'update') {
      this.emitTickers(this.readTickers(entries, 'symbol', readLiveTicker), type === 'snapshot');
    } else {
      this.dropped('malformed');
    }
  }

  #status([status]: readonly WireObject[]): void {
    const system = asText(status?.system);
    if (system === undefined) this.dropped('malformed');
    else this.channel.emit({ type: 'system', status: system.slice(0, 50), isTrading: !restricted.test(system) });
  }

  /** `BTC/EUR` is in the result or, of a refusal, in the frame itself; channels without symbols have none. */
  #acknowledged(frame: WireObject): void {
    const symbol = this.symbolOf(asObject(frame.result)?.symbol ?? frame.symbol);
    if (typeof frame.success !== 'boolean') this.dropped('malformed');
    else if (symbol === undefined || frame.method === 'unsubscribe') return;
    else if (frame.success || asText(frame.error)?.startsWith('Already subscribed'))
      this.subscriptions.accepted(symbol);
    else this.subscriptions.refused(symbol);
  }

  #instruments(entries: readonly WireObject[]): void {
    const pairs = entries.flatMap(({ symbol, quote, status }): LivePair | [] => {
      const name = asText(symbol);
      if (name === undefined) return [];
      return this.livePair(name, commonCode(asText(quote) ?? ''), status === 'delisted' ? status : pairStatus(status));
    });
    this.channel.emit({ type: 'instruments', pairs });
  }
}
