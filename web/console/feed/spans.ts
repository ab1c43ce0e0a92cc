import type { FeedSpan } from '../../generated/management-v1.d.ts';
import { spanText } from '../format/time.ts';
import { say, word } from '../language.ts';

export const dayMs = 24 * 60 * 60 * 1_000;

/** A part of the last day in which the feed was in one state. */
export interface Piece {
  readonly state: FeedSpan['state'];
  readonly fromMs: number;
  readonly toMs: number;
  readonly isOpen: boolean;
}

/** The spans within the last day; the current one ends now. */
export function piecesOf(spans: readonly FeedSpan[], nowMs: number): readonly Piece[] {
  return spans
    .map(({ state, fromMs, toMs }) => ({
      state,
      fromMs: Math.max(fromMs, nowMs - dayMs),
      toMs: Math.min(toMs ?? nowMs, nowMs),
      isOpen: toMs === null,
    }))
    .filter(({ fromMs, toMs }) => toMs >= fromMs);
}

/** `The feed in the last 24 hours: live 22 h, fallback 2 min, outage 0.0 s.` */
export function summaryOf(pieces: readonly Piece[]): string {
  const total = (wanted: Piece['state']) =>
    pieces.filter(({ state }) => state === wanted).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const words = (['live', 'fallback', 'outage'] as const).map((state) => `${word(state)} ${spanText(total(state))}`);
  return say('The feed in the last 24 hours: {spans}.', { spans: words.join(', ') });
}
