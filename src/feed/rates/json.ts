import { parseDecimal } from '../../market/decimal.ts';
import { asList, asObject, parseLossless } from '../json.ts';
import type { LoadedRate, RateSource } from '../rates.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { HttpSourceOptions } from './http-source.ts';
import { fetchSource } from './http-source.ts';

export interface JsonSourceOptions extends HttpSourceOptions {
  /** A JSON pointer (RFC 6901) to the rate, for example `/rates/CZK`: a number, or a string that holds one. */
  readonly pointer: string;
}

/** Any JSON document that holds the rate: units of the quote currency for one unit of the base currency. */
export function jsonSource(options: JsonSourceOptions): RateSource {
  const steps = parsePointer(options.pointer);
  return {
    id: 'json',
    load: async (signal) => readJsonRate(await fetchSource(options, signal, 'application/json'), steps),
  };
}

/**
 * The steps of a JSON pointer (RFC 6901 §3 and §4): empty for the whole document. Throws `RangeError`
 * for a text that is no pointer.
 */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) throw new RangeError('not a JSON pointer');
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Follows the steps through the document, digit for digit. Throws `UpstreamError`. */
export function readJsonRate(text: string, steps: readonly string[]): LoadedRate {
  const found = steps.reduce<unknown>(stepInto, parseLossless(text));
  const mid = parseDecimal(found);
  if (mid === undefined) throw new UpstreamError('malformed', 'no decimal where the pointer points');
  return { mid, fixingDate: undefined };
}

function stepInto(value: unknown, step: string): unknown {
  const list = asList(value);
  if (list !== undefined) return /^(0|[1-9]\d{0,8})$/.test(step) ? list[Number(step)] : undefined;
  const object = asObject(value);
  return object !== undefined && Object.hasOwn(object, step) ? object[step] : undefined;
}
