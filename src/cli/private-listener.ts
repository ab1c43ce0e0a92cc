import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** The private listener of the running server on this machine. */
export function privateUrl({ host, port }: Configuration['admin']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Runs `work` with a signal that aborts after `timeoutMs`. */
export async function withTimeout<T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timeout = clock.after(timeoutMs, () => late.abort());
  try {
    return await work(late.signal);
  } finally {
    timeout.cancel();
  }
}
