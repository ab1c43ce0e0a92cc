import { useEffect, useState } from 'preact/hooks';
import type { Candle, CandleList, RecordGap, RecordSummary } from '../../generated/management-v1.d.ts';
import { get, type Problem } from '../api/client.ts';
import { withQuery } from '../router.ts';
import { type ChartSpan, distinctGaps, piecesOfSpan, type Step } from './candle-spans.ts';

/** What the record says of a market over a span, as far as it has come. */
export interface Candles {
  readonly candles: readonly Candle[];
  readonly gaps: readonly RecordGap[];
  readonly problem: Problem | undefined;
  /** False where the service keeps no record. */
  readonly isRecorded: boolean;
  /** Answers that came, of those asked for. */
  readonly done: number;
  readonly pieces: number;
}

const nothing: Candles = { candles: [], gaps: [], problem: undefined, isRecorded: true, done: 0, pieces: 1 };

/** A week of a busy market takes the service some seconds to read. */
const timeoutMs = 60_000;

/** Reads the candles of a span, a piece after the other. Another span starts over. */
export function useCandles(symbol: string, { fromMs, toMs }: ChartSpan, step: Step): Candles {
  const [read, setRead] = useState<Candles>(nothing);
  useEffect(() => {
    const abort = new AbortController();
    void readAll(symbol, { fromMs, toMs }, step, abort.signal, setRead);
    return () => abort.abort();
  }, [symbol, fromMs, toMs, step]);
  return read;
}

async function readAll(
  symbol: string,
  span: ChartSpan,
  step: Step,
  signal: AbortSignal,
  report: (read: Candles) => void,
): Promise<void> {
  const pieces = piecesOfSpan(span, step);
  let read: Candles = { ...nothing, pieces: pieces.length };
  report(read);
  const record = await get<RecordSummary>('history', signal, timeoutMs);
  if (signal.aborted) return;
  if (record.ok && !record.value.recorded) return report({ ...read, isRecorded: false });
  for (const { fromMs, toMs } of pieces) {
    const query = { fromMs: String(fromMs), toMs: String(toMs), step: step.name };
    const path = withQuery(`history/candles/${encodeURIComponent(symbol)}`, query);
    const outcome = await get<CandleList>(path, signal, timeoutMs);
    if (signal.aborted) return;
    if (!outcome.ok) return report({ ...read, problem: outcome.problem });
    const { candles, gaps } = outcome.value;
    const all = [...read.candles, ...candles];
    read = { ...read, candles: all, gaps: distinctGaps([...read.gaps, ...gaps]), done: read.done + 1 };
    report(read);
  }
}
