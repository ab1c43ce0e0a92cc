import type { Context } from './command.ts';
import { formatInstant } from './values.ts';

/** Colours for a terminal. Elsewhere, and with NO_COLOR set, the text stays as it is. */
export type Paint = ReturnType<typeof paintFor>;

export function paintFor({ stdout, env }: Pick<Context, 'stdout' | 'env'>) {
  const coloured = stdout.isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const code = (on: number, off: number) => (text: string) => (coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return { heading: code(1, 22), good: code(32, 39), attention: code(33, 39), bad: code(31, 39), faint: code(2, 22) };
}

/** A cell: its text, and how to paint it once it is padded. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const tones = [
  ['good', ['active', 'trading', 'holding', 'sent', 'announced']],
  ['attention', ['disabled', 'paused', 'running', 'pending', 'sending']],
  ['faint', ['ended', 'past', 'cancelled', 'recorded']],
] as const;

/** The state of an account, key, market, window, notice or token, such as `account_inactive`. */
export function stateCell(state: string, paint: Paint, text = state.replaceAll('_', ' ')): Cell {
  const [tone] = tones.find(([, states]) => states.some((each) => each === state)) ?? ['bad'];
  return { text, paint: paint[tone] };
}

/** An instant of a view; `never` for none. */
export function instantCell(instant: string | null): string {
  return instant === null ? 'never' : formatInstant(instant);
}

/** Columns of a listing by their headings, facts by their names: each a field of the view, or a cell made of it. */
export type Shown<View> = Readonly<Record<string, (keyof View & string) | ((view: View) => Cell)>>;

/** Views as a table; `nothing` where there are none. */
export function listing<View>(views: readonly View[], shown: Shown<View>, paint: Paint, nothing: string): string {
  const rows = views.map((view) => factsOf(view, shown, paint).map(([, cell]) => cell));
  return table(Object.keys(shown), rows, paint, nothing);
}

/** Names and values of one view. States are painted, instants are those with a twin in milliseconds, null is `-`. */
export function factsOf<View>(view: View, shown: Shown<View>, paint: Paint): (readonly [string, Cell])[] {
  return Object.entries(shown).map(([name, field]) => {
    if (typeof field === 'function') return [name, field(view)];
    const value = view[field] as string | number | null;
    if (field === 'state' || field === 'status') return [name, stateCell(String(value), paint)];
    const isInstant = `${field}Ms` in (view as object);
    return [name, isInstant ? instantCell(value as string | null) : String(value ?? '-')];
  });
}

/** Rows under headings, columns aligned; `nothing` where there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  return aligned([headings.map((text) => ({ text, paint: paint.heading })), ...rows]);
}

/** Names and values, one pair a line. */
export function pairs(rows: readonly (readonly [string, Cell])[], paint: Paint): string {
  return aligned(rows.map(([name, value]) => [{ text: name, paint: paint.heading }, value]));
}

function aligned(rows: readonly (readonly Cell[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => [...textOf(row[column] ?? '')].length)),
  );
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

/** Other programs write to the database too, so no text may control the terminal. */
function textOf(cell: Cell): string {
  return harmless(typeof cell === 'string' ? cell : cell.text);
}

/** The text with every control character and direction mark shown as a replacement character. */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}

const sizeUnits = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

/** Bytes as people write them, to two digits from a kilobyte on: `1.2 GB`, `340 MB`, `512 bytes`. */
export function sizeText(bytes: number): string {
  const [size, unit] = sizeUnits.find(([each]) => bytes >= each) ?? [1, 'bytes'];
  return `${size === 1 ? bytes : +(bytes / size).toPrecision(2)} ${unit}`;
}
