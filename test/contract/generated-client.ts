import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-v1.d.ts';

type Schemas = components['schemas'];

/** What one round over all endpoints brought. */
export interface Polled {
  readonly time: Schemas['ServerTime'];
  readonly status: Schemas['ServiceStatus'];
  readonly markets: readonly Schemas['Market'][];
  readonly tickers: readonly Schemas['Ticker'][];
  /** Of the first market in `tickers`. */
  readonly ticker: Schemas['Ticker'];
  readonly openapi: Schemas['OpenApiDocument'];
  readonly root: Schemas['RootDocument'];
  /** What a request without a key, and one for a symbol nobody trades, were told. */
  readonly refusals: readonly Schemas['Problem'][];
}

/**
 * Asks a running service for everything once, through a client that is typed by the generated
 * declarations alone, and asserts what any client may rely on. Makes 8 requests that count on the
 * key (one a HEAD, one for an unknown symbol), 1 failed authentication and 2 without a key.
 */
export async function pollEverything(baseUrl: string, key: string): Promise<Polled> {
  const client = createClient<paths>({ baseUrl, headers: { 'X-EXCHANGE-APIKEY': key } });
  const stranger = createClient<paths>({ baseUrl });

  const time = succeeded(await client.GET('/v1/time'));
  const status = succeeded(await client.GET('/v1/status'));
  const { markets } = succeeded(await client.GET('/v1/markets'));
  const { tickers } = succeeded(await client.GET('/v1/tickers'));
  const first = tickers[0];
  assert.ok(first !== undefined, 'at least one market has a price');
  const ticker = succeeded(await client.GET('/v1/ticker', { params: { query: { symbol: first.symbol } } }));
  const unknown = await client.GET('/v1/ticker', { params: { query: { symbol: 'NOSUCHMARKET' } } });
  const head = await fetch(`${baseUrl}/v1/time`, { method: 'HEAD', headers: { 'X-EXCHANGE-APIKEY': key } });
  const openapi = succeeded(await stranger.GET('/openapi/v1.json'));
  const root = succeeded(await stranger.GET('/', { headers: { Accept: 'application/json' } }));
  assert.ok(typeof root !== 'string', 'JSON was asked for');
  const keyless = await stranger.GET('/v1/time');

  assert.equal(head.status, 200);
  assertTimes(time, status);
  assertListed(markets, [...tickers, ticker]);
  assert.equal(ticker.symbol, first.symbol);
  assert.equal(openapi.info.version, '1.0');
  assert.equal(root.version, openapi.info.version);
  const refusals = [refused(keyless, 401, 'MISSING_API_KEY'), refused(unknown, 404, 'UNKNOWN_SYMBOL')];
  return { time, status, markets, tickers, ticker, openapi, root, refusals };
}

interface Answer<Body> {
  readonly data?: Body;
  readonly error?: Schemas['Problem'];
  readonly response: Response;
}

function succeeded<Body>({ data, error, response }: Answer<Body>): NonNullable<Body> {
  assert.equal(response.status, 200, `${response.url}: ${JSON.stringify(error)}`);
  assert.ok(data !== undefined && data !== null, `${response.url} has a body`);
  return data;
}

function refused({ error, response }: Answer<unknown>, status: number, code: string): Schemas['Problem'] {
  assert.ok(error !== undefined, `${response.url} is refused`);
  assert.deepEqual([response.status, error.status, error.code], [status, status, code]);
  assert.equal(error.requestId, response.headers.get('X-Request-Id'));
  return error;
}

function assertTimes(time: Schemas['ServerTime'], status: Schemas['ServiceStatus']): void {
  assert.equal(Date.parse(time.serverTime), time.serverTimeMs);
  assert.equal(Date.parse(status.serverTime), status.serverTimeMs);
  if (status.lastUpdatedAt === null) assert.equal(status.lastUpdatedAtMs, null);
  else assert.equal(Date.parse(status.lastUpdatedAt), status.lastUpdatedAtMs);
}

/** Every ticker is of a listed market that is not delisted, and spells its currencies alike. */
function assertListed(markets: readonly Schemas['Market'][], tickers: readonly Schemas['Ticker'][]): void {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  for (const { symbol, base, quote, timestamp, timestampMs } of tickers) {
    const market = bySymbol.get(symbol);
    assert.deepEqual([base, quote], [market?.base, market?.quote], `${symbol} is listed`);
    assert.notEqual(market?.status, 'delisted', symbol);
    assert.equal(Date.parse(timestamp), timestampMs, symbol);
  }
}
