import { parseDuration } from '../../configuration/duration.ts';
import { type Context, command } from '../command.ts';
import { CommandError, exitCodes, UsageError } from '../failure.ts';
import { privateUrl } from '../private-listener.ts';
import { configurationFor } from '../store-command.ts';
import { harmless } from '../style.ts';
import { lookAt, looks, type Row, type Watched, type Watching, watchedNext } from './board.ts';
import { dataAgeText, maintenanceText } from './texts.ts';

const intervalMinMs = 100;
const intervalMaxMs = 3_600_000;

const watch = command({
  name: 'watch',
  summary: 'watch client prices and the state of the service live',
  details: [
    'Asks the running server on its private listener and prints the state of the service and each market once, then a line for each change; with --json an object whose `event` is service, market, lost or found.',
    'No server at the start is an error; one that stops answering later is waited for.',
  ],
  positionals: { SYMBOL: { many: true, summary: 'markets to show, in any case (default: all that are not delisted)' } },
  options: {
    interval: { value: 'SPAN', summary: 'how often to ask, 100ms to 1h (default: 1s)' },
  },
  examples: {
    'mdapi watch BTCEUR BTCCZK --interval 250ms': 'two markets, four times a second',
    'mdapi watch --json': 'one JSON object per line and change, for a program',
  },
  async run({ positionals: { SYMBOL: symbols }, options }, context) {
    const intervalMs = intervalFrom(options.interval ?? '1s');
    const { configuration } = await configurationFor(options, context);
    const url = privateUrl(configuration.admin);
    const look = await lookAt(url, context.clock, context.signal);
    if (context.signal.aborted) return exitCodes.ok;
    if (look.kind === 'lost') throw serverUnreachable(url, look.why);
    const watching = { url, intervalMs, symbols, first: watchedNext(undefined, look.view, symbols) };
    await printLines(watching, options.json, context);
    return exitCodes.ok;
  },
});

export const commands = [watch];

function serverUnreachable(url: string, why: string): CommandError {
  const message = `No answer from ${url} (${why}). Start \`mdapi serve\`, or name its configuration with --config.`;
  return new CommandError(exitCodes.failure, 'server_unreachable', message);
}

function intervalFrom(text: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined && spanMs >= intervalMinMs && spanMs <= intervalMaxMs) return spanMs;
  throw new UsageError(`--interval: "${text}" is not a span from 100ms to 1h, such as 500ms or 2s.`);
}

/** Prints a line for every change, until the process is stopped or the reader is gone. */
async function printLines(watching: Watching, json: boolean, { stdout, stderr, clock, signal }: Context) {
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
  for await (const look of looks(watching, clock, AbortSignal.any([signal, stdout.closed ?? signal]))) {
    const wasLost = isLost;
    isLost = look.kind === 'lost';
    if (look.kind === 'lost') {
      if (!wasLost) report('lost', `No answer from ${watching.url} (${look.why}). Trying again.`);
      continue;
    }
    if (wasLost) report('found', `${watching.url} answers again.`);
    watched = watchedNext(watched, look.view, watching.symbols);
    print(watched);
  }
}

/** A line for the service and for each market that changed. */
export function changeLines({ view, rows, isServiceChanged }: Watched): string[] {
  const { serverTime, status } = view.service;
  const lines: string[] = [];
  if (isServiceChanged) {
    const words = [status, dataAgeText(view), view.feedPath ?? 'connecting', maintenanceText(view)];
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
  if (ticker === undefined) words.push(`no price (${unpriced?.replaceAll('_', ' ') ?? status})`);
  else {
    words.push(`buy ${ticker.buyPrice} sell ${ticker.sellPrice} spread ${spreadPercent} %`);
    const change = ticker.priceChangePercent24h;
    if (change !== undefined) words.push(`24h ${change} %`);
  }
  return words.join(' ');
}
