import { Backoff } from '../ground/backoff.ts';
import { sleep } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { type OpenStoreOptions, openStore, type Store, wayBack } from './store.ts';
import { StoreError, type StoreErrorReason } from './store-error.ts';

const retryRange = { minMs: 500, maxMs: 5_000, jitter: 'equal' } as const;
const remindEveryMs = 30_000;

/** Reasons that may pass by themselves. The operator has to fix anything else, and waiting would only hide it. */
const transientReasons: ReadonlySet<StoreErrorReason> = new Set(['unreachable', 'no_answer', 'too_slow', 'locked']);

/**
 * Opens the store. While its server cannot be reached it tries again, and says so: a service without its keys would
 * refuse every client. Throws `StoreError` at once for what waiting cannot fix, and the latest when the signal ends the
 * waiting.
 */
export async function openStoreWhenThere(
  options: OpenStoreOptions,
  log: Log,
  signal = new AbortController().signal,
): Promise<Store> {
  const { clock, randomness } = options;
  const backoff = new Backoff(randomness, retryRange);
  let remindAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      const opened = await openStore(options);
      if (Number.isFinite(remindAtMs)) log.info({}, 'the store can be reached');
      const { kept } = opened;
      if (kept !== undefined) log.warn({ backup: kept }, `the database was brought up to date. ${wayBack(kept)}`);
      return opened;
    } catch (error) {
      if (!(error instanceof StoreError) || !transientReasons.has(error.reason) || signal.aborted) throw error;
      if (clock.monotonicMs() >= remindAtMs) {
        log.warn({ err: error }, 'the store cannot be reached; the service starts when it can');
        remindAtMs = clock.monotonicMs() + remindEveryMs;
      }
      await sleep(clock, backoff.nextMs(), signal);
      if (signal.aborted) throw error;
    }
  }
}
