import type { TickerBody } from '../../src/contract/schemas.ts';

/** An answer as far as a limit is concerned. */
export interface Counted {
  /** Whoever the limit counts: a key, an address. */
  readonly who: string;
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** When it was answered, by the client's clock, which is the server's too. */
  readonly atMs: number;
  /** Whether its sender is the only one counted there, and asks one after the other. */
  readonly isSequential: boolean;
}

interface Window {
  limit: number;
  admitted: number;
  refused: number;
  lastRemaining: number;
}

const faultsKept = 50;
const minuteS = 60;

/**
 * Checks a history as it is made: at most the limit is admitted per window and, once somebody was refused, exactly
 * the limit; Remaining falls by one; Reset stands on the next minute; no ticker time goes back for any client.
 */
export class History {
  /** What was wrong, in plain words; no more than fifty are kept. */
  readonly faults: string[] = [];
  #faultsSeen = 0;
  #checkedWindows = 0;
  #fullWindows = 0;
  readonly #windows = new Map<string, Window>();
  readonly #lost = new Set<string>();
  readonly #tickerTimes = new Map<string, Map<string, number>>();

  get faultsSeen(): number {
    return this.#faultsSeen;
  }

  get checkedWindows(): number {
    return this.#checkedWindows;
  }

  /** Windows that were used up, in which exactly the limit was admitted. */
  get fullWindows(): number {
    return this.#fullWindows;
  }

  fault(what: string): void {
    this.#faultsSeen += 1;
    if (this.faults.length < faultsKept) this.faults.push(what);
  }

  /** A request whose answer never came: its window can no longer be counted exactly. */
  lost(who: string): void {
    this.#lost.add(who);
  }

  counted(answer: Counted): void {
    const { who, status, limit, remaining, resetSeconds, atMs, isSequential } = answer;
    const leftS = resetSeconds - atMs / 1000;
    if (resetSeconds % minuteS !== 0 || leftS > minuteS + 1 || leftS < -5) {
      this.fault(`${who}: Reset ${resetSeconds} at ${atMs}`);
    }
    const name = `${who} ${resetSeconds}`;
    const window = this.#windows.get(name) ?? { limit, admitted: 0, refused: 0, lastRemaining: limit };
    this.#windows.set(name, window);
    if (status === 429) window.refused += 1;
    else window.admitted += 1;
    if (isSequential && !this.#lost.has(who)) this.#checkRemaining(name, window, status, remaining);
    window.lastRemaining = remaining;
    if (this.#windows.size > 1_000) this.#checkUpTo(atMs / 1000 - 2 * minuteS);
  }

  /** Tickers as one client saw them. */
  tickers(client: string, tickers: readonly TickerBody[]): void {
    const times = this.#tickerTimes.get(client) ?? new Map<string, number>();
    this.#tickerTimes.set(client, times);
    for (const { symbol, timestampMs } of tickers) {
      const before = times.get(symbol) ?? 0;
      if (timestampMs < before) this.fault(`${client}: ${symbol} went back from ${before} to ${timestampMs}`);
      times.set(symbol, timestampMs);
    }
  }

  /** Checks every window. Call it once, when all answers are in. */
  finish(): void {
    this.#checkUpTo(Number.POSITIVE_INFINITY);
  }

  #checkRemaining(name: string, { limit, admitted, lastRemaining }: Window, status: number, remaining: number): void {
    const expected = status === 429 ? 0 : limit - admitted;
    if (remaining !== expected) this.fault(`${name}: Remaining ${remaining} after ${lastRemaining}, not ${expected}`);
  }

  #checkUpTo(endsBeforeS: number): void {
    for (const [name, { limit, admitted, refused }] of this.#windows) {
      const [who = '', reset] = name.split(' ');
      if (Number(reset) > endsBeforeS) continue;
      this.#windows.delete(name);
      this.#checkedWindows += 1;
      if (admitted > limit) this.fault(`${name}: ${admitted} admitted at a limit of ${limit}`);
      else if (refused > 0 && admitted < limit && !this.#lost.has(who)) {
        this.fault(`${name}: refused after ${admitted} of ${limit}`);
      } else if (refused > 0) this.#fullWindows += 1;
    }
  }
}
