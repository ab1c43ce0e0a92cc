import type { DroppedFrame, LiveEvent } from './connector.ts';
import type { LiveChannel } from './live-protocol.ts';

/** A channel without a socket: everything is sent at once, and noted. */
export class RecordingChannel implements LiveChannel {
  readonly events: LiveEvent[] = [];
  readonly sent: (object | string)[] = [];
  readonly announced: string[] = [];
  pings = 0;

  get tickers() {
    return this.events.flatMap((event) => (event.type === 'ticker' ? event.tickers : []));
  }

  get drops(): DroppedFrame[] {
    return this.events.flatMap((event) => (event.type === 'dropped' ? [event.reason] : []));
  }

  /** The symbols answered in this way. */
  answered(type: 'accepted' | 'rejected'): string[] {
    return this.events.flatMap((event) => (event.type === type ? [event.symbol] : []));
  }

  readonly emit = (event: LiveEvent) => void this.events.push(event);
  readonly dropped = (reason: DroppedFrame) => this.emit({ type: 'dropped', reason });
  readonly send = (message: object | string, sent?: () => void) => {
    this.sent.push(message);
    sent?.();
  };
  readonly sendNow = (message: object | string) => void this.sent.push(message);
  readonly pingSocket = () => void this.pings++;
  readonly announceEnd = (detail: string) => void this.announced.push(detail);
}
