import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { MarketDataClient } from '../src/client.ts';
import { MarketDataFailure } from '../src/failures.ts';
import { version } from '../src/version.ts';
import { ArgumentFault, tools } from './tools.ts';

const instructions = `Final client prices of an exchange operator, and the state of its service. Prices and amounts are
decimal strings: show them as they are. buyPrice is what a client pays for one unit of the base currency, sellPrice what a client
receives, fees included; they are no offer. Say when a price was captured (timestamp). Requests are limited per minute: use
tickers for several markets, and after an error wait as long as it says.`.replaceAll('\n', ' ');

/** A server with a tool for each resource of the API, all on one client and so under one key's limit. */
export function serverOf(client: MarketDataClient): Server {
  const server = new Server({ name: 'market-data', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'no such tool');
    try {
      const body = await tool.call(client, params.arguments ?? {}, { signal });
      return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body };
    } catch (error) {
      return errorResult(error);
    }
  });
  return server;
}

/** What failed, and when to ask again, in words: the assistant reads it. Throws on what is a defect. */
function errorResult(error: unknown): CallToolResult {
  if (error instanceof ArgumentFault) return refusal(error.message);
  if (!(error instanceof MarketDataFailure)) throw error;
  return refusal(`${error.message}. ${adviceOn(error)}`);
}

function adviceOn({ retryAfterMs, retryable }: MarketDataFailure): string {
  if (retryAfterMs !== undefined) return `Ask again in ${Math.ceil(retryAfterMs / 1_000)} s, and no sooner.`;
  return retryable ? 'Ask again in a minute.' : 'Asking again does not help.';
}

function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
