/** Asks what standard input says, one line a request, through the client that orval made. README.md has the protocol. */
import { createInterface } from 'node:readline';
import * as api from './generated/api.js';
import { address } from './request.js';

/** Compiles only where today's values are offered and a new one is taken. */
const offered: [Extract<api.PublicMarketStatus, 'trading'>, api.PublicMarketStatus] = ['trading', 'halted' as string];

function outcome<Answer extends { status: number; data: unknown }>(
  answer: Answer,
  values: (body: Extract<Answer, { status: 200 }>['data']) => string[],
): object {
  const { status, data } = answer;
  if (status === 200) return { status, values: values(data as Extract<Answer, { status: 200 }>['data']) };
  return { status, code: (data as api.Problem).code };
}

async function ask(operation: string, symbol: string): Promise<object> {
  switch (operation) {
    case 'getServerTime':
      return outcome(await api.getServerTime(), (time) => [
        String(Date.parse(time.serverTime)),
        String(time.serverTimeMs),
      ]);
    case 'getServiceStatus':
      return outcome(await api.getServiceStatus(), (status) => [
        status.status,
        status.api,
        status.components.ticker,
        status.maintenance?.description ?? '-',
        String(status.lastUpdatedAtMs ?? '-'),
      ]);
    case 'listMarkets':
      return outcome(await api.listMarkets(), ({ markets }) =>
        markets.map((market) => `${market.symbol} ${market.status} ${market.minOrderValue ?? '-'}`),
      );
    case 'getTicker':
      return outcome(await api.getTicker({ symbol }), (ticker) => [
        ticker.symbol,
        ticker.buyPrice,
        ticker.vwap24h ?? '-',
        String(Date.parse(ticker.timestamp)),
      ]);
    case 'listTickers':
      return outcome(await api.listTickers(), ({ tickers }) =>
        tickers.map((ticker) => `${ticker.symbol} ${ticker.buyPrice}`),
      );
    case 'getOpenApi':
      return outcome(await api.getOpenApi(), ({ openapi }) => [openapi]);
    case 'getRoot':
      return outcome(await api.getRoot(), (root) => [typeof root === 'string' ? root : root.name]);
    default:
      throw new Error(`no operation ${operation}, ${offered}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [operation = '', key = '', symbol = ''] = line.split(' ');
  address.key = key;
  const said = await ask(operation, symbol).catch((failure: unknown) => ({ broken: String(failure) }));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
