import { parseDecimal } from '../../market/decimal.ts';
import type { LoadedRate, RateSource } from '../rates.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { HttpSourceOptions } from './http-source.ts';
import { fetchSource } from './http-source.ts';

/** The daily reference rates of the European Central Bank: units of a currency per euro. The base currency must be EUR. */
export function ecbSource(options: HttpSourceOptions): RateSource {
  return {
    id: 'ecb',
    load: async (signal) => readEcb(await fetchSource(options, signal, 'application/xml, text/xml'), options.quote),
  };
}

const day = /<Cube\s+time\s*=\s*(?:'(\d{4}-\d\d-\d\d)'|"(\d{4}-\d\d-\d\d)")\s*>/g;
const tag = /<Cube\s+([^<>]*?)\/>/g;
const currencyAttribute = /(?:^|\s)currency\s*=\s*(?:'([A-Z]{3})'|"([A-Z]{3})")/;
const rateAttribute = /(?:^|\s)rate\s*=\s*(?:'([0-9.]{1,32})'|"([0-9.]{1,32})")/;

/**
 * Takes one currency out of the bank's XML: one `<Cube time='…'>` that holds one
 * `<Cube currency='…' rate='…'/>` for each currency. The shape has been the same for decades, so
 * anything else (two days, a currency twice, a document cut short) is refused, not interpreted. Throws `UpstreamError`.
 */
export function readEcb(text: string, currency: string): LoadedRate {
  if (!/<\/gesmes:Envelope>\s*$/.test(text)) throw new UpstreamError('malformed', 'not a complete document');
  const days = [...text.matchAll(day)];
  const fixingDate = days[0]?.[1] ?? days[0]?.[2];
  if (days.length !== 1 || fixingDate === undefined) throw new UpstreamError('malformed', 'not exactly one day');
  const rates = [...text.matchAll(tag)].flatMap(([, attributes = '']) => {
    const name = currencyAttribute.exec(attributes);
    const rate = rateAttribute.exec(attributes);
    return (name?.[1] ?? name?.[2]) === currency ? [rate?.[1] ?? rate?.[2]] : [];
  });
  if (rates.length !== 1) throw new UpstreamError('malformed', `not exactly one rate for ${currency}`);
  const mid = parseDecimal(rates[0]);
  if (mid === undefined) throw new UpstreamError('malformed', 'the rate is not a decimal');
  return { mid, fixingDate };
}
