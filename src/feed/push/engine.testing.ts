import type { PushedMarket, PushedTicker, ServiceMessage } from './messages.ts';
import type { PushTransport } from './push-session.ts';

/** The engine's side of a connection, as far as a session sees it. */
export class FakeTransport implements PushTransport {
  readonly sent: ServiceMessage[] = [];
  closedWith: number | undefined;
  unsent = 0;

  send(message: ServiceMessage): void {
    this.sent.push(message);
  }

  close(code: number): void {
    this.closedWith = code;
  }

  unsentBytes(): number {
    return this.unsent;
  }

  /** Takes out what was sent since the last call, as type and most telling value. */
  take(): string[] {
    return this.sent.splice(0).map((message) => {
      if (message.type === 'ack') return `ack ${message.seq}`;
      if (message.type === 'resync') return `resync ${message.reason}`;
      return `${message.code}: ${message.message}`;
    });
  }
}

export function market(base: string, more: Partial<PushedMarket> = {}): PushedMarket {
  const sizes = { pricePrecision: 1, amountPrecision: 8, tickSize: '0.1', minOrderSize: '0.00005' };
  return { base, quote: 'EUR', status: 'trading', ...sizes, ...more } as PushedMarket;
}

/** The values of a ticker, as texts that need be no decimals. */
type Values = { readonly [Name in keyof PushedTicker]?: string };

export function ticker(seq: number, symbol: string, time: number, more: Values = {}): PushedTicker {
  const prices = { bid: '50000.0', ask: '50000.10', high24h: '51000', low24h: '49000', volume24h: '12.50' };
  return { type: 'ticker', seq, symbol, time, ...prices, ...more } as PushedTicker;
}
