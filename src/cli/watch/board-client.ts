import type { BoardView } from '../../admin/board-view.ts';
import { type Clock, sleep } from '../../clock.ts';
import type { Configuration } from '../../configuration/configuration.ts';

const patienceMs = 5_000;

/** What one look at the server gave. */
export type Look =
  | { readonly kind: 'seen'; readonly view: BoardView }
  /** `why` goes into a sentence after "No answer from …:". */
  | { readonly kind: 'lost'; readonly why: string };

/** Where the private listener is, as an address to ask. */
export function boardUrl({ host, port }: Configuration['admin']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Asks once. Never throws: what does not answer, not in 5 s, or not as our server does, is lost. */
export async function lookAt(url: string, clock: Clock, signal: AbortSignal): Promise<Look> {
  const late = new AbortController();
  const patience = clock.after(patienceMs, () => late.abort());
  try {
    const response = await fetch(`${url}/board`, { signal: AbortSignal.any([signal, late.signal]) });
    const view = viewIn(await response.json());
    return view === undefined ? { kind: 'lost', why: 'what answers is no server of this version' } : view;
  } catch (error) {
    return { kind: 'lost', why: late.signal.aborted ? `nothing in ${patienceMs / 1000} s` : reasonOf(error) };
  } finally {
    patience.cancel();
  }
}

/** Looks every `intervalMs`, from one beginning to the next, until `signal` aborts. What `tell` throws ends it. */
export async function follow(
  look: () => Promise<Look>,
  { clock, intervalMs, signal }: { readonly clock: Clock; readonly intervalMs: number; readonly signal: AbortSignal },
  tell: (look: Look) => void,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs();
    const found = await look();
    if (signal.aborted) return;
    tell(found);
    await sleep(clock, Math.max(0, intervalMs - (clock.monotonicMs() - startedMs)), signal);
  }
}

function viewIn(body: unknown): Look | undefined {
  const isView =
    typeof body === 'object' && body !== null && 'service' in body && 'markets' in body && Array.isArray(body.markets);
  return isView ? { kind: 'seen', view: body as BoardView } : undefined;
}

/** The platform hides the reason behind a general "fetch failed". */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'what answers is no server of this version';
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  const known: Record<string, string> = { ECONNREFUSED: 'connection refused', ENOTFOUND: 'the host is not known' };
  return known[cause?.code ?? ''] ?? cause?.message ?? (error as Error).message;
}
