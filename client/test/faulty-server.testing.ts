import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

/** A local server that does what a test tells it: the nth request gets the nth behaviour, further ones the last. */
export class FaultyServer {
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  #behaviours: readonly Behaviour[];
  #hanging = 0;
  readonly #server: Server;

  private constructor(behaviours: readonly Behaviour[]) {
    this.#behaviours = behaviours;
    this.#server = createServer((request, response) => {
      const behaviour = this.#behaviours[Math.min(this.requests.length, this.#behaviours.length - 1)]!;
      this.requests.push({ path: request.url ?? '', headers: request.headers });
      if (behaviour === hang) this.#hanging++;
      request.socket.once('close', () => {
        if (behaviour === hang) this.#hanging--;
      });
      behaviour(response, request);
    });
  }

  static async start(...behaviours: Behaviour[]): Promise<FaultyServer> {
    const faulty = new FaultyServer(behaviours);
    await new Promise<void>((resolve) => {
      faulty.#server.listen(0, '127.0.0.1', resolve);
    });
    return faulty;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  readonly hanging = () => this.#hanging;

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

/** Never answers. */
export const hang: Behaviour = () => {};

/** Ends the connection without an answer. */
export const reset: Behaviour = (response) => response.socket?.resetAndDestroy();

/** Promises more than it sends, then breaks off. */
export const breakOff: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"tickers":[', () => response.socket?.resetAndDestroy());
};

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Behaviour {
  const type = `https://api.example.com/errors/${code.toLowerCase()}`;
  const detail = 'This time.';
  return answer(status, { type, title: 'A title', status, code, detail, requestId: 'request-0123456789' }, headers);
}

export const timeBody = { serverTime: '2026-11-21T10:00:00.000Z', serverTimeMs: 1795255200000 };

export const tickerBody = {
  symbol: 'BTCEUR',
  base: 'BTC',
  quote: 'EUR',
  buyPrice: '50260.05',
  sellPrice: '49750.00',
  high24h: '50010.00',
  low24h: '50000.00',
  volume24h: '12.50000000',
  timestamp: timeBody.serverTime,
  timestampMs: timeBody.serverTimeMs,
};

export const marketBody = {
  symbol: 'BTCEUR',
  base: 'BTC',
  quote: 'EUR',
  status: 'trading',
  pricePrecision: 2,
  amountPrecision: 8,
  tickSize: '0.01',
  minOrderSize: '0.0001',
};

/** A status as the service gives it, with other states when asked for. */
export function statusBody(states: { status?: string; ticker?: string } = {}) {
  const { ticker = 'operational', status = ticker } = states;
  return {
    status,
    api: 'operational',
    components: { ticker },
    maintenance: null,
    lastUpdatedAt: timeBody.serverTime,
    lastUpdatedAtMs: timeBody.serverTimeMs,
    ...timeBody,
  };
}
