import { type FrameReaders, ignored, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import { asObject, asText, requireList, type WireObject } from '../wire.ts';
import { commonCode, pairStatus, readAnnouncedTerms, readLiveTicker } from './messages.ts';
import { krakenRefusals } from './refusals.ts';

export const krakenSocket: SocketTraits = {
  refusals: krakenRefusals,
  /** Kraken documents no limit on messages; 10 a second is moderate. */
  pace: { intervalMs: 100, burst: 2 },
  /** The catalogue is one frame, of about 400 bytes a pair: as much as can be configured. */
  frameBytesMax: 67_108_864,
  /** About 150 connections in 10 minutes are tolerated. */
  openingPace: { intervalMs: 5_000, burst: 20 },
  acknowledges: 'each',
  batchMax: 50,
};

/** `maintenance`, `cancel_only`, `post_only` and their like. */
const restricted = /^maintenance$|_only$/;

/** Version 2 of Kraken's WebSocket: the channels `ticker` (by best bid and offer), `instrument` and `status`. */
export class KrakenLive extends LiveProtocol {
  #pingCount = 0;

  override opened(): void {
    if (this.isLeading) this.channel.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: true } });
  }

  override ping(): void {
    this.channel.sendNow({ method: 'ping', req_id: ++this.#pingCount });
  }

  protected readonly readers: FrameReaders = {
    ticker: (frame) => this.#tickers(frame),
    instrument: ({ data }) => this.#instruments(requireList(asObject(data)?.pairs, 'pairs')),
    status: ({ data }) => this.#status(requireList(data, 'status')),
    subscribe: (frame) => this.#acknowledged(frame),
    unsubscribe: (frame) => this.#acknowledged(frame),
    heartbeat: ignored,
    pong: ignored,
  };

  protected readonly kindOf = ({ channel, method }: WireObject) => channel ?? method;

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
    else this.subscriptions.refused(symbol, this.refusalIn(frame));
  }

  #instruments(entries: readonly WireObject[]): void {
    this.emitInstruments(entries, (pair) => ({
      liveName: pair.symbol,
      quote: commonCode(asText(pair.quote) ?? ''),
      status: pairStatus(pair.status),
      terms: () => readAnnouncedTerms(pair),
    }));
  }
}
