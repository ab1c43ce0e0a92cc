import { calm, drifting, frozen, honest, lying, type Quoting, type Truth } from '../../src/market/believed.testing.ts';

/** Sources of one market, one of which does something that is not to be believed. */
export interface Situation {
  readonly title: string;
  /** In words: the honest price is what `truth` says. */
  readonly right: string;
  readonly truth: Truth;
  readonly sources: readonly Quoting[];
  readonly forMs: number;
}

/** The market at one second. */
export interface Second {
  readonly second: number;
  readonly right: number;
  readonly said: readonly (number | undefined)[];
  /** `silent`, `ok`, or why it makes no price. */
  readonly states: readonly string[];
  readonly served: number | undefined;
  readonly source: string;
  readonly ageMs: number;
  readonly isDegraded: boolean;
}

/** Goes up by 1 % a minute, after the first. */
const rising: Truth = (atMs) => calm(atMs) * (1 + (0.01 * Math.max(0, atMs - 60_000)) / 60_000);

export const situations: readonly Situation[] = [
  {
    title: 'Three sources: the second drifts 1 % a minute and is contradicted, the first dies at 220 s',
    right: 'the third makes the price within 5 s',
    truth: calm,
    sources: [{ ...honest(), diesAtMs: 220_000 }, drifting(0.01, 60_000, 10), honest(20)],
    forMs: 260_000,
  },
  {
    title: 'Two sources: the first repeats one frame from 60 s on and dies at 240 s, the market rises 1 % a minute',
    right: 'the second makes the price within 10 s of leaving the band, and goes on',
    truth: rising,
    sources: [{ ...frozen(60_000, 0, rising), diesAtMs: 240_000 }, honest(10, rising)],
    forMs: 260_000,
  },
  {
    title: 'Two sources: the first drifts down 1 % a minute and dies at 300 s',
    right: 'the second makes the price once the first is out of the band, and goes on',
    truth: calm,
    sources: [{ ...drifting(-0.01, 60_000), diesAtMs: 300_000 }, honest(10)],
    forMs: 320_000,
  },
  {
    title: 'Three sources: two say a hundred times the price from 60 s on while the one in use stays, until 69 s',
    right: 'both named at once, neither believed',
    truth: calm,
    sources: [honest(), lying(100, 60_000, 10, 69_000), lying(100, 60_500, 20, 69_000)],
    forMs: 140_000,
  },
  {
    title: 'Three sources: the same, and the two insist',
    right: 'named at once, believed as a majority after guard.confirmAfter',
    truth: calm,
    sources: [honest(), lying(100, 60_000, 10), lying(100, 60_500, 20)],
    forMs: 90_000,
  },
  {
    title: 'Two sources: the first takes no subscription for the market and is asked every 20 s, the second is live',
    right: 'the second makes the price; degraded',
    truth: calm,
    sources: [{ ...honest(), polledEveryMs: 20_000 }, honest(10)],
    forMs: 60_000,
  },
  {
    title: 'Two sources: an engine whose market is quiet says one snapshot, the standby cannot be reached',
    right: 'the snapshot is the price within a second',
    truth: () => 84_000,
    sources: [frozen(0), { ...honest(), isUnreachable: true }],
    forMs: 20_000,
  },
];
