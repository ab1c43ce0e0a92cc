import { existsSync } from 'node:fs';
import type { RecordLookup } from '../feed/recorded-references.ts';
import { RecordClient } from '../history/query/record-client.ts';
import { hasAnswersToKeys } from '../history/reading/known-keys.ts';
import { Recording, type RecordingParts } from '../history/record/recording.ts';
import type { ServedRequest } from '../http/answered-request.ts';
import { SealMailer } from '../notices/seal-mail.ts';
import { TimeStamper } from '../notices/time-stamp.ts';
import { recordHeads } from '../operator/record-heads.ts';
import { servingOf } from '../operator/request.ts';
import { databaseLost } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { MarketRoom } from './market-room.ts';
import type { ServiceOptions } from './service-options.ts';

/** The record, and the ways to ask it. */
export type RecordRoom = NonNullable<ReturnType<typeof recordRoom>>;

type Options = ServiceOptions & Pick<RecordingParts, 'sharing' | 'readClock' | 'shared'>;

/**
 * The record as configured; `undefined` where it is off, and in a process without a public listener.
 *
 * @param requestKey see `RequestIds`
 */
export function recordRoom(options: Options, market: MarketRoom, store: Store, requestKey: Uint8Array) {
  const { history, mail, environment } = options.configuration;
  if (history === undefined || options.only === 'feed') return undefined;
  const { location, keepForMs, sealTo, timestampUrl: url } = history;
  const record = new RecordClient(location, options.clock);
  const mailer = mail && sealTo && new SealMailer({ ...options, mail, to: sealTo, environment: environment?.title });
  const keep = (stamp: object) => record.ask('addEntry', ['stamp', stamp]);
  const stamper = url === undefined ? undefined : new TimeStamper({ ...options, url, keep });
  const recording = new Recording({
    ...options,
    location,
    keepForMs,
    market,
    requestKey,
    audit: store.audit,
    heads: recordHeads(store.snapshots),
    daySealed: (seal) => [mailer, stamper].forEach((each) => void each?.send(seal)),
  });
  return {
    asking: record,
    figures: () => recording.figures(),
    start: () => recording.start(),
    begin: (errorsUrl: string) => recording.begin(errorsUrl),
    served: (request: ServedRequest) => recording.served(servingOf(request)),
    async stop() {
      await Promise.all([recording.stop(), mailer?.stop(), stamper?.stop(), record.stop()]);
    },
  };
}

/**
 * The record as the feed asks it, in a thread of its own, because what operators ask can take minutes. `undefined`
 * where the record is off. A process that records nothing makes no file: it has nothing to read until another has made
 * it.
 */
export function pastPricesOf({ configuration, only, clock }: Pick<ServiceOptions, 'configuration' | 'only' | 'clock'>) {
  const location = configuration.history?.location;
  if (location === undefined) return undefined;
  const record = new RecordClient(location, clock);
  const isThere = () => only !== 'feed' || location.kind !== 'sqlite' || existsSync(location.path);
  const ask: RecordLookup = async (source, at) => (isThere() ? record.ask('middlesAt', [source, at]) : undefined);
  return { ask, stop: () => record.stop() };
}

/** Rejects with `StoreError` where the record knows keys of a store that is not there. */
export function lostStoreRefusal({ configuration: { history } }: Pick<ServiceOptions, 'configuration'>) {
  return async (name: string): Promise<void> => {
    if (history === undefined || !(await hasAnswersToKeys(history.location))) return;
    const { location } = history;
    throw databaseLost({ name, record: location.kind === 'sqlite' ? location.path : 'in PostgreSQL' });
  };
}
