import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-v1.d.ts';
import { describeClient } from './client-suite.ts';
import type { Ask, Outcome } from './driven-client.ts';

type Problem = components['schemas']['Problem'];

/**
 * The declarations are made and compared by tools/openapi, so there is nothing to build: the compiler of this
 * repository checks them.
 */
function startClient(baseUrl: string): { ask: Ask; stop(): void } {
  return { ask: (operation, key, symbol = '') => ask(baseUrl, operation, key, symbol), stop() {} };
}

interface Result<Body> {
  readonly data?: Body;
  readonly error?: Problem;
  readonly response: Response;
}

function outcome<Body>(
  { data, error, response }: Result<Body>,
  values: (body: NonNullable<Body>) => string[],
): Outcome {
  if (data !== undefined && data !== null) return { status: response.status, values: values(data) };
  return error === undefined ? { broken: 'no body' } : { status: response.status, code: error.code };
}

async function ask(baseUrl: string, operation: string, key: string, symbol: string): Promise<Outcome> {
  const headers = key === '-' ? {} : { 'X-EXCHANGE-APIKEY': key };
  const client = createClient<paths>({ baseUrl, headers });
  switch (operation) {
    case 'getServerTime':
      return outcome(await client.GET('/v1/time'), ({ serverTime, serverTimeMs }) => [
        String(Date.parse(serverTime)),
        String(serverTimeMs),
      ]);
    case 'getServiceStatus':
      return outcome(
        await client.GET('/v1/status'),
        ({ status, api, components: parts, maintenance, lastUpdatedAtMs }) => [
          status,
          api,
          parts.ticker,
          maintenance?.description ?? '-',
          String(lastUpdatedAtMs ?? '-'),
        ],
      );
    case 'listMarkets':
      return outcome(await client.GET('/v1/markets'), ({ markets }) =>
        markets.map((market) => `${market.symbol} ${market.status} ${market.minOrderValue ?? '-'}`),
      );
    case 'getTicker':
      return outcome(await client.GET('/v1/ticker', { params: { query: { symbol } } }), (ticker) => [
        ticker.symbol,
        ticker.buyPrice,
        ticker.vwap24h ?? '-',
        String(Date.parse(ticker.timestamp)),
      ]);
    case 'listTickers':
      return outcome(await client.GET('/v1/tickers'), ({ tickers }) =>
        tickers.map((ticker) => `${ticker.symbol} ${ticker.buyPrice}`),
      );
    case 'getOpenApi':
      return outcome(await client.GET('/openapi/v1.json'), ({ openapi }) => [openapi]);
    default:
      return outcome(await client.GET('/'), (root) => [typeof root === 'string' ? root : root.name]);
  }
}

describeClient({ name: 'openapi-typescript', needs: {}, start: startClient });
