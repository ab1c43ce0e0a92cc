import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfiguration } from '../../src/configuration/load.ts';
import type { TickerBody } from '../../src/contract/schemas.ts';
import { secondOrigin } from '../../src/feed/rates/rate-origins.ts';
import type { CurrencyCode } from '../../src/market/symbol.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Child, launcher } from '../support/mdapi-process.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const skip = process.platform === 'win32' && 'signals to a group are not for this system';

interface DemoAddresses {
  readonly baseUrl: string;
  readonly key: string;
  readonly referenceUrl: string;
  readonly openApiUrl: string;
  readonly adminUrl: string;
  readonly operatorToken: string;
  readonly exchangeControlUrl: string;
  readonly exchangeControlUrls: Readonly<Record<string, string>>;
  readonly configFile: string;
}

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-demo-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function startDemo(t: TestContext, cwd: string, ...argv: readonly string[]): Child {
  const env = { MDAPI_ADMIN_PORT: '0' };
  return new Child(t, process.execPath, [launcher, 'demo', ...argv], { cwd, env, ownGroup: true });
}

/** Nobody answers at the exchange's control address any more: it left no orphan. */
async function exchangeIsGone(controlUrl: string): Promise<void> {
  await eventually('the exchange has ended', () =>
    fetch(controlUrl).then(
      () => false,
      () => true,
    ),
  );
}

/** Every host that a service with the configuration in a directory asks for prices and rates. */
function askedHosts(cwd: string): readonly string[] {
  const { configuration } = loadConfiguration({
    flags: [],
    env: {},
    cwd,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const { sources, rates } = configuration;
  const origins = [rates, secondOrigin(rates, 'EUR' as CurrencyCode, 'CZK' as CurrencyCode)];
  const urls = [
    ...sources.flatMap((source) => [source.urls.rest, source.urls.ws]),
    ...origins.flatMap((origin) => (origin !== undefined && 'url' in origin ? [origin.url] : [])),
  ];
  assert.equal(urls.length, 2 * sources.length + origins.length);
  return [...new Set(urls.map((url) => new URL(url).hostname))];
}

/** A command as a person pastes it into a shell, or the same request where there is no curl. */
async function paste(line: string): Promise<string> {
  const hasCurl = await run('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (hasCurl) return (await run('bash', ['-c', `${line.replace('curl', 'curl --silent --show-error')}`])).stdout;
  const [, header = '', url = ''] = /-H '([^']*)' '([^']*)'/.exec(line) ?? [];
  const [name = '', value = ''] = header.split(': ');
  return (await fetch(url, { headers: { [name]: value, Connection: 'close' } })).text();
}

describe('the demo', { concurrency: true, skip }, () => {
  test('prints what it is, a key and curl lines that work as printed, and Ctrl-C ends all of it', async (t) => {
    const demo = startDemo(t, newDirectory(t), '--port', '0');
    const first = await demo.firstLine();
    const servedFirst = /on (http:\/\/127\.0\.0\.1:\d+)$/.exec(first)?.[1];
    assert.ok(servedFirst !== undefined, first);
    await eventually('the last line', () => demo.stdout.includes('Ctrl-C stops it.'));
    const key = /API key +(mdk_\w{38})/.exec(demo.stdout)?.[1] ?? '';
    const api = await ApiClient.of(servedFirst, key);
    const ticker = await api.ticker('BTCCZK');

    const lines = demo.stdout.split('\n').filter((line) => line.trim().startsWith('curl'));
    assert.equal(lines.length, 3);
    const answers = await Promise.all(lines.map(async (line) => JSON.parse(await paste(line))));
    assert.equal((answers[0] as TickerBody).symbol, ticker.symbol);
    assert.ok(answers[1].tickers.length >= 100);
    assert.equal(answers[2].components.ticker, 'operational');
    const installs = [...demo.stdout.matchAll(/^ {2}(?:npm|pip) install (\S+)$/gm)].map(([, address = '']) => address);
    assert.equal(installs.length, 2);
    for (const address of installs) {
      const { status } = await fetch(address, { method: 'HEAD', headers: { Connection: 'close' } });
      assert.equal(status, 200, address);
    }
    const reference = /Reference +(\S+)/.exec(demo.stdout)?.[1] ?? '';
    assert.equal((await fetch(reference, { headers: { Connection: 'close' } })).status, 200);
    const admin = /Private listener +(\S+)/.exec(demo.stdout)?.[1] ?? '';
    assert.equal((await fetch(`${admin}/readyz`, { headers: { Connection: 'close' } })).status, 200);
    const control = /Exchange control +(\S+)/.exec(demo.stdout)?.[1] ?? '';
    assert.equal((await fetch(`${control}/state`, { headers: { Connection: 'close' } })).status, 200);

    demo.interrupt();
    assert.deepEqual(await demo.ended, { code: 0, signal: null });
    assert.equal(demo.stderr, '');
    await exchangeIsGone(control);
  });

  test('as `npm start` with --json prints one object, and Ctrl-C ends it with 0', async (t) => {
    const directory = newDirectory(t);
    const argv = [
      'start',
      '--silent',
      '--',
      '--port',
      '0',
      '--dir',
      directory,
      '--json',
      '--sources',
      'kraken,bitvavo',
    ];
    const env = {
      MDAPI_ADMIN_PORT: '0',
      npm_config_cache: directory,
      PATH: `${join(project, 'node_modules/.bin')}:${process.env.PATH}`,
    };
    const startedMs = performance.now();
    const demo = new Child(t, 'npm', argv, { cwd: project, env, ownGroup: true });
    const addresses = JSON.parse(await demo.firstLine()) as DemoAddresses;
    t.diagnostic(`start to first price, processes and all: ${Math.round(performance.now() - startedMs)} ms`);
    assert.deepEqual(Object.keys(addresses).sort(), [
      'adminUrl',
      'baseUrl',
      'configFile',
      'consoleUrl',
      'exchangeControlUrl',
      'exchangeControlUrls',
      'key',
      'openApiUrl',
      'operatorToken',
      'referenceUrl',
    ]);
    assert.deepEqual(Object.keys(addresses.exchangeControlUrls), ['kraken', 'bitvavo']);
    assert.equal(addresses.exchangeControlUrl, addresses.exchangeControlUrls.kraken);
    assert.equal(addresses.configFile, join(directory, 'mdapi.yaml'));
    assert.deepEqual(askedHosts(directory), ['127.0.0.1'], 'it asks the stand-ins alone, no real bank either');
    await (await ApiClient.of(addresses.baseUrl, addresses.key)).ticker('BTCCZK');
    demo.interrupt();
    // The shell that npm runs scripts in may die of the Ctrl-C once the demo has ended, and npm with it.
    const { code, signal } = await demo.ended;
    assert.ok(code === 0 || signal === 'SIGINT', `${code} ${signal} ${demo.stderr}`);
    await assert.rejects(fetch(addresses.baseUrl), 'the server has ended');
    assert.equal(demo.stdout.trim().split('\n').length, 1);
    await exchangeIsGone(addresses.exchangeControlUrl);
  });

  test('killed without mercy leaves no exchange behind, and starts again in the same directory with a new key', async (t) => {
    const directory = newDirectory(t);
    const killed = startDemo(t, directory, '--port', '0', '--json');
    const before = JSON.parse(await killed.firstLine()) as DemoAddresses;
    killed.kill('SIGKILL');
    await killed.ended;
    await exchangeIsGone(before.exchangeControlUrl);

    const demo = startDemo(t, directory, '--port', '0', '--json');
    const after = JSON.parse(await demo.firstLine()) as DemoAddresses;
    const api = await ApiClient.of(after.baseUrl, after.key);
    assert.equal(await api.outcome('/v1/time', { key: before.key }), '401 INVALID_API_KEY');
    assert.equal(await api.outcome('/v1/time'), '200');
    demo.interrupt();
    assert.equal((await demo.ended).code, 0);
  });

  test('on a port in use says so in one line, ends with 1 and leaves no exchange behind', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    t.after(() => taken.close());
    await eventually('the port is taken', () => taken.listening);
    const { port } = taken.address() as AddressInfo;
    const demo = startDemo(t, newDirectory(t), '--port', String(port));
    assert.deepEqual(await demo.ended, { code: 1, signal: null });
    assert.equal(demo.stdout, '');
    assert.match(demo.stderr, new RegExp(`^mdapi: Port ${port} is already in use\\. [^\\n]*--port[^\\n]*\\n$`));
  });

  test('in a directory that cannot be written says so in one line and ends with 1', async (t) => {
    const directory = newDirectory(t);
    // A file where the directory would be: for root, who may write everywhere, too.
    writeFileSync(join(directory, '.demo'), '');
    const demo = startDemo(t, directory, '--port', '0');
    assert.deepEqual(await demo.ended, { code: 1, signal: null });
    assert.match(demo.stderr, /^mdapi: Cannot write [^\n]*\.demo\/mdapi\.yaml \(\w+\)\. [^\n]*--dir\.\n$/);
    const json = startDemo(t, directory, '--json');
    assert.equal((await json.ended).code, 1);
    assert.equal((JSON.parse(json.stdout) as { error: { reason: string } }).error.reason, 'directory_unwritable');
  });

  test('with a database that cannot be opened says so in one line and ends with 1', async (t) => {
    const directory = newDirectory(t);
    mkdirSync(join(directory, '.demo/mdapi.sqlite'), { recursive: true });
    const demo = startDemo(t, directory, '--port', '0');
    assert.deepEqual(await demo.ended, { code: 1, signal: null });
    assert.match(demo.stderr, /^mdapi: [^\n]*mdapi\.sqlite[^\n]*\n$/);
  });
});
