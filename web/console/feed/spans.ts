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

/** The word for each: an outage is what clients see, and not every silence. */
export const stateNames: Readonly<Record<Piece['state'], string>> = {
  live: 'live',
  fallback: 'fallback',
  silent: 'no data',
};

/** `The feed in the last 24 hours: live 22 h, fallback 2 min, no data 0.0 s.` */
export function summaryOf(pieces: readonly Piece[]): string {
  const total = (wanted: Piece['state']) =>
    pieces.filter(({ state }) => state === wanted).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const states = Object.entries(stateNames) as [Piece['state'], string][];
  const words = states.map(([state, name]) => `${word(name)} ${spanText(total(state))}`);
  return say('The feed in the last 24 hours: {spans}.', { spans: words.join(', ') });
}
