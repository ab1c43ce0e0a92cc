import type { RefusalTable } from '../refusal.ts';
import { asText } from '../wire.ts';

/**
 * Bitvavo's refusals: `{errorCode, error}`, over REST and on the WebSocket. A ban lasts up to 15 minutes without a key;
 * its end in milliseconds is in the words.
 */
export const bitvavoRefusals: RefusalTable = {
  read({ errorCode, error }) {
    return errorCode === undefined ? undefined : { code: asText(errorCode), words: asText(error) ?? '' };
  },
  rules: [
    { kind: 'ban', code: '105', waitMs: 900_000 },
    { kind: 'unclear', code: '110', words: /endpoint/i },
    // The points of an address are reset each minute.
    { kind: 'rate', code: ['103', '104', '110', '112'], waitMs: 60_000 },
    { kind: 'rate', status: 429, waitMs: 60_000 },
    // The matching engine is overloaded, or did not answer in time.
    { kind: 'maintenance', code: ['107', '108', '109', '111'] },
    { kind: 'market', code: '205', words: /market/i },
  ],
};
