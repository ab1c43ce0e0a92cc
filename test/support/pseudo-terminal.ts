import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { launcher } from './mdapi-process.ts';
import { TerminalScreen } from './terminal-screen.ts';

interface PseudoTerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

let opened = 0;

/** `mdapi` at a real terminal of the system, opened by util-linux's `script`. */
export class PseudoTerminal {
  readonly screen: TerminalScreen;
  readonly ended: Promise<unknown>;
  /** Everything the terminal was sent. */
  written = '';
  readonly #child: ChildProcess;
  readonly #cwd: string;
  readonly #name: string;

  /** Why there is none here; `false` where there is. Without one, src/cli/watch/table.test.ts still holds the same. */
  static get missing(): string | false {
    const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
    return /util-linux/.test(stdout ?? '') ? false : 'there is no `script` of util-linux: apt-get install bsdutils';
  }

  private constructor(child: ChildProcess, cwd: string, name: string, columns: number) {
    this.#child = child;
    this.#cwd = cwd;
    this.#name = name;
    this.screen = new TerminalScreen(columns);
    this.ended = once(child, 'close');
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.written += text;
      this.screen.write(text);
    });
  }

  static async open(
    t: { after(run: () => unknown): void },
    argv: readonly string[],
    { cwd, env, columns, rows }: PseudoTerminalOptions,
  ): Promise<PseudoTerminal> {
    const name = `terminal-${++opened}`;
    // What the shell finds after the command shows whether the terminal is as it was.
    const command = [
      `stty cols ${columns} rows ${rows}; tty > ${name}.tty; stty -g > ${name}.before`,
      `"$NODE" "$LAUNCHER" ${argv.join(' ')} & echo $! > ${name}.pid; fg > ${name}.job; echo $? > ${name}.code`,
      `stty -g > ${name}.after`,
    ].join('; ');
    const child = spawn('script', ['--quiet', '--flush', '--command', `sh -mc '${command}'`, '/dev/null'], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        TERM: 'xterm-256color',
        NODE: process.execPath,
        LAUNCHER: launcher,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    return new PseudoTerminal(child, cwd, name, columns);
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(Number(this.#note('pid')), signal);
  }

  /** As when a window is resized: the program gets a signal. */
  async resize(columns: number, rows: number): Promise<void> {
    this.screen.resize(columns);
    const device = await eventually('the terminal has a name', () => this.#note('tty'));
    execFileSync('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)]);
  }

  /** The program ended with this code, said this last, and left the terminal as it found it. */
  assertGivenBack(exitCode = 0, last = ''): void {
    const { isAlternate, isCursorShown, isWrapping, isStyled, before } = this.screen;
    assert.deepEqual(
      { isAlternate, isCursorShown, isWrapping, isStyled, before: before.trim() },
      { isAlternate: false, isCursorShown: true, isWrapping: true, isStyled: false, before: last },
    );
    assert.equal(this.#note('code'), String(exitCode));
    assert.equal(this.#note('after'), this.#note('before'), 'the settings of the terminal');
  }

  #note(kind: string): string {
    return readFileSync(join(this.#cwd, `${this.#name}.${kind}`), 'utf8').trim();
  }
}
