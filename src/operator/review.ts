import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type PendingMarkets, type PendingReason, pendingReasons } from '../market/catalogue-review.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ListDecisionRecord } from '../store/list-decisions.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { count, instantFields, line, listOf, named, openEnum, viewOf } from './fields.ts';

const snapshotName = 'catalogueReview';
const namesMax = 20;

export const verdicts = ['accept', 'reject'] as const;
/** A decision of an operator on markets that wait. */
export type Verdict = (typeof verdicts)[number];

/** The reasons in plain words. */
const whys: Readonly<Record<PendingReason, string>> = {
  growth: 'more than half as many new ones as were listed, and at least 50, at once: not offered yet',
  over_maximum: 'above markets.max: not offered',
  incomplete: 'missing from a list that is taken for incomplete: they stay as they are',
  loss: 'missing for markets.delistAfter with over a tenth of all: paused, and not delisted yet',
};

/** Effects of each verdict; `undefined` where it can do nothing. */
const effects: Readonly<Record<PendingReason, Readonly<Partial<Record<Verdict, string>>>>> = {
  growth: {
    accept: 'They are offered with the next load of the list.',
    reject: 'They are never offered, unless they are accepted later.',
  },
  over_maximum: { reject: 'They are never offered, unless they are accepted later.' },
  incomplete: {},
  loss: {
    accept: 'They are delisted for good.',
    reject: 'They stay paused until they are listed again.',
  },
};

/** Where only something else than a verdict helps. */
const remedies: Readonly<Partial<Record<PendingReason, string>>> = {
  over_maximum: 'To offer them, raise markets.max.',
  incomplete: 'It ends by itself with the second of two equal lists, or with one that lacks less.',
};

export const PendingListSchema = named('PendingList', 'Markets of the list of one source that wait.', {
  id: part.text('Names these very markets: another id is of others.', '3f2a9c0b71de', { maxLength: 64 }),
  source: line('The source’s id in the configuration.', 'kraken', 32),
  reason: openEnum(pendingReasons, 'Why they wait.'),
  why: line('The reason in words.', whys.growth, 200),
  ...instantFields('since', 'Since when markets of this source wait for this reason.'),
  count: count('How many there are.', 412),
  symbols: listOf(part.symbol('A market of the exchange.', 'BTCEUR'), 'The first of them.', namesMax),
  verdicts: Type.Array(openEnum(verdicts, 'What can be decided.'), {
    description: 'What an operator can decide; empty where it ends by itself.',
  }),
});

export const RejectedListSchema = named('RejectedList', 'New markets of a source that were rejected.', {
  source: line('The source’s id in the configuration.', 'kraken', 32),
  count: count('How many there are.', 412),
});

export type PendingListView = Static<typeof PendingListSchema>;

/** Everything about the lists of sources that waits or was rejected. */
export interface Review {
  readonly pending: readonly PendingMarkets[];
  readonly rejected: readonly ListDecisionRecord[];
}

type ReviewStore = Pick<Store, 'snapshots' | 'lists' | 'markets'>;

/** Keeps what waits, with all names. */
export async function savePending({ snapshots }: Pick<Store, 'snapshots'>, pending: readonly PendingMarkets[]) {
  await snapshots.save(snapshotName, JSON.stringify(pending));
}

/** Gives what was kept. */
export async function loadPending({ snapshots }: Pick<Store, 'snapshots'>): Promise<readonly PendingMarkets[]> {
  return JSON.parse((await snapshots.load(snapshotName))?.payload ?? '[]') as PendingMarkets[];
}

/** Reads everything that waits or was rejected, from the store: it is there without a server too. */
export async function readReview(store: ReviewStore): Promise<Review> {
  const rejected = (await store.lists.list()).filter((each) => each.rejected.length > 0);
  return { pending: await loadPending(store), rejected };
}

export function reviewView({ pending, rejected }: Review) {
  return {
    pending: pending.map(pendingView),
    rejected: rejected.map((each) => ({ source: each.source, count: each.rejected.length })),
  };
}

export function pendingView({ symbols, reason, ...pending }: PendingMarkets): PendingListView {
  return viewOf(PendingListSchema.properties, {
    ...pending,
    reason,
    why: whys[reason],
    symbols: symbols.slice(0, namesMax),
    verdicts: verdicts.filter((verdict) => effects[reason][verdict] !== undefined),
  });
}

/** Says what a verdict on a reason does. */
export function effectOf(reason: PendingReason, verdict: Verdict): string | undefined {
  return effects[reason][verdict];
}

/** Why a verdict cannot be given; `undefined` where it can. */
export function verdictRefusal({ source, reason, count }: PendingMarkets, verdict: Verdict): string | undefined {
  if (effects[reason][verdict] !== undefined) return undefined;
  return `${count} markets of ${source} wait (${reason}), but cannot be ${verdict}ed. ${remedies[reason]}`;
}

/** Carries out a verdict that is not refused. What is kept of these markets is gone then. */
export async function settle(store: ReviewStore, settled: PendingMarkets, verdict: Verdict, now: EpochMs) {
  const { source, reason, symbols, id } = settled;
  if (reason !== 'loss') await store.lists[verdict](source, symbols);
  else if (verdict === 'reject') await store.lists.keep(source, symbols, now);
  else for (const symbol of symbols) await delist(store, symbol, source, now);
  const pending = await loadPending(store);
  await savePending(
    store,
    pending.filter((each) => each.id !== id),
  );
}

/** Delists it, unless somebody else did meanwhile. */
async function delist({ markets }: ReviewStore, symbol: MarketSymbol, source: string, now: EpochMs): Promise<void> {
  try {
    await markets.delist(symbol, now, `the operator accepted that ${source} no longer lists it`);
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'market_delisted')) throw error;
  }
}
