import type { SourceFeed } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';

/** Whether a source is all right, and what is wrong first of all. */
export type Verdict =
  | 'all right'
  | 'paused'
  | 'in another process'
  | 'over REST'
  | 'some over REST'
  | 'some markets missing'
  | 'doubted'
  | 'no data';

/** How each looks. */
export const verdictTones: Readonly<Record<Verdict, 'good' | 'warn' | 'bad' | 'quiet'>> = {
  'all right': 'good',
  paused: 'quiet',
  'in another process': 'quiet',
  'over REST': 'warn',
  'some over REST': 'warn',
  'some markets missing': 'warn',
  doubted: 'warn',
  'no data': 'bad',
};

/** What a source is judged by. */
interface Judged {
  readonly paused: boolean;
  readonly doubts: readonly unknown[];
  readonly flow: Pick<NonNullable<SourceFeed['flow']>, 'state'> | null;
  /** The markets whose price it makes, as far as they come over REST because no subscription is had. */
  readonly served: Pick<SourceFeed['served'], 'polled'>;
  readonly health: Pick<SourceFeed['health'], 'symbolsSubscribed' | 'symbolsWanted'>;
}

/** Puts in a word what the service says of a source. */
export function verdictOf({ paused, flow, health, served, doubts }: Judged): Verdict {
  if (paused) return 'paused';
  if (flow === null) return 'in another process';
  if (flow.state === 'silent') return 'no data';
  if (flow.state === 'polled') return 'over REST';
  if (doubts.length > 0) return 'doubted';
  if (served.polled > 0) return 'some over REST';
  return health.symbolsSubscribed < health.symbolsWanted ? 'some markets missing' : 'all right';
}

/** The share in whole percent, so that none is shown as 0 that is not. */
export function percentOf(part: number, whole: number): string {
  return countText(Math.ceil((100 * part) / whole));
}
