import { overlap, type WindowView, windowView } from '../operator/window.ts';
import type { WindowRecord } from '../store/windows.ts';
import type { Result } from './command.ts';
import { type Job, storeCommand } from './store-command.ts';
import { factsOf, harmless, instantCell, listing, type Paint, pairs } from './style.ts';
import { parseInstant } from './values.ts';

const announce = storeCommand({
  name: 'maintenance announce',
  summary: 'announce a maintenance window to all clients',
  details: [
    'GET /v1/status shows the window from now on. While it runs, everything else answers 503 SERVICE_MAINTENANCE with Retry-After.',
  ],
  options: {
    from: { value: 'INSTANT', required: true, summary: 'when it begins' },
    to: { value: 'INSTANT', required: true, summary: 'when it is expected to end' },
    description: { value: 'TEXT', required: true, summary: 'what it is about, in English; clients read it' },
  },
  examples: {
    'mdapi maintenance announce --from 2026-12-01T22:00Z --to 2026-12-01T23:30Z --description "Database upgrade"':
      'planned ahead',
    'mdapi maintenance announce --from now --to +20m --description "Emergency restart"': 'begins at once',
  },
  read: ({ options }, now) => ({
    from: parseInstant(options.from, now, '--from'),
    to: parseInstant(options.to, now, '--to'),
    description: options.description,
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

const extend = storeCommand({
  name: 'maintenance extend',
  summary: 'move the end of a maintenance window to a later instant',
  details: ['A span such as +30m counts from the end of the window.'],
  positionals: { ID: { summary: 'the window’s id, win_…' } },
  options: {
    to: { value: 'INSTANT', required: true, summary: 'the new end, later than the old one' },
  },
  examples: {
    'mdapi maintenance extend win_9aBc3dEfGh1jKl2M --to +30m': 'another half hour',
  },
  read: ({ options }, now) => parseInstant(options.to, now, '--to'),
  async work(job) {
    const { ID: id } = job.positionals;
    const { to: text } = job.options;
    const window = text.startsWith('+') ? (await job.store.windows.list()).find((each) => each.id === id) : undefined;
    const to = window === undefined ? job.values : parseInstant(text, window.to, '--to');
    return shown(await job.store.windows.extend(id, to), job);
  },
});

const end = storeCommand({
  name: 'maintenance end',
  summary: 'end a running maintenance window now',
  positionals: { ID: { summary: 'the window’s id, win_…' } },
  examples: {
    'mdapi maintenance end win_9aBc3dEfGh1jKl2M': 'done early',
  },
  work: async (job) => shown(await job.store.windows.end(job.positionals.ID), job),
});

const cancel = storeCommand({
  name: 'maintenance cancel',
  summary: 'cancel a maintenance window that has not begun',
  details: ['End a running one with `maintenance end`.'],
  positionals: { ID: { summary: 'the window’s id, win_…' } },
  examples: {
    'mdapi maintenance cancel win_9aBc3dEfGh1jKl2M': 'clients no longer see it',
  },
  work: async (job) => shown(await job.store.windows.cancel(job.positionals.ID), job),
});

const list = storeCommand({
  name: 'maintenance list',
  summary: 'list announced and running maintenance windows, by start',
  options: {
    all: { summary: 'ended and cancelled ones too' },
  },
  examples: {
    'mdapi maintenance list --all': 'the whole history',
  },
  async work({ options, store, context, paint }) {
    const now = context.clock.now();
    const records = await store.windows.list(options.all ? {} : { currentAt: now });
    const windows = records.map((record) => windowView(record, now));
    const columns = { ID: 'id', STATE: 'state', FROM: 'from', TO: 'to', DESCRIPTION: 'description' } as const;
    return { json: { windows }, text: listing(windows, columns, paint, 'No maintenance windows.') };
  },
});

export const commands = [announce, extend, end, cancel, list];

function shown(record: WindowRecord, { context, paint }: Pick<Job, 'context' | 'paint'>): Result {
  const window = windowView(record, context.clock.now());
  return { json: window, text: windowText(window, paint) };
}

function windowText(window: WindowView, paint: Paint): string {
  const facts = { Window: 'id', State: 'state', From: 'from', To: 'to', Description: 'description' } as const;
  return pairs(factsOf(window, facts, paint), paint);
}
