import type { Context } from '../command.ts';
import { harmless } from '../style.ts';
import { follow, type Row, type Watched, type Watching, watchedNext } from './board.ts';
import { dataAgeText, maintenanceText, unpricedText } from './frame.ts';

/** Prints a line for every change, until the process is stopped or the reader is gone. */
export async function printLines(watching: Watching, json: boolean, context: Context): Promise<void> {
  const { stdout, stderr, clock } = context;
  const signal = AbortSignal.any([context.signal, ...(stdout.closed ? [stdout.closed] : [])]);
  const print = (watched: Watched) => {
    const lines = json ? changeObjects(watched).map((object) => JSON.stringify(object)) : changeLines(watched);
    if (lines.length > 0) stdout.write(`${lines.map(harmless).join('\n')}\n`);
  };
  const report = (event: 'lost' | 'found', message: string) => {
    stderr.write(`mdapi: ${message}\n`);
    if (json) stdout.write(`${JSON.stringify({ event, message })}\n`);
  };
  let watched = watching.first;
  let isLost = false;
  print(watched);
  await follow(watching, clock, signal, (look) => {
    if (look.kind === 'lost') {
      if (!isLost) report('lost', `No answer from ${watching.url} (${look.why}). Trying again.`);
      isLost = true;
      return;
    }
    if (isLost) report('found', `${watching.url} answers again.`);
    isLost = false;
    watched = watchedNext(watched, look.view, watching.symbols);
    print(watched);
  });
}

/** A line for the service and for each market that changed. */
export function changeLines({ view, rows, isServiceChanged }: Watched): string[] {
  const { serverTime, status } = view.service;
  const lines: string[] = [];
  if (isServiceChanged) {
    const words = [status, dataAgeText(view, 0), view.feedPath ?? 'connecting', maintenanceText(view, 0)];
    lines.push(`${serverTime} service ${words.filter((word) => word !== undefined).join(', ')}`);
  }
  for (const row of rows) if (row.isChanged) lines.push(`${serverTime} ${row.market.symbol} ${rowText(row)}`);
  return lines;
}

/** The same as JSON objects: the service or a market as `GET /board` has it, with its `event`. */
export function changeObjects({ view, rows, isServiceChanged }: Watched): object[] {
  const { service, dataAgeMs, feedPath } = view;
  const objects: object[] = isServiceChanged ? [{ event: 'service', ...service, dataAgeMs, feedPath }] : [];
  const { serverTime, serverTimeMs } = service;
  for (const { isChanged, market, spreadPercent } of rows) {
    if (isChanged) objects.push({ event: 'market', ...market, spreadPercent, serverTime, serverTimeMs });
  }
  return objects;
}

function rowText({ market: { status, ticker, unpriced }, spreadPercent }: Row): string {
  const words = status === 'trading' ? [] : [status];
  if (ticker === undefined) words.push(`no price (${unpricedText[unpriced ?? ''] ?? unpriced ?? status})`);
  else {
    words.push(`buy ${ticker.buyPrice} sell ${ticker.sellPrice} spread ${spreadPercent} %`);
    const change = ticker.priceChangePercent24h;
    if (change !== undefined) words.push(`24h ${change} %`);
  }
  return words.join(' ');
}
