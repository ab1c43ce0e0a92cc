import Type, { type Static, type TSchema } from 'typebox';
import { lastInstantMs } from './instant.ts';

/** A price, amount or size: plain notation, no sign, no exponent, no superfluous leading zero. */
const decimalPattern = '^(0|[1-9]\\d*)(\\.\\d+)?$';

/** A change in percent: two decimals, `-` allowed, no `+`, no `%`. */
const percentPattern = '^-?(0|[1-9]\\d*)\\.\\d{2}$';

const symbolPattern = '^[A-Z0-9]{2,32}$';

/** A symbol as a client may write it. */
export const anyCaseSymbolPattern = '^[A-Za-z0-9]{2,32}$';

const currencyPattern = '^[A-Z0-9]{1,16}$';

export const requestIdPattern = '^[A-Za-z0-9_-]{16,64}$';

/** One line of text: no control characters, so no line breaks either. */
export const linePattern = '^[^\\u0000-\\u001F\\u007F]+$';

const decimalLengthMax = 64;

/** Decimal places a market can have; the bound of both precisions. */
const precisionMax = 18;

/** A schema of `components/schemas`, referred to by its name. The static type is that of `Schema`. */
export function component<Schema extends TSchema>(name: string, description?: string) {
  return Type.Unsafe<Static<Schema>>({
    $ref: `#/components/schemas/${name}`,
    ...(description === undefined ? {} : { description }),
  });
}

export function decimal(description: string, example: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: decimalLengthMax,
    pattern: decimalPattern,
    examples: [example],
  });
}

export function percent(description: string, example: string) {
  return Type.String({
    description,
    minLength: 4,
    maxLength: decimalLengthMax,
    pattern: percentPattern,
    examples: [example],
  });
}

/** The format alone: generators turn it into a date, and some of them cannot apply a pattern or a length to one. */
const instantText = { format: 'date-time' } as const;

export function instant(description: string, example: string) {
  return Type.String({ description, ...instantText, examples: [example] });
}

const instantNumber = { format: 'int64', minimum: 0, maximum: lastInstantMs } as const;

export function instantMs(description: string, example: string) {
  return Type.Integer({ description, ...instantNumber, examples: [Date.parse(example)] });
}

export function nullableInstant(description: string, example: string) {
  return Type.Unsafe<string | null>({
    description,
    type: ['string', 'null'],
    ...instantText,
    examples: [example, null],
  });
}

export function nullableInstantMs(description: string, example: string) {
  return Type.Unsafe<number | null>({
    description,
    type: ['integer', 'null'],
    ...instantNumber,
    examples: [Date.parse(example), null],
  });
}

export function currency(description: string, example: string) {
  return Type.String({ description, minLength: 1, maxLength: 16, pattern: currencyPattern, examples: [example] });
}

export function symbol(description: string, example: string) {
  return Type.String({ description, minLength: 2, maxLength: 32, pattern: symbolPattern, examples: [example] });
}

export function places(description: string, example: number) {
  return Type.Integer({ description, format: 'int32', minimum: 0, maximum: precisionMax, examples: [example] });
}

export function address(description: string, example: string) {
  return Type.String({
    description,
    format: 'uri',
    minLength: 8,
    maxLength: 2048,
    pattern: '^https?://',
    examples: [example],
  });
}

/**
 * A set that can grow: a string, with today's values in `x-extensible-enum` and in words. With `enum`, or a union of
 * it and a string, clients that a generator makes fail at the first new value or lose the plain string.
 */
export function openSet<Value extends string>(
  values: readonly Value[],
  form: { readonly pattern: string },
  description: string,
) {
  return Type.Unsafe<Value>({ description, ...openSetForm(values, form), examples: [values[0]] });
}

/** The same without words, for a header. */
export function openSetForm(values: readonly string[], { pattern }: { readonly pattern: string }) {
  return { type: 'string', minLength: 1, maxLength: 64, pattern, 'x-extensible-enum': [...values] } as const;
}

export const lowerCaseWord = { pattern: '^[a-z][a-z_]*$' };
export const upperCaseWord = { pattern: '^[A-Z][A-Z0-9_]*$' };
