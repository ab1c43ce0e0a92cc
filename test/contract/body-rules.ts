import { isoInstant } from '../../src/contract/instant.ts';

/**
 * What the contract promises of a body and JSON Schema cannot say. Gives what is wrong, empty when
 * nothing is. The body must be one that its schema accepts.
 */
export function bodyFaults(body: unknown): readonly string[] {
  return [...walk(body, ''), ...orderFaults(body), ...statusFaults(body)];
}

function* walk(value: unknown, at: string): Generator<string> {
  if (typeof value === 'string' && /^-0+(\.0+)?$/.test(value)) yield `${at} is a zero with a sign: ${value}`;
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield* objectFaults(value as Record<string, unknown>, at);
  for (const [name, member] of Object.entries(value)) yield* walk(member, `${at}/${name}`);
}

function* objectFaults(object: Record<string, unknown>, at: string): Generator<string> {
  for (const [name, milliseconds] of Object.entries(object)) {
    if (name.endsWith('Ms')) yield* pairFaults(object[name.slice(0, -2)], milliseconds, `${at}/${name}`);
  }
  const { symbol, base, quote } = object;
  if (symbol !== undefined && symbol !== `${base}${quote}`) yield `${at}/symbol is not base and quote: ${symbol}`;
}

/** Every point in time is there twice, as the same instant, or null twice. */
function* pairFaults(text: unknown, milliseconds: unknown, at: string): Generator<string> {
  const expected = typeof milliseconds === 'number' ? isoInstant(milliseconds) : milliseconds;
  if (text !== expected) yield `${at} is another instant than its text: ${milliseconds} and ${text}`;
}

/** Markets are ordered by symbol; neither list names a symbol twice. */
function orderFaults(body: unknown): readonly string[] {
  const { markets, tickers } = body as { markets?: { symbol: string }[]; tickers?: { symbol: string }[] };
  const faults: string[] = [];
  const listed = (markets ?? tickers ?? []).map(({ symbol }) => symbol);
  if (new Set(listed).size < listed.length) faults.push('a symbol is listed twice');
  if (markets !== undefined && listed.some((symbol, index) => index > 0 && symbol < listed[index - 1]!)) {
    faults.push('the markets are not ordered by symbol');
  }
  return faults;
}

const worstLast = ['operational', 'degraded', 'outage'];

/** The overall status follows from the parts (contract, ServiceStatus). */
function statusFaults(body: unknown): readonly string[] {
  const { status, api, components, maintenance } = body as Record<string, unknown>;
  if (components === undefined) return [];
  const { ticker } = components as { ticker: string };
  if (status === 'maintenance' || api === 'maintenance') {
    return status === api && maintenance !== null ? [] : ['maintenance differs between members'];
  }
  const parts = [api as string, ticker];
  const worst = parts.sort((one, other) => worstLast.indexOf(one) - worstLast.indexOf(other)).at(-1);
  return status === worst ? [] : [`/status is ${status}, but the worst part is ${worst}`];
}
