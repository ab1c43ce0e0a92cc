import type { EpochMs } from '../../clock.ts';
import type { WindowRecord } from '../../store/windows.ts';
import type { Command } from '../command.ts';
import { formatInstant, instantForms, parseInstant } from '../instant.ts';
import { harmless, type Paint, paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { seenByClients, windowJson, windowText } from './describe.ts';

export const maintenanceAnnounce: Command = {
  name: 'maintenance announce',
  summary: 'announce a maintenance window to all clients',
  details: [
    'From the announcement on GET /v1/status shows the window. While it runs, GET /v1/status says `maintenance`, and everything else answers 503 SERVICE_MAINTENANCE with the time to wait.',
    `INSTANT is one of: ${instantForms}.`,
  ],
  options: [
    { name: 'from', value: 'INSTANT', required: true, summary: 'when it begins' },
    {
      name: 'to',
      value: 'INSTANT',
      required: true,
      summary: 'when it is expected to end; `maintenance end` and `extend` change it',
    },
    { name: 'description', value: 'TEXT', required: true, summary: 'what it is about, in English; clients read it' },
  ],
  examples: [
    {
      line: 'mdapi maintenance announce --from 2026-12-01T22:00Z --to 2026-12-01T23:30Z --description "Database upgrade"',
      note: 'planned ahead',
    },
    {
      line: 'mdapi maintenance announce --from now --to +20m --description "Emergency restart"',
      note: 'begins at once',
    },
  ],
  async run(input, context) {
    const now = context.clock.now();
    const from = parseInstant(input.required('from'), now, '--from');
    const to = parseInstant(input.required('to'), now, '--to');
    return withStore(input, context, async (store) => {
      const window = await store.windows.announce({ from, to, description: input.required('description') });
      const others = (await store.windows.list({ currentAt: now })).filter((other) => overlaps(window, other));
      const paint = paintFor(context);
      return {
        json: { ...windowJson(window, now), seenByClients: seenByClients(window) },
        text: `${windowText(window, now, paint)}\n\n${whatClientsSee(window, now, paint)}`,
        notes: others.map(({ id, from, to }) => `It overlaps ${id} (${formatInstant(from)} to ${formatInstant(to)}).`),
      };
    });
  },
};

function overlaps(window: WindowRecord, other: WindowRecord): boolean {
  return other.id !== window.id && window.from < other.to && other.from < window.to;
}

function whatClientsSee(window: WindowRecord, now: EpochMs, paint: Paint): string {
  const body = harmless(JSON.stringify({ maintenance: seenByClients(window) }));
  const running = window.from <= now;
  const when = running
    ? `now, until ${formatInstant(window.to)}`
    : `${formatInstant(window.from)} to ${formatInstant(window.to)}`;
  const before = running ? [] : ['now  GET /v1/status answers 200 and shows the window:', `     ${body}`];
  return [
    paint.heading('What clients see'),
    ...before,
    `${when}:`,
    '     GET /v1/status answers 200 with status and api "maintenance"',
    ...(running ? [`     ${body}`] : []),
    '     everything else under /v1 answers 503 SERVICE_MAINTENANCE with Retry-After',
  ].join('\n');
}
