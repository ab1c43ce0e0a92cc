import type { Output, Terminal } from '../command.ts';

const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

/** The terminal's alternate screen: no cursor, no wrapping, raw keys. Restored by `close` or when the process exits. */
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

  /** Shows these lines, as many as the terminal has rows, unless they are shown already. */
  show(lines: readonly string[]): void {
    // Erased before it is written: after the last column the cursor is still on it.
    const frame = lines.map((line) => `\u001b[K${line}`).join('\r\n');
    if (!this.#isOpen || frame === this.#shown) return;
    this.#shown = frame;
    this.#output.write(`\u001b[H${frame}`);
  }

  /** Clears the screen: the next frame is drawn in full. */
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
