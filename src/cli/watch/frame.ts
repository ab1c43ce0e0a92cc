import { stripVTControlCharacters } from 'node:util';
import { isoInstant } from '../../contract/instant.ts';
import type { BoardView } from '../../management/views.ts';
import type { TerminalSize } from '../command.ts';
import { harmless, type Paint } from '../style.ts';
import type { Move, Row, Watched } from './board.ts';

/** All that is to be seen at one moment. */
export interface Scene {
  readonly watched: Watched;
  /** Since the last look: ages grow meanwhile. */
  readonly laterMs: number;
  /** Set while the server does not answer. */
  readonly lost: { readonly url: string; readonly why: string } | undefined;
  /** The first row to show, from 0; limited to the rows there are. */
  readonly top: number;
}

export interface Frame {
  /** As many as the terminal has rows, none wider than it, without line ends. */
  readonly lines: readonly string[];
  /** The first row shown. */
  readonly top: number;
  /** How many rows of the table fit. */
  readonly page: number;
}

interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const gap = '  ';
const oldAfterMs = 300_000;

/** From left to right; where there is no room the last are left out. After a price is room for its arrow. */
const headings = ['SYMBOL', 'BUY  ', 'SELL  ', '', 'SPREAD %', '24H %', 'AGE'];
const isLeftAligned = (column: number) => headings[column] === 'SYMBOL' || headings[column] === '';

/** The row of a market, a cell for each heading. `nowMs` is the server's time now. */
function cellsOf({ market, spreadPercent, buyMove, sellMove, isChanged }: Row, paint: Paint, nowMs: number): Cell[] {
  const { symbol, status, ticker, unpriced } = market;
  const price = (text: string | undefined, move: Move): Cell => {
    if (text === undefined) return { text: '-  ', paint: paint.faint };
    if (move === undefined) return { text: `${text}  ` };
    const colour = move === 'up' ? paint.good : paint.bad;
    const emphasis = isChanged ? paint.heading : asIs;
    return { text: `${text} ${move === 'up' ? '▲' : '▼'}`, paint: (padded) => emphasis(colour(padded)) };
  };
  const words = [status === 'trading' ? undefined : status, unpricedText(unpriced)];
  const ageMs = ticker === undefined ? undefined : nowMs - ticker.timestampMs;
  return [
    { text: symbol, paint: paint.heading },
    price(ticker?.buyPrice, buyMove),
    price(ticker?.sellPrice, sellMove),
    { text: words.filter((word) => word !== undefined).join(', '), paint: paint.attention },
    { text: spreadPercent ?? '-', paint: paint.faint },
    { text: ticker?.priceChangePercent24h ?? '-', paint: paint.faint },
    {
      text: ageMs === undefined ? '-' : spanText(ageMs),
      paint: ageMs !== undefined && ageMs > oldAfterMs ? paint.attention : paint.faint,
    },
  ];
}

/** Draws the scene on a terminal of this size. */
export function frameOf(scene: Scene, { columns: width, rows: height }: TerminalSize, paint: Paint): Frame {
  const nowMs = scene.watched.view.service.serverTimeMs + scene.laterMs;
  const { rows } = scene.watched;
  const isRoomy = height >= 8;
  const above = [titleLine(scene, paint, nowMs, width), ...noticeLines(scene, width, paint), ...(isRoomy ? [''] : [])];
  const page = Math.max(0, height - above.length - 1 - (isRoomy ? 2 : 0));
  const top = Math.max(0, Math.min(scene.top, rows.length - page));
  const empty = [paint.faint(cut('No markets yet: the server is loading them.', width))];
  const cells = rows.map((row) => cellsOf(row, paint, nowMs));
  const shown = [...above, ...(rows.length === 0 ? empty : tableLines(cells, top, page, paint, width))];
  const below = isRoomy ? [paint.faint(cut(footer(top, page, rows.length), width))] : [];
  while (shown.length < height - below.length) shown.push('');
  return { lines: [...shown, ...below].slice(0, height), top, page };
}

function titleLine({ watched: { view }, laterMs, lost }: Scene, paint: Paint, nowMs: number, width: number): string {
  const { status, components } = view.service;
  const ageMs = (view.dataAgeMs ?? Number.POSITIVE_INFINITY) + laterMs;
  const ageColour = ageMs > oldAfterMs ? paint.bad : ageMs > 60_000 ? paint.attention : asIs;
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
  const time = `${isoInstant(Math.floor(nowMs)).slice(11, 19)} UTC`;
  const line = joined(parts, width);
  const space = width - stripVTControlCharacters(line).length - time.length;
  return space < gap.length ? line : line + ' '.repeat(space) + paint.faint(time);
}

function noticeLines({ watched: { view }, laterMs, lost }: Scene, width: number, paint: Paint): string[] {
  const lines: string[] = [];
  if (lost !== undefined) {
    const text = `No answer from ${lost.url} for ${spanText(laterMs)} (${lost.why}). Trying again; prices are as last seen.`;
    lines.push(...wrapped(text, width).map(paint.bad));
  }
  const maintenance = maintenanceText(view, laterMs);
  if (maintenance !== undefined) lines.push(...wrapped(maintenance, width).map(paint.attention));
  return lines;
}

function tableLines(cells: readonly Cell[][], top: number, page: number, paint: Paint, width: number): string[] {
  const titles = headings.map((text) => ({ text, paint: paint.heading }));
  const widths = headings.map((_, column) => Math.max(...[titles, ...cells].map((row) => row[column]!.text.length)));
  const columns = [...headings.keys()].filter((column) => widths[column]! > 0);
  while (columns.reduce((sum, column) => sum + widths[column]! + gap.length, -gap.length) > width) columns.pop();
  return [titles, ...cells.slice(top, top + page)].map((row) => {
    const padded = columns.map((column) => {
      const { text, ...painted } = row[column]!;
      const size = widths[column]!;
      return { ...painted, text: isLeftAligned(column) ? text.padEnd(size) : text.padStart(size) };
    });
    return joined(padded, width);
  });
}

/** The cells beside each other, cut at the width. */
function joined(cells: readonly Cell[], width: number): string {
  let line = '';
  let used = 0;
  for (const [index, { text, paint = asIs }] of cells.entries()) {
    const fits = cut(index === 0 ? text : gap + text, width - used);
    line += fits.trim() === '' ? fits : paint(fits);
    used += fits.length;
  }
  return line;
}

function footer(top: number, page: number, count: number): string {
  const range =
    count > page
      ? `${top + 1}-${top + page} of ${count}, arrows scroll`
      : `${count} ${count === 1 ? 'market' : 'markets'}`;
  return `${range}${gap}q: quit`;
}

function stateColour(state: string, paint: Paint): (text: string) => string {
  if (state === 'operational') return paint.good;
  return state === 'outage' ? paint.bad : paint.attention;
}

/** On at most two lines. */
function wrapped(text: string, width: number): string[] {
  const characters = [...harmless(text)];
  if (characters.length <= width) return [characters.join('')];
  const gapAt = characters.lastIndexOf(' ', width);
  const end = gapAt > 0 ? gapAt : width;
  return [characters.slice(0, end).join(''), cut(characters.slice(gapAt > 0 ? end + 1 : end).join(''), width)];
}

function cut(text: string, width: number): string {
  const characters = [...harmless(text)];
  if (characters.length <= width) return characters.join('');
  return width < 2 ? '' : `${characters.slice(0, width - 1).join('')}…`;
}

function asIs(text: string): string {
  return text;
}

/** Why a market has no price, in words. */
export function unpricedText(reason: string | undefined): string | undefined {
  return reason?.replaceAll('_', ' ');
}

/** A span for people, in about six characters: `0.4 s`, `59 s`, `12 min`, `3 h`, `5 d`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** The age of the market data, `laterMs` after the look. */
export function dataAgeText({ dataAgeMs }: BoardView, laterMs: number): string {
  return dataAgeMs === undefined ? 'no data yet' : `data ${spanText(dataAgeMs + laterMs)} old`;
}

/** The running or announced window in one line. */
export function maintenanceText({ service }: BoardView, laterMs: number): string | undefined {
  const { maintenance, serverTimeMs } = service;
  if (maintenance === null) return undefined;
  const nowMs = serverTimeMs + laterMs;
  const { fromMs, toMs, from, to, description } = maintenance;
  if (fromMs <= nowMs)
    return `maintenance until ${minuteText(to)} UTC (${spanText(toMs - nowMs)} left): ${description}`;
  const end = minuteText(to).slice(from.slice(0, 10) === to.slice(0, 10) ? 11 : 0);
  return `maintenance announced for ${minuteText(from)} to ${end} UTC (in ${spanText(fromMs - nowMs)}): ${description}`;
}

/** `2026-11-22 01:00` */
function minuteText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
}
