import { parseDuration } from '../../configuration/duration.ts';
import type { Command } from '../command.ts';
import { CommandError, exitCodes, UsageError } from '../failure.ts';
import { privateUrl } from '../private-listener.ts';
import { configurationFor } from '../store-command.ts';

const intervalMs = { min: 100, max: 3_600_000 };

export const watch: Command = {
  name: 'watch',
  summary: 'watch client prices and the state of the service live',
  details: [
    'Asks the running server on its private listener. At a terminal it shows the state of the service, age and path of the data, maintenance, and for each market both prices with their last moves, the spread in percent of their middle, the change of 24 hours and the age.',
    'Keys: arrows, Page Up, Page Down, Home and End scroll, q quits.',
    'Elsewhere it prints everything once, then a line for each change; with --json an object whose `event` is service, market, lost or found.',
    'No server at the start is an error; one that stops answering later is waited for.',
  ],
  positionals: [
    { name: 'SYMBOL', summary: 'markets to show, in any case (default: all that are not delisted)', many: true },
  ],
  options: [{ name: 'interval', value: 'SPAN', summary: 'how often to ask, 100ms to 1h (default: 1s)' }],
  examples: [
    { line: 'mdapi watch BTCEUR BTCCZK --interval 250ms', note: 'two markets, four times a second' },
    { line: 'mdapi watch --json', note: 'one JSON object per line and change, for a program' },
  ],
  async run(input, context) {
    const interval = intervalFrom(input.option('interval') ?? '1s');
    const symbols = input.everyArgument('SYMBOL');
    const { configuration } = await configurationFor(input, context);
    const { lookAt, watchedNext } = await import('./board.ts');
    const url = privateUrl(configuration.admin);
    const look = await lookAt(url, context.clock, context.signal);
    if (context.signal.aborted) return exitCodes.ok;
    if (look.kind === 'lost') {
      const remedy = 'Start `mdapi serve`, or name its configuration with --config.';
      const message = `No answer from ${url} (${look.why}). ${remedy}`;
      throw new CommandError(exitCodes.failure, 'server_unreachable', message);
    }
    const watching = { url, intervalMs: interval, symbols, first: watchedNext(undefined, look.view, symbols) };
    const { terminal } = context;
    if (terminal === undefined || input.json || context.env.TERM === 'dumb') {
      const { printLines } = await import('./lines.ts');
      await printLines(watching, input.json, context);
    } else {
      const { showTable } = await import('./table.ts');
      await showTable(watching, context, terminal);
    }
    return exitCodes.ok;
  },
};

function intervalFrom(text: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined && spanMs >= intervalMs.min && spanMs <= intervalMs.max) return spanMs;
  throw new UsageError(`--interval: "${text}" is not a span from 100ms to 1h, such as 500ms or 2s.`);
}
