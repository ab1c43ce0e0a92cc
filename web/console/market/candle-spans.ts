import type { Candle, RecordGap } from '../../generated/management-v1.d.ts';
import { counted } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import { say } from '../language.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** How long a candle is, by the API's name of it. */
export const steps = [
  { name: '1m', ms: minuteMs, text: counted(1, 'minute') },
  { name: '5m', ms: 5 * minuteMs, text: counted(5, 'minute') },
  { name: '15m', ms: 15 * minuteMs, text: counted(15, 'minute') },
  { name: '1h', ms: 60 * minuteMs, text: counted(1, 'hour') },
  { name: '4h', ms: 240 * minuteMs, text: counted(4, 'hour') },
  { name: '1d', ms: dayMs, text: counted(1, 'day') },
] as const;

export type Step = (typeof steps)[number];

/** A span of time; `toMs` is not part of it. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a chart shows. */
export interface ChartSpan extends TimeSpan {
  /** It ends now, and goes on with the time. */
  readonly isLive: boolean;
}

/** Spans that end now. */
export const usualSpans = [
  { name: say('Hour'), ms: 60 * minuteMs },
  { name: say('Day'), ms: dayMs },
  { name: say('Week'), ms: 7 * dayMs },
  { name: say('Month'), ms: 30 * dayMs },
] as const;

/** More candles than this are neither seen nor asked for. */
const candlesMax = 2_000;
/** About as many as can be distinguished on a wide screen. */
const candlesWanted = 300;

/** The steps that a span can be drawn in: no fewer than one, no more candles than can be seen. */
export function stepsOf({ fromMs, toMs }: TimeSpan): readonly Step[] {
  const possible = steps.filter(({ ms }) => (toMs - fromMs) / ms <= candlesMax);
  return possible.length === 0 ? steps.slice(-1) : possible;
}

/** The finest step that is still read easily. */
export function usualStepOf(span: TimeSpan): Step {
  const possible = stepsOf(span);
  return possible.find(({ ms }) => (span.toMs - span.fromMs) / ms <= candlesWanted) ?? possible.at(-1)!;
}

/** The API gives at most seven days and 1,500 steps at once. */
const pieceMaxMs = 7 * dayMs;
const pieceStepsMax = 1_440;

/** A span cut to what one answer gives, at whole steps so that no candle is cut. */
export function piecesOfSpan({ fromMs, toMs }: TimeSpan, { ms }: Step): readonly TimeSpan[] {
  const lengthMs = Math.min(pieceMaxMs, pieceStepsMax * ms);
  const pieces: TimeSpan[] = [];
  for (let at = Math.floor(fromMs / ms) * ms; at < toMs; at += lengthMs)
    pieces.push({ fromMs: at, toMs: Math.min(at + lengthMs, toMs) });
  return pieces;
}

/** A step of the time axis, with its candle where it has one. */
export interface Slot<Of = Candle> {
  readonly atMs: number;
  readonly candle: Of | undefined;
}

/** Every step of a span, so that one without a candle is drawn as a gap and not left out. */
export function slotsOf<Of extends Pick<Candle, 'fromMs'>>(
  candles: readonly Of[],
  { fromMs, toMs }: TimeSpan,
  { ms }: Step,
): readonly Slot<Of>[] {
  const known = new Map(candles.map((candle) => [candle.fromMs, candle]));
  const slots: Slot<Of>[] = [];
  for (let atMs = Math.floor(fromMs / ms) * ms; atMs < toMs; atMs += ms) slots.push({ atMs, candle: known.get(atMs) });
  return slots;
}

/** The candles of a span: the known ones with newer readings in their place. */
export function merged<Of extends Pick<Candle, 'fromMs'>>(
  known: readonly Of[],
  newer: readonly Of[],
  { fromMs }: TimeSpan,
  { ms }: Step,
): readonly Of[] {
  const all = new Map([...known, ...newer].map((candle) => [candle.fromMs, candle]));
  return [...all.values()].filter((candle) => candle.fromMs > fromMs - ms);
}

/** The gaps of the record in a span, each once and as it was read last. */
export function distinctGaps<Of extends Pick<RecordGap, 'fromMs' | 'toMs'>>(
  gaps: readonly Of[],
  { fromMs }: TimeSpan,
): readonly Of[] {
  const distinct = new Map(gaps.map((gap) => [gap.fromMs, gap]));
  return [...distinct.values()].filter(({ toMs }) => toMs === null || toMs > fromMs);
}

const reasons: Readonly<Record<RecordGap['reason'], string>> = {
  killed: say('the process was killed'),
  slow: say('the disk was full or slow'),
  stopped: say('the service was stopped'),
  silent: say('its machine is silent'),
};

/** When there is no record, and why, in words. */
export function gapText({ fromMs, toMs, reason }: RecordGap): string {
  const from = localText(fromMs, 'daySecond');
  const why = reasons[reason];
  if (toMs === null) return say('from {from} still: {why}', { from, why });
  return say('from {from} until {to}: {why}', { from, to: localText(toMs, 'daySecond'), why });
}
