import type { Connection } from '../ws-connection.ts';
import { acknowledgement, type EventTrigger, pong, refusal, type Times } from './ws-messages.ts';

/** What a request can change. The caller of `answerRequest` sends the answers. */
export interface Subscriptions {
  /** Subscribes; returns the error text where that is refused. */
  addTicker(connection: Connection, symbol: string, trigger: EventTrigger): string | undefined;
  triggerOf(connection: Connection, symbol: string): EventTrigger | undefined;
  removeTicker(connection: Connection, symbol: string): void;
  followInstruments(connection: Connection, isWanted: boolean): void;
  tickerSnapshot(symbol: string): string | undefined;
  instrumentSnapshot(): string;
}

interface Params {
  readonly channel?: unknown;
  readonly symbol?: unknown;
  readonly event_trigger?: unknown;
  readonly snapshot?: unknown;
}

interface Answering {
  readonly connection: Connection;
  readonly subscriptions: Subscriptions;
  readonly method: string;
  readonly requestId: number | undefined;
  readonly params: Params;
  readonly times: () => Times;
}

/** The messages that answer one message of a client, in the order they are to be sent. */
export function answerRequest(
  connection: Connection,
  text: string,
  subscriptions: Subscriptions,
  times: () => Times,
): readonly string[] {
  const request = readObject(text);
  if (request === undefined) return [refusal('Malformed request', undefined, undefined, undefined, times())];
  const { method, req_id: given, params } = request;
  const requestId = typeof given === 'number' && Number.isSafeInteger(given) ? given : undefined;
  if (method === 'ping') return [pong(requestId, times())];
  if (method !== 'subscribe' && method !== 'unsubscribe') {
    const named = typeof method === 'string' ? method : undefined;
    return [
      refusal(named === undefined ? 'Malformed request' : 'Unsupported method', named, requestId, undefined, times()),
    ];
  }
  const known = typeof params === 'object' && params !== null ? (params as Params) : {};
  return answerChannel({ connection, subscriptions, method, requestId, params: known, times });
}

function answerChannel(answering: Answering): readonly string[] {
  switch (answering.params.channel) {
    case 'ticker':
      return answerTicker(answering);
    case 'instrument':
      return answerInstrument(answering);
    default:
      return [refuse(answering, 'Unsupported channel')];
  }
}

function answerTicker(answering: Answering): readonly string[] {
  const { symbol: symbols, event_trigger: trigger = 'trades', snapshot = true } = answering.params;
  if (!Array.isArray(symbols) || symbols.length === 0 || symbols.some((symbol) => typeof symbol !== 'string')) {
    return [refuse(answering, 'Malformed request')];
  }
  if (trigger !== 'bbo' && trigger !== 'trades') return [refuse(answering, 'Unsupported event trigger')];
  if (typeof snapshot !== 'boolean') return [refuse(answering, 'Malformed request')];
  if (answering.method === 'unsubscribe') return symbols.map((symbol) => removeTicker(answering, symbol));
  const snapshots: string[] = [];
  const answers = symbols.map((symbol) => {
    const error = answering.subscriptions.addTicker(answering.connection, symbol, trigger);
    if (error !== undefined) return refuse(answering, error, symbol);
    const first = snapshot ? answering.subscriptions.tickerSnapshot(symbol) : undefined;
    if (first !== undefined) snapshots.push(first);
    return acknowledge(answering, { channel: 'ticker', event_trigger: trigger, snapshot, symbol });
  });
  return [...answers, ...snapshots];
}

function removeTicker(answering: Answering, symbol: string): string {
  const { subscriptions, connection } = answering;
  const trigger = subscriptions.triggerOf(connection, symbol);
  if (trigger === undefined) return refuse(answering, 'Subscription Not Found', symbol);
  subscriptions.removeTicker(connection, symbol);
  return acknowledge(answering, { channel: 'ticker', event_trigger: trigger, symbol });
}

function answerInstrument(answering: Answering): readonly string[] {
  const { connection, method, params } = answering;
  const subscribing = method === 'subscribe';
  if (connection.topics.has('instrument') === subscribing) {
    return [refuse(answering, subscribing ? 'Already subscribed' : 'Subscription Not Found')];
  }
  answering.subscriptions.followInstruments(connection, subscribing);
  if (!subscribing) return [acknowledge(answering, { channel: 'instrument' })];
  const snapshot = params.snapshot !== false;
  const answer = acknowledge(answering, { channel: 'instrument', snapshot });
  return snapshot ? [answer, answering.subscriptions.instrumentSnapshot()] : [answer];
}

function acknowledge(answering: Answering, result: object): string {
  return acknowledgement(answering.method, answering.requestId, result, answering.times());
}

function refuse(answering: Answering, error: string, symbol?: string): string {
  return refusal(error, answering.method, answering.requestId, symbol, answering.times());
}

function readObject(text: string): { method?: unknown; req_id?: unknown; params?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
