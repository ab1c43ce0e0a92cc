import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import type { Log } from '../ground/log.ts';
import type { AnsweredRequest, ServedRequest } from '../http/answered-request.ts';
import { queryValues } from '../http/request-target.ts';
import { parseSymbol } from '../market/symbol.ts';
import { count, form, instantFields, line, named, nullableId, nullableLine, viewOf } from './fields.ts';

export const requestId = form(
  'The request’s id: `requestId` of a problem, and `X-Request-Id` of every answer.',
  '^[0-9a-f]{32}$',
  '6f1c2a9e4b7d4f08a3c5e1d2b4f60718',
);

export const RequestSchema = named('Request', 'A request to the public listener, once it was answered.', {
  requestId,
  ...instantFields('at', 'When it was answered.'),
  route: line('What was asked for; `unmatched` for a path that does not exist.', '/v1/ticker', 100),
  status: Type.Integer({ description: 'The HTTP status of the answer.', minimum: 100, maximum: 599, examples: [429] }),
  code: nullableLine('The code of the problem; null where the answer was none.', 'RATE_LIMIT_EXCEEDED', 64),
  durationMs: Type.Number({
    description: 'From the request to its answer, in milliseconds.',
    minimum: 0,
    examples: [0.4],
  }),
  bytes: count('Size of the answer’s body in bytes.', 312),
  keyId: nullableId('key', 'The valid key it came with; null where there was none.'),
});

export type RequestView = Static<typeof RequestSchema>;

export function requestView(request: AnsweredRequest): RequestView {
  const durationMs = Math.round(request.durationMs * 1_000) / 1_000;
  return viewOf(RequestSchema.properties, { ...request, durationMs });
}

/** Logs a request as the configuration says: each, the refused ones, or none. The log has the time itself. */
export function logRequest(answered: AnsweredRequest, access: 'all' | 'refused' | 'off', log: Log): void {
  if (access === 'off' || (access === 'refused' && answered.status < 400)) return;
  const { at: _at, atMs: _atMs, ...fields } = requestView(answered);
  log.info(fields, 'request');
}

/** Gives what the record keeps of an answer. */
export function servingOf({ request, keyId, now: askedAt, route, query, status, answer }: ServedRequest) {
  let text = '';
  if (answer.kind === 'problem') text = `${answer.code} ${answer.detail}`;
  else if (answer.kind === 'text' && route === '/v1/status') text = answer.text;
  const asked = () => (route === '/v1/ticker' ? parseSymbol(queryValues(query, 'symbol')[0] ?? '') : undefined);
  const symbol = (answer.kind === 'page' ? answer.symbol : asked()) ?? '';
  return { keyId, askedAt, route, symbol, status, text, request };
}
