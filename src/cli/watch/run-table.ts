import type { Context, Terminal } from '../command.ts';
import { paintFor } from '../style.ts';
import { follow, type Look } from './board-client.ts';
import { frameOf } from './frame.ts';
import { type Wish, wishesIn } from './keys.ts';
import { type Order, sortings } from './order.ts';
import { Screen } from './screen.ts';
import { type Watched, watchedNext } from './watched.ts';

/** What both ways of watching are given. */
export interface Watching {
  readonly url: string;
  readonly intervalMs: number;
  readonly symbols: readonly string[];
  /** What was seen before anything was shown. */
  readonly first: Watched;
  look(signal: AbortSignal): Promise<Look>;
}

const redrawEveryMs = 1_000;

/** Shows the live table until somebody wants to quit, input ends or the process is told to stop. */
export async function runTable(watching: Watching, context: Context, terminal: Terminal): Promise<void> {
  const quit = new AbortController();
  const signal = AbortSignal.any([
    quit.signal,
    context.signal,
    ...(context.stdout.closed ? [context.stdout.closed] : []),
  ]);
  const screen = new Screen(context.stdout, terminal);
  const table = new Table(watching, context, terminal, screen);
  const input = context.stdin.stream;
  const typed = (chunk: Buffer | string) => {
    for (const wish of wishesIn(chunk.toString())) {
      if (wish === 'quit') quit.abort();
      else table.fulfil(wish);
    }
  };
  // A terminal that goes away shows as an error of reading or as the end.
  const ended = () => quit.abort();
  input.on('data', typed).on('end', ended).on('error', ended).on('close', ended);
  const stopResizing = terminal.onResize(() => table.resized());
  const redraw = context.clock.every(redrawEveryMs, () => table.draw());
  try {
    table.draw();
    const { intervalMs } = watching;
    await follow(
      () => watching.look(signal),
      { clock: context.clock, intervalMs, signal },
      (look) => table.take(look),
    );
  } finally {
    redraw.cancel();
    stopResizing();
    input.off('data', typed).off('end', ended).off('close', ended);
    input.pause();
    screen.close();
  }
}

/** What is shown, and what the person at it chose. */
class Table {
  readonly #watching: Watching;
  readonly #context: Context;
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #arrows: { readonly up: string; readonly down: string };
  #watched: Watched;
  #seenAtMs: number;
  #lostWhy: string | undefined;
  #order: Order = { by: 'symbol', isReversed: false };
  #top = 0;
  #page = 0;

  constructor(watching: Watching, context: Context, terminal: Terminal, screen: Screen) {
    this.#watching = watching;
    this.#context = context;
    this.#terminal = terminal;
    this.#screen = screen;
    this.#arrows = arrowsFor(context.env);
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

  fulfil(wish: Exclude<Wish, 'quit'>): void {
    const { by, isReversed } = this.#order;
    if (wish === 'sort')
      this.#order = { by: sortings[(sortings.indexOf(by) + 1) % sortings.length]!, isReversed: false };
    if (wish === 'reverse') this.#order = { by, isReversed: !isReversed };
    this.#top = wish === 'sort' || wish === 'reverse' ? 0 : this.#top + this.#steps(wish);
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
    const scene = { watched: this.#watched, laterMs, lost, order: this.#order, top: this.#top };
    const { columns, rows } = this.#terminal.size();
    // A terminal that does not know its size says 0.
    const size = { columns: columns || 80, rows: rows || 24 };
    const { lines, top, page } = frameOf(scene, size, paintFor(this.#context), this.#arrows);
    this.#top = top;
    this.#page = page;
    this.#screen.show(lines);
  }

  #steps(wish: Exclude<Wish, 'quit' | 'sort' | 'reverse'>): number {
    const all = this.#watched.rows.length;
    return { up: -1, down: 1, 'page-up': -this.#page, 'page-down': this.#page, first: -all, last: all }[wish];
  }
}

/** Arrows where the terminal can show them; a locale that is set and not UTF-8 says that it cannot. */
function arrowsFor(env: Context['env']): { readonly up: string; readonly down: string } {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return /utf-?8/i.test(locale) ? { up: '▲', down: '▼' } : { up: '^', down: 'v' };
}
