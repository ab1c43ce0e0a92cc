import type { Context, Terminal } from '../command.ts';
import { paintFor } from '../style.ts';
import { type Look, looks, type Watched, type Watching, watchedNext } from './board.ts';
import { frameOf } from './frame.ts';

/** What the user can do at the table. */
type Action = 'quit' | 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

const actions: ReadonlyMap<string, Action> = new Map([
  ['q', 'quit'],
  ['Q', 'quit'],
  // Ctrl-C and Ctrl-D.
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
  ['\u001b[A', 'up'],
  ['\u001b[B', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  ['\u001b[H', 'first'],
  ['\u001b[1~', 'first'],
  ['\u001b[F', 'last'],
  ['\u001b[4~', 'last'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no letters begin with one
const key = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|[\s\S]/g;

/** The actions of the keys typed, in order; other keys are ignored. */
export function actionsOf(typed: string): Action[] {
  return (typed.match(key) ?? []).flatMap((pressed) => actions.get(pressed.replace('\u001bO', '\u001b[')) ?? []);
}

/** The alternate screen, without cursor and wrapping. */
const enterScreen = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leaveScreen = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

const redrawEveryMs = 1_000;

/** Shows the live table until the user quits, input ends or the process is stopped. */
export async function showTable(watching: Watching, context: Context, terminal: Terminal): Promise<void> {
  const { clock, stdin, stdout } = context;
  const quit = new AbortController();
  const signal = AbortSignal.any([quit.signal, context.signal, stdout.closed ?? quit.signal]);
  const table = new Table(watching, context, terminal);
  const input = stdin.stream;
  const typed = (chunk: Buffer | string) => {
    for (const action of actionsOf(chunk.toString())) {
      if (action === 'quit') quit.abort();
      else table.scroll(action);
    }
  };
  // A terminal that is closed shows as a read error or as the end of input.
  const ended = () => quit.abort();
  input.on('data', typed).on('end', ended).on('error', ended).on('close', ended);
  const stopResizing = terminal.onResize(() => table.resized());
  const redraw = clock.every(redrawEveryMs, () => table.draw());
  try {
    table.draw();
    for await (const look of looks(watching, clock, signal)) table.take(look);
  } finally {
    redraw.cancel();
    stopResizing();
    input.off('data', typed).off('end', ended).off('close', ended);
    input.pause();
    table.close();
  }
}

/** What was seen last and the scroll position, on the terminal until `close` or the exit of the process. */
class Table {
  readonly #watching: Watching;
  readonly #context: Context;
  readonly #terminal: Terminal;
  readonly #forgetExit: () => void;
  #isOpen = true;
  #watched: Watched;
  #seenAtMs: number;
  #lostWhy: string | undefined;
  #top = 0;
  #page = 0;

  constructor(watching: Watching, context: Context, terminal: Terminal) {
    this.#watching = watching;
    this.#context = context;
    this.#terminal = terminal;
    this.#watched = watching.first;
    this.#seenAtMs = context.clock.monotonicMs();
    this.#forgetExit = terminal.atExit(() => this.close());
    terminal.setRaw(true);
    context.stdout.write(enterScreen);
  }

  take(look: Look): void {
    this.#lostWhy = look.kind === 'lost' ? look.why : undefined;
    if (look.kind === 'seen') {
      this.#watched = watchedNext(this.#watched, look.view, this.#watching.symbols);
      this.#seenAtMs = this.#context.clock.monotonicMs();
    }
    this.draw();
  }

  scroll(action: Exclude<Action, 'quit'>): void {
    const all = this.#watched.rows.length;
    const page = this.#page;
    this.#top += { up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -all, last: all }[action];
    this.draw();
  }

  resized(): void {
    this.#context.stdout.write('\u001b[2J');
    this.draw();
  }

  draw(): void {
    if (!this.#isOpen) return;
    const laterMs = this.#context.clock.monotonicMs() - this.#seenAtMs;
    const lost = this.#lostWhy === undefined ? undefined : { url: this.#watching.url, why: this.#lostWhy };
    const scene = { watched: this.#watched, laterMs, lost, top: this.#top };
    const { columns, rows } = this.#terminal.size();
    // A terminal that does not know its size says 0.
    const size = { columns: columns || 80, rows: rows || 24 };
    const { lines, top, page } = frameOf(scene, size, paintFor(this.#context));
    this.#top = top;
    this.#page = page;
    // Each line is erased before it is written: after the last column the cursor is still on it.
    this.#context.stdout.write(`\u001b[H${lines.map((line) => `\u001b[K${line}`).join('\r\n')}`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forgetExit();
    this.#context.stdout.write(leaveScreen);
    this.#terminal.setRaw(false);
  }
}
