import type { EpochMs } from '../ground/clock.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** The longest texts that an incident takes, in characters. */
export const incidentTextMax = { title: 120, text: 2_000, review: 8_000 } as const;

/** The most that is wrong at once, and that is told of one incident: more is a mistake, and no page shows it. */
export const openIncidentsMax = 20;
export const incidentUpdatesMax = 100;

/** The parts of the service that the status page names, in its order. */
export const incidentParts = ['api', 'market-data'] as const;
export type IncidentPart = (typeof incidentParts)[number];

const startsWithinDays = 90;
const dayMs = 86_400_000;

type TextName = keyof typeof incidentTextMax;

const refusals = { title: incidentTitleInvalid, text: incidentTextInvalid, review: incidentReviewInvalid } as const;

/** Control characters but for line feeds. */
const control = /(?!\n)\p{Cc}/u;

/**
 * A text as it is kept: trimmed, with line feeds alone and no more than one empty line at a place. A title is one line.
 * Throws `incident_title`, `incident_text` or `incident_review`.
 */
export function incidentText(name: TextName, written: string): string {
  const text = written
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  const max = incidentTextMax[name];
  const isWrong = text === '' || text.length > max || control.test(text) || (name === 'title' && text.includes('\n'));
  if (isWrong) throw refusals[name]({ max });
  return text;
}

/** The same for what may be left out. */
export function optionalIncidentText(name: TextName, written: string | undefined): string | undefined {
  return written === undefined ? undefined : incidentText(name, written);
}

/** Parts in the order of the page, each once, as they are kept. Throws `incident_parts`. */
export function partsText(parts: readonly string[]): string {
  const isKnown = parts.every((part) => incidentParts.includes(part as IncidentPart));
  if (parts.length === 0 || !isKnown) throw incidentPartsInvalid();
  return incidentParts.filter((part) => parts.includes(part)).join(' ');
}

/** Throws `incident_start` for a start in the future or so long ago that no page shows it. */
export function assertIncidentStart(from: EpochMs, now: EpochMs): void {
  if (from <= now && from >= now - startsWithinDays * dayMs) return;
  throw incidentStartInvalid({ days: startsWithinDays });
}

/** Throws `incident_end` for an end before the start or in the future. */
export function assertIncidentEnd(to: EpochMs, from: EpochMs, now: EpochMs): void {
  if (to < from || to > now) throw incidentEndInvalid();
}

export function incidentUnknown(values: StoreErrorValues['incident_unknown']) {
  return new StoreError('incident_unknown', values, `There is no incident ${values.id}.`);
}

export function incidentAdopted(values: StoreErrorValues['incident_adopted']) {
  const message = `Somebody has written about the outage ${values.id} already. Update that incident.`;
  return new StoreError('incident_adopted', values, message);
}

export function incidentTitleInvalid(values: StoreErrorValues['incident_title']) {
  const message = `A title has 1 to ${values.max} characters on one line.`;
  return new StoreError('incident_title', values, message);
}

export function incidentTextInvalid(values: StoreErrorValues['incident_text']) {
  const message = `An update has a text of 1 to ${values.max} characters, without control characters.`;
  return new StoreError('incident_text', values, message);
}

export function incidentReviewInvalid(values: StoreErrorValues['incident_review']) {
  const message = `A review has 1 to ${values.max} characters, without control characters.`;
  return new StoreError('incident_review', values, message);
}

export function incidentCzechAlone() {
  const message = 'Czech stands beside English: write the same text in English too.';
  return new StoreError('incident_czech', {}, message);
}

export function incidentPartsInvalid() {
  const message = `An incident concerns at least one part of the service: ${incidentParts.join(', ')}.`;
  return new StoreError('incident_parts', {}, message);
}

export function incidentStartInvalid(values: StoreErrorValues['incident_start']) {
  const message = `An incident has begun by now, and not more than ${values.days} days ago.`;
  return new StoreError('incident_start', values, message);
}

export function incidentEndInvalid() {
  const message = 'An incident is over by now, and not before it began.';
  return new StoreError('incident_end', {}, message);
}

export function incidentUnchanged() {
  const message = 'Name what changes: a text, the title, the parts, or the review.';
  return new StoreError('incident_unchanged', {}, message);
}

export function incidentResolved(values: StoreErrorValues['incident_resolved']) {
  const message = `The incident ${values.id} is resolved. Write its review, or open another.`;
  return new StoreError('incident_resolved', values, message);
}

export function incidentNotResolved(values: StoreErrorValues['incident_not_resolved']) {
  const message = `The incident ${values.id} is not resolved. Its review comes after: close it first.`;
  return new StoreError('incident_not_resolved', values, message);
}

export function incidentFull(values: StoreErrorValues['incident_full']) {
  const message = `The incident ${values.id} has ${values.max} updates, and takes no more. Close it, and open another.`;
  return new StoreError('incident_full', values, message);
}

export function incidentsTooMany(values: StoreErrorValues['incidents_many']) {
  return new StoreError('incidents_many', values, `There are ${values.max} open incidents. Close one of them first.`);
}
