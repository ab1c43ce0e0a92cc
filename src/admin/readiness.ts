import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { AdminParts, Phase } from './sources.ts';

interface Readiness {
  /** Whether traffic may be sent here. */
  readonly ready: boolean;
  readonly phase: Phase;
  /** What an operator should know, whether ready or not. */
  readonly notes: readonly string[];
}

/** What an operator should know. */
export interface Note {
  /** `critical` waits for an operator now, `warning` for working hours; `info` is as it should be. */
  readonly level: 'critical' | 'warning' | 'info';
  readonly text: string;
  /** Where the console shows more. */
  readonly page: string | null;
}

/**
 * Ready means that this process answers requests as the contract says. Stale data, a running
 * maintenance window or an unreachable store are notes that take no traffic away: clients must
 * still be able to ask `/v1/status` for the cause.
 */
export function readiness(parts: AdminParts): Readiness {
  const phase = parts.phase();
  return { ready: phase === 'serving', phase, notes: notesOf(parts).map(({ text }) => text) };
}

/** What an operator must act on, the most urgent first, then what is only unusual. */
export function notesOf(parts: AdminParts): Note[] {
  const notes = [
    ...processNotes(parts),
    ...storeNotes(parts),
    ...marketNotes(parts),
    ...sharedLimitNotes(parts.sharedLimits()),
    ...certificateNotes(parts),
    ...mailNotes(parts),
  ];
  const levels: readonly Note['level'][] = ['critical', 'warning', 'info'];
  return levels.flatMap((level) => notes.filter((note) => note.level === level));
}

function note(level: Note['level'], text: string, page: string | null = null): Note {
  return { level, text, page };
}

function processNotes({ market, clock, phase }: AdminParts): Note[] {
  const { ticker, api } = market.service.read(clock.now());
  const notes: Note[] = [];
  if (phase() === 'starting') notes.push(note('info', 'API keys are still being loaded'));
  if (phase() === 'draining') notes.push(note('info', 'shutting down'));
  if (api === 'maintenance') notes.push(note('info', 'an announced maintenance window is running', 'maintenance'));
  if (ticker !== 'operational')
    notes.push(note(ticker === 'outage' ? 'critical' : 'warning', `market data: ${ticker}`, 'feed'));
  return notes;
}

function storeNotes({ market, changes, storeCheck }: AdminParts): Note[] {
  const notes: Note[] = [];
  if (!changes.reachable())
    notes.push(note('critical', 'the store cannot be used: keys, markets and windows are as last known'));
  const trouble = market.memory.trouble();
  if (trouble !== undefined) notes.push(note('critical', `nothing can be saved: ${trouble}`));
  const finding = storeCheck.result()?.finding;
  if (finding !== undefined) notes.push(note('critical', `the database file is damaged, restore a backup: ${finding}`));
  const { keys, windows, terms } = changes.held();
  if (keys + windows + terms > 0) {
    const what = `${keys} keys, ${windows} maintenance windows and ${terms} terms vanished from the store and are kept`;
    notes.push(note('critical', `${what}: bring the store back, or run \`mdapi store accept-changes\``));
  }
  return notes;
}

/** By then an operator has a day to bring the source of a rate back. */
const rateEndsSoonMs = 24 * 3_600_000;
const namedMax = 5;

function marketNotes({ market: { board, book }, clock, configuration }: AdminParts): Note[] {
  const now = clock.now();
  const notes = [...board.unpriced(now)].map(([reason, count]) =>
    note('warning', `${count} traded markets have no price: ${reason}`, 'markets'),
  );
  const { missing, due, isHeldBack } = book.catalogue.absences(configuration.markets.delistAfterMs);
  if (isHeldBack) notes.push(note('critical', `delisting waits for an operator: ${someOf(due)}`, 'markets'));
  else if (missing.length > 0)
    notes.push(
      note(
        'warning',
        `missing from the exchange’s list, and delisted unless they come back: ${someOf(missing)}`,
        'markets',
      ),
    );
  const held = new Map<string, string>();
  for (const offered of book.catalogue.listed(now)) {
    if (offered.status === 'delisted') continue;
    for (const { subject, reason } of book.heldFor(offered)) held.set(subject, `${subject} (${reason})`);
  }
  if (held.size > 0) {
    notes.push(note('warning', `prices or rates are held back: ${someOf([...held.values()])}`, 'markets'));
  }
  for (const quote of configuration.pricing.converted.keys()) {
    const leftMs = (book.rate(quote)?.validUntil ?? now) - now;
    if (leftMs > 0 && leftMs < rateEndsSoonMs)
      notes.push(
        note('warning', `the ${quote} rate may be used for ${Math.floor(leftMs / 3_600_000)} more hours`, 'feed'),
      );
  }
  return notes;
}

function someOf(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `${names.slice(0, namedMax).join(', ')}${more}`;
}

const certificateEndsSoonMs = 14 * 86_400_000;

function certificateNotes({ listener, clock }: AdminParts): Note[] {
  const expiresAt = listener.certificateExpiresAt();
  if (expiresAt === undefined) return [];
  const leftMs = expiresAt - clock.now();
  if (leftMs <= 0) return [note('critical', 'the TLS certificate has expired')];
  if (leftMs > certificateEndsSoonMs) return [];
  return [note('warning', `the TLS certificate expires in ${Math.floor(leftMs / 86_400_000)} days`)];
}

function mailNotes({ notifier }: AdminParts): Note[] {
  const { isFailing, pending } = notifier.figures();
  if (!isFailing) return [];
  return [note('warning', `the last e-mail to a key holder could not be sent; ${pending} wait`, 'notices')];
}

/** A node whose clock is off by this much writes instants that disagree with those of the others. */
const skewNotedMs = 2_000;

function sharedLimitNotes(limits: SharedLimitFigures | undefined): Note[] {
  if (limits === undefined) return [];
  const notes: Note[] = [];
  if (!limits.isUp) notes.push(note('warning', 'Redis cannot be used: this process counts the limits by itself'));
  const seconds = Math.round((limits.clockSkewMs ?? 0) / 1_000);
  if (Math.abs(limits.clockSkewMs ?? 0) > skewNotedMs) {
    const side = seconds > 0 ? 'ahead of' : 'behind';
    notes.push(note('warning', `the clock of this process is ${Math.abs(seconds)} s ${side} that of Redis`));
  }
  return notes;
}
