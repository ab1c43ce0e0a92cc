import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { seededRandomness } from '../../../test/support/fake-clock.ts';
import { TerminalScreen } from '../../../test/support/terminal-screen.ts';
import { systemClock } from '../../clock.ts';
import type { BoardView } from '../../management/views.ts';
import { newDirectory } from '../cli.testing.ts';
import type { TerminalSize } from '../command.ts';
import { run } from '../run.ts';
import { board, market } from './samples.testing.ts';

/** A private listener that answers with what it is given. */
async function serverOf(t: TestContext, answer: { view: BoardView }): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer.view));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The command at a terminal that is only a screen and a stream of keys. */
async function atTerminal(t: TestContext, argv: readonly string[], answer = { view: board([market('BTCEUR')]) }) {
  const port = await serverOf(t, answer);
  const screen = new TerminalScreen(80);
  const stdin = new PassThrough();
  const stop = new AbortController();
  t.after(() => stop.abort());
  const size: { -readonly [Side in keyof TerminalSize]: number } = { columns: 80, rows: 24 };
  const resizers = new Set<() => void>();
  const exits = new Set<() => void>();
  const state = { isRaw: false, stderr: '' };
  const terminal = {
    size: () => size,
    onResize(run: () => void) {
      resizers.add(run);
      return () => resizers.delete(run);
    },
    setRaw: (on: boolean) => {
      state.isRaw = on;
    },
    atExit(run: () => void) {
      exits.add(run);
      return () => exits.delete(run);
    },
  };
  const ended = run(['watch', '--interval', '100ms', ...argv], {
    stdout: { isTerminal: true, write: (text) => screen.write(text) },
    stderr: {
      isTerminal: true,
      write: (text) => {
        state.stderr += text;
      },
    },
    stdin: { stream: stdin, isTerminal: true },
    terminal,
    env: { MDAPI_ADMIN_PORT: String(port) },
    cwd: newDirectory(t),
    clock: systemClock,
    randomness: seededRandomness(1),
    signal: stop.signal,
  });
  await eventually('the table', () => screen.isAlternate && screen.text.includes('SYMBOL'));
  assert.ok(state.isRaw);
  return {
    answer,
    screen,
    stdin,
    state,
    stop,
    exits,
    ended,
    resize(columns: number, rows: number) {
      screen.resize(columns);
      Object.assign(size, { columns, rows });
      for (const resized of resizers) resized();
    },
    assertGivenBack() {
      const { isAlternate, isCursorShown, isWrapping, isStyled } = screen;
      assert.deepEqual(
        [isAlternate, isCursorShown, isWrapping, isStyled, state.isRaw, resizers.size, exits.size],
        [false, true, true, false, false, 0, 0],
      );
      assert.deepEqual(
        ['data', 'end', 'close'].map((event) => stdin.listenerCount(event)),
        ['data', 'end', 'close'].map((event) => new PassThrough().listenerCount(event)),
      );
    },
  };
}

type Terminal = Awaited<ReturnType<typeof atTerminal>>;

const ends: Readonly<Record<string, (terminal: Terminal) => unknown>> = {
  q: ({ stdin }) => stdin.write('q'),
  'Ctrl-C': ({ stdin }) => stdin.write('\u0003'),
  'the end of input': ({ stdin }) => stdin.end(),
  'a terminal that goes away': ({ stdin }) => stdin.destroy(new Error('EIO')),
  'a signal': ({ stop }) => stop.abort(),
};

for (const [name, end] of Object.entries(ends)) {
  test(`${name} ends it with 0 and the terminal as it was`, async (t) => {
    const terminal = await atTerminal(t, []);
    end(terminal);
    assert.equal(await terminal.ended, 0);
    terminal.assertGivenBack();
    assert.equal(terminal.state.stderr, '');
  });
}

test('a market that is delisted meanwhile ends it with the reason, the terminal as it was', async (t) => {
  const terminal = await atTerminal(t, ['btceur']);
  terminal.answer.view = board([{ symbol: 'BTCEUR', status: 'delisted' }]);
  assert.equal(await terminal.ended, 5);
  terminal.assertGivenBack();
  assert.equal(terminal.state.stderr, 'mdapi: The market BTCEUR is delisted, which is final.\n');
});

test('a process that exits meanwhile restores the terminal', async (t) => {
  const terminal = await atTerminal(t, []);
  for (const exit of terminal.exits) exit();
  terminal.stop.abort();
  await terminal.ended;
  terminal.assertGivenBack();
});

test('it follows the size of the terminal, and assumes 80 by 24 where that is unknown', async (t) => {
  const terminal = await atTerminal(t, []);
  terminal.resize(30, 10);
  assert.equal(terminal.screen.lines.length, 10);
  assert.ok(terminal.screen.lines.every((line) => line.length <= 30));
  terminal.resize(0, 0);
  assert.equal(terminal.screen.lines.length, 24);
  terminal.stdin.write('q');
  await terminal.ended;
});

test('an answer of another program is distinguished from no answer', async (t) => {
  const terminal = await atTerminal(t, []);
  terminal.answer.view = { hello: 'world' } as unknown as BoardView;
  await eventually('it says so', () =>
    terminal.screen.text.replaceAll('\n', ' ').includes('(what answers is no server of this version)'),
  );
  terminal.stdin.write('q');
  assert.equal(await terminal.ended, 0);
});
