import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { version } from '../../src/ground/version.ts';
import { clientRoutes } from '../../src/portal/client-packages.ts';
import { root } from '../repository/files.ts';
import { Child, launcher } from '../support/mdapi-process.ts';
import { pythonEnvironment, pythonNeeds, pythonTools } from '../support/python.ts';

const run = promisify(execFile);
const python = `import os
from market_data_client import Client
with Client(os.environ["BASE_URL"], os.environ["API_KEY"]) as client:
    print(client.ticker("BTCCZK").symbol, client.budget is not None)
`;
const typescript = `import { createClient } from 'market-data-client';
const client = createClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
console.log((await client.ticker('BTCCZK')).symbol, client.budget !== undefined);
`;

describe('the clients, installed in empty folders from a running service, with no registry in reach', {
  timeout: 300_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-installed-'));
  const stops: (() => unknown)[] = [];
  let service: { readonly baseUrl: string; readonly key: string };
  let env: Record<string, string>;
  before(async () => {
    const test = { after: (stop: () => unknown) => void stops.unshift(stop) };
    const argv = [launcher, 'demo', '--port', '0', '--json', '--dir', join(folder, 'demo')];
    const demo = new Child(test, process.execPath, argv, { cwd: root, env: { MDAPI_ADMIN_PORT: '0' } });
    service = JSON.parse(await demo.firstLine());
    env = {
      PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
      HOME: folder,
      BASE_URL: service.baseUrl,
      API_KEY: service.key,
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_cache: join(folder, 'npm'),
      npm_config_update_notifier: 'false',
    };
  });
  after(async () => {
    for (const stop of stops) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const empty = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };

  test('npm install takes the TypeScript client, alone', async () => {
    const cwd = empty('npm-install');
    await run('npm', ['install', '--no-audit', '--no-fund', service.baseUrl + clientRoutes(version).typescript], {
      cwd,
      env,
    });
    const file = join(cwd, 'program.mjs');
    writeFileSync(file, typescript);
    const { stdout } = await run(process.execPath, [file], { cwd, env });
    assert.equal(stdout, 'BTCCZK true\n');
  });

  test('npx starts it as a server for an assistant, which gets a price with the key of a file', async (t) => {
    const cwd = empty('npx');
    writeFileSync(join(cwd, 'key'), `${service.key}\n`);
    const client = new Client({ name: 'test', version: '1' });
    t.after(() => client.close());
    const args = ['-y', service.baseUrl + clientRoutes(version).typescript, 'mcp'];
    const access = { MARKET_DATA_BASE_URL: service.baseUrl, MARKET_DATA_API_KEY_FILE: join(cwd, 'key') };
    const { API_KEY: _, ...others } = env;
    const command = { command: 'npx', args, cwd, env: { ...others, ...access } };
    await client.connect(new StdioClientTransport({ ...command, stderr: 'inherit' }), { timeout: 120_000 });
    const { structuredContent } = await client.callTool({ name: 'tickers', arguments: { symbols: ['BTCCZK'] } });
    const [ticker] = (structuredContent as { tickers: { symbol: string; buyPrice: string }[] }).tickers;
    assert.equal(ticker?.symbol, 'BTCCZK');
    assert.match(ticker.buyPrice, /^\d+$/);
  });

  for (const [way, argvOf] of Object.entries({
    'its address': (baseUrl: string) => ['--no-index', baseUrl + clientRoutes(version).python],
    'the index': (baseUrl: string) => ['--index-url', `${baseUrl}/clients/simple/`, 'market-data-client'],
  })) {
    test(`pip install takes the Python client by ${way}`, pythonNeeds, async () => {
      const cwd = empty(`pip by ${way}`);
      const { python: newest, wheels } = pythonTools().pythons.at(-1)!;
      await run(newest, ['-m', 'venv', '--without-pip', cwd]);
      const own = join(cwd, 'bin', 'python');
      const pip = { ...pythonEnvironment(env), PIP_CONFIG_FILE: '/dev/null', PIP_FIND_LINKS: wheels };
      const install = ['-m', 'pip', '--python', own, 'install', '--no-cache-dir', ...argvOf(service.baseUrl)];
      await run(newest, install, { cwd, env: pip });
      const file = join(cwd, 'program.py');
      writeFileSync(file, python);
      const { stdout } = await run(own, [file], { cwd, env: pythonEnvironment(env) });
      assert.equal(stdout, 'BTCCZK True\n');
    });
  }
});
