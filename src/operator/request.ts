import Type, { type Static } from 'typebox';
import type { AnsweredRequest } from '../http/answered-request.ts';
import { count, instants, line, nullableId, nullableLine, pair } from './fields.ts';

export const requestId = Type.String({
  description: 'The request’s id: `requestId` of a problem, and `X-Request-Id` of every answer.',
  pattern: '^[0-9a-f]{32}$',
  examples: ['6f1c2a9e4b7d4f08a3c5e1d2b4f60718'],
});

export const RequestSchema = Type.Object(
  {
    requestId,
    ...pair('at', 'When it was answered.'),
    route: line('What was asked for; `unmatched` for a path that does not exist.', '/v1/ticker', 100),
    status: Type.Integer({
      description: 'The HTTP status of the answer.',
      minimum: 100,
      maximum: 599,
      examples: [429],
    }),
    code: nullableLine('The code of the problem; null where the answer was none.', 'RATE_LIMIT_EXCEEDED', 64),
    durationMs: Type.Number({
      description: 'From the request to its answer, in milliseconds.',
      minimum: 0,
      examples: [0.4],
    }),
    bytes: count('Size of the answer’s body in bytes.', 312),
    keyId: nullableId('key', 'The valid key it came with; null where there was none.'),
  },
  { $id: 'Request', description: 'A request to the public listener, once it was answered.' },
);

export type RequestView = Static<typeof RequestSchema>;

export function requestView({ at, code, durationMs, keyId, ...rest }: AnsweredRequest): RequestView {
  const { requestId, route, status, bytes } = rest;
  const time = Math.round(durationMs * 1_000) / 1_000;
  return {
    requestId,
    ...instants('at', at),
    route,
    status,
    code: code ?? null,
    durationMs: time,
    bytes,
    keyId: keyId ?? null,
  };
}
