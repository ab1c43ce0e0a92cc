import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { systemClock } from '../../src/ground/clock.ts';
import { blocksOf } from '../../test/repository/markdown.ts';
import { ListenerHarness } from '../../test/support/listener-harness.ts';
import { version } from '../src/version.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const clientFolder = fileURLToPath(new URL('../', import.meta.url));
const binaries = join(repository, 'node_modules', '.bin');

/** This process's own runtime first, so that `npm` and what it starts find the pinned ones. */
const env = {
  ...process.env,
  PATH: `${binaries}${delimiter}${process.env.PATH}`,
  npm_config_update_notifier: 'false',
};

/** The machine's own Node, when it has one the client promises to run on. */
async function otherRuntime(): Promise<string | undefined> {
  const path = '/usr/bin/node';
  if (!existsSync(path)) return undefined;
  const { stdout } = await run(path, ['-p', 'process.versions.node']);
  const isOther = Number.parseInt(stdout, 10) >= 20 && stdout.trim() !== process.versions.node;
  return isOther ? path : undefined;
}

/** Runs a program until it ends; an endless one is interrupted after its first line. */
function output(
  runtime: string,
  file: string,
  environment: NodeJS.ProcessEnv,
  isEndless = false,
): Promise<{ out: string; err: string }> {
  const child = spawn(runtime, [file], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stderr.on('data', (text) => {
    err += text;
  });
  return new Promise((resolve) => {
    child.stdout.on('data', (text) => {
      out += text;
      if (isEndless && out.includes('\n')) child.kill('SIGINT');
    });
    child.once('close', () => resolve({ out, err }));
  });
}

const oldCompiler = join(repository, 'tools', 'clients', 'node_modules', 'typescript-5.0', 'bin', 'tsc');
const newCompiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');

/** The oldest compiler that the types promise, which is installed with the generators of clients, and the newest. */
const compilers = {
  all: [
    { compiler: oldCompiler, module: 'nodenext', moduleResolution: 'nodenext' },
    { compiler: newCompiler, module: 'esnext', moduleResolution: 'bundler' },
  ],
  needs: existsSync(oldCompiler)
    ? {}
    : { skip: 'there is no TypeScript 5.0: npm --prefix tools/clients ci --no-audit' },
};

const consumerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
};

const requiring = `import client = require('market-data-client');
const { budget, tickers } = client.createClient(client.fromEnvironment());
const call: client.Call<readonly client.Ticker[]> = tickers();
const left: client.LimitFigures | undefined = budget;
void [call, left];
`;

describe('the package', { timeout: 60_000 }, () => {
  let folder: string;
  let project: string;
  /** What the package holds. */
  let files: readonly string[];
  let api: ListenerHarness;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'market-data-client-'));
    project = join(folder, 'project');
    await mkdir(project);
    const made = join(folder, 'made');
    await run(process.execPath, [join(repository, 'tools/client-packages/make.ts'), made], { env });
    const tarball = join(made, `market-data-client-${version}.tgz`);
    const { stdout } = await run('tar', ['--list', '--file', tarball]);
    files = stdout
      .trim()
      .split('\n')
      .map((name) => name.replace(/^package\//, ''));
    await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }');
    const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...quiet, tarball], { cwd: project, env });
    api = await ListenerHarness.start({ clock: systemClock });
    api.list('BTC', 'ETH');
    api.tick('BTC', '50000.00', '50010.00');
    api.tick('ETH', '2000.00', '2001.00');
    environment = { ...env, BASE_URL: `http://127.0.0.1:${api.port}`, API_KEY: api.key };
  });
  after(async () => {
    await api?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('holds what it needs and nothing else: compiled code with its source maps, types, the page and the licence', async () => {
    const others = files.filter((file) => !/^dist\/(esm|cjs)\/[a-z-]+\.(js|js\.map|d\.ts)$/.test(file));
    assert.deepEqual(others.toSorted(), [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'dist/cjs/package.json',
      'dist/mcp.js',
      'package.json',
    ]);
    for (const kind of ['esm', 'cjs']) {
      for (const ending of ['js', 'js.map', 'd.ts']) assert.ok(files.includes(`dist/${kind}/index.${ending}`));
    }
    const manifest = JSON.parse(await readFile(join(clientFolder, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined]);
    assert.deepEqual(await readdir(join(project, 'node_modules')), [
      '.bin',
      '.package-lock.json',
      'market-data-client',
    ]);
    const licences = [join(clientFolder, 'LICENSE'), join(repository, 'LICENSE')];
    const [own, root] = await Promise.all(licences.map((path) => readFile(path, 'utf8')));
    assert.equal(own, root);
  });

  test('works installed from its tarball, on this runtime and on the machine’s own', async () => {
    const file = join(project, 'installed.js');
    await writeFile(
      file,
      `import { createClient } from 'market-data-client';
       const client = createClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
       const [first, again] = [await client.tickers(), await client.tickers()];
       for await (const tickers of client.watchTickers()) {
         console.log(first.length, first === again, tickers === first, (await client.status()).status);
         break;
       }`,
    );
    for (const runtime of [process.execPath, await otherRuntime()]) {
      if (runtime === undefined) continue;
      assert.deepEqual(
        await output(runtime, file, environment),
        { out: '2 true true operational\n', err: '' },
        runtime,
      );
    }
  });

  test('holds the licences of what its server for assistants has inside, each one that asks for nothing but its text', async () => {
    const bundled: { name: string; version: string; license: string }[] = JSON.parse(
      await readFile(join(folder, 'made', 'bundled.json'), 'utf8'),
    );
    const installed = join(project, 'node_modules', 'market-data-client');
    const texts = await readFile(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    assert.ok(bundled.length >= 5);
    for (const { name, version: used, license } of bundled) {
      assert.match(license, /^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD)$/, name);
      assert.ok(texts.includes(`${name} ${used} (${license})\n`), name);
    }
    const inside = await Promise.all(
      files.map(async (file) => [file, await readFile(join(installed, file), 'latin1')]),
    );
    const named = inside.filter(([, text = '']) => text.includes(repository) || text.includes(tmpdir()));
    assert.deepEqual(named, [], 'nothing of the machine that made it');
  });

  test('serves an assistant, on this runtime and on the machine’s own', async () => {
    for (const runtime of [process.execPath, await otherRuntime()]) {
      if (runtime === undefined) continue;
      const client = new Client({ name: 'test', version: '1' });
      const args = [join(project, 'node_modules', '.bin', 'market-data-client'), 'mcp'];
      const own = { MARKET_DATA_BASE_URL: environment.BASE_URL!, MARKET_DATA_API_KEY: environment.API_KEY! };
      await client.connect(new StdioClientTransport({ command: runtime, args, env: own, stderr: 'inherit' }));
      const { structuredContent } = await client.callTool({ name: 'ticker', arguments: { symbol: 'BTCEUR' } });
      assert.equal((structuredContent as { symbol: string }).symbol, 'BTCEUR', runtime);
      await client.close();
    }
  });

  test('works with require from CommonJS, and errors lead to its sources', async () => {
    const file = join(project, 'required.cjs');
    await writeFile(
      file,
      `const { createClient, UnknownSymbolProblem } = require('market-data-client');
       const client = createClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
       client.ticker('NOPE').catch((error) => {
         console.log(error instanceof UnknownSymbolProblem, /src.answer\\.ts:\\d/.test(error.stack) ? 'answer.ts' : error.stack);
       });`,
    );
    for (const runtime of [process.execPath, await otherRuntime()]) {
      if (runtime === undefined) continue;
      const withMaps = { ...environment, NODE_OPTIONS: '--enable-source-maps' };
      assert.deepEqual(await output(runtime, file, withMaps), { out: 'true answer.ts\n', err: '' }, runtime);
    }
  });

  test('is taken by the compilers from TypeScript 5.0 to 7, by import and by require', compilers.needs, async () => {
    const examples = blocksOf(await readFile(join(clientFolder, 'README.md'), 'utf8'));
    const codes = examples.filter(({ language }) => language === 'ts').map(({ text }) => text);
    const consumer = join(project, 'consumer');
    await mkdir(consumer);
    await Promise.all(codes.map((code, index) => writeFile(join(consumer, `example-${index}.mts`), code)));
    await writeFile(join(consumer, 'required.cts'), requiring);
    await writeFile(join(consumer, 'process.d.ts'), 'declare const process: any;');
    for (const { compiler, module, moduleResolution } of compilers.all) {
      const compilerOptions = { ...consumerOptions, module, moduleResolution };
      const exclude = moduleResolution === 'bundler' ? ['*.cts'] : [];
      await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, exclude }));
      const { stdout } = await run(process.execPath, [compiler, '-p', consumer], { env }).catch((failure) => failure);
      assert.equal(stdout, '', `${compiler} ${moduleResolution}`);
    }
  });

  test('has a page whose every example compiles for Node too', async () => {
    const examples = blocksOf(await readFile(join(clientFolder, 'README.md'), 'utf8'));
    const codes = examples.filter(({ language }) => language === 'ts').map(({ text }) => text);
    assert.ok(codes.length >= 3);
    await Promise.all(codes.map((code, index) => writeFile(join(project, `example-${index}.ts`), code)));
    const strict = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    const files = codes.map((_, index) => `example-${index}.ts`);
    const node = ['--lib', 'es2022', '--types', 'node', '--typeRoots', join(repository, 'node_modules', '@types')];
    const { stdout } = await run('tsc', ['--ignoreConfig', ...strict, ...node, ...files], {
      cwd: project,
      env,
    }).catch((failure) => failure);
    assert.equal(stdout, '');
  });

  test('has a page whose every example runs against the real listener', async () => {
    const examples = blocksOf(await readFile(join(clientFolder, 'README.md'), 'utf8'));
    const codes = examples.filter(({ language }) => language === 'ts').map(({ text }) => text);
    for (const [index, code] of codes.entries()) {
      const file = join(project, `run-${index}.ts`);
      await writeFile(file, code);
      const { out, err } = await output(process.execPath, file, environment, code.includes('client.watch'));
      assert.match(out, /\S/, code);
      assert.equal(err, '', code);
    }
  });
});
