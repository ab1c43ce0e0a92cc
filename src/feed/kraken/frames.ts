import { asList, asObject, asText, parseLossless, parsePlain, type WireObject } from '../wire.ts';

/** The parts of a version-2 frame that we use; numbers that we read are their source text. */
export type KrakenFrame =
  | { readonly type: 'ticker'; readonly isSnapshot: boolean; readonly entries: readonly WireObject[] }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'pong' }
  | { readonly type: 'status'; readonly system: string }
  | { readonly type: 'instrument'; readonly pairs: readonly WireObject[] }
  | {
      readonly type: 'acknowledgement';
      readonly method: 'subscribe' | 'unsubscribe';
      readonly isSuccess: boolean;
      /** `BTC/EUR`; `undefined` for channels without symbols. */
      readonly liveName: string | undefined;
      readonly error: string | undefined;
    }
  | { readonly type: 'malformed' }
  | { readonly type: 'unknown' };

const malformed: KrakenFrame = { type: 'malformed' };
const unknown: KrakenFrame = { type: 'unknown' };

/** Reads one frame. Throws `UpstreamError` (`malformed`) when the text is not JSON. */
export function readFrame(text: string): KrakenFrame {
  // The catalogue frame has half a megabyte, and we read none of its numbers.
  const parse = text.startsWith('{"channel":"instrument"') ? parsePlain : parseLossless;
  const frame = asObject(parse(text));
  if (frame === undefined) return malformed;
  if (typeof frame.channel === 'string') return readChannel(frame.channel, frame);
  return typeof frame.method === 'string' ? readAnswer(frame.method, frame) : unknown;
}

function readChannel(channel: string, frame: WireObject): KrakenFrame {
  switch (channel) {
    case 'ticker':
      return readTicker(frame);
    case 'heartbeat':
      return { type: 'heartbeat' };
    case 'status':
      return readStatus(frame);
    case 'instrument':
      return readInstrument(frame);
    default:
      return unknown;
  }
}

function readTicker(frame: WireObject): KrakenFrame {
  const entries = readEntries(frame.data);
  if (entries === undefined || (frame.type !== 'snapshot' && frame.type !== 'update')) return malformed;
  return { type: 'ticker', isSnapshot: frame.type === 'snapshot', entries };
}

function readStatus(frame: WireObject): KrakenFrame {
  const system = asText(readEntries(frame.data)?.[0]?.system);
  return system === undefined ? malformed : { type: 'status', system: system.slice(0, 50) };
}

function readInstrument(frame: WireObject): KrakenFrame {
  const pairs = readEntries(asObject(frame.data)?.pairs);
  return pairs === undefined ? malformed : { type: 'instrument', pairs };
}

function readEntries(data: unknown): readonly WireObject[] | undefined {
  const list = asList(data);
  if (list === undefined) return undefined;
  const entries: WireObject[] = [];
  for (const value of list) {
    const entry = asObject(value);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return entries;
}

function readAnswer(method: string, frame: WireObject): KrakenFrame {
  if (method === 'pong') return { type: 'pong' };
  if (method !== 'subscribe' && method !== 'unsubscribe') return unknown;
  if (typeof frame.success !== 'boolean') return malformed;
  return {
    type: 'acknowledgement',
    method,
    isSuccess: frame.success,
    liveName: asText(asObject(frame.result)?.symbol) ?? asText(frame.symbol),
    error: asText(frame.error),
  };
}
