import type { Output, Terminal } from '../command.ts';

const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

/**
 * A screen of our own over what the terminal showed before: no cursor, no wrapping, keys unseen. It is
 * given back once, by `close` or, should that not be reached, by the end of the process.
 */
export class Screen {
  readonly #output: Output;
  readonly #terminal: Terminal;
  readonly #forgetExit: () => void;
  #shown: string | undefined;
  #isOpen = true;

  constructor(output: Output, terminal: Terminal) {
    this.#output = output;
    this.#terminal = terminal;
    this.#forgetExit = terminal.atExit(() => this.close());
    terminal.setRaw(true);
    output.write(enter);
  }

  /** Shows these lines, as many as the terminal has rows. Writes nothing when they are shown already. */
  show(lines: readonly string[]): void {
    // Erased before it is written: after its last column the cursor still stands on it.
    const frame = lines.map((line) => `\u001b[K${line}`).join('\r\n');
    if (!this.#isOpen || frame === this.#shown) return;
    this.#shown = frame;
    this.#output.write(`\u001b[H${frame}`);
  }

  /** What stands there may be anything: the next frame is drawn from nothing. */
  invalidate(): void {
    this.#shown = undefined;
    if (this.#isOpen) this.#output.write('\u001b[2J');
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forgetExit();
    this.#output.write(leave);
    this.#terminal.setRaw(false);
  }
}
