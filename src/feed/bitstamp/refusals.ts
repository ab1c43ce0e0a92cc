import type { RefusalTable } from '../refusal.ts';
import { asObject, asText } from '../wire.ts';

/**
 * Bitstamp's refusals: `{response_code, response_explanation}`, or the older `{status: "error", reason, code}`, over
 * REST; `bts:error` with `data: {code, message}` on the WebSocket.
 */
export const bitstampRefusals: RefusalTable = {
  read(body) {
    const { response_code, response_explanation, status, reason, event, data } = body;
    if (response_code !== undefined) return { code: asText(response_code), words: asText(response_explanation) ?? '' };
    if (status === 'error') return { code: asText(body.code), words: asText(reason) ?? '' };
    if (event !== 'bts:error') return undefined;
    const { code, message } = asObject(data) ?? {};
    return { code: asText(code), words: asText(message) ?? '' };
  },
  rules: [
    { kind: 'rate', code: '400.002' },
    {
      kind: 'market',
      words: /bad subscription string|(?:currency pair|market) (?:was )?not found|invalid (?:currency )?pair/i,
    },
  ],
};
