import type { RefusalTable } from '../refusal.ts';
import { asObject, asText } from '../wire.ts';

/**
 * Binance's refusals: `{code, msg}` over REST, with a status of its own, and on the WebSocket, there also within
 * `error`. A ban of 2 minutes to 3 days comes with 418 and `Retry-After`, its end in milliseconds in the words as well.
 */
export const binanceRefusals: RefusalTable = {
  read(body) {
    const { code, msg } = asObject(body.error) ?? body;
    return code === undefined || msg === undefined ? undefined : { code: asText(code), words: asText(msg) ?? '' };
  },
  rules: [
    { kind: 'ban', code: '-1003', words: /banned/i, waitMs: 120_000 },
    // Too many requests, orders, connections.
    { kind: 'rate', code: ['-1003', '-1015', '-1034'] },
    // The firewall.
    { kind: 'rate', status: 403, waitMs: 300_000 },
    // Internal error, disconnected, overloaded, shutting down.
    { kind: 'maintenance', code: ['-1000', '-1001', '-1008', '-1016'] },
    { kind: 'market', code: '-1121' },
  ],
};
