import { pairStatuses } from './catalogue.ts';
import { tickerFields } from './ticker.ts';

/** The values one parameter of a fault can have. A parameter without `default` may be left out. */
export type ParameterRule =
  | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly default?: number }
  | { readonly type: 'choice'; readonly of: readonly string[]; readonly default?: string }
  | { readonly type: 'text'; readonly pattern: RegExp; readonly form: string; readonly default?: string }
  | { readonly type: 'flag'; readonly default: boolean };

/**
 * A fault. A `state` lasts until it is cleared or expires. An `event` affects the open connections at once,
 * and again every `everyMs` when it has a duration.
 */
export interface FaultRule {
  readonly kind: 'state' | 'event';
  readonly symbols: 'none' | 'optional' | 'required';
  readonly parameters: Readonly<Record<string, ParameterRule>>;
  /** What a client of the protocol sees, in one sentence. */
  readonly seen: string;
}

const milliseconds = (fallback: number): ParameterRule => ({
  type: 'integer',
  min: 0,
  max: 3_600_000,
  default: fallback,
});
const closeCode: ParameterRule = { type: 'integer', min: 1000, max: 4999, default: 1000 };
const call: ParameterRule = {
  type: 'text',
  pattern: /^[\w/-]{1,40}$/,
  form: 'a call of the dialect, or all',
  default: 'all',
};
const source: ParameterRule = { type: 'choice', of: ['all', 'cnb', 'ecb', 'json'], default: 'all' };
const over: ParameterRule = { type: 'choice', of: ['both', 'ws', 'rest'], default: 'both' };
const price: ParameterRule = { type: 'text', pattern: /^\d{1,18}(\.\d{1,18})?$/, form: 'a plain positive decimal' };
const jsonText: ParameterRule = {
  type: 'text',
  pattern: /^[^\r\n]{1,200}$/,
  form: 'JSON text on one line',
  default: '0',
};
const anySentence: ParameterRule = { type: 'text', pattern: /^[^\r\n]{1,400}$/, form: 'a text on one line' };
const sentence = (fallback: string): ParameterRule => ({ ...anySentence, default: fallback });
const systemStatuses = ['online', 'maintenance', 'cancel_only', 'post_only'];

/** All faults. Where `symbols` or `parameters` are left out, there are none. */
const faults = {
  close: {
    kind: 'event',
    parameters: { code: closeCode },
    seen: 'Every WebSocket is closed cleanly with this code.',
  },
  reset: {
    kind: 'event',
    seen: 'Every WebSocket connection is torn down with a TCP reset, without a closing frame.',
  },
  freeze: {
    kind: 'state',
    parameters: { existingOnly: { type: 'flag', default: false } },
    seen: 'Sockets stay open, but nothing is read or written: pings of both kinds and new handshakes are not answered (unless existingOnly).',
  },
  mute: {
    kind: 'state',
    seen: 'Heartbeats, pongs and acknowledgements continue; no ticker frame is sent, neither snapshot nor update.',
  },
  'mute-symbol': {
    kind: 'state',
    symbols: 'required',
    seen: 'No ticker frame of this symbol is sent; all others continue. REST still answers for it.',
  },
  reject: {
    kind: 'state',
    symbols: 'required',
    seen: 'Subscribing to this symbol is refused with "Currency pair not supported". REST still answers for it.',
  },
  'session-limit': {
    kind: 'state',
    parameters: {
      streams: { type: 'integer', min: 0, max: 10_000, default: 16 },
      message: anySentence,
    },
    seen: 'A WebSocket takes subscriptions to this many symbols. A request beyond them is refused in the words of the exchange, or in these.',
  },
  say: {
    kind: 'event',
    parameters: { text: sentence('{}') },
    seen: 'Every WebSocket gets this text.',
  },
  garbage: {
    kind: 'event',
    parameters: {
      kind: {
        type: 'choice',
        of: ['json', 'binary', 'utf8', 'nested', 'channel', 'symbol', 'frame'],
        default: 'json',
      },
    },
    seen: 'One bad message: truncated JSON, a binary frame, text that is not UTF-8, 100,000 nested arrays, an unknown channel, a ticker of a symbol without subscription, or bytes that are not a WebSocket frame.',
  },
  oversized: {
    kind: 'event',
    parameters: { bytes: { type: 'integer', min: 100, max: 1_000_000_000, default: 50_000_000 } },
    seen: 'One text frame of this size. It is valid JSON, padded with spaces.',
  },
  'accept-then-close': {
    kind: 'state',
    parameters: { code: closeCode },
    seen: 'Each new WebSocket is accepted and closed cleanly at once.',
  },
  'one-message-then-close': {
    kind: 'state',
    parameters: { code: closeCode },
    seen: 'Each new WebSocket gets the status message and is then closed cleanly.',
  },
  refuse: {
    kind: 'state',
    parameters: {
      status: { type: 'integer', min: 400, max: 599, default: 429 },
      retryAfterS: { type: 'integer', min: 0, max: 86_400, default: 5 },
      noRetryAfter: { type: 'flag', default: false },
      body: anySentence,
    },
    seen: 'The WebSocket handshake is answered with this HTTP status, Retry-After (unless noRetryAfter) and body. Open connections continue.',
  },
  'no-heartbeat': {
    kind: 'state',
    seen: 'No heartbeat is sent; everything else continues.',
  },
  'reconnect-notice': {
    kind: 'event',
    seen: 'Every client is notified that its connection will end soon, where the dialect has a message for that.',
  },
  'no-timestamp': {
    kind: 'state',
    seen: 'Ticker frames carry no timestamp, as in older versions.',
  },
  replay: {
    kind: 'event',
    symbols: 'optional',
    parameters: {
      ageMs: milliseconds(60_000),
      type: { type: 'choice', of: ['update', 'snapshot'], default: 'update' },
      bid: price,
      ask: price,
    },
    seen: 'One frame for each symbol that is ageMs old, with the prices at that time or the given bid and ask.',
  },
  crossed: {
    kind: 'state',
    symbols: 'required',
    parameters: { over },
    seen: 'Bid and ask of this symbol are swapped, so that bid is above ask.',
  },
  'bad-value': {
    kind: 'state',
    symbols: 'required',
    parameters: {
      field: { type: 'choice', of: tickerFields, default: 'bid' },
      value: jsonText,
      missing: { type: 'flag', default: false },
      over,
    },
    seen: 'This field of this symbol carries the given JSON text (0, null, -1, 1e-7, "1,5", …), or is missing.',
  },
  'pair-status': {
    kind: 'state',
    symbols: 'required',
    parameters: {
      status: { type: 'choice', of: pairStatuses.filter((status) => status !== 'delisted'), default: 'cancel_only' },
    },
    seen: 'AssetPairs and the instrument channel report this status for the pair; its prices continue.',
  },
  'pair-delist': {
    kind: 'state',
    symbols: 'required',
    seen: 'The pair disappears from AssetPairs and Ticker, the instrument channel reports it as delisted, no frame is sent, and subscribing to it is refused.',
  },
  'pair-end': {
    kind: 'state',
    symbols: 'required',
    seen: 'The pair stays in the list in the state of what has ended (BREAK, Disabled, delisted, suspend), its bid and ask are 0, and no frame is sent for changes.',
  },
  'pair-new': {
    kind: 'state',
    symbols: 'required',
    parameters: { price: { ...price, default: '10' }, decimals: { type: 'integer', min: 0, max: 12, default: 4 } },
    seen: 'A new pair is listed, traded, and announced on the instrument channel; clearing delists it.',
  },
  'pair-unlisted': {
    kind: 'state',
    symbols: 'required',
    seen: 'The pair is missing from AssetPairs; its prices continue.',
  },
  'pair-flood': {
    kind: 'state',
    parameters: {
      count: { type: 'integer', min: 1, max: 100_000, default: 400 },
      changing: { type: 'flag', default: false },
    },
    seen: 'AssetPairs lists this many invented pairs in EUR besides, with changing others at each request. They have no prices.',
  },
  'pair-alias': {
    kind: 'state',
    symbols: 'required',
    parameters: { wsname: { type: 'text', pattern: /^[A-Z0-9.]+\/[A-Z0-9]+$/, form: 'a wsname', default: 'XBT/EUR' } },
    seen: 'AssetPairs lists the pair with this wsname, which is that of another pair.',
  },
  'catalogue-empty': {
    kind: 'state',
    seen: 'Assets and AssetPairs succeed with an empty result.',
  },
  'system-status': {
    kind: 'state',
    parameters: { status: { type: 'choice', of: systemStatuses, default: 'maintenance' } },
    seen: 'SystemStatus and the status channel report this status; nothing else changes.',
  },
  'clock-skew': {
    kind: 'state',
    parameters: { ms: { type: 'integer', min: -864_000_000, max: 864_000_000, default: 3_600_000 } },
    seen: 'Every time that the exchange sends, in frames and in Time, is off by this many milliseconds.',
  },
  'rest-500': {
    kind: 'state',
    parameters: { call, status: { type: 'integer', min: 500, max: 599, default: 500 } },
    seen: 'REST answers with this status and a line of plain text.',
  },
  'rest-429': {
    kind: 'state',
    parameters: {
      call,
      retryAfterS: { type: 'integer', min: 0, max: 86_400, default: 5 },
      noRetryAfter: { type: 'flag', default: false },
    },
    seen: 'REST answers 429 with Retry-After (unless noRetryAfter).',
  },
  'rest-error': {
    kind: 'state',
    parameters: { call, message: sentence('EGeneral:Too many requests') },
    seen: 'REST answers 200 with this text in `error` and no result.',
  },
  'rest-says': {
    kind: 'state',
    parameters: {
      call,
      status: { type: 'integer', min: 200, max: 599, default: 200 },
      body: sentence('{}'),
      named: { type: 'flag', default: false },
    },
    seen: 'REST answers with this status and body; with named only requests that name pairs.',
  },
  'rest-html': {
    kind: 'state',
    parameters: { call },
    seen: 'REST answers 200 with an HTML page.',
  },
  'rest-truncated': {
    kind: 'state',
    parameters: { call },
    seen: 'REST announces the whole body, sends half of it and drops the connection.',
  },
  'rest-slow': {
    kind: 'state',
    parameters: { call, delayMs: milliseconds(30_000) },
    seen: 'REST answers only after this delay. Combines with the other REST faults.',
  },
  'rate-gone': {
    kind: 'state',
    parameters: { source, status: { type: 'integer', min: 400, max: 599, default: 503 } },
    seen: 'The rate source answers with this HTTP status.',
  },
  'rate-stale': {
    kind: 'state',
    parameters: {
      source,
      date: { type: 'text', pattern: /^\d{4}-\d\d-\d\d$/, form: 'YYYY-MM-DD', default: '2020-01-02' },
    },
    seen: 'The fixing of the rate source has this date. The json source carries no date.',
  },
  down: {
    kind: 'state',
    seen: 'The exchange stops listening and drops every connection; when cleared, it is back on the same port. Rate sources and control API stay up.',
  },
} as const satisfies Record<string, Partial<FaultRule> & Pick<FaultRule, 'kind' | 'seen'>>;

export type FaultName = keyof typeof faults;

/** The table of all faults. The control API and the command line follow it. */
export const faultRules = Object.fromEntries(
  Object.entries(faults).map(([name, fault]) => [name, { symbols: 'none', parameters: {}, ...fault }]),
) as Readonly<Record<FaultName, FaultRule>>;

export const faultNames = Object.keys(faultRules) as readonly FaultName[];
