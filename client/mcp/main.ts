#!/usr/bin/env node
import { createClient } from '../src/client.ts';
import { accessOf } from './access.ts';

const usage = `usage: market-data-client mcp

Serves the Market Data API to an assistant, over the Model Context Protocol on standard input and output.

environment:
  MARKET_DATA_BASE_URL      address of the service, such as https://api.example.com
  MARKET_DATA_API_KEY       the API key, or
  MARKET_DATA_API_KEY_FILE  a file that holds it
`;

/** Assistants wait for a minute at most. Where the limit asks for more, they get an error that says how long. */
const deadlineMs = 20_000;

const [command, ...others] = process.argv.slice(2);
if (command === 'mcp' && others.length === 0) await serve();
else refuse(usage, 2);

async function serve(): Promise<void> {
  try {
    const client = createClient({ ...accessOf(process.env), deadlineMs });
    // Loaded once the settings are right: the protocol takes most of a second.
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const { serverOf } = await import('./server.ts');
    await serverOf(client).connect(new StdioServerTransport());
  } catch (error) {
    // Only settings can be wrong here, and no message of theirs has the key.
    if (!(error instanceof TypeError)) throw error;
    refuse(`market-data-client: ${error.message}\n`, 1);
  }
}

/** Arguments are not repeated: one of them may be a key. */
function refuse(text: string, exitCode: number): void {
  process.stderr.write(text);
  process.exitCode = exitCode;
}
