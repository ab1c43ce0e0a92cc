import type { Command, CommandInput, Result } from '../command.ts';
import type { Context } from '../context.ts';
import { paintFor, table } from '../style.ts';
import { configurationFor } from '../with-store.ts';
import { progressOn } from './progress.ts';
import { argumentUrl } from './store-url.ts';

export const storeCopy: Command = {
  name: 'store copy',
  summary: 'copy one database into another that is new, such as from SQLite to PostgreSQL',
  details: [
    'Copies accounts, keys, markets, maintenance windows, the last prices, breaches, notices, the audit log and operator tokens, and compares the numbers of rows at the end. Keys go on working: their ids and digests are the same.',
    'Stop the servers first: what they write meanwhile would be missing. The source is only read. After an interruption run the same command again; it goes on.',
    'A password is never part of an argument: it comes from PGPASSFILE (or ~/.pgpass), where each host has a line of its own, or from PGPASSWORD.',
  ],
  options: [
    { name: 'to', value: 'URL', summary: 'the database to fill; it has to be empty', required: true },
    { name: 'from', value: 'URL', summary: 'the database to read (default: the configured one)' },
  ],
  examples: [
    {
      line: 'mdapi store copy --from sqlite:./mdapi.sqlite --to postgres://mdapi@db.example.com/mdapi',
      note: 'from the file to a server',
    },
  ],
  async run(input, context) {
    const from = await sourceUrl(input, context);
    const to = argumentUrl('to', input.required('to'), context.cwd);
    const { copyStore } = await import('../../store/copy-store.ts');
    const { clock, randomness, stderr } = context;
    const { counts, wasComplete } = await copyStore({ from, to, clock, randomness, progress: progressOn(stderr) });
    return resultOf(counts, wasComplete, context);
  },
};

async function sourceUrl(input: CommandInput, context: Context): Promise<string> {
  const given = input.option('from');
  if (given !== undefined) return argumentUrl('from', given, context.cwd);
  return (await configurationFor(input, context)).configuration.store.url;
}

function resultOf(counts: Readonly<Record<string, number>>, wasComplete: boolean, context: Context): Result {
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  const next = 'Next: name the new database as `store` in the configuration, and start the server.';
  return {
    json: { complete: true, wasComplete, counts },
    text: table(['TABLE', 'ROWS'], rows, paintFor(context), ''),
    notes: [wasComplete ? 'The copy was complete already; nothing was done.' : next],
  };
}
