import type { DroppedFrame, LiveEvent } from './connector.ts';
import type { LiveChannel } from './live-protocol.ts';
import type { Refusal } from './refusal.ts';

/** A channel without a socket: everything is sent at once, and noted. */
export class RecordingChannel implements LiveChannel {
  readonly events: LiveEvent[] = [];
  readonly sent: (object | string)[] = [];
  pings = 0;

  get tickers() {
    return this.events.flatMap((event) => (event.type === 'ticker' ? event.tickers : []));
  }

  get drops(): DroppedFrame[] {
    return this.events.flatMap((event) => (event.type === 'dropped' ? [event.reason] : []));
  }

  /** The ends of the connection that the exchange announced. */
  get announced(): string[] {
    return this.events.flatMap((event) => (event.type === 'ending' ? [event.detail] : []));
  }

  /** The symbols answered in this way. */
  answered(type: 'accepted' | 'rejected'): string[] {
    return this.events.flatMap((event) => (event.type === type ? [event.symbol] : []));
  }

  readonly emit = (event: LiveEvent) => void this.events.push(event);
  readonly send = (message: object | string, sent?: () => void) => {
    this.sent.push(message);
    sent?.();
  };
  readonly sendNow = (message: object | string) => void this.sent.push(message);
  readonly pingSocket = () => void this.pings++;
  /** The words of the bans heard. */
  readonly bans: string[] = [];
  readonly banned = ({ words }: Refusal) => void this.bans.push(words);
  readonly terminate = () => {};
}
