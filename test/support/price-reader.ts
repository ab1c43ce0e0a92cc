import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';

interface Price {
  readonly version: string;
  readonly ticker: { readonly symbol: string; readonly buyPrice: string; readonly timestampMs: number };
}

export interface PriceEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: { readonly version: string; readonly prices?: readonly Price[]; readonly removed?: readonly string[] };
}

/** Follows the price stream of a private listener, as the operator's own application does. */
export class PriceReader {
  readonly events: PriceEvent[] = [];
  /** The latest of each market. */
  readonly prices = new Map<string, Price>();
  /** The text of every ticker that came, by market and version. */
  readonly seen = new Map<string, string>();
  isEnded = false;
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      const parts = (text + piece).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.#take(part);
    });
    response.on('error', () => {});
    response.on('close', () => {
      this.isEnded = true;
    });
  }

  static async open(
    t: Pick<TestContext, 'after'>,
    adminUrl: string,
    token: string,
    lastEventId?: string,
  ): Promise<PriceReader> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${adminUrl}/api/prices/stream`, { headers, agent: false }, resolve).once('error', reject);
    });
    assert.deepEqual([response.statusCode, response.headers['content-type']], [200, 'text/event-stream']);
    t.after(() => response.destroy());
    return new PriceReader(response);
  }

  close(): void {
    this.#response.destroy();
  }

  #take(part: string): void {
    const fields = new Map(
      part.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    const data = fields.get('data');
    if (data === undefined) return;
    const event = {
      id: fields.get('id'),
      event: fields.get('event') ?? '',
      data: JSON.parse(data) as PriceEvent['data'],
    };
    this.events.push(event);
    if (event.event === 'snapshot') this.prices.clear();
    for (const price of event.data.prices ?? []) {
      this.prices.set(price.ticker.symbol, price);
      this.seen.set(`${price.ticker.symbol} ${price.version}`, JSON.stringify(price.ticker));
    }
    for (const symbol of event.data.removed ?? []) this.prices.delete(symbol);
  }
}
