import type { RefusalTable } from '../refusal.ts';
import { asText } from '../wire.ts';

/**
 * Coinbase Exchange's refusals: `{message}` over REST, `{type: "error", message, reason}` on the WebSocket. No codes.
 */
export const coinbaseRefusals: RefusalTable = {
  read({ message, reason }) {
    const [what, why] = [asText(message), asText(reason)];
    return what === undefined ? undefined : { words: why === undefined ? what : `${what}: ${why}` };
  },
  rules: [
    { kind: 'full', words: /too many l(?:evel ?)?2 streams|l(?:evel ?)?2 limit|subscription limit/i },
    { kind: 'rate', words: /rate limit exceeded/i },
    { kind: 'market', words: /is not a valid product|\bdelisted\b|^NotFound$/i },
  ],
};
