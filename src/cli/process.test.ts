import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { contextOf, exitWhenDone, stopSignalOf } from './process.ts';

const program = `
import { systemClock } from ${JSON.stringify(new URL('../ground/clock.ts', import.meta.url).href)};
import { stopSignalOf } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)};
const signal = stopSignalOf(process, systemClock);
signal.addEventListener('abort', () => console.log('stopping'));
setInterval(() => {}, 1000);
console.log('ready');
`;

/** A process that is stopping for ever. `text` is what it has said. */
function start() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = { text: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.text += chunk.toString();
  });
  const says = (text: string) => eventually(`the process says ${text}`, () => said.text.includes(text));
  return { child, said, says };
}

describe('a signal to stop', () => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`${name} asks for an orderly end and does not end the process itself`, async (t) => {
      const { child, says } = start();
      t.after(() => child.kill('SIGKILL'));
      await says('ready');
      child.kill(name);
      await says('stopping');
      assert.equal(child.exitCode, null);
    });
  }

  it('a second SIGTERM ends the process at once with 143', async (t) => {
    const { child, says } = start();
    t.after(() => child.kill('SIGKILL'));
    await says('ready');
    child.kill('SIGTERM');
    await says('stopping');
    child.kill('SIGTERM');
    assert.deepEqual((await once(child, 'exit'))[0], 143);
  });

  it('one Ctrl-C that arrives twice, from the terminal and from npm, is one', async () => {
    const { clock, exits, signal, process } = standIn();
    process.emit('SIGINT');
    await clock.advance(400);
    process.emit('SIGINT');
    assert.deepEqual([signal.aborted, exits], [true, []]);
    await clock.advance(200);
    process.emit('SIGINT');
    assert.deepEqual(exits, [130]);
  });

  it('one SIGTERM that arrives twice is one where npm may forward it, and only there (fault row 48)', async () => {
    for (const [env, expected] of [
      [{ npm_lifecycle_event: 'start' }, []],
      [{}, [143]],
    ] as const) {
      const { clock, exits, process } = standIn(env);
      process.emit('SIGTERM');
      await clock.advance(400);
      process.emit('SIGTERM');
      assert.deepEqual(exits, expected);
    }
  });

  for (const [first, second] of [
    ['system', 'launcher'],
    ['launcher', 'system'],
  ] as const) {
    it(`one SIGTERM to a group is one that comes first from the ${first} and then from the ${second} (fault row 48)`, async () => {
      const { clock, exits, signal, process } = standIn();
      const send = (way: 'system' | 'launcher') =>
        way === 'system' ? process.emit('SIGTERM') : process.emit('launcher', 'SIGTERM');
      send(first);
      await clock.advance(1_500);
      send(second);
      assert.deepEqual([signal.aborted, exits], [true, []]);
      send(first);
      assert.deepEqual(exits, [143]);
    });
  }

  it('a SIGTERM long after one of the other way is a second one', async () => {
    const { clock, exits, process } = standIn();
    process.emit('launcher', 'SIGTERM');
    await clock.advance(2_500);
    process.emit('SIGTERM');
    assert.deepEqual(exits, [143]);
  });

  it('the end of the launcher asks for an orderly end, and ends nothing that is stopping', () => {
    const { exits, signal, process } = standIn();
    process.emit('launcher', 'gone');
    assert.equal(signal.aborted, true);
    process.emit('SIGTERM');
    process.emit('launcher', 'gone');
    assert.deepEqual(exits, []);
    process.emit('SIGTERM');
    assert.deepEqual(exits, [143]);
  });
});

describe('SIGHUP', () => {
  /** A process of the program whose standard streams are, or are not, a terminal's. */
  function program({ isTTY = false } = {}) {
    const exits: number[] = [];
    const stream = () => Object.assign(new PassThrough(), { isTTY: undefined as boolean | undefined });
    const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
    streams.stderr.isTTY = isTTY;
    const parts = { ...streams, env: {}, cwd: () => '/', exit: (code: number) => exits.push(code) };
    const process = Object.assign(new EventEmitter(), parts);
    const context = contextOf(process as unknown as NodeJS.Process);
    const { signal } = context;
    let called = 0;
    const heed = () => context.onHangUp?.(() => called++);
    return { process, signal, heed, exits, called: () => called };
  }

  it('stops a program that has nothing else to do on it, as a server that still starts', () => {
    const { process, signal } = program();
    process.emit('SIGHUP');
    assert.equal(signal.aborted, true);
  });

  it('is no reason to stop once it has, whichever way it comes, however often', () => {
    const { process, signal, heed, exits, called } = program();
    heed();
    process.emit('SIGHUP');
    process.emit('launcher', 'SIGHUP');
    process.emit('SIGHUP');
    assert.deepEqual([signal.aborted, exits, called()], [false, [], 3]);
    process.emit('SIGTERM');
    assert.deepEqual([signal.aborted, exits], [true, []], 'the first one that asks for an end');
  });

  it('while it stops does nothing', () => {
    const { process, heed, exits, called } = program();
    heed();
    process.emit('SIGTERM');
    process.emit('SIGHUP');
    assert.deepEqual([exits, called()], [[], 0]);
  });

  it('says at a terminal that this was closed', () => {
    const { process, signal, heed, called } = program({ isTTY: true });
    heed();
    process.emit('SIGHUP');
    assert.deepEqual([signal.aborted, called()], [true, 0]);
  });
});

describe('a process that is done', () => {
  it('is ended a second later, once its output is read, when something is still open, which is said', async () => {
    const clock = new FakeClock();
    const told: unknown[] = [];
    const stdout = { writableLength: 10 };
    const process = {
      exit: () => told.push('exit'),
      getActiveResourcesInfo: () => ['TCPSocketWrap', 'Timeout'],
      stdout,
      stderr: { write: (text: string) => told.push(text) },
    } as unknown as NodeJS.Process;
    exitWhenDone(process, clock);
    await clock.advance(1_000);
    stdout.writableLength = 0;
    await clock.advance(999);
    assert.deepEqual(told, []);
    await clock.advance(1);
    assert.deepEqual(told, ['mdapi: ended with this open: TCPSocketWrap, Timeout\n', 'exit']);
  });

  for (const [what, open, expected] of [
    ['a server', 'createServer().listen(0);', /^mdapi: ended with this open: .*TCPServerWrap.*\n$/],
    ['nothing', '', /^$/],
  ] as const) {
    it(`ends with its own exit code, with ${what} open`, async (t) => {
      const text = `
import { createServer } from 'node:net';
import { systemClock } from ${JSON.stringify(new URL('../ground/clock.ts', import.meta.url).href)};
import { exitWhenDone } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)};
${open}
process.exitCode = 6;
exitWhenDone(process, systemClock);`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      t.after(() => child.kill('SIGKILL'));
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      assert.deepEqual(await once(child, 'close'), [6, null]);
      assert.match(said, expected);
    });
  }
});

/** For what depends on instants: a process whose signals come when the test says so. */
function standIn(env: Readonly<Record<string, string>> = {}) {
  const clock = new FakeClock();
  const exits: number[] = [];
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code), env });
  const signal = stopSignalOf(process as unknown as NodeJS.Process, clock);
  return { clock, exits, signal, process };
}
