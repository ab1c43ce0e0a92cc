import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FaultName, faultRules } from './fault-catalogue.ts';
import { BadRequest, type FaultRequest, readFaultName } from './fault-request.ts';
import { type TickerField, type TickerValues, tickerFields } from './ticker.ts';

/** What the control API controls: the simulator. */
interface Controllable {
  readonly faults: {
    set(request: FaultRequest): Promise<void>;
    clear(name?: FaultName, symbol?: string): Promise<number>;
    active(): readonly object[];
  };
  setPrice(request: PriceRequest): void;
  release(symbol?: string): void;
  setRate(eurCzk: string | undefined): void;
  state(): object;
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

/** Prices to set: the market, and each value as the text to send. */
export interface PriceRequest extends Partial<TickerValues> {
  readonly symbol: string;
}

const signed: readonly TickerField[] = ['change', 'change_pct'];
const decimal = /^\d{1,18}(\.\d{1,18})?$/;
const signedDecimal = /^-?\d{1,18}(\.\d{1,18})?$/;
const count = /^\d{1,15}$/;

/** Validates a request to set prices. Throws `BadRequest`. */
export function readPrice(request: unknown): PriceRequest {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new BadRequest('expected a JSON object such as {"symbol":"BTC/EUR","bid":"50000.0","ask":"50000.1"}');
  }
  const given: Readonly<Record<string, unknown>> = { ...request };
  const { symbol, ...values } = given;
  if (typeof symbol !== 'string') throw new BadRequest('"symbol" is missing, for example "BTC/EUR"');
  if (Object.keys(values).length === 0)
    throw new BadRequest(`nothing to set: give at least one of ${tickerFields.join(', ')}`);
  for (const [field, value] of Object.entries(values)) {
    if (!tickerFields.some((known) => known === field)) {
      throw new BadRequest(`unknown field "${field}" (known: ${tickerFields.join(', ')})`);
    }
    const form = field === 'trades' ? count : signed.some((known) => known === field) ? signedDecimal : decimal;
    if (typeof value !== 'string' || !form.test(value)) {
      throw new BadRequest(`"${field}" must be a plain decimal in quotes, not ${JSON.stringify(value)}`);
    }
  }
  return { ...(values as Partial<TickerValues>), symbol };
}
