/**
 * Asks what standard input says, one line a request, through the client that hey-api made. README.md has the protocol.
 */
import { createInterface } from 'node:readline';
import { createClient } from './generated/client/index.js';
import * as api from './generated/index.js';

const baseUrl = process.argv[2]!;

/** Compiles only where today's values are offered and a new one is taken. */
const offered: [Extract<api.PublicMarketStatus, 'trading'>, api.PublicMarketStatus] = ['trading', 'halted' as string];

type Result<Body> = { data?: Body; error?: api.Problem; response?: Response };

function outcome<Body>({ data, error, response }: Result<Body>, values: (body: Body) => string[]): object {
  if (data !== undefined) return { status: response?.status, values: values(data) };
  return { status: response?.status, code: error?.code };
}

async function ask(operation: string, key: string, symbol: string): Promise<object> {
  const client = createClient(key === '-' ? { baseUrl } : { baseUrl, auth: key });
  switch (operation) {
    case 'getServerTime':
      return outcome(await api.getServerTime({ client }), (time) => [
        String(Date.parse(time.serverTime)),
        String(time.serverTimeMs),
      ]);
    case 'getServiceStatus':
      return outcome(await api.getServiceStatus({ client }), (status) => [
        status.status,
        status.api,
        status.components.ticker,
        status.maintenance?.description ?? '-',
        String(status.lastUpdatedAtMs ?? '-'),
      ]);
    case 'listMarkets':
      return outcome(await api.listMarkets({ client }), ({ markets }) =>
        markets.map((market) => `${market.symbol} ${market.status} ${market.minOrderValue ?? '-'}`),
      );
    case 'getTicker':
      return outcome(await api.getTicker({ client, query: { symbol } }), (ticker) => [
        ticker.symbol,
        ticker.buyPrice,
        ticker.vwap24h ?? '-',
        String(Date.parse(ticker.timestamp)),
      ]);
    case 'listTickers':
      return outcome(await api.listTickers({ client }), ({ tickers }) =>
        tickers.map((ticker) => `${ticker.symbol} ${ticker.buyPrice}`),
      );
    case 'getOpenApi':
      return outcome(await api.getOpenApi({ client }), ({ openapi }) => [openapi]);
    case 'getRoot':
      return outcome(await api.getRoot({ client }), (root) => [typeof root === 'string' ? root : root.name]);
    default:
      throw new Error(`no operation ${operation}, ${offered}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [operation = '', key = '', symbol = ''] = line.split(' ');
  const said = await ask(operation, key, symbol).catch((failure: unknown) => ({ broken: String(failure) }));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
