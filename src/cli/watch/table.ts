import type { Context, Terminal } from '../command.ts';
import { paintFor } from '../style.ts';
import { follow, type Look, type Watched, type Watching, watchedNext } from './board.ts';
import { frameOf } from './frame.ts';
import { Screen } from './screen.ts';

/** What the user can do at the table. */
type Action = 'quit' | 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

const actions: ReadonlyMap<string, Action> = new Map([
  ['q', 'quit'],
  ['Q', 'quit'],
  // Ctrl-C and Ctrl-D.
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
  ['\u001b[A', 'up'],
  ['k', 'up'],
  ['\u001b[B', 'down'],
  ['j', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  [' ', 'page-down'],
  ['\u001b[H', 'first'],
  ['\u001b[1~', 'first'],
  ['g', 'first'],
  ['\u001b[F', 'last'],
  ['\u001b[4~', 'last'],
  ['G', 'last'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no letters begin with one
const key = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|[\s\S]/g;

/** The actions of the keys typed, in order; other keys are ignored. */
export function actionsOf(typed: string): Action[] {
  return (typed.match(key) ?? []).flatMap((pressed) => actions.get(pressed.replace('\u001bO', '\u001b[')) ?? []);
}

const redrawEveryMs = 1_000;

/** Shows the live table until the user quits, input ends or the process is stopped. */
export async function showTable(watching: Watching, context: Context, terminal: Terminal): Promise<void> {
  const { clock, stdin, stdout } = context;
  const quit = new AbortController();
  const signal = AbortSignal.any([quit.signal, context.signal, ...(stdout.closed ? [stdout.closed] : [])]);
  const screen = new Screen(stdout, terminal);
  const table = new Table(watching, context, terminal, screen);
  const input = stdin.stream;
  const typed = (chunk: Buffer | string) => {
    for (const action of actionsOf(chunk.toString())) {
      if (action === 'quit') quit.abort();
      else table.act(action);
    }
  };
  // A terminal that is closed shows as a read error or as the end of input.
  const ended = () => quit.abort();
  input.on('data', typed).on('end', ended).on('error', ended).on('close', ended);
  const stopResizing = terminal.onResize(() => table.resized());
  const redraw = clock.every(redrawEveryMs, () => table.draw());
  try {
    table.draw();
    await follow(watching, clock, signal, (look) => table.take(look));
  } finally {
    redraw.cancel();
    stopResizing();
    input.off('data', typed).off('end', ended).off('close', ended);
    input.pause();
    screen.close();
  }
}

/** The state of the table: what was seen last and the scroll position. */
class Table {
  readonly #watching: Watching;
  readonly #context: Context;
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  #watched: Watched;
  #seenAtMs: number;
  #lostWhy: string | undefined;
  #top = 0;
  #page = 0;

  constructor(watching: Watching, context: Context, terminal: Terminal, screen: Screen) {
    this.#watching = watching;
    this.#context = context;
    this.#terminal = terminal;
    this.#screen = screen;
    this.#watched = watching.first;
    this.#seenAtMs = context.clock.monotonicMs();
  }

  take(look: Look): void {
    this.#lostWhy = look.kind === 'lost' ? look.why : undefined;
    if (look.kind === 'seen') {
      this.#watched = watchedNext(this.#watched, look.view, this.#watching.symbols);
      this.#seenAtMs = this.#context.clock.monotonicMs();
    }
    this.draw();
  }

  act(action: Exclude<Action, 'quit'>): void {
    const all = this.#watched.rows.length;
    const page = this.#page;
    this.#top += { up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -all, last: all }[action];
    this.draw();
  }

  resized(): void {
    this.#screen.invalidate();
    this.draw();
  }

  draw(): void {
    const laterMs = this.#context.clock.monotonicMs() - this.#seenAtMs;
    const why = this.#lostWhy;
    const { url } = this.#watching;
    const lost = why === undefined ? undefined : { url, why, forMs: laterMs };
    const scene = { watched: this.#watched, laterMs, lost, top: this.#top };
    const { columns, rows } = this.#terminal.size();
    // A terminal that does not know its size says 0.
    const size = { columns: columns || 80, rows: rows || 24 };
    const { lines, top, page } = frameOf(scene, size, paintFor(this.#context), arrowsFor(this.#context.env));
    this.#top = top;
    this.#page = page;
    this.#screen.show(lines);
  }
}

/** Arrows, unless the locale is set and not UTF-8. */
function arrowsFor(env: Context['env']): { readonly up: string; readonly down: string } {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return /utf-?8/i.test(locale) ? { up: '▲', down: '▼' } : { up: '^', down: 'v' };
}
