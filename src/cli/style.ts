import type { Context } from './context.ts';

/** Colours for a terminal; on anything else, and with NO_COLOR set, the text as it is. */
export interface Paint {
  heading(text: string): string;
  good(text: string): string;
  attention(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

export function paintFor({ stdout, env }: Pick<Context, 'stdout' | 'env'>): Paint {
  const coloured = stdout.isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const code = (on: number, off: number) => (text: string) => (coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return { heading: code(1, 22), good: code(32, 39), attention: code(33, 39), bad: code(31, 39), faint: code(2, 22) };
}

/** A cell: its text, and how it is painted once its width is known. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Rows under headings, columns aligned. `nothing` is said when there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  const all: readonly (readonly Cell[])[] = [headings.map((text) => ({ text, paint: paint.heading })), ...rows];
  return aligned(all);
}

/** Names and values, one pair a line. */
export function pairs(rows: readonly (readonly [string, Cell])[], paint: Paint): string {
  return aligned(rows.map(([name, value]) => [{ text: name, paint: paint.heading }, value]));
}

function aligned(rows: readonly (readonly Cell[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => width(row[column]))));
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const text = textOf(cell);
        const padding = column === row.length - 1 ? '' : ' '.repeat(widths[column]! - [...text].length);
        return (typeof cell === 'string' ? text : cell.paint(text)) + padding;
      });
      return cells.join('  ').trimEnd();
    })
    .join('\n');
}

function width(cell: Cell | undefined): number {
  return cell === undefined ? 0 : [...textOf(cell)].length;
}

/** Other programs write to the database too: nothing from it may steer the terminal. */
function textOf(cell: Cell): string {
  return harmless(typeof cell === 'string' ? cell : cell.text);
}

/** The text with every control character and direction mark made visible as a replacement character. */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}
