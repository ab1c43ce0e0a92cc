import Big from 'big.js';
import { quoted } from './ticker.ts';

const numeric = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

/** A value as a JSON string; a fault's value that is not a number is left unchanged. */
export function stringText(value: string | undefined): string | undefined {
  return value === undefined ? undefined : quoted(value);
}

/** An object from JSON texts: built as text, so that every digit stays. A member that is `undefined` is left out. */
export function objectText(members: Readonly<Record<string, string | undefined>>): string {
  const texts = Object.entries(members).flatMap(([name, text]) => (text === undefined ? [] : `"${name}":${text}`));
  return `{${texts.join(',')}}`;
}

/** `one` minus `other`; `undefined` unless both are numbers. */
export function difference(one: string | undefined, other: string | undefined): string | undefined {
  return isNumber(one) && isNumber(other) ? new Big(one).minus(other).toFixed() : undefined;
}

/** `one` times `other`; `undefined` unless both are numbers. */
export function product(one: string | undefined, other: string | undefined): string | undefined {
  return isNumber(one) && isNumber(other) ? new Big(one).times(other).toFixed() : undefined;
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && numeric.test(text);
}

/** The message of a client, as far as it is an object. */
export function requestIn<Request extends object>(text: string): Partial<Request> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** 100,000 arrays, each in the one before. */
export const nestedArrays = '['.repeat(100_000) + ']'.repeat(100_000);
