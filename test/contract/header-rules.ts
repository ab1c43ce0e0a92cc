import type { SchemaCheck } from '../../src/contract/document-schemas.testing.ts';
import type { Header, Headers } from '../../src/contract/openapi-responses.ts';

/** Headers by lower-case name; several lines of one name are one value, joined as `fetch` does. */
export type ObservedHeaders = ReadonlyMap<string, string>;

/** Headers of HTTP itself or of a browser's safety, which say nothing about the contract. */
const beyondTheContract = new Set([
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'keep-alive',
  'referrer-policy',
  'strict-transport-security',
  'transfer-encoding',
  'x-content-type-options',
]);

/** Whether every documented header is there and right, and no other one is. */
export function headerFaults(
  documented: Headers,
  resolve: (header: Headers[string]) => Header,
  observed: ObservedHeaders,
  check: SchemaCheck,
): readonly string[] {
  const faults: string[] = [];
  const known = new Set(beyondTheContract);
  for (const [name, reference] of Object.entries(documented)) {
    known.add(name.toLowerCase());
    const header = resolve(reference);
    const value = observed.get(name.toLowerCase());
    if (value === undefined && header.required) faults.push(`header ${name} is missing`);
    if (value !== undefined) faults.push(...valueFaults(name, header, value, check));
  }
  for (const name of observed.keys()) if (!known.has(name)) faults.push(`header ${name} is not documented`);
  return [...faults, ...rateLimitFaults(observed)];
}

function valueFaults(name: string, header: Header, value: string, check: SchemaCheck): readonly string[] {
  const isNumber = header.schema.type === 'integer';
  if (isNumber && !/^(0|[1-9]\d*)$/.test(value)) return [`header ${name} is not an integer: ${value}`];
  return check(header.schema, isNumber ? Number(value) : value).map((fault) => `header ${name}: ${value}: ${fault}`);
}

/** The three headers of a limit come together, and what is left never exceeds the limit. */
function rateLimitFaults(observed: ObservedHeaders): readonly string[] {
  const values = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => observed.get(name));
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return [];
  if (present.length < 3) return ['only some of the rate limit headers are there'];
  return Number(values[1]) > Number(values[0]) ? ['more requests are left than the limit allows'] : [];
}
