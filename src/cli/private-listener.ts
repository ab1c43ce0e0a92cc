import type { Configuration } from '../configuration/configuration.ts';
import { type Clock, withTimeout } from '../ground/clock.ts';
import type { SourceView } from '../management/views.ts';
import type { PriceAnswer, PriceReport } from '../operator/price.ts';
import { leaveTicket } from '../operator/ticket.ts';
import type { Store } from '../store/store.ts';

type Address = Configuration['admin'];

const timeoutMs = 5_000;

/** The private listener of the running server on this machine. */
export function privateUrl({ host, port }: Address): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The JSON that the running server on this machine answers, whatever its status; `undefined` when nothing does. */
export async function askServer(admin: Address, clock: Clock, path: string, asked?: RequestInit): Promise<unknown> {
  try {
    return await withTimeout(clock, timeoutMs, async (signal) => {
      const response = await fetch(`${privateUrl(admin)}${path}`, { ...asked, signal });
      return response.json();
    });
  } catch {
    return undefined;
  }
}

/**
 * Has the running server do one operation in the name of the actor: it is asked for a challenge, which is answered in
 * the store. `undefined` where no server of ours answers.
 */
export async function commandServer(
  { admin, clock, store }: { readonly admin: Address; readonly clock: Clock; readonly store: Store },
  { operation, path }: { readonly operation: string; readonly path: string },
  actor: string,
): Promise<unknown> {
  const given = (await askServer(admin, clock, '/api/challenges', { method: 'POST' })) as {
    challenge?: unknown;
  } | null;
  const challenge = given?.challenge;
  if (typeof challenge !== 'string') return undefined;
  await leaveTicket(store, { challenge, operation }, actor);
  const headers = { Authorization: `Challenge ${challenge}` };
  return askServer(admin, clock, path, { method: 'POST', headers });
}

/** Its sources; `undefined` where none of ours answers. */
export async function askSources(admin: Address, clock: Clock): Promise<SourceView[] | undefined> {
  const answer = (await askServer(admin, clock, '/sources')) as { sources?: SourceView[] } | null | undefined;
  return Array.isArray(answer?.sources) ? answer.sources : undefined;
}

/**
 * The price of a market as the running server explains it; `undefined` when no server of ours answers: the port may
 * belong to another program.
 */
export async function askPrice(admin: Address, clock: Clock, symbol: string): Promise<PriceAnswer | undefined> {
  const body = await askServer(admin, clock, `/prices/${encodeURIComponent(symbol)}`);
  if (typeof body !== 'object' || body === null) return undefined;
  if ('buy' in body && 'sell' in body) return { kind: 'priced', report: body as PriceReport };
  const isAnswer = 'kind' in body && (body.kind === 'unpriced' || body.kind === 'unknown_symbol');
  return isAnswer ? (body as PriceAnswer) : undefined;
}
