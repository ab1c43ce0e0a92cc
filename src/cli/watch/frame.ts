import { isoInstant } from '../../contract/instant.ts';
import type { TerminalSize } from '../command.ts';
import { harmless, type Paint } from '../style.ts';
import { allColumns, type Cell, type Column, dispensable, type Look } from './columns.ts';
import { type Order, ordered } from './order.ts';
import type { Row, Watched } from './watched.ts';
import { dataAgeText, maintenanceText, spanText } from './wording.ts';

/** All that is to be seen at one moment. */
export interface Scene {
  readonly watched: Watched;
  /** Since the board was seen last: ages go on meanwhile. */
  readonly laterMs: number;
  /** Set while the server does not answer. */
  readonly lost: { readonly url: string; readonly why: string; readonly forMs: number } | undefined;
  readonly order: Order;
  /** The first row shown, 0 for the top; taken as far as there are rows. */
  readonly top: number;
}

export interface Frame {
  /** As many as the terminal has rows, none wider than it. Without line ends. */
  readonly lines: readonly string[];
  /** The first row that is really shown. */
  readonly top: number;
  /** How many rows of the table fit. */
  readonly page: number;
}

const gap = '  ';

/** Draws the scene on a terminal of this size. */
export function frameOf(
  scene: Scene,
  { columns: width, rows: height }: TerminalSize,
  paint: Paint,
  arrows: Look['arrows'],
): Frame {
  const look = { paint, arrows, nowMs: scene.watched.view.service.serverTimeMs + scene.laterMs };
  const rows = ordered(scene.watched.rows, scene.order);
  const isRoomy = height >= 8;
  const above = [titleLine(scene, look, width), ...noticeLines(scene, width, paint), ...(isRoomy ? [''] : [])];
  const page = Math.max(0, height - above.length - 1 - (isRoomy ? 2 : 0));
  const top = Math.max(0, Math.min(scene.top, rows.length - page));
  const table = tableLines(rows, top, page, look, width);
  const body = rows.length === 0 ? [paint.faint(cut('No markets yet: the server is loading them.', width))] : table;
  const shown = [...above, ...body];
  const below = isRoomy ? [paint.faint(cut(footer(scene.order, top, page, rows.length), width))] : [];
  while (shown.length < height - below.length) shown.push('');
  return { lines: [...shown, ...below].slice(0, height), top, page };
}

function titleLine({ watched: { view }, laterMs, lost }: Scene, { paint, nowMs }: Look, width: number): string {
  const { status, components } = view.service;
  const ageMs = (view.dataAgeMs ?? Number.POSITIVE_INFINITY) + laterMs;
  const ageColour = ageMs > 300_000 ? paint.bad : ageMs > 60_000 ? paint.attention : asIs;
  const path = view.feedPath ?? 'connecting';
  const parts: Cell[] = [
    { text: 'mdapi', paint: paint.heading },
    lost === undefined
      ? { text: status, paint: stateColour(status, paint) }
      : { text: `was ${status}`, paint: paint.attention },
    { text: dataAgeText(view, laterMs), paint: ageColour },
    { text: path, paint: path === 'live' ? asIs : paint.attention },
  ];
  if (status === 'maintenance' && components.ticker !== 'operational') {
    parts.push({ text: `market data: ${components.ticker}`, paint: stateColour(components.ticker, paint) });
  }
  return spread(parts, `${isoInstant(Math.floor(nowMs)).slice(11, 19)} UTC`, width, paint);
}

function noticeLines({ watched: { view }, laterMs, lost }: Scene, width: number, paint: Paint): string[] {
  const lines: string[] = [];
  if (lost !== undefined) {
    const text = `No answer from ${lost.url} for ${spanText(lost.forMs)} (${lost.why}). Trying again; prices are as last seen.`;
    lines.push(...wrapped(text, width).map(paint.bad));
  }
  const maintenance = maintenanceText(view, laterMs);
  if (maintenance !== undefined) lines.push(...wrapped(maintenance, width).map(paint.attention));
  return lines;
}

/** On at most two lines. */
function wrapped(text: string, width: number): string[] {
  const characters = [...harmless(text)];
  if (characters.length <= width) return [characters.join('')];
  const gapAt = characters.lastIndexOf(' ', width);
  const end = gapAt > 0 ? gapAt : width;
  return [characters.slice(0, end).join(''), cut(characters.slice(gapAt > 0 ? end + 1 : end).join(''), width)];
}

function tableLines(rows: readonly Row[], top: number, page: number, look: Look, width: number): string[] {
  const cells = new Map(allColumns.map((column) => [column, rows.map((row) => column.cell(row, look))]));
  const widths = new Map(
    [...cells].map(([column, its]) => [column, Math.max(column.heading.length, ...its.map(({ text }) => text.length))]),
  );
  const columns = fitting(widths, width);
  const line = (cellOf: (column: Column) => Cell) => paintedLine(columns, widths, cellOf, width);
  const visible = Array.from({ length: Math.max(0, Math.min(page, rows.length - top)) }, (_, index) => top + index);
  return [
    line((column) => ({ text: column.heading, paint: look.paint.heading })),
    ...visible.map((index) => line((column) => cells.get(column)![index]!)),
  ];
}

/** As many columns as there is room for. */
function fitting(widths: ReadonlyMap<Column, number>, width: number): readonly Column[] {
  const columns = new Set(allColumns.filter((column) => widths.get(column)! > 0));
  for (const together of dispensable) {
    const needed = [...columns].reduce((sum, one) => sum + widths.get(one)! + gap.length, -gap.length);
    if (needed <= width) break;
    for (const column of together) columns.delete(column);
  }
  return [...columns];
}

function paintedLine(
  columns: readonly Column[],
  widths: ReadonlyMap<Column, number>,
  cellOf: (column: Column) => Cell,
  width: number,
): string {
  let line = '';
  let used = 0;
  for (const [index, column] of columns.entries()) {
    const { text, paint = asIs } = cellOf(column);
    const own = widths.get(column)!;
    const isLast = index === columns.length - 1;
    const padded = column.isLeft === true ? (isLast ? text : text.padEnd(own)) : text.padStart(own);
    const fits = cut(`${index === 0 ? '' : gap}${padded}`, width - used);
    line += fits.trim() === '' ? fits : paint(fits);
    used += fits.length;
  }
  return line;
}

/** The parts to the left, the last text to the right, where there is room. */
function spread(parts: readonly Cell[], right: string, width: number, paint: Paint): string {
  let line = '';
  let used = 0;
  for (const { text, paint: colour = asIs } of parts) {
    const fits = cut(used === 0 ? text : gap + text, width - used);
    line += colour(fits);
    used += fits.length;
  }
  const space = width - used - right.length;
  return space < gap.length ? line : line + ' '.repeat(space) + paint.faint(right);
}

function footer({ by, isReversed }: Order, top: number, page: number, count: number): string {
  const range =
    count > page
      ? `${top + 1}-${top + page} of ${count}, arrows scroll`
      : `${count} ${count === 1 ? 'market' : 'markets'}`;
  return `${range}${gap}s: sorted by ${by}${isReversed ? ', reversed' : ''}${gap}r: reverse${gap}q: quit`;
}

function stateColour(state: string, paint: Paint): (text: string) => string {
  if (state === 'operational') return paint.good;
  return state === 'outage' ? paint.bad : paint.attention;
}

function cut(text: string, width: number): string {
  const characters = [...harmless(text)];
  if (characters.length <= width) return characters.join('');
  return width < 2 ? '' : `${characters.slice(0, width - 1).join('')}…`;
}

function asIs(text: string): string {
  return text;
}
