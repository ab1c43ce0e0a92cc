import { isoInstant } from '../contract/instant.ts';
import type { Shipped } from '../history/ship/ship.ts';
import { instants } from '../operator/fields.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { withSegments } from './record.ts';
import { type Job, storeCommand } from './store-command.ts';
import { harmless } from './style.ts';
import { parseOptionalInstant } from './values.ts';

export const ship = storeCommand({
  name: 'history ship',
  summary: 'copy the record to ClickHouse, each row exactly once',
  details: [
    'Goes on where the last one ended; one that was interrupted is finished first. The running minute follows once it is sealed.',
  ],
  options: {
    create: { summary: 'make the tables that are missing, and set how long they keep rows' },
    schema: { summary: 'print the statements of --create, and do nothing' },
    from: {
      value: 'INSTANT',
      summary: 'from the minute of this instant on (default: after the last one that was copied)',
    },
    to: { value: 'INSTANT', summary: 'up to the minute of this instant (default: all)' },
  },
  examples: {
    'mdapi history ship --create': 'the first time',
    'mdapi history ship': 'every minute, from cron or a systemd timer',
  },
  read({ options }, now) {
    const from = parseOptionalInstant(options.from, now, '--from');
    const to = parseOptionalInstant(options.to, now, '--to');
    if (from !== undefined && to !== undefined && to <= from) throw new UsageError('--to has to be after --from.');
    return { from, to };
  },
  async work(job) {
    const { options, configuration } = job;
    if (!options.schema) return shipRecord(job, options.create);
    const { schemaStatements } = await import('../history/ship/clickhouse-schema.ts');
    const statements = schemaStatements(configuration.history?.shippedForMs ?? 0);
    return { json: { statements }, text: statements.map((each) => `${each};`).join('\n\n') };
  },
});

type ShipJob = Job<{ readonly from: Shipped['until']; readonly to: Shipped['until'] }>;

async function shipRecord(
  { values, configuration, context }: Pick<ShipJob, 'values' | 'configuration' | 'context'>,
  create: boolean,
): Promise<Result> {
  const { stderr, clock } = context;
  const progress = ({ rows, until }: Shipped) => {
    const upTo = until === undefined ? '' : isoInstant(until);
    const line = `${rows.quotes} quotes, ${rows.servings} answers, up to ${upTo}`;
    stderr.write(stderr.isTerminal ? `\r${line}\x1b[K` : `${line}\n`);
  };
  const shipped = await withSegments(configuration, async (segments, { clickhouse, shippedForMs }) => {
    if (clickhouse === undefined) throw clickhouseMissing();
    const { shipTo } = await import('../history/ship/ship.ts');
    const options = { ...values, now: clock.now(), keepForMs: shippedForMs, progress };
    return shipTo(segments, clickhouse, create, options).catch((error: Error & { readonly reason: string }) => {
      if (error.name !== 'ShipError') throw error;
      throw new CommandError(exitCodes.failure, error.reason, harmless(error.message));
    });
  });
  if (stderr.isTerminal && shipped.segments > 0) stderr.write('\r\x1b[K');
  const { segments, rows, until, lost } = shipped;
  const text = `${segments} segments: ${rows.quotes} quotes, ${rows.servings} answers, ${rows.facts} facts.`;
  return {
    json: { segments, ...rows, lost, ...instants('until', until) },
    text: segments === 0 ? 'Everything that is sealed was copied already.' : text,
    notes: lost === 0 ? [] : [`${lost} segments were deleted by history.keepFor before they were copied.`],
  };
}

function clickhouseMissing(): CommandError {
  const place = 'Set history.clickhouse.url; with a password in a file that MDAPI_HISTORY_CLICKHOUSE_URL_FILE names.';
  return new CommandError(exitCodes.failure, 'clickhouse_missing', `There is no ClickHouse to copy to. ${place}`);
}
