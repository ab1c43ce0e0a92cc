import type { CallOptions, MarketDataClient } from '../src/client.ts';
import schemas from './schemas.json' with { type: 'json' };

/** A fault in the arguments of a tool; the message says which. */
export class ArgumentFault extends Error {}

type Arguments = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required?: string[];
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema & { readonly additionalProperties: false };
  /** As the contract has the body, open for fields that it can gain. */
  readonly outputSchema: Schema;
  /** The body of the answer. Rejects with `ArgumentFault` or `MarketDataFailure`. */
  call(client: MarketDataClient, given: Arguments, options: CallOptions): Promise<Record<string, unknown>>;
}

const outputs = schemas as unknown as Readonly<
  Record<'ServerTime' | 'ServiceStatus' | 'MarketList' | 'Ticker' | 'TickerList', Schema>
>;

const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;

/** Without it a list of all markets would fill an assistant's memory. */
const selection: Tool['inputSchema'] = {
  type: 'object',
  properties: {
    symbols: {
      type: 'array',
      items: { type: 'string' },
      description: 'Only these markets, such as ["BTCEUR"]. All when left out.',
    },
    quote: { type: 'string', description: 'Only markets with this quote currency, such as "CZK".' },
  },
  additionalProperties: false,
};

/** Every tool, each of the name of its resource. */
export const tools: readonly Tool[] = [
  {
    name: 'time',
    description: "The server's time.",
    inputSchema: nothing,
    outputSchema: outputs.ServerTime,
    call: async (client, _, options) => ({ ...(await client.time(options)) }),
  },
  {
    name: 'status',
    description:
      'Whether the service and its market data are well, and announced maintenance. Answers in maintenance too.',
    inputSchema: nothing,
    outputSchema: outputs.ServiceStatus,
    call: async (client, _, options) => ({ ...(await client.status(options)) }),
  },
  {
    name: 'markets',
    description: 'The markets on offer with their state, precision and smallest order. They change rarely.',
    inputSchema: selection,
    outputSchema: outputs.MarketList,
    async call(client, given, options) {
      const isChosen = selectionOf(given);
      return { markets: (await client.markets(options)).filter(isChosen) };
    },
  },
  {
    name: 'ticker',
    description: 'The current client prices of one market. For several markets use tickers.',
    inputSchema: {
      type: 'object',
      properties: { symbol: { type: 'string', description: 'Base and quote currency joined, such as BTCEUR.' } },
      required: ['symbol'],
      additionalProperties: false,
    },
    outputSchema: outputs.Ticker,
    async call(client, { symbol }, options) {
      if (typeof symbol !== 'string') throw new ArgumentFault('symbol must be a text such as BTCEUR.');
      return { ...(await client.ticker(symbol, options)) };
    },
  },
  {
    name: 'tickers',
    description: 'The current client prices of every market that has one, or of those asked for, in one request.',
    inputSchema: selection,
    outputSchema: outputs.TickerList,
    async call(client, given, options) {
      const isChosen = selectionOf(given);
      return { tickers: (await client.tickers(options)).filter(isChosen) };
    },
  },
];

/** Tells which markets are asked for. Throws `ArgumentFault`. */
function selectionOf({ symbols, quote }: Arguments) {
  const isList = Array.isArray(symbols) && symbols.every((symbol) => typeof symbol === 'string');
  if (symbols !== undefined && !isList) throw new ArgumentFault('symbols must be a list of texts such as ["BTCEUR"].');
  if (quote !== undefined && typeof quote !== 'string') throw new ArgumentFault('quote must be a text such as CZK.');
  const chosen = isList ? new Set(symbols.map((symbol) => symbol.toUpperCase())) : undefined;
  const currency = quote?.toUpperCase();
  return (market: { readonly symbol: string; readonly quote: string }) =>
    (chosen?.has(market.symbol) ?? true) && (currency === undefined || market.quote === currency);
}
