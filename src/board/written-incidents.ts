import type { EpochMs } from '../ground/clock.ts';
import { firstDayAt, type HistoryComponent } from './status-history.ts';

/** Where an incident is in its life; `resolved` is final. */
export type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved';

/** A piece of news of an incident, and when it was told. */
export interface IncidentUpdate {
  /** 1 for the first. */
  readonly number: number;
  readonly state: IncidentState;
  readonly at: EpochMs;
  /** Plain text in English, and in Czech where it was written. */
  readonly text: string;
  readonly textCs: string | undefined;
}

/** An incident as people tell it. One that tells of a found outage has its id. */
export interface WrittenIncident {
  readonly id: string;
  readonly state: IncidentState;
  readonly title: string;
  readonly titleCs: string | undefined;
  readonly parts: readonly HistoryComponent[];
  readonly from: EpochMs;
  /** `undefined` until it is resolved. */
  readonly to: EpochMs | undefined;
  /** The latest first; there is always one. */
  readonly updates: readonly IncidentUpdate[];
  readonly review: string | undefined;
  readonly reviewCs: string | undefined;
  readonly reviewedAt: EpochMs | undefined;
  readonly updatedAt: EpochMs;
}

/** Gives those that are not resolved. */
export function openIncidents(written: readonly WrittenIncident[]): readonly WrittenIncident[] {
  return written.filter(({ to }) => to === undefined);
}

/** Gives those that were resolved in the days that are shown. */
export function resolvedIncidents(written: readonly WrittenIncident[], now: number): readonly WrittenIncident[] {
  return written.filter(({ to }) => to !== undefined && to >= firstDayAt(now));
}

/** A piece of a plain text: words, or an address that can be followed. */
export interface TextPiece {
  readonly text: string;
  /** The address as browsers understand it. */
  readonly href?: string;
}

/** An address ends where a sentence would: its last full stop or bracket is not part of it. */
const address = /https?:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]}]/gi;

/** A plain text in pieces: only whole http and https addresses without a user name become links. */
export function textPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = URL.parse(found);
    if (url === null || url.username !== '' || url.password !== '') continue;
    if (index > at) pieces.push({ text: text.slice(at, index) });
    pieces.push({ text: found, href: url.href });
    at = index + found.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}
