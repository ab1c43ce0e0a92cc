import { parseDuration } from '../../configuration/duration.ts';
import type { Command } from '../command.ts';
import { CommandError, exitCodes, UsageError } from '../failure.ts';
import { configurationFor } from '../store-command.ts';

const intervalMs = { min: 100, max: 3_600_000 };

export const watch: Command = {
  name: 'watch',
  summary: 'watch client prices and the state of the service live',
  details: [
    'Asks the running server over its private listener. At a terminal it shows a table: both prices with the way each last went, the spread in percent of their middle, the changes and the age; above it the state of the service, the age of the data, the way the data comes, and maintenance.',
    'Keys: s sorts by the next column, r reverses, arrows, Page Up, Page Down, Home and End scroll, q and Ctrl-C quit.',
    'Where stdin or stdout is no terminal it prints a line for each change instead, the state of everything first. With --json each line is one JSON object whose `event` is service, market, lost or found.',
    'A server that is not there at the start is an error; one that goes away later is waited for.',
  ],
  positionals: [
    { name: 'SYMBOL', summary: 'markets to show, in any case (default: all that are not delisted)', many: true },
  ],
  options: [{ name: 'interval', value: 'SPAN', summary: 'how often to ask, 100ms to 1h (default: 1s)' }],
  examples: [
    { line: 'mdapi watch', note: 'every market; q quits' },
    { line: 'mdapi watch BTCEUR BTCCZK --interval 250ms', note: 'two markets, four times a second' },
    { line: 'mdapi watch --json', note: 'one JSON object per line and change, for a program' },
  ],
  async run(input, context) {
    const interval = intervalOf(input.option('interval') ?? '1s');
    const symbols = input.everyArgument('SYMBOL');
    const { configuration } = await configurationFor(input, context);
    const { boardUrl, lookAt } = await import('./board-client.ts');
    const { watchedNext } = await import('./watched.ts');
    const url = boardUrl(configuration.admin);
    const look = (signal: AbortSignal) => lookAt(url, context.clock, signal);
    const seen = await look(context.signal);
    if (context.signal.aborted) return exitCodes.ok;
    if (seen.kind === 'lost') throw unreachable(url, seen.why);
    const watching = { url, intervalMs: interval, symbols, first: watchedNext(undefined, seen.view, symbols), look };
    const { terminal } = context;
    if (terminal === undefined || input.json || context.env.TERM === 'dumb') {
      const { runLines } = await import('./run-lines.ts');
      await runLines(watching, input.json, context);
    } else {
      const { runTable } = await import('./run-table.ts');
      await runTable(watching, context, terminal);
    }
    return exitCodes.ok;
  },
};

function intervalOf(text: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined && spanMs >= intervalMs.min && spanMs <= intervalMs.max) return spanMs;
  throw new UsageError(`--interval: "${text}" is not a span from 100ms to 1h, such as 500ms or 2s.`);
}

function unreachable(url: string, why: string): CommandError {
  const mend = 'Start `mdapi serve`, or name its configuration with --config.';
  return new CommandError(exitCodes.failure, 'server_unreachable', `No answer from ${url} (${why}). ${mend}`);
}
