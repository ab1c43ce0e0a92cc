import { overlap, type WindowView, windowView } from '../operator/window.ts';
import type { WindowRecord } from '../store/windows.ts';
import type { Command, Result } from './command.ts';
import { type Job, storeCommand } from './store-command.ts';
import { factsOf, harmless, instantCell, listing, type Paint, pairs } from './style.ts';
import { parseInstant } from './values.ts';

const announce = storeCommand('maintenance announce', {
  read: (input, now) => ({
    from: parseInstant(input.required('from'), now, '--from'),
    to: parseInstant(input.required('to'), now, '--to'),
    description: input.required('description'),
  }),
  async work({ values, store, context, paint }) {
    const record = await store.windows.announce(values);
    const now = context.clock.now();
    const window = windowView(record, now);
    const current = await store.windows.list({ currentAt: now });
    const overlapping = current
      .filter((other) => other.id !== record.id && overlap(record, other))
      .map((other) => windowView(other, now));
    return {
      json: { ...window, seenByClients: seenByClients(window) },
      text: `${windowText(window, paint)}\n\n${whatClientsSee(window, paint)}`,
      notes: overlapping.map(({ id, from, to }) => `It overlaps ${id} (${instantCell(from)} to ${instantCell(to)}).`),
    };
  },
});

/** The window as `GET /v1/status` shows it (contract, MaintenanceWindow). */
function seenByClients({ from, fromMs, to, toMs, description }: WindowView) {
  return { from, fromMs, to, toMs, description };
}

function whatClientsSee(window: WindowView, paint: Paint): string {
  const body = harmless(JSON.stringify({ maintenance: seenByClients(window) }));
  const isRunning = window.state === 'running';
  const to = instantCell(window.to);
  const before = isRunning ? [] : ['now  GET /v1/status answers 200 and shows the window:', `     ${body}`];
  return [
    paint.heading('What clients see'),
    ...before,
    isRunning ? `now, until ${to}:` : `${instantCell(window.from)} to ${to}:`,
    '     GET /v1/status answers 200 with status and api "maintenance"',
    ...(isRunning ? [`     ${body}`] : []),
    '     everything else under /v1 answers 503 SERVICE_MAINTENANCE with Retry-After',
  ].join('\n');
}

const extend = storeCommand('maintenance extend', {
  read: (input, now) => parseInstant(input.required('to'), now, '--to'),
  async work(job) {
    const [id, text] = [job.input.argument('ID'), job.input.required('to')];
    const window = text.startsWith('+') ? (await job.store.windows.list()).find((each) => each.id === id) : undefined;
    const to = window === undefined ? job.values : parseInstant(text, window.to, '--to');
    return shown(await job.store.windows.extend(id, to), job);
  },
});

const end = storeCommand('maintenance end', async (job) =>
  shown(await job.store.windows.end(job.input.argument('ID')), job),
);

const cancel = storeCommand('maintenance cancel', async (job) =>
  shown(await job.store.windows.cancel(job.input.argument('ID')), job),
);

const list = storeCommand('maintenance list', async ({ input, store, context, paint }) => {
  const now = context.clock.now();
  const records = await store.windows.list(input.isSet('all') ? {} : { currentAt: now });
  const windows = records.map((record) => windowView(record, now));
  const shown = { ID: 'id', STATE: 'state', FROM: 'from', TO: 'to', DESCRIPTION: 'description' } as const;
  return { json: { windows }, text: listing(windows, shown, paint, 'No maintenance windows.') };
});

export const maintenanceCommands: readonly Command[] = [announce, extend, end, cancel, list];

function shown(record: WindowRecord, { context, paint }: Pick<Job, 'context' | 'paint'>): Result {
  const window = windowView(record, context.clock.now());
  return { json: window, text: windowText(window, paint) };
}

function windowText(window: WindowView, paint: Paint): string {
  const facts = { Window: 'id', State: 'state', From: 'from', To: 'to', Description: 'description' } as const;
  return pairs(factsOf(window, facts, paint), paint);
}
