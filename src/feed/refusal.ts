import type { EpochMs } from '../ground/clock.ts';

/**
 * What an exchange means by a refusal. Of us: `rate` (too many requests), `ban` (no request before an instant), `full`
 * (this session takes no more subscriptions), `maintenance`. Of a market: `market` (it is unknown or halted). What
 * nobody put into a table is `unclear`.
 */
export type RefusalKind = 'rate' | 'ban' | 'full' | 'maintenance' | 'market' | 'unclear';

/**
 * What follows from a refusal.
 *
 * - `wait`: the same request is made later
 * - `stay_away`: no request, no connection and no message before the instant
 * - `split`: another session takes the rest
 * - `leave_market`: the market is left out for a while, the others are asked for
 * - `ask_for_all`: nobody is to blame: all markets are asked for without names, or each for itself; soon again
 */
export type Consequence = 'wait' | 'stay_away' | 'split' | 'leave_market' | 'ask_for_all';

/** The consequence of each kind: whoever acts on a refusal acts on this alone. */
export const leadsTo: Readonly<Record<RefusalKind, Consequence>> = {
  rate: 'wait',
  ban: 'stay_away',
  full: 'split',
  maintenance: 'wait',
  market: 'leave_market',
  unclear: 'ask_for_all',
};

/** The words of an exchange in place of an answer. */
export interface Said {
  /** That of an HTTP answer. */
  readonly status?: number | undefined;
  /** The exchange's own code. */
  readonly code?: string | undefined;
  readonly words: string;
}

/** A row of a connector's table: it is met where everything that it names is. */
interface RefusalRule {
  readonly kind: RefusalKind;
  readonly status?: number;
  /** One code, or several. */
  readonly code?: string | readonly string[];
  readonly words?: RegExp;
  /** How long to wait where the exchange names no instant. */
  readonly waitMs?: number;
}

/** The meaning of one exchange's refusals, over REST and the WebSocket alike. It stands beside its connector. */
export interface RefusalTable {
  /** Takes code and words out of a body or a frame; `undefined` for one that refuses nothing. */
  readonly read: (body: Readonly<Record<string, unknown>>) => Said | undefined;
  /** The first row that is met counts. */
  readonly rules: readonly RefusalRule[];
}

/** A refusal, understood. */
export interface Refusal {
  readonly kind: RefusalKind;
  /** For the log: at most 160 printable characters. */
  readonly words: string;
  /** How long the exchange wants us to wait, in milliseconds; `undefined` where neither it nor the table says. */
  readonly waitMs: number | undefined;
}

const saysBan = /\bbann?(?:ed)?\b|\bblocked\b|\bblacklist|\blocked out\b|\blockout\b/i;
const ban: RefusalRule = { kind: 'ban', words: saysBan };

/** Rows that hold for any exchange, after its own table. That a market is at fault only its own words tell. */
const common: readonly RefusalRule[] = [
  { kind: 'ban', status: 418 },
  ban,
  { kind: 'rate', status: 429 },
  { kind: 'rate', words: /too many requests|too many visits|\brate.?limit|too frequent|slow down/i },
  { kind: 'full', words: /(?:too many|maximum|limit|exceed).*(?:stream|subscri|channel|topic)/i },
  { kind: 'full', words: /(?:stream|subscri|channel|topic).*(?:too many|maximum|limit|exceed)/i },
  { kind: 'maintenance', words: /\bmaintenance\b|service (?:is )?(?:temporarily )?unavailable|system upgrade/i },
];

/** The longest wait that is believed. */
export const waitMsMax = 31 * 86_400_000;
/** A ban whose end is not said. */
const banMs = 300_000;
const wordsMax = 160;

/**
 * Understands what an exchange says.
 *
 * @param headerMs how long its headers ask us to wait, such as `Retry-After`
 */
export function understand({ rules }: RefusalTable, said: Said, now: EpochMs, headerMs?: number): Refusal {
  const namedMs = untilIn(said.words, now);
  // Before the exchange's own table: who names the end of a ban means one, whatever the code.
  const isBan = namedMs !== undefined && saysBan.test(said.words);
  const rule = isBan ? ban : [...rules, ...common].find((each) => isMet(each, said));
  const waitMs = namedMs ?? headerMs ?? rule?.waitMs;
  const words = printable(said);
  const kind = rule?.kind ?? 'unclear';
  // Whatever it is called, a request before an instant that the exchange names would be against its word.
  if (kind === 'ban' || (namedMs !== undefined && (kind === 'rate' || kind === 'unclear'))) {
    return { kind: 'ban', words, waitMs: Math.min(waitMsMax, waitMs ?? banMs) };
  }
  return { kind, words, waitMs };
}

function isMet({ status, code, words }: RefusalRule, said: Said): boolean {
  if (status !== undefined && status !== said.status) return false;
  if (code !== undefined && !(said.code !== undefined && [code].flat().includes(said.code))) return false;
  return words === undefined || words.test(said.words);
}

function printable({ status, code, words }: Said): string {
  const parts = [status === undefined ? '' : `HTTP status ${status}:`, code ?? '', words];
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, wordsMax)
    .replace(/:$/, '');
}

const speaksOfTime =
  /\bbann?(?:ed)?\b|\bblock|\block(?:ed )?out|\buntil\b|\btill\b|\bexpire|\bretry\b|\btry again\b|\blifted\b|\bthrottled\b/i;
/** Seconds or milliseconds since the epoch, or an RFC 3339 instant, also with a space and without a zone. */
const instants =
  /(?<![\d.])(\d{13}|\d{10})(?![\d.]*\d)|(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d)?/g;
const spans = /\b(?:in|for|after|wait)\s+(\d{1,6})\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/i;
const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  mi: 60_000,
  m: 60_000,
  s: 1_000,
  se: 1_000,
  h: 3_600_000,
  ho: 3_600_000,
};

/**
 * How long until the instant that these words name, in milliseconds; `undefined` where they name none that is ahead.
 */
function untilIn(words: string, now: EpochMs): number | undefined {
  if (!speaksOfTime.test(words)) return undefined;
  const named = [...words.matchAll(instants)].map(instantOf).filter((at) => at > now && at - now <= waitMsMax);
  if (named.length > 0) return Math.max(...named) - now;
  const [, count, unit = ''] = spans.exec(words) ?? [];
  if (count === undefined) return undefined;
  const short = unit.toLowerCase();
  return Number(count) * (short.startsWith('milli') || short === 'ms' ? 1 : (unitsMs[short.slice(0, 2)] ?? 1_000));
}

function instantOf([, digits, day, time, zone = 'Z']: RegExpExecArray): number {
  if (digits !== undefined) return Number(digits) * (digits.length === 10 ? 1_000 : 1);
  return Date.parse(`${day}T${time}${zone === 'UTC' ? 'Z' : zone}`);
}
