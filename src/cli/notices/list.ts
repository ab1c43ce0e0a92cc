import type { NoticeStatus } from '../../store/notices.ts';
import type { Command, CommandInput } from '../command.ts';
import { UsageError } from '../failure.ts';
import { formatInstant } from '../instant.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { noticeJson, noticeNote, noticeStatusCell } from './describe.ts';

const statuses: readonly NoticeStatus[] = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'];
const defaultLimit = 100;

export const noticesList: Command = {
  name: 'notices list',
  summary: 'list the e-mail notices to key holders, latest first',
  details: [
    'A notice is made when a key was refused by its limit in several minutes (`notices.breachedMinutes`, `notices.within`).',
    'States: pending (to be sent, perhaps again), sending, sent (accepted by the mail server), failed (refused for good, or given up after four days), recorded (no mail server was configured), unconfirmed (the connection or the server ended before the answer, so that nobody can tell whether it was accepted; it is not sent again, so that nobody gets it twice).',
  ],
  options: [
    { name: 'status', value: 'STATUS', summary: `only these: ${statuses.join(', ')}` },
    { name: 'key', value: 'ID', summary: 'only those about this key' },
    { name: 'limit', value: 'COUNT', summary: `at most so many, 1 to 10000 (default: ${defaultLimit})` },
  ],
  examples: [
    { line: 'mdapi notices list', note: 'the latest' },
    { line: 'mdapi notices list --status failed --json', note: 'what the mail server refused, for a program' },
  ],
  run(input, context) {
    const filter = { status: statusFrom(input), keyId: input.option('key'), limit: limitFrom(input) };
    return withStore(input, context, async (store) => {
      const notices = await store.notices.list(filter);
      const now = context.clock.now();
      const paint = paintFor(context);
      const rows = notices.map((notice) => [
        notice.id,
        noticeStatusCell(notice.status, paint),
        formatInstant(notice.createdAt),
        `…${notice.figures.lastFour}`,
        `${notice.figures.requestsRefused} in ${notice.figures.breachedMinutes} min`,
        notice.accountEmail ?? '-',
        noticeNote(notice, now),
      ]);
      const headings = ['ID', 'STATE', 'MADE', 'KEY', 'REFUSED', 'ACCOUNT', 'NOTE'];
      return { json: { notices: notices.map(noticeJson) }, text: table(headings, rows, paint, 'No notices.') };
    });
  },
};

function statusFrom(input: CommandInput): NoticeStatus | undefined {
  const text = input.option('status');
  const status = statuses.find((known) => known === text);
  if (text === undefined || status !== undefined) return status;
  throw new UsageError(`--status: "${text}" is not one of ${statuses.join(', ')}.`);
}

function limitFrom(input: CommandInput): number {
  const text = input.option('limit') ?? String(defaultLimit);
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000) return Number(text);
  throw new UsageError(`--limit: "${text}" is not a whole number from 1 to 10000.`);
}
