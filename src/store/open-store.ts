import { Backoff } from '../ground/backoff.ts';
import { sleep } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { type OpenStoreOptions, openStore, type Store, wayBack } from './store.ts';
import { StoreError, type StoreErrorReason, type StoreErrorValues } from './store-error.ts';

const retryRange = { minMs: 500, maxMs: 5_000, jitter: 'equal' } as const;
const remindEveryMs = 30_000;

/** Reasons that may pass by themselves. The operator has to fix anything else, and waiting would only hide it. */
const transientReasons: ReadonlySet<StoreErrorReason> = new Set(['unreachable', 'no_answer', 'too_slow', 'locked']);

/** The record is not part of that copy. */
const ofRecord =
  'The record stays as it is: where `mdapi upgrade check` said that it takes a new form, restore the backup of before too';

/** There is no database where there has been one. */
export function databaseLost(values: StoreErrorValues['cannot_open.lost']) {
  const { name, record } = values;
  const message =
    `There is no database ${name}, and the record ${record} knows answers to keys that would be in it. ` +
    'Mount or restore it, or correct `store`. To begin anew all the same, make one with `mdapi accounts create`.';
  return new StoreError('cannot_open.lost', values, message);
}

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
      const { kept, made } = opened;
      if (made !== undefined)
        log.warn({ database: made }, 'there was no database, and a new one was made: it holds no key');
      if (kept !== undefined)
        log.warn({ backup: kept }, `the database was brought up to date. ${wayBack(kept)}. ${ofRecord}`);
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
