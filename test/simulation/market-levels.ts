/** One move of a market, on every exchange alike. */
interface Move {
  readonly fromMs: number;
  readonly overMs: number;
  readonly factor: number;
}

/** Where a market is, and has been within a day: so many times where its walk alone would have it. */
export interface MarketLevel {
  readonly now: number;
  readonly low: number;
  readonly high: number;
}

const dayMs = 86_400_000;
const still: MarketLevel = { now: 1, low: 1, high: 1 };
/** All moves together go no further. */
const furthest = [0.4, 2.5] as const;

/** What happens to markets on all exchanges at once: a crash, a rally. */
export class MarketLevels {
  readonly #moves = new Map<string, Move[]>();

  /** Begins a move. One that would lead too far goes the other way. @param symbol as `BTC/EUR` */
  move(symbol: string, factor: number, nowMs: number, overMs: number): void {
    const moves = this.#moves.getOrInsertComputed(symbol, () => []);
    const end = levelAt(moves, Number.POSITIVE_INFINITY) * factor;
    const isTooFar = end < furthest[0] || end > furthest[1];
    moves.push({ fromMs: nowMs, overMs, factor: isTooFar ? 1 / factor : factor });
  }

  at(symbol: string, nowMs: number): MarketLevel {
    const moves = this.#moves.get(symbol);
    if (moves === undefined) return still;
    const instants = [
      nowMs - dayMs,
      ...moves.flatMap(({ fromMs, overMs }) => [fromMs, fromMs + overMs]).filter((atMs) => atMs > nowMs - dayMs),
      nowMs,
    ];
    const levels = instants.filter((atMs) => atMs <= nowMs).map((atMs) => levelAt(moves, atMs));
    return { now: levelAt(moves, nowMs), low: Math.min(...levels), high: Math.max(...levels) };
  }

  /** Whether the market moves now. */
  isMoving(symbol: string, nowMs: number): boolean {
    const moves = this.#moves.get(symbol) ?? [];
    return moves.some(({ fromMs, overMs }) => fromMs <= nowMs && nowMs < fromMs + overMs);
  }

  /** Since when the market has been where its walk has it, but for what moved it before; never: for ever. */
  movedAtMs(symbol: string): number {
    const last = this.#moves.get(symbol)?.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : last.fromMs + last.overMs;
  }
}

function levelAt(moves: readonly Move[], atMs: number): number {
  return moves.reduce((level, { fromMs, overMs, factor }) => {
    const share = Math.min(1, Math.max(0, (atMs - fromMs) / overMs));
    return level * factor ** share;
  }, 1);
}
