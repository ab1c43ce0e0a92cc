import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../test/support/eventually.ts';
import { faultNames } from './fault-catalogue.ts';

const cli = fileURLToPath(new URL('./cli.ts', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly exit: Promise<number | null>;
}

function start(test: TestContext, ...args: string[]): Running {
  const { EXCHANGE_SIMULATOR_CONTROL: _, ...env } = process.env;
  const child = spawn(process.execPath, [cli, ...args], { stdio: 'pipe', env });
  test.after(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return { child, output, exit: once(child, 'close').then(([code]) => code) };
}

async function finish(test: TestContext, ...args: string[]) {
  const { output, exit } = start(test, ...args);
  return { code: await exit, ...output };
}

async function addressesOf({ output }: Running): Promise<Record<string, string>> {
  return JSON.parse(await eventually('the addresses', () => output.stdout.endsWith('\n') && output.stdout));
}

describe('the command line of the simulated exchange', { concurrency: 2 }, () => {
  it('prints its addresses as one JSON line, takes every command, and ends cleanly on SIGTERM', async (test) => {
    const running = start(test, '--json', '--quotes', 'EUR', '--updates', '0');
    const { restUrl, controlUrl = '' } = await addressesOf(running);
    const control = ['--control', controlUrl, '--json'];
    const commands: [string[], RegExp][] = [
      [['fault', 'mute', '--for', '30s'], /"fault":"mute".*"forMs":30000/],
      [['fault', 'bad-value', '--symbol', 'BTC/EUR', '--set', 'field=ask', '--set', 'missing=true'], /"missing":true/],
      [['price', 'BTC/EUR', '--bid', '50000.0', '--ask', '50000.1', '--change-pct', '1.20'], /\{"pinned":true\}/],
      [['clear', 'mute'], /\{"cleared":1\}/],
      [['state'], /"pinned":\["BTC\/EUR"\].*"fault":"bad-value"/],
    ];
    for (const [args, expected] of commands) {
      const { code, stdout, stderr } = await finish(test, ...args, ...control);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, expected);
    }
    const ticker = await (await fetch(`${restUrl}/0/public/Ticker?pair=XBTEUR`)).text();
    assert.ok(ticker.includes('"b":["50000.0"'));
    running.child.kill('SIGTERM');
    assert.equal(await running.exit, 0);
  });

  it('stops with its parent only with --with-parent', async (test) => {
    const [alone, child] = [start(test, '--json'), start(test, '--json', '--with-parent')];
    const { restUrl } = await addressesOf(alone);
    await addressesOf(child);
    alone.child.stdin?.end();
    child.child.stdin?.end();
    assert.equal(await child.exit, 0);
    assert.equal((await fetch(`${restUrl}/0/public/Time`)).status, 200);
    alone.child.kill('SIGINT');
    assert.equal(await alone.exit, 0);
  });

  it('reports in one line that a port is in use or that nothing answers, with exit code 1', async (test) => {
    const running = start(test, '--json');
    const { restUrl = '' } = await addressesOf(running);
    const { port } = new URL(restUrl);
    const taken = await finish(test, '--port', port);
    assert.deepEqual([taken.code, taken.stdout], [1, '']);
    assert.match(taken.stderr, new RegExp(`^exchange-simulator: port ${port} is in use; .*\n$`));
    running.child.kill();
    await running.exit;
    const alone = await finish(test, 'state', '--control', restUrl);
    assert.equal(alone.code, 1);
    assert.match(alone.stderr, /^exchange-simulator: no answer from .*\n$/);
  });

  it('names what is wrong with a command, with exit code 2', async (test) => {
    const cases: [string[], RegExp][] = [
      [['blub'], /unknown command "blub"/],
      [['--updates', 'x'], /--updates takes a whole number/],
      [['--nope'], /--nope/],
      [['fault', '--control', 'http://127.0.0.1:1'], /needs NAME/],
      [['fault', 'mute', '--for', '30', '--control', 'http://127.0.0.1:1'], /duration such as/],
      [['state'], /give --control URL/],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await finish(test, ...args);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, message);
    }
  });

  it('prints help on the commands and on every fault', async (test) => {
    const [help, faults] = await Promise.all([finish(test, '--help'), finish(test, 'faults')]);
    assert.deepEqual([help.code, faults.code], [0, 0]);
    assert.match(help.stdout, /--control-port/);
    for (const name of faultNames) assert.match(faults.stdout, new RegExp(`^ {2}${name}( |$)`, 'm'));
  });
});
