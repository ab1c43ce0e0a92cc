import type { RefusalTable } from '../refusal.ts';
import { asText } from '../wire.ts';

/** Coinmate's refusals: `{error: true, errorMessage}` with HTTP 200. More than 100 requests a minute are a ban. */
export const coinmateRefusals: RefusalTable = {
  read({ error, errorMessage }) {
    return error === true ? { words: asText(errorMessage) ?? 'unreadable error' } : undefined;
  },
  rules: [
    { kind: 'ban', words: /\bbann?(?:ed)?\b/i, waitMs: 300_000 },
    { kind: 'rate', words: /too many|limit/i, waitMs: 60_000 },
    { kind: 'market', words: /(?:unknown|invalid|no such).*currency ?pair/i },
  ],
};
