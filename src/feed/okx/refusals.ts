import type { RefusalTable } from '../refusal.ts';
import { asText } from '../wire.ts';

/** OKX's refusals: `{code, msg}` with a code other than 0, over REST also with HTTP 200, and on the WebSocket. */
export const okxRefusals: RefusalTable = {
  read(body) {
    const code = asText(body.code);
    return code === undefined || code === '0' ? undefined : { code, words: asText(body.msg) ?? '' };
  },
  rules: [
    { kind: 'rate', code: ['50011', '50061', '60014', '60023'] },
    // Unavailable, timed out, offline, busy, system errors.
    { kind: 'maintenance', code: ['50001', '50004', '50005', '50013', '50026', '63999', '64007'] },
    { kind: 'market', code: ['51001', '51087', '60018'] },
    { kind: 'full', code: ['4008', '4009'] },
  ],
};
