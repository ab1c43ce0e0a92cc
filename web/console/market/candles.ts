import { useEffect, useState } from 'preact/hooks';
import type { Candle, CandleList, RecordGap, RecordSummary } from '../../generated/management-v1.d.ts';
import { get, type Problem } from '../api/client.ts';
import { after, type Stop } from '../clock.ts';
import { withQuery } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { type ChartSpan, distinctGaps, merged, piecesOfSpan, type Step, type TimeSpan } from './candle-spans.ts';

/** What the record says of a market over a span, as far as it has come. */
export interface Candles {
  readonly span: ChartSpan;
  readonly candles: readonly Candle[];
  readonly gaps: readonly RecordGap[];
  readonly problem: Problem | undefined;
  /** False where the service keeps no record. */
  readonly isRecorded: boolean;
  /** Answers that came, of those asked for. */
  readonly done: number;
  readonly pieces: number;
}

function nothing(span: ChartSpan): Candles {
  return { span, candles: [], gaps: [], problem: undefined, isRecorded: true, done: 0, pieces: 1 };
}

/** A week of a busy market takes the service some seconds to read. */
const timeoutMs = 60_000;
/** The shortest time between two looks for what is new; longer candles change more slowly. */
const followEveryMs = 5_000;

/**
 * Reads the candles of a span, a piece after the other; one that ends now goes on with the time. Another span starts
 * over.
 */
export function useCandles(symbol: string, span: ChartSpan, step: Step): Candles {
  const [read, setRead] = useState<Candles>(() => nothing(span));
  useEffect(() => {
    const reader = new CandleReader(symbol, span, step, setRead);
    void reader.start();
    return () => reader.stop();
  }, [symbol, span, step]);
  return read;
}

class CandleReader {
  readonly #symbol: string;
  readonly #step: Step;
  readonly #report: (read: Candles) => void;
  readonly #abort = new AbortController();
  #read: Candles;
  #stopTimer: Stop = () => {};

  constructor(symbol: string, span: ChartSpan, step: Step, report: (read: Candles) => void) {
    this.#symbol = symbol;
    this.#step = step;
    this.#report = report;
    this.#read = nothing(span);
  }

  async start(): Promise<void> {
    const pieces = piecesOfSpan(this.#read.span, this.#step);
    this.#update({ pieces: pieces.length });
    const record = await get<RecordSummary>('history', this.#abort.signal, timeoutMs);
    if (record.ok && !record.value.recorded) return this.#update({ isRecorded: false });
    for (const [at, piece] of pieces.entries()) {
      if (!(await this.#add(piece, this.#read.span))) return this.#later(() => this.start());
      this.#update({ done: at + 1 });
    }
    this.#later(() => this.#follow());
  }

  stop(): void {
    this.#abort.abort();
    this.#stopTimer();
  }

  #later(run: () => Promise<void>): void {
    if (this.#abort.signal.aborted || !this.#read.span.isLive) return;
    this.#stopTimer = after(Math.max(followEveryMs, this.#step.ms / 60), () => void run());
  }

  /** Reads the last candle again, and those after it. */
  async #follow(): Promise<void> {
    const { fromMs, toMs } = this.#read.span;
    const lengthMs = toMs - fromMs;
    const news = document.hidden ? [] : piecesOfSpan({ fromMs: toMs - 1, toMs: serverNowMs() }, this.#step);
    for (const piece of news) {
      if (!(await this.#add(piece, { fromMs: piece.toMs - lengthMs, toMs: piece.toMs, isLive: true }))) break;
    }
    this.#later(() => this.#follow());
  }

  /** Reads a piece; false where that failed. @param span what is shown with it */
  async #add({ fromMs, toMs }: TimeSpan, span: ChartSpan): Promise<boolean> {
    const query = { fromMs: String(fromMs), toMs: String(toMs), step: this.#step.name };
    const path = withQuery(`history/candles/${encodeURIComponent(this.#symbol)}`, query);
    const outcome = await get<CandleList>(path, this.#abort.signal, timeoutMs);
    if (!outcome.ok) this.#update({ problem: outcome.problem });
    else {
      const { candles, gaps } = outcome.value;
      this.#update({
        span,
        candles: merged(this.#read.candles, candles, span, this.#step),
        gaps: distinctGaps([...this.#read.gaps, ...gaps], span),
        problem: undefined,
      });
    }
    return outcome.ok;
  }

  #update(change: Partial<Candles>): void {
    if (this.#abort.signal.aborted) return;
    this.#read = { ...this.#read, ...change };
    this.#report(this.#read);
  }
}
