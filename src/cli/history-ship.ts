import { isoInstant } from '../contract/instant.ts';
import type { Shipped } from '../history/ship/ship.ts';
import { instants } from '../operator/fields.ts';
import type { Command } from './command.ts';
import { CommandError, exitCodes, failure, UsageError } from './failure.ts';
import { withSegments } from './record.ts';
import { type Job, storeCommand } from './store-command.ts';
import { harmless } from './style.ts';
import { parseOptionalInstant } from './values.ts';

export const ship: Command = storeCommand('history ship', {
  read(input, now) {
    const from = parseOptionalInstant(input.option('from'), now, '--from');
    const to = parseOptionalInstant(input.option('to'), now, '--to');
    if (from !== undefined && to !== undefined && to <= from) throw new UsageError('--to has to be after --from.');
    return { from, to };
  },
  async work(job) {
    const { input, configuration } = job;
    if (!input.isSet('schema')) return shipRecord(job);
    const { schemaStatements } = await import('../history/ship/clickhouse-schema.ts');
    const statements = schemaStatements(configuration.history?.shippedForMs ?? 0);
    return { json: { statements }, text: statements.map((each) => `${each};`).join('\n\n') };
  },
});

type ShipJob = Job<{ readonly from: Shipped['until']; readonly to: Shipped['until'] }>;

async function shipRecord({ input, values, configuration, context }: ShipJob) {
  const { stderr, clock } = context;
  const progress = ({ rows, until }: Shipped) => {
    const line = `${rows.quotes} quotes, ${rows.servings} answers, up to ${until === undefined ? '' : isoInstant(until)}`;
    stderr.write(stderr.isTerminal ? `\r${line}\x1b[K` : `${line}\n`);
  };
  const shipped = await withSegments(configuration, async (segments, { clickhouse, shippedForMs }) => {
    if (clickhouse === undefined) throw failure('clickhouse_missing');
    const { shipTo } = await import('../history/ship/ship.ts');
    const create = input.isSet('create');
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
