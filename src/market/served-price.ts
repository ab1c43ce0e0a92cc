import type { EpochMs } from '../ground/clock.ts';
import type { Exclusion, Reach } from './source-choice.ts';
import type { FeedPath } from './upstream.ts';

export const servedPaths = ['best', 'polled', 'standby', 'silent'] as const;

/**
 * How the price of a market comes, measured by the best that its list of sources offers. The names are metric labels.
 *
 * - `best`: live from the first source that offers the market, or while it is merely quiet there: its live subscription
 *   stands, nothing came over it yet, and a poll or a standby tells the price
 * - `polled`: over REST, because the first source refuses the live subscription, or lost it
 * - `standby`: from a later source than the first that offers the market, live or not
 * - `silent`: nobody delivers it now, and its last price stands
 */
export type ServedPath = (typeof servedPaths)[number];

/** Describes how a market that has a price is served. */
export interface ServedPrice {
  /** The source that makes the price. */
  readonly id: string;
  readonly over: ServedPath;
  readonly reach: Reach;
  /** When the price was last proved current: it arrived then, or was asked for then over REST. */
  readonly provedAt: EpochMs;
  /** Over which path. */
  readonly provedBy: FeedPath;
}

/** Sums up the prices of a process, as the last review found them. */
export interface Serving {
  /** Sources that make prices. */
  readonly makers: ReadonlySet<string>;
  /** Markets of exchanges that have a price. */
  readonly priced: number;
  /** So many of them are not served over their best path. */
  readonly lesser: number;
  /** When the newest of the prices was captured. */
  readonly newestAt: EpochMs | undefined;
}

/** Excluded so, what a source says does not become the price, also where no other source can make one. */
const makesNone: ReadonlySet<Exclusion | undefined> = new Set(['paused', 'not_listed', 'contradicted', 'no_price']);

/** Whether the source that is in use for a market makes its price from what it says. */
export function isMaker(exclusion: Exclusion | undefined): boolean {
  return !makesNone.has(exclusion);
}

/** The first source of a market that offers it, as the choice of a path needs it. */
interface FirstSource {
  readonly isUsed: boolean;
  /** It delivers live at all, and trades something. */
  readonly isLive: boolean;
  /** The market's live subscription stands there, and nothing came over it yet. */
  readonly isQuiet: boolean;
}

/**
 * Decides how a price comes from the source in use, as that was last reviewed.
 *
 * @param isRestored the price is one from before a start: the first since then still waits for another source to speak
 */
export function servedPath(
  used: { readonly reach: Reach; readonly exclusion: Exclusion | undefined },
  first: FirstSource | undefined,
  isRestored: boolean,
): ServedPath {
  if (first === undefined || used.reach === 'silent' || !isMaker(used.exclusion)) return 'silent';
  if (first.isLive && first.isQuiet) return 'best';
  if (isRestored) return 'silent';
  if (!first.isUsed) return 'standby';
  if (used.reach === 'polled') return 'polled';
  return first.isLive ? 'best' : 'silent';
}
