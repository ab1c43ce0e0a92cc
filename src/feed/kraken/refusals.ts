import type { RefusalTable } from '../refusal.ts';
import { asList, asText } from '../wire.ts';

/**
 * Kraken's refusals: over REST the first entry of `error` that is no warning (a leading W is one, beside a valid
 * result), with HTTP 200; on the WebSocket the text `error` of a frame. `EService:Throttled` carries the second from
 * which on requests are taken again.
 */
export const krakenRefusals: RefusalTable = {
  read({ error }) {
    if (typeof error === 'string') return { words: error };
    const first = asList(error)?.find((entry) => typeof entry !== 'string' || !entry.startsWith('W'));
    return first === undefined ? undefined : { words: asText(first) ?? 'unreadable error' };
  },
  rules: [
    { kind: 'ban', words: /^EGeneral:Temporary lockout/i, waitMs: 900_000 },
    { kind: 'rate', words: /rate limit exceeded|too many requests|exceeded msg rate|^EService: ?Throttled/i },
    { kind: 'maintenance', words: /^EService: ?(?:Unavailable|Busy|Timeout|Deadline elapsed)/i },
    { kind: 'maintenance', words: /^EService: ?Market in \w+ mode|^EGeneral:Internal error/i },
    { kind: 'market', words: /^EQuery:(?:Unknown|Invalid) asset pair|^Currency pair not/i },
  ],
};
