import { BadRequest } from './fault-request.ts';
import { type TickerField, type TickerValues, tickerFields } from './ticker.ts';

/** Prices to set: the market, and each value as the text to send. */
export interface PriceRequest extends Partial<TickerValues> {
  readonly symbol: string;
}

const signed: readonly TickerField[] = ['change', 'change_pct'];
const decimal = /^\d{1,18}(\.\d{1,18})?$/;
const signedDecimal = /^-?\d{1,18}(\.\d{1,18})?$/;
const count = /^\d{1,15}$/;

/** Validates a request to set prices. Throws `BadRequest`. */
export function readPrice(request: unknown): PriceRequest {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new BadRequest('expected a JSON object such as {"symbol":"BTC/EUR","bid":"50000.0","ask":"50000.1"}');
  }
  const given: Readonly<Record<string, unknown>> = { ...request };
  const { symbol, ...values } = given;
  if (typeof symbol !== 'string') throw new BadRequest('"symbol" is missing, for example "BTC/EUR"');
  if (Object.keys(values).length === 0)
    throw new BadRequest(`nothing to set: give at least one of ${tickerFields.join(', ')}`);
  for (const [field, value] of Object.entries(values)) {
    if (!tickerFields.some((known) => known === field)) {
      throw new BadRequest(`unknown field "${field}" (known: ${tickerFields.join(', ')})`);
    }
    const form = field === 'trades' ? count : signed.some((known) => known === field) ? signedDecimal : decimal;
    if (typeof value !== 'string' || !form.test(value)) {
      throw new BadRequest(`"${field}" must be a plain decimal in quotes, not ${JSON.stringify(value)}`);
    }
  }
  return { ...(values as Partial<TickerValues>), symbol };
}
