import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActiveFault } from './fault-board.ts';
import { type FaultName, faultRules } from './fault-catalogue.ts';
import { BadRequest, type FaultRequest, readFaultName } from './fault-request.ts';
import type { PriceRequest } from './pinned-price.ts';

/** One client as `state()` shows it. */
export interface ConnectionState {
  readonly id: string;
  readonly peer: string;
  readonly tickers: number;
  readonly instrument: boolean;
  readonly frozen: boolean;
  readonly sent: number;
  readonly received: number;
}

export interface SimulatorState {
  readonly listening: boolean;
  readonly markets: number;
  /** Changes of bid or ask since the start. */
  readonly updates: number;
  readonly connections: readonly ConnectionState[];
  /** Ticker subscriptions over all connections. */
  readonly subscriptions: number;
  /** Accepted WebSockets since the start. */
  readonly connectsTotal: number;
  /** Attempts to open a WebSocket within the last minute, refused ones included. */
  readonly connectsLastMinute: number;
  /** REST calls by name, and rate sources by theirs (`cnb`, `ecb`, `json`). */
  readonly requests: Readonly<Record<string, number>>;
  readonly pinned: readonly string[];
  readonly faults: readonly ActiveFault[];
}

/** What the control API controls. */
export interface Controllable {
  readonly faults: {
    /** Activates a fault; resolves when it is in force, rejects with `BadRequest` when the request is wrong. */
    set(request: FaultRequest): Promise<void>;
    /** Clears faults: all, those of a name, or those of a name and symbol. Returns how many. */
    clear(name?: FaultName, symbol?: string): Promise<number>;
    active(): readonly ActiveFault[];
  };
  /** Sets values of a market, each sent digit for digit until `release`, and to subscribers at once. Throws `BadRequest`. */
  setPrice(request: PriceRequest): void;
  /** Lets one market, or all, move freely again. Throws `BadRequest` for an unknown symbol. */
  release(symbol?: string): void;
  /** Sets CZK for one EUR in all three rate sources, digit for digit; `undefined` restores the default rate. */
  setRate(eurCzk: string | undefined): void;
  state(): SimulatorState;
}

const bodyBytesMax = 64 * 1024;
const ratePattern = /^\d{1,9}(\.\d{1,12})?$/;

/** The control API: JSON over HTTP, meant for loopback only. Every answer is a JSON object. */
export function controlHandler(
  controllable: Controllable,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(controllable, request).then(
      (result) => send(response, 200, result),
      (error: unknown) => {
        if (error instanceof NotFound) return send(response, 404, { error: error.message });
        if (error instanceof BadRequest) return send(response, 400, { error: error.message });
        send(response, 500, { error: String(error) });
      },
    );
  };
}

class NotFound extends Error {}

async function answer(controllable: Controllable, request: IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://control');
  const [, resource = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const route = `${request.method} ${resource}`;
  switch (route) {
    case 'GET ':
      return { faults: faultRules };
    case 'GET state':
      return controllable.state();
    case 'GET faults':
      return { faults: controllable.faults.active() };
    case 'POST faults':
      await controllable.faults.set((await readBody(request)) as FaultRequest);
      return { faults: controllable.faults.active() };
    case 'DELETE faults':
      return { cleared: await clearFaults(controllable, rest.join('/'), url.searchParams.get('symbol') ?? undefined) };
    case 'POST prices':
      controllable.setPrice((await readBody(request)) as PriceRequest);
      return { pinned: true };
    case 'DELETE prices':
      controllable.release(rest.length === 0 ? undefined : rest.join('/'));
      return { released: true };
    case 'POST rates':
      controllable.setRate(readRate(await readBody(request)));
      return { set: true };
    case 'DELETE rates':
      controllable.setRate(undefined);
      return { set: false };
    default:
      throw new NotFound(`unknown route ${request.method} ${url.pathname}; see exchange-simulator/README.md`);
  }
}

async function clearFaults(controllable: Controllable, name: string, symbol: string | undefined): Promise<number> {
  return name === ''
    ? controllable.faults.clear(undefined, symbol)
    : controllable.faults.clear(readFaultName(name), symbol);
}

function readRate(body: unknown): string {
  const rate = typeof body === 'object' && body !== null && 'eurCzk' in body ? body.eurCzk : undefined;
  if (typeof rate === 'string' && ratePattern.test(rate)) return rate;
  throw new BadRequest('"eurCzk" must be a plain decimal in quotes, for example {"eurCzk":"24.315"}');
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new BadRequest(`the body is longer than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new BadRequest('the body is not JSON');
  }
}

function send(response: ServerResponse, status: number, result: unknown): void {
  if (response.destroyed) return;
  const body = `${JSON.stringify(result)}\n`;
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
