import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { systemClock } from '../../src/ground/clock.ts';
import { ListenerHarness } from '../../test/support/listener-harness.ts';
import { answer, FaultyServer, problem } from './faulty-server.testing.ts';

const program = fileURLToPath(new URL('../mcp/main.ts', import.meta.url));
const key = 'secret-key-of-a-client';

/** An assistant's end of a new process of the server. */
async function assistant(t: TestContext, environment: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const argv = { command: process.execPath, args: [program, 'mcp'] };
  await client.connect(new StdioClientTransport({ ...argv, env: environment, stderr: 'inherit' }));
  t.after(() => client.close());
  return client;
}

/** The text of a tool's answer, and whether it is an error. */
async function told(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  return { text, isError };
}

describe('the client as a server of the Model Context Protocol', { timeout: 60_000 }, () => {
  let api: ListenerHarness;
  let environment: Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  before(async () => {
    api = await ListenerHarness.start({ clock: systemClock, limits: { key: 12 } });
    api.list('BTC', 'ETH');
    api.tick('BTC', '50000.00', '50010.00');
    api.tick('ETH', '2000.00', '2001.00');
    api.rate('24.315');
    const file = join(folder, 'key');
    writeFileSync(file, `${api.key}\n`);
    environment = { MARKET_DATA_BASE_URL: `http://127.0.0.1:${api.port}`, MARKET_DATA_API_KEY_FILE: file };
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });

  test('has a tool for each resource, whose answers are the bodies of the API and fit their schemas', async (t) => {
    const client = await assistant(t, environment);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['time', 'status', 'markets', 'ticker', 'tickers'],
    );
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      assert.deepEqual(
        [inputSchema.type, outputSchema?.type, annotations?.readOnlyHint],
        ['object', 'object', true],
        name,
      );
    }
    // The SDK's client compares each answer with the tool's schema, and rejects one that does not fit.
    const { body } = await api.get('/v1/tickers');
    const { tickers } = JSON.parse(body.toString());
    assert.deepEqual((await client.callTool({ name: 'tickers' })).structuredContent, { tickers });
    const one = { name: 'ticker', arguments: { symbol: 'btceur' } };
    const bitcoin = tickers.find(({ symbol }: { symbol: string }) => symbol === 'BTCEUR');
    assert.deepEqual((await client.callTool(one)).structuredContent, bitcoin);
    const chosen = { name: 'markets', arguments: { quote: 'czk', symbols: ['btcczk', 'ETHEUR'] } };
    const { markets } = (await client.callTool(chosen)).structuredContent as { markets: { symbol: string }[] };
    assert.deepEqual(
      markets.map(({ symbol }) => symbol),
      ['BTCCZK'],
    );
    const status = JSON.parse((await told(client, 'status')).text);
    assert.equal(status.components.ticker, 'operational');
    assert.match((await told(client, 'time')).text, /^\{"serverTime":"\d{4}-/);
  });

  test('says what an argument lacks, and that an unknown symbol stays unknown', async (t) => {
    const client = await assistant(t, environment);
    for (const [name, given] of Object.entries({ ticker: {}, tickers: { symbols: 'BTCEUR' }, markets: { quote: 1 } })) {
      const { text, isError } = await told(client, name, given);
      assert.ok(isError && /^(symbols?|quote) must be /.test(text), text);
    }
    const { text, isError } = await told(client, 'ticker', { symbol: 'NOSUCH' });
    assert.ok(isError && /^404 UNKNOWN_SYMBOL: .*\(request \w+\)\. Asking again does not help\.$/.test(text), text);
    await assert.rejects(client.callTool({ name: 'order', arguments: {} }), /no such tool/);
  });

  test('turns a problem of the service into an error that says when to ask again', async (t) => {
    const faulty = await FaultyServer.start(problem(503, 'SERVICE_MAINTENANCE', { 'retry-after': '1800' }));
    t.after(() => faulty.stop());
    const client = await assistant(t, { MARKET_DATA_BASE_URL: faulty.baseUrl, MARKET_DATA_API_KEY: key });
    const { text, isError } = await told(client, 'tickers');
    assert.ok(isError && /^503 SERVICE_MAINTENANCE: .* Ask again in 1800 s, and no sooner\.$/.test(text), text);
    assert.equal(faulty.requests.length, 1);
  });

  test('sends nothing beyond the limit of its key, and says for how long', async (t) => {
    const resetSeconds = Math.floor(systemClock.now() / 60_000) * 60 + 120;
    const usedUp = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${resetSeconds}` };
    const time = { serverTime: new Date().toISOString(), serverTimeMs: Date.now() };
    const faulty = await FaultyServer.start(answer(200, time, usedUp));
    t.after(() => faulty.stop());
    const client = await assistant(t, { MARKET_DATA_BASE_URL: faulty.baseUrl, MARKET_DATA_API_KEY: key });
    assert.equal((await told(client, 'time')).isError, false);
    const { text, isError } = await told(client, 'tickers');
    assert.ok(isError && /limit of the key is used up .* Ask again in \d+ s, and no sooner\.$/.test(text), text);
    assert.equal(faulty.requests.length, 1);
  });

  test('takes the key from the environment or a file, refuses it on the command line, and never shows it', () => {
    const run = (argv: readonly string[], env: Record<string, string>) =>
      spawnSync(process.execPath, [program, ...argv], { env, input: '', encoding: 'utf8' });
    const address = { MARKET_DATA_BASE_URL: 'https://api.example.com' };
    const cases = [
      { argv: ['mcp', key], env: address, code: 2, says: /^usage: market-data-client mcp\n/ },
      { argv: [], env: address, code: 2, says: /MARKET_DATA_API_KEY_FILE/ },
      {
        argv: ['mcp'],
        env: address,
        code: 1,
        says: /^market-data-client: the environment has no MARKET_DATA_API_KEY\n$/,
      },
      {
        argv: ['mcp'],
        env: { ...address, MARKET_DATA_API_KEY_FILE: join(folder, key) },
        code: 1,
        says: /cannot be read: ENOENT\n$/,
      },
      { argv: ['mcp'], env: { ...address, MARKET_DATA_API_KEY: `${key} ` }, code: 1, says: /apiKey must be / },
      {
        argv: ['mcp'],
        env: { ...address, MARKET_DATA_API_KEY: key, MARKET_DATA_API_KEY_FILE: 'key' },
        code: 1,
        says: /both set/,
      },
    ];
    for (const { argv, env, code, says } of cases) {
      const { status, stdout, stderr } = run(argv, env);
      assert.deepEqual([status, stdout], [code, ''], stderr);
      assert.match(stderr, says);
      assert.ok(!stderr.includes(key), stderr);
    }
  });

  test('answers what was asked before its input ended, and then ends by itself', () => {
    const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const asked = [
      { id: 1, method: 'initialize', params: info },
      { id: 2, method: 'tools/call', params: { name: 'time' } },
    ];
    const input = asked.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('');
    // A port that nothing is asked at, so that the answer is a failure, after its repetitions.
    const env = { MARKET_DATA_BASE_URL: 'http://127.0.0.1:1', MARKET_DATA_API_KEY: key };
    const { status, stdout } = spawnSync(process.execPath, [program, 'mcp'], { env, input, encoding: 'utf8' });
    assert.equal(status, 0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      answers.map(({ id }) => id),
      [1, 2],
    );
    assert.match(answers[1].result.content[0].text, /^no answer to \/v1\/time: .*\. Ask again in a minute\.$/);
  });
});
