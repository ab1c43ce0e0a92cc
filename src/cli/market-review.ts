import type { PendingMarkets } from '../market/catalogue-review.ts';
import {
  effectOf,
  pendingView,
  type Review,
  readReview,
  reviewView,
  settle,
  type Verdict,
  verdictRefusal,
} from '../operator/review.ts';
import { proposedInstead } from './approvals.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { neededYes, storeCommand } from './store-command.ts';
import { harmless, instantCell, type Paint, table } from './style.ts';

const reasons = ['growth', 'over_maximum', 'loss'] as const;

export const review = storeCommand({
  name: 'markets review',
  summary: 'show what waits of the lists of sources, and settle it',
  details: [
    'A source that lists more than half as many new markets as before, and at least 50, at once has them wait: known markets go on. So does what is above markets.max, and the delisting of over a tenth of the markets. A list that lacks more than half is taken for incomplete until an equal one follows.',
    'Accepted new markets are offered with the next load of the list; rejected ones never, unless they are accepted later. Accepting a loss delists its markets for good; rejecting it keeps them, paused, until they are listed again.',
  ],
  options: {
    accept: { summary: 'accept what waits, or what was rejected of the source' },
    reject: { summary: 'reject what waits' },
    source: { value: 'ID', summary: 'of this source alone; needed where lists of several wait' },
    reason: { value: 'REASON', values: reasons, summary: 'of this reason alone; needed where several wait' },
    yes: neededYes,
  },
  examples: {
    'mdapi markets review': 'what waits, since when and why',
    'mdapi markets review --accept --source kraken': 'asks first; without a terminal it needs --yes',
    'mdapi markets review --reject --reason growth': 'never offers these new markets',
  },
  async work(job) {
    const { store, options, paint, confirm, context } = job;
    const found = await readReview(store);
    const verdict = verdictOf(options);
    if (verdict === undefined) return shown(found, paint);
    const pending = chosen(found, verdict, options);
    if ('rejected' in pending) {
      const { source, rejected } = pending;
      await confirm(`Offer the ${countText(rejected.length)} of ${source} that were rejected?`, true);
      await store.lists.accept(source, rejected);
      const notes = [effectOf('growth', 'accept')!];
      return { json: { source, count: rejected.length }, text: `${countText(rejected.length)} accepted.`, notes };
    }
    const { source, reason, count } = pending;
    const effect = effectOf(reason, verdict)!;
    await confirm(`${capital(verdict)} ${countText(count)} of ${source} (${namesText(pending)})? ${effect}`, true);
    if (reason === 'loss' && verdict === 'accept') {
      const proposed = await proposedInstead({ action: 'catalogue.delist', source, id: pending.id }, job);
      if (proposed !== undefined) return proposed;
    }
    await settle(store, pending, verdict, context.clock.now());
    return { json: pendingView(pending), text: `${countText(count)} ${verdict}ed.`, notes: [effect] };
  },
});

function verdictOf({ accept, reject, source, reason }: Choice): Verdict | undefined {
  if (accept && reject) throw new UsageError('Give either --accept or --reject.');
  if (accept || reject) return accept ? 'accept' : 'reject';
  if (source !== undefined || reason !== undefined)
    throw new UsageError('--source and --reason go with --accept or --reject.');
  return undefined;
}

interface Choice {
  readonly accept: boolean;
  readonly reject: boolean;
  readonly source: string | undefined;
  readonly reason: string | undefined;
}

/** Finds what a verdict is on: markets that wait, or rejected ones. Throws `CommandError` for none and for several. */
function chosen({ pending, rejected }: Review, verdict: Verdict, { source, reason }: Choice) {
  const isOwn = (each: { readonly source: string }) => source === undefined || each.source === source;
  const own = pending.filter((each) => isOwn(each) && (reason === undefined || each.reason === reason));
  const settleable = own.filter((each) => verdictRefusal(each, verdict) === undefined);
  const [first, ...others] = settleable;
  if (first !== undefined && others.length > 0) {
    const names = settleable.map((each) => `${each.source} ${each.reason} (${each.count})`).join(', ');
    throw refused('several_wait', `Several things wait: ${names}. Name one with --source and --reason.`);
  }
  if (first !== undefined) return first;
  const wasRejected = source === undefined ? undefined : rejected.find(isOwn);
  if (verdict === 'accept' && reason === undefined && wasRejected !== undefined) return wasRejected;
  const [other] = own;
  if (other !== undefined) throw refused('not_settled', verdictRefusal(other, verdict)!);
  throw refused('nothing_waits', source === undefined ? 'Nothing waits.' : `Nothing of ${harmless(source)} waits.`);
}

function refused(reason: string, sentence: string): CommandError {
  return new CommandError(exitCodes.refused, reason, sentence);
}

function shown(found: Review, paint: Paint): Result {
  const view = reviewView(found);
  const rows = view.pending.map(({ source, reason, since, count, why }, index) => [
    source,
    reason.replaceAll('_', ' '),
    instantCell(since),
    String(count),
    namesText(found.pending[index]!),
    why,
  ]);
  const headings = ['SOURCE', 'REASON', 'SINCE', 'MARKETS', 'SUCH AS', 'WHY'];
  const text = table(headings, rows, paint, 'Nothing waits.');
  const rejected = view.rejected.map(({ source, count }) => [source, String(count)]);
  const others = rejected.length === 0 ? '' : `\n\n${table(['REJECTED OF', 'MARKETS'], rejected, paint, '')}`;
  return { json: view, text: `${text}${others}` };
}

function namesText({ symbols, count }: PendingMarkets): string {
  const first = symbols.slice(0, 3);
  return `${first.join(', ')}${count > first.length ? ', …' : ''}`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'market' : 'markets'}`;
}

function capital(verdict: Verdict): string {
  return verdict === 'accept' ? 'Accept' : 'Reject';
}
