import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { type Doubt, SourceDoubts } from './doubts.ts';
import { Evidence, type Verdict } from './guard.ts';
import type { Agreement, Compared } from './peer-judgement.ts';
import type { SourceQuote } from './quote.ts';
import { QuoteChanges } from './quote-changes.ts';
import type { Source } from './source.ts';
import { type Candidate, type Exclusion, LiveStreak } from './source-choice.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { FeedPath, ReferencePrices } from './upstream.ts';

/** How a source of a market compares with its peers there. */
export interface Comparison {
  /** Its quote as it was last compared, and what was found. */
  compared: Compared | undefined;
  agreement: Agreement | undefined;
  /** Where it was when it last agreed with a peer, or was taken while none agreed with it. */
  ownLevel: SourceQuote | undefined;
  /** Where it was when it last agreed closely with a peer, and when that was. */
  closeLevel: Big | undefined;
  closeAt: EpochMs | undefined;
  /** When it last agreed with each other source. */
  readonly agreedAt: Map<MarketSource, EpochMs>;
  /** Since when it is further from the market's price than time alone can confirm. */
  awaySince: EpochMs | undefined;
  /** Where it was when the doubt of its peers began. */
  doubtedLevel: Big | undefined;
  /** Since when a contradicted source agrees again, by the monotonic clock. */
  agreesSinceMs: number | undefined;
  /** The level at which the operator accepted it. */
  acceptedLevel: Big | undefined;
}

function notCompared(): Comparison {
  return {
    compared: undefined,
    agreement: undefined,
    ownLevel: undefined,
    closeLevel: undefined,
    closeAt: undefined,
    agreedAt: new Map(),
    awaySince: undefined,
    doubtedLevel: undefined,
    agreesSinceMs: undefined,
    acceptedLevel: undefined,
  };
}

const unreviewed: Candidate = { reach: 'silent', exclusion: 'no_price', isProven: false };

/** One source of one market: the place where its prices are kept, those that it sends and those that were taken. */
export class MarketSource {
  readonly source: Source;
  /** Its latest quote, taken or not; `undefined` before it said anything and while it does not deliver. */
  quote: SourceQuote | undefined;
  /** Its last good values. */
  ticker: AcceptedTicker | undefined;
  /** When the latest were asked for, or arrived by themselves: they stood then, however long ago they changed. */
  stoodAt: EpochMs | undefined;
  /** When its last good values were last proved current, and how. */
  proof: { readonly at: EpochMs; readonly by: FeedPath } | undefined;
  references: ReferencePrices | undefined;
  /** Its latest values are held. It can have good ones over one path while the other repeats those that are held. */
  isLatestHeld = false;
  readonly changes = new QuoteChanges();
  readonly evidence = new Evidence();
  readonly doubts: SourceDoubts;
  comparison = notCompared();
  streak = new LiveStreak();
  /** By the last review. */
  candidate: Candidate | undefined;

  constructor(source: Source, doubts = new SourceDoubts()) {
    this.source = source;
    this.doubts = doubts;
  }

  get id(): string {
    return this.source.id;
  }

  /** It comes to a market that others make the price of: it has to prove itself, and to be compared. */
  join(): void {
    this.quote = undefined;
    this.comparison = notCompared();
    this.streak = new LiveStreak(true);
    this.candidate = unreviewed;
  }

  /** The market has other sources now. */
  stay(others: readonly MarketSource[]): void {
    const { agreedAt } = this.comparison;
    for (const other of [...agreedAt.keys()]) if (!others.includes(other)) agreedAt.delete(other);
    this.comparison.compared = undefined;
    this.candidate ??= unreviewed;
  }

  /** The market has no other source any more. */
  standAlone(): void {
    this.quote = undefined;
    this.comparison = notCompared();
    this.doubts.restored(undefined);
  }

  /** Takes what the guard doubts now, and whether it took the latest values all the same. */
  judged({ doubt, isTaken }: Verdict): void {
    this.isLatestHeld = !isTaken;
    this.doubts.judged(doubt);
  }

  /** It has no price any more, from an instant on. Returns what that makes doubtful of its last one. */
  withdrew(at: EpochMs, unpricedFrom: EpochMs): Doubt | undefined {
    const { ticker, doubts } = this;
    if (ticker === undefined || doubts.byGuard?.reason === 'withdrawn') return undefined;
    const doubt = { reason: 'withdrawn' as const, since: at, values: [ticker.bid, ticker.ask], unpricedFrom };
    this.isLatestHeld = true;
    this.evidence.held = undefined;
    doubts.replaced(doubt);
    return doubt;
  }

  /**
   * Its peers contradict what it says. No price is made of that meanwhile; when it is believed again, of that and
   * nothing older.
   */
  contradicted(ticker: AcceptedTicker): void {
    this.ticker = ticker;
    this.isLatestHeld = false;
    this.evidence.held = undefined;
    this.doubts.replaced(undefined);
  }

  /** Finds what keeps it from making the price, by what it says itself. @param since its price must have stood then */
  exclusion(listing: 'trading' | 'paused' | undefined, since: number): Exclusion | undefined {
    const { ticker, stoodAt } = this;
    if (this.source.isPaused) return 'paused';
    if (listing === undefined) return 'not_listed';
    if (listing === 'paused') return 'not_trading';
    if (this.isLatestHeld) return 'held';
    return ticker === undefined || (stoodAt ?? ticker.capturedAt) < since ? 'no_price' : undefined;
  }

  /**
   * Whether it delivers the market live and trades it; `undefined` while that was not reviewed.
   *
   * @param sends live now
   */
  isLive(sends = false): boolean | undefined {
    if (this.candidate === undefined) return undefined;
    const { reach, exclusion } = this.candidate;
    return (reach === 'live' || sends) && exclusion !== 'not_listed' && exclusion !== 'not_trading';
  }
}
