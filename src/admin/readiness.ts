import { isoInstant } from '../contract/instant.ts';
import type { Note } from '../management/note.ts';
import type { AdminParts } from '../management/parts.ts';
import { allDoubts, sourceViews } from '../management/views.ts';
import type { WithheldInput } from '../market/holds.ts';
import type { DoubtView } from '../operator/doubt.ts';
import { findingText } from '../operator/record.ts';
import { wayBack } from '../store/store.ts';

/**
 * Ready means that this process answers requests as the contract says. Stale data, a running maintenance window or an unreachable store are notes
 * that take no traffic away: clients must still be able to ask `/v1/status` for the cause.
 */
export function readiness(parts: AdminParts) {
  const phase = parts.phase();
  return { ready: phase === 'serving', phase, notes: notesOf(parts).map(({ text }) => text) };
}

/** Lists what an operator must act on, the most urgent first, then what is only unusual. */
export function notesOf(parts: AdminParts): Note[] {
  const notes = [
    ...processNotes(parts),
    ...[...sourceNotes(parts)].map(([, each]) => each),
    ...storeNotes(parts),
    ...marketNotes(parts),
    ...[...doubtNotes(parts)].map(([, each]) => each),
    ...sharedFeedNotes(parts),
    ...sharedLimitNotes(parts),
    ...clockNotes(parts),
    ...certificateNotes(parts),
    ...mailNotes(parts),
  ];
  const isBad = notes.some(({ level }) => level === 'critical');
  const kept = isBad ? parts.store.kept : undefined;
  if (kept !== undefined) notes.push(note('critical', `this start brought the database up to date. ${wayBack(kept)}`));
  const levels: readonly Note['level'][] = ['critical', 'warning', 'info'];
  return levels.flatMap((level) => notes.filter((note) => note.level === level));
}

function note(level: Note['level'], text: string, page: string | null = null, markets: string[] = []): Note {
  return { level, text, page, markets: markets.slice(0, namedMax) };
}

/** Neither over a live connection nor over polls. */
export function isNothingArriving({
  market: { service },
  clock,
}: {
  readonly market: Pick<AdminParts['market'], 'service'>;
  readonly clock: Pick<AdminParts['clock'], 'now'>;
}): boolean {
  return service.read(clock.now()).flow.state === 'silent';
}

function* processNotes(parts: AdminParts): Iterable<Note> {
  const { market, clock, phase } = parts;
  const { overload } = parts.listener;
  const { ticker, api } = market.service.read(clock.now());
  if (phase() === 'starting') yield note('info', 'API keys are still being loaded');
  if (phase() === 'draining') yield note('info', 'shutting down');
  if (overload.note !== undefined) yield note('critical', overload.note);
  if (api === 'maintenance') yield note('info', 'an announced maintenance window is running', 'maintenance');
  if (ticker !== 'operational')
    yield note(isNothingArriving(parts) ? 'critical' : 'warning', `market data: ${ticker}`, 'feed');
}

/** Many connections are back sooner. */
const unconnectedNotedMs = 10_000;

/** Names each source without a connection, for how long, and which others make the prices meanwhile. */
export function* sourceNotes(parts: AdminParts): Iterable<[source: string, note: Note]> {
  const lost = parts.feed.sources().flatMap<readonly [id: string, span: string]>(({ id, isPaused, health }) => {
    const { connection, lastLiveDataAgeMs: ageMs, epoch, lastCatalogueAt, catalogueLoads } = health;
    if (isPaused || connection === 'open') return [];
    // Connected to once its list of markets is there: a source that was lost before the start gives none.
    const loads = () => Object.values(catalogueLoads).reduce((sum, count) => sum + count, 0);
    if (connection === 'idle') return lastCatalogueAt === undefined && loads() > 1 ? [[id, 'yet']] : [];
    if (ageMs === undefined) return epoch > 1 ? [[id, 'yet']] : [];
    return ageMs > unconnectedNotedMs ? [[id, `for ${Math.floor(ageMs / 1_000)} s`]] : [];
  });
  if (lost.length === 0) return;
  const lostIds = new Set(lost.map(([id]) => id));
  const making = sourceViews(parts).filter(({ id, markets: { used } }) => used > 0 && !lostIds.has(id));
  const others = making.map(({ id, markets }) => `${markets.used} markets on ${id}`).join(', ');
  for (const [lostId, span] of lost) {
    const text = `${lostId}: no connection ${span}; ${others || 'no other source makes its prices'}`;
    yield [lostId, note(isNothingArriving(parts) ? 'critical' : 'warning', text, 'feed')];
  }
}

function* storeNotes({ market, changes, storeCheck, recording }: AdminParts): Iterable<Note> {
  if (!changes.reachable())
    yield note('critical', 'the store cannot be used: keys, markets and windows are as last known');
  const trouble = market.snapshots.lastError();
  if (trouble !== undefined) yield note('critical', `nothing can be saved: ${trouble}`);
  const finding = storeCheck.result()?.finding;
  if (finding !== undefined) yield note('critical', `the database file is damaged, restore a backup: ${finding}`);
  for (const { chain, at } of recording()?.silent ?? [])
    yield note('warning', `the process of chain ${chain} is silent: its part of the record ends at ${isoInstant(at)}`);
  const doubt = findingText(recording()?.doubt);
  if (doubt !== undefined)
    yield note('critical', `the record is not what it was: ${doubt}. Run \`mdapi history verify\``);
  const { keys, windows, terms } = changes.held();
  if (keys + windows + terms > 0) {
    const what = `${keys} keys, ${windows} maintenance windows and ${terms} terms vanished from the store and are kept`;
    yield note('critical', `${what}: bring the store back, or run \`mdapi store accept-changes\``);
  }
}

/** By then an operator has a day to bring the source of a rate back. */
const rateEndsSoonMs = 24 * 3_600_000;
const namedMax = 5;

function* marketNotes({ market: { board, markets }, clock, configuration }: AdminParts): Iterable<Note> {
  const now = clock.now();
  for (const [reason, count] of board.unpriced(now))
    yield note('warning', `${count} traded markets have no price: ${reason}`, 'markets');
  const { missing, due, isHeldBack } = markets.catalogue.absences(configuration.markets.delistAfterMs);
  if (isHeldBack) yield note('critical', `delisting waits for an operator: ${someOf(due)}`, 'markets');
  else if (missing.length > 0) {
    const text = 'missing from the exchange’s list, and delisted unless they come back';
    yield note('warning', `${text}: ${someOf(missing)}`, 'markets');
  }
  const offered = markets.catalogue.listed(now).filter(({ status }) => status !== 'delisted');
  const withheld = offered.flatMap((each) => markets.withheldFor(each));
  const { operator, rate } = Object.groupBy(withheld, ({ reason }) => reason);
  const named = (inputs: readonly WithheldInput[]) => someOf([...new Set(inputs.map(({ subject }) => subject))]);
  if (operator) yield note('warning', `prices are held by an operator: ${named(operator)}`, 'markets');
  if (rate) yield note('warning', `rates are doubted, and the last good ones stay: ${named(rate)}`, 'feed');
  for (const quote of configuration.pricing.converted.keys()) {
    const leftMs = (markets.rate(quote)?.validUntil ?? now) - now;
    const text = `the ${quote} rate may be used for ${Math.floor(leftMs / 3_600_000)} more hours`;
    if (leftMs > 0 && leftMs < rateEndsSoonMs) yield note('warning', text, 'feed');
  }
}

export function* doubtNotes(parts: AdminParts): Iterable<[cause: string, note: Note]> {
  const byCause = Map.groupBy(allDoubts(parts), ({ source, reason }) => `${source} ${reason}`);
  for (const doubts of byCause.values()) {
    const [{ source, reason, why }] = doubts as [DoubtView];
    const each = doubts.map(({ market, bid, ask, served }) => `${market} at ${bid} / ${ask} (served: ${served})`);
    const text = `${source} is doubted, ${reason.replaceAll('_', ' ')}: ${someOf(each)}. It means: ${why}`;
    const markets = doubts.map(({ market }) => market);
    yield [`${source} ${reason}`, note('warning', text, 'feed', markets)];
  }
}

function someOf(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `${names.slice(0, namedMax).join(', ')}${more}`;
}

const certificateEndsSoonMs = 14 * 86_400_000;

export function* certificateNotes({ listener, clock }: AdminParts): Iterable<Note> {
  const leftMs = (listener.certificateExpiresAt() ?? Number.POSITIVE_INFINITY) - clock.now();
  if (leftMs <= 0) yield note('critical', 'the TLS certificate has expired');
  else if (leftMs <= certificateEndsSoonMs)
    yield note('warning', `the TLS certificate expires in ${Math.floor(leftMs / 86_400_000)} days`);
}

function* mailNotes({ notifier }: AdminParts): Iterable<Note> {
  const { isFailing, pending } = notifier.figures();
  if (isFailing) yield note('warning', `the last e-mail to a key holder could not be sent; ${pending} wait`, 'notices');
}

function* sharedFeedNotes({ replication }: AdminParts): Iterable<Note> {
  const { isAlone = false, leaseTrouble } = replication() ?? {};
  if (isAlone) yield note('warning', 'this process is on a feed of its own until Redis says who leads', 'feed');
  if (leaseTrouble !== undefined) yield note('warning', `the lease of the feed cannot be had: ${leaseTrouble}`, 'feed');
}

/** A node whose clock is off by this much writes instants that disagree with those of the others. */
const skewNotedMs = 2_000;

function* sharedLimitNotes({ sharedLimits }: AdminParts): Iterable<Note> {
  const { isUp = true, clockSkewMs = 0 } = sharedLimits() ?? {};
  if (!isUp) yield note('warning', 'Redis cannot be used: this process counts the limits by itself');
  if (Math.abs(clockSkewMs) > skewNotedMs) yield clockNote(clockSkewMs, 'Redis');
}

function* clockNotes({ feed }: AdminParts): Iterable<Note> {
  const { isWrong, offsetMs, bySource } = feed.clock();
  if (isWrong && offsetMs !== undefined) yield clockNote(offsetMs, someOf([...bySource.keys()]));
}

function clockNote(offsetMs: number, others: string): Note {
  const seconds = Math.round(offsetMs / 1_000);
  const side = seconds > 0 ? 'ahead of' : 'behind';
  return note('warning', `the clock of this process is ${Math.abs(seconds)} s ${side} that of ${others}`);
}
