import { isoText, parseLocal } from '../clock.ts';
import { localText, localZoneText } from '../format/time.ts';
import { say } from '../language.ts';

/** The ways to ask the record, by the address's `by`. */
export const ways = [
  ['request', say('Request id')],
  ['instant', say('Symbol and instant')],
  ['key', say('Key')],
] as const;

export type Way = (typeof ways)[number][0];

/** The way an address names; by request id where it names none. */
export function wayOf(text: string | null): Way {
  return ways.find(([name]) => name === text)?.[0] ?? 'request';
}

/** A request id as the API takes it; `undefined` for what is none. */
export function requestIdOf(text: string): string | undefined {
  const id = text.trim().toLowerCase().replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/** A symbol as the API takes it, `BTCCZK` of `btc/czk`; `undefined` for what is none. */
export function symbolOf(text: string): string | undefined {
  const symbol = text
    .trim()
    .toUpperCase()
    .replace(/[/\-_]/, '');
  return /^[A-Z0-9]{2,32}$/.test(symbol) ? symbol : undefined;
}

const lastInstantMs = 253_402_300_799_999;

/**
 * An instant as people and answers write it, in milliseconds since the Unix epoch: ISO 8601 with its zone, or without
 * for local time; or those milliseconds themselves. `undefined` for what is none.
 */
export function instantOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{12,15}$/.test(trimmed)) return withinCalendar(Number(trimmed));
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(trimmed)
    ? withinCalendar(parseLocal(trimmed.replace(' ', 'T')))
    : undefined;
}

function withinCalendar(atMs: number | undefined): number | undefined {
  return atMs !== undefined && atMs >= 0 && atMs <= lastInstantMs ? atMs : undefined;
}

/** An instant to the millisecond, in UTC and in local time. */
export function instantText(atMs: number): string {
  return `${isoText(atMs)}, ${localText(atMs, 'daySecond')} ${localZoneText(atMs)}`;
}

/**
 * What a key is searched by: its id, or its last four characters. Of a whole key only those are kept, so that no key
 * gets into an address.
 */
export function keyTextOf(text: string): string {
  const trimmed = text.trim();
  return /^mdk_/i.test(trimmed) ? trimmed.slice(-4) : trimmed.replace(/^…/, '');
}
