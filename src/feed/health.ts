import type { EpochMs } from '../clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { FeedPath, RejectionReason } from '../market/upstream.ts';
import type { DroppedFrame } from './connector.ts';
import type { EndReason, LinkState } from './live-link.ts';
import type { UpstreamErrorKind } from './upstream-error.ts';

/** How an attempt ended: `ok`, an error's kind, or `empty` for a well-formed answer with nothing in it. */
export type AttemptOutcome = 'ok' | 'empty' | UpstreamErrorKind;

/** The feed at one instant, for metrics, the console and readiness. Plain data. */
export interface FeedHealth {
  /** `undefined` until the feed has chosen a path, at most two seconds after its start. */
  readonly path: FeedPath | undefined;
  readonly connection: LinkState;
  /** Counts the connections tried. */
  readonly epoch: number;
  readonly connectionsEnded: Readonly<Partial<Record<EndReason, number>>>;
  readonly framesReceived: number;
  readonly framesDropped: Readonly<Partial<Record<DroppedFrame, number>>>;
  readonly tickersTaken: number;
  readonly tickersRejected: Readonly<Partial<Record<RejectionReason, number>>>;
  readonly symbolsWanted: number;
  readonly symbolsSubscribed: number;
  readonly symbolsRejected: readonly MarketSymbol[];
  /** Silent for longer than `staleAfterMs`, and not confirmed over REST since. */
  readonly symbolsQuiet: number;
  /** REST shows another price than the live connection. */
  readonly symbolsDoubted: number;
  readonly lastLiveDataAt: EpochMs | undefined;
  /** By the monotonic clock, so a clock that jumps does not make it younger. */
  readonly lastLiveDataAgeMs: number | undefined;
  /** How far the last live ticker was behind its own upstream time when it arrived; negative when the clocks differ. */
  readonly upstreamLagMs: number | undefined;
  readonly lastFallbackPollAt: EpochMs | undefined;
  readonly polls: Readonly<Partial<Record<AttemptOutcome, number>>>;
  readonly lastCatalogueAt: EpochMs | undefined;
  readonly catalogueLoads: Readonly<Partial<Record<AttemptOutcome, number>>>;
  /** Pairs that should be markets and lack something. */
  readonly pairsSkipped: number;
  /** The exchange's own word on its state; `undefined` until it said one. */
  readonly systemStatus: string | undefined;
}

/** What happens in the feed, as it happens, for counters. Every method is optional and must not throw. */
export interface FeedObserver {
  connectionTried?(): void;
  connectionEnded?(reason: EndReason): void;
  frameReceived?(): void;
  frameDropped?(reason: DroppedFrame): void;
  tickerTaken?(path: FeedPath): void;
  tickerRejected?(path: FeedPath, reason: RejectionReason): void;
  pollEnded?(outcome: AttemptOutcome): void;
  catalogueLoadEnded?(outcome: AttemptOutcome): void;
  pathChanged?(path: FeedPath): void;
}

type Counts<Name extends string> = Partial<Record<Name, number>>;

/** Counts for the snapshot, and passes everything on to the operator's own observer. */
export class FeedCounters implements Required<FeedObserver> {
  readonly #next: FeedObserver;
  readonly connectionsEnded: Counts<EndReason> = {};
  readonly framesDropped: Counts<DroppedFrame> = {};
  readonly tickersRejected: Counts<RejectionReason> = {};
  readonly polls: Counts<AttemptOutcome> = {};
  readonly catalogueLoads: Counts<AttemptOutcome> = {};
  framesReceived = 0;
  tickersTaken = 0;

  constructor(next: FeedObserver) {
    this.#next = next;
  }

  connectionTried(): void {
    this.#next.connectionTried?.();
  }

  connectionEnded(reason: EndReason): void {
    add(this.connectionsEnded, reason);
    this.#next.connectionEnded?.(reason);
  }

  frameReceived(): void {
    this.framesReceived += 1;
    this.#next.frameReceived?.();
  }

  frameDropped(reason: DroppedFrame): void {
    add(this.framesDropped, reason);
    this.#next.frameDropped?.(reason);
  }

  tickerTaken(path: FeedPath): void {
    this.tickersTaken += 1;
    this.#next.tickerTaken?.(path);
  }

  tickerRejected(path: FeedPath, reason: RejectionReason): void {
    add(this.tickersRejected, reason);
    this.#next.tickerRejected?.(path, reason);
  }

  pollEnded(outcome: AttemptOutcome): void {
    add(this.polls, outcome);
    this.#next.pollEnded?.(outcome);
  }

  catalogueLoadEnded(outcome: AttemptOutcome): void {
    add(this.catalogueLoads, outcome);
    this.#next.catalogueLoadEnded?.(outcome);
  }

  pathChanged(path: FeedPath): void {
    this.#next.pathChanged?.(path);
  }
}

function add<Name extends string>(counts: Counts<Name>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
