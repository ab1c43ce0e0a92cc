import type { Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import { Type } from '../contract/schema-builder.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type MarketTerms, type Term, type TermField, termFields, termsAt } from '../market/terms.ts';
import {
  type ApprovalRecord,
  type ApprovalValue,
  approvalOutdated,
  approvalOwn,
  approvalStartPassed,
  approvalText,
} from '../store/approvals.ts';
import { type MarketRecord, marketDelisted, marketUnknown } from '../store/markets.ts';
import type { Store, StoreParts } from '../store/store.ts';
import { type NewTerm, type TermRecord, termBegun, termCancelled, termLeadMs, termUnknown } from '../store/terms.ts';
import { mayBeOnePerson } from './actor.ts';
import { type ApprovalKind, approvalKinds } from './approval-kind.ts';
import * as fields from './fields.ts';
import { storedMarkets } from './market.ts';
import { acceptableRate, type RateView } from './rate.ts';
import { loadPending, settle } from './review.ts';
import { termOf } from './term.ts';

/** A term as it was proposed. Without a start it begins once it is confirmed. */
export interface ProposedTerm extends Omit<NewTerm, 'from'> {
  readonly from: EpochMs | undefined;
}

/** A change as it is applied once it is confirmed, and nothing else. */
export type ProposedChange =
  | { readonly action: 'term.set'; readonly term: ProposedTerm }
  | { readonly action: 'term.cancel'; readonly id: string }
  | { readonly action: 'market.delist'; readonly symbol: string }
  /** @property id names the very markets that wait to be delisted; see `PendingListSchema` */
  | { readonly action: 'catalogue.delist'; readonly source: string; readonly id: string }
  | { readonly action: 'rate.accept'; readonly quote: string; readonly mid: string }
  | { readonly action: 'rate.release'; readonly quote: string };

const kindOf: Readonly<Record<ProposedChange['action'], ApprovalKind>> = {
  'term.set': 'terms',
  'term.cancel': 'terms',
  'market.delist': 'delist',
  'catalogue.delist': 'delist',
  'rate.accept': 'rates',
  'rate.release': 'rates',
};

/** The kind of a change, by which the configuration asks for a second person. */
export function kindOfChange({ action }: Pick<ProposedChange, 'action'>): ApprovalKind {
  return kindOf[action];
}

/** Makes of a term what is proposed: one that begins now begins when it is confirmed. */
export function proposedTerm({ from, ...term }: NewTerm, now: EpochMs): ProposedTerm {
  return { ...term, from: from < now + termLeadMs ? undefined : from };
}

/** The things that a change is judged on, beside the store. */
export interface Present {
  readonly now: EpochMs;
  /** The terms of the configuration. */
  readonly firstTerms: readonly Term[];
  /** Gives what is believed of a rate; `undefined` where no process says. */
  readonly rateOf: (quote: string) => RateView | undefined;
}

const approvalStates = ['waiting', 'confirmed', 'rejected', 'withdrawn', 'expired'] as const;
const approvalValues = ['fee', 'margin', 'precision', 'rounding', 'start', 'status', 'rate', 'held'] as const;

const ValueSchema = fields.object('A value that the change sets.', {
  what: fields.openEnum(approvalValues, 'Which one: `held` is since when an operator keeps a rate.'),
  from: fields.nullableLine('What it was when the change was proposed; null for none.', '0.5', 2_000),
  to: fields.nullableLine('What it is once the change is confirmed; null for none.', '0.4', 2_000),
});

export const ApprovalSchema = fields.named('Approval', 'A change that one person proposes and another one confirms.', {
  id: fields.id('apr', 'The proposal’s id.'),
  kind: fields.openEnum(approvalKinds, 'The kind of change, as `admin.approvals` has it.'),
  action: fields.openEnum(Object.keys(kindOf) as (keyof typeof kindOf)[], 'What it does.'),
  subject: fields.line('What for: a market, a quote currency, a term, a source, or `service`.', 'BTCEUR', 64),
  state: fields.openEnum(approvalStates, 'Where it is in its life.'),
  values: fields.listOf(ValueSchema, 'What exactly it changes. It is refused once one of them is no longer as it was.'),
  change: Type.Unsafe<Readonly<Record<string, unknown>>>({
    description: 'Exactly what is applied: the action and what it takes.',
    type: 'object',
    additionalProperties: true,
    examples: [{ action: 'market.delist', symbol: 'BTCEUR' }],
  }),
  summary: fields.line('The change in a sentence.', 'a term for BTCEUR: fee 0.5 → 0.4', 4_000),
  ...fields.instantFields('proposedAt', 'When it was proposed.'),
  proposedBy: fields.line('Who proposed it, as the audit log names them.', 'alice', 300),
  own: Type.Boolean({ description: 'Whether that may be who asks: then another person has to confirm it.' }),
  ...fields.instantFields('expiresAt', 'The first instant at which it can no longer be confirmed.'),
  ...fields.nullableInstantFields('decidedAt', 'When it was decided on.'),
  decidedBy: fields.nullableLine('Who decided; null while nobody did.', 'bob', 300),
});

export type ApprovalView = Static<typeof ApprovalSchema>;

/** @param actor who looks */
export function approvalView(record: ApprovalRecord, actor: string): ApprovalView {
  return fields.viewOf(ApprovalSchema.properties, {
    ...record,
    kind: kindOf[record.action],
    change: record.change as Readonly<Record<string, unknown>>,
    values: record.basis.map((value) => ({ ...value, what: value.what as (typeof approvalValues)[number] })),
    summary: approvalText(record),
    own: mayBeOnePerson(record.proposedBy, actor),
  });
}

/**
 * Proposes a change in the name of the actor of the store. Throws as the change itself would, and `approval_waits`,
 * `approval_too_many`.
 */
export function propose(store: Store, change: ProposedChange, present: Present): Promise<ApprovalRecord> {
  return store.atomically(async (parts) => {
    const basis = await valuesOf(change, parts, present, 'proposed');
    return parts.approvals.propose({ action: change.action, subject: subjectOf(change), change, basis });
  });
}

/**
 * Confirms a change and applies it, in one transaction: both happen once, or nothing does. Throws `approval_own` for
 * whoever may have proposed it, `approval_outdated` and `approval_start` where it would not change what was proposed,
 * and as `Approvals.decide`.
 */
export async function confirm(store: Store, id: string, actor: string, present: Present): Promise<ApprovalRecord> {
  const { proposedBy, state } = await store.approvals.get(id);
  if (state === 'waiting' && mayBeOnePerson(proposedBy, actor)) throw approvalOwn({ id, by: proposedBy, actor });
  return store.atomically(async (parts) => {
    const record = await parts.approvals.decide(id, 'confirmed');
    const change = changeOf(record);
    assertSame(id, record.basis, await valuesOf(change, parts, present, id));
    await apply(change, parts, present.now);
    return record;
  });
}

/** Rejects a change, or takes it back where its proposer does. Throws as `Approvals.decide`. */
export async function reject(store: Store, id: string, actor: string): Promise<ApprovalRecord> {
  const { proposedBy } = await store.approvals.get(id);
  return store.approvals.decide(id, mayBeOnePerson(proposedBy, actor) ? 'withdrawn' : 'rejected');
}

/** The change of a record; instants and absent values as JSON keeps them. */
export function changeOf({ change }: Pick<ApprovalRecord, 'change'>): ProposedChange {
  return change as ProposedChange;
}

function subjectOf(change: ProposedChange): string {
  if (change.action === 'term.set') return change.term.subject ?? 'service';
  if (change.action === 'term.cancel') return change.id;
  if (change.action === 'market.delist') return change.symbol;
  return change.action === 'catalogue.delist' ? change.source : change.quote;
}

function assertSame(id: string, before: readonly ApprovalValue[], now: readonly ApprovalValue[]): void {
  for (const [at, { what, from: was, to }] of before.entries()) {
    const present = now[at];
    if (present?.what !== what || present.from !== was) {
      throw approvalOutdated({ id, what, was, is: present?.from ?? null });
    }
    if (present.to !== to) throw approvalOutdated({ id, what, was: to, is: present.to });
  }
}

/**
 * What a change changes, from and to, as things are.
 *
 * @param id of the proposal, for messages
 */
async function valuesOf(change: ProposedChange, parts: StoreParts, present: Present, id: string) {
  if (change.action === 'term.set') return setValues(change.term, parts, present, id);
  if (change.action === 'term.cancel') return cancelValues(change.id, parts, present);
  if (change.action === 'market.delist') return delistValues(change.symbol, await parts.markets.list());
  if (change.action === 'catalogue.delist') return lossValues(change.id, parts, id);
  if (change.action === 'rate.accept') return acceptValues(change, present, id);
  return releaseValues(change.quote, parts);
}

const titles = {
  feePercent: 'fee',
  marginPercent: 'margin',
  pricePrecision: 'precision',
  rounding: 'rounding',
} as const satisfies Readonly<Record<TermField, keyof MarketTerms>>;

async function setValues(term: ProposedTerm, parts: StoreParts, { now, firstTerms }: Present, id: string) {
  if (term.from !== undefined && term.from < now + termLeadMs) throw approvalStartPassed({ id, from: term.from });
  const from = term.from ?? ((now + termLeadMs) as EpochMs);
  const terms = [...firstTerms, ...(await parts.terms.list()).map(termOf)];
  const subject = await termSubject(term, parts);
  const [before, after] = [terms, [...terms, termOf({ ...term, from })]].map((all) => termsAt(all, subject, from));
  const start = { what: 'start', from: null, to: term.from === undefined ? 'confirmation' : isoInstant(term.from) };
  return [...changedValues(term, before!, after!), start];
}

async function cancelValues(id: string, parts: StoreParts, { now, firstTerms }: Present) {
  const records = await parts.terms.list({ withCancelled: true });
  const record = records.find((each) => each.id === id);
  if (record === undefined) throw termUnknown({ id });
  if (record.cancelledAt !== undefined) throw termCancelled({ id });
  if (now + termLeadMs >= record.from) throw termBegun({ id, from: record.from });
  const live = records.filter(({ cancelledAt }) => cancelledAt === undefined);
  const without = live.filter((each) => each !== record);
  const subject = await termSubject(record, parts);
  const [before, after] = [live, without].map((all) => {
    return termsAt([...firstTerms, ...all.map(termOf)], subject, record.from);
  });
  return [...changedValues(record, before!, after!), { what: 'start', from: isoInstant(record.from), to: null }];
}

/** The subject of a term, as far as terms depend on it: a service has neither a symbol nor a currency. */
async function termSubject({ scope, subject = '' }: Pick<TermRecord, 'scope' | 'subject'>, parts: StoreParts) {
  if (scope !== 'market') return { symbol: '', quote: subject, isConverted: true } as Parameters<typeof termsAt>[1];
  const quote = (await parts.markets.list()).find(({ symbol }) => symbol === subject)?.quote ?? '';
  return { symbol: subject, quote, isConverted: true } as Parameters<typeof termsAt>[1];
}

function changedValues(
  term: Pick<NewTerm, TermField>,
  before: MarketTerms,
  after: MarketTerms,
): readonly ApprovalValue[] {
  const textOf = (value: string | number | undefined) => (value === undefined ? null : String(value));
  return termFields
    .filter((field) => term[field] !== undefined)
    .map((field) => {
      const what = titles[field];
      return { what, from: textOf(before[what]?.value), to: textOf(after[what]?.value) };
    });
}

function delistValues(symbol: string, records: readonly MarketRecord[]): readonly ApprovalValue[] {
  const views = storedMarkets(records);
  const found = views.find((view) => view.symbol === symbol);
  if (found === undefined) throw marketUnknown({ symbol });
  if (found.status === 'delisted') throw marketDelisted({ symbol });
  const concerned = [found, ...views.filter((view) => view.convertedFrom === symbol && view.delistedAt === null)];
  return concerned.map((view) => ({
    what: 'status',
    from: `${view.symbol} ${listedAs(view)}`,
    to: `${view.symbol} delisted`,
  }));
}

/** An operator's pause is no reason to decide anew; what the exchange says is. */
function listedAs({ missingSince, pausedBy }: ReturnType<typeof storedMarkets>[number]): string {
  if (missingSince !== null) return 'missing';
  return pausedBy.includes('exchange') ? 'paused' : 'trading';
}

const namesMax = 20;

async function lossValues(pendingId: string, parts: StoreParts, id: string): Promise<readonly ApprovalValue[]> {
  const found = (await loadPending(parts)).find((each) => each.id === pendingId);
  if (found === undefined) throw approvalOutdated({ id, what: 'status', was: 'missing', is: null });
  const more = found.symbols.length - namesMax;
  const names = `${found.symbols.slice(0, namesMax).join(', ')}${more > 0 ? ` + ${more}` : ''}`;
  return [{ what: 'status', from: `${names} missing`, to: `${names} delisted` }];
}

function acceptValues(
  { quote, mid }: Extract<ProposedChange, { action: 'rate.accept' }>,
  { rateOf }: Present,
  id: string,
): readonly ApprovalValue[] {
  const rate = rateOf(quote);
  const acceptable = rate === undefined ? undefined : acceptableRate(rate);
  if (acceptable !== mid) throw approvalOutdated({ id, what: 'rate', was: mid, is: acceptable ?? null });
  return [{ what: 'rate', from: rate?.mid ?? null, to: mid }];
}

async function releaseValues(quote: string, parts: StoreParts): Promise<readonly ApprovalValue[]> {
  const control = (await parts.rates.list()).find((each) => each.quote === quote);
  const heldAt = control?.heldAt;
  return [{ what: 'held', from: heldAt === undefined ? null : isoInstant(heldAt), to: null }];
}

async function apply(change: ProposedChange, parts: StoreParts, now: EpochMs): Promise<void> {
  if (change.action === 'term.set') {
    const { term } = change;
    await parts.terms.add({ ...term, from: term.from ?? now });
  } else if (change.action === 'term.cancel') await parts.terms.cancel(change.id);
  else if (change.action === 'market.delist') await parts.markets.delist(change.symbol, now);
  else if (change.action === 'catalogue.delist') {
    const pending = (await loadPending(parts)).find(({ id }) => id === change.id)!;
    await settle(parts, pending, 'accept', now);
  } else if (change.action === 'rate.accept') await parts.rates.accept(change.quote, change.mid, now);
  else await parts.rates.setHeld(change.quote, undefined);
}
