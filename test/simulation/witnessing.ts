import type { Findings } from './rules.ts';
import type { HeldQuote, ToldQuotes } from './told-quotes.ts';

/** What the witnesses know of the world, besides what they see served. */
export interface Truth {
  readonly quotes: ToldQuotes;
  /** Whether a price that a source had at an instant may be believed. */
  isAllowed(quote: HeldQuote, symbol: string, datedMs: number): boolean;
  /** Bought for euros, and on offer since the beginning, as `BTCEUR`. */
  readonly symbols: readonly string[];
  /**
   * Since when a source that tells the truth of the market is there for all processes, and nothing keeps them from
   * serving it; later than now where that is not so.
   */
  servableSinceMs(symbol: string): number;
  /** Since when the same for what is converted: nothing is wrong with the rate either. */
  convertibleSinceMs(symbol: string): number;
  /** Since when a source has told the truth of it to all who listen; later than now where it does not. */
  steadySinceMs(source: string, symbol: string): number;
  /** By how much the wall clock of a process is off. */
  offMs(by: string): number;
  /** The furthest that any clock was off, and that frames were late. */
  readonly offMsMax: number;
  /** When an exchange last sent anything to anybody, by the world's time. */
  readonly heardAtMs: number;
  /** What happens often happens seldom, or did until a moment ago, see `Scheduler`. */
  readonly isQuiet: boolean;
  /**
   * When the first source did, where processes have it, and had the prices of it, ever since; `undefined` otherwise.
   */
  readonly firstHeardAtMs: number | undefined;
  /** Since when every process can reach Redis, and Redis kept what it held. */
  readonly sharedSinceMs: number;
  /**
   * Since when they have one board, too: whoever has one of its own, or of an older store, keeps it while nobody is
   * fed.
   */
  readonly oneBoardSinceMs: number;
  /** Since when the process runs without being frozen, or having its clock set. */
  undisturbedSinceMs(by: string): number;
  readonly clocksSetAtMs: number;
  readonly processesStartedAtMs: number;
  /** Since when processes may not know what an operator did, where that is so. */
  readonly storeLostAtMs: number | undefined;
  /** Whether what was served at an instant may not have been saved. */
  wasUnsaved(atMs: number): boolean;
  readonly processes: number;
  /** When a key was revoked, if it was. */
  revokedAtMs(key: string): number | undefined;
  /** Whether it is none of those that are traded: of a flood, or dead from the start. */
  isInvented(symbol: string): boolean;
  /** Whether no exchange has listed the market for so long that it is delisted. */
  mayBeDelisted(symbol: string): boolean;
}

/** What each witness stands on. */
export interface Witnessing {
  readonly truth: Truth;
  readonly findings: Findings;
  /** The instant at which the world began. */
  readonly epochMs: number;
}
