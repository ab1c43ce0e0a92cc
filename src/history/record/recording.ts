import type { ServiceBoard } from '../../board/service-board.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs, Timer } from '../../ground/clock.ts';
import type { MetricGroup } from '../../ground/metric.ts';
import type { FeedTarget } from '../../market/feed-target.ts';
import type { Store } from '../../store/store.ts';
import type { ExpectedHead } from '../segment/expected-heads.ts';
import type { FactKind, GapFact, ProcessFact, PublishingFact } from '../segment/rows.ts';
import type { DaySeal } from '../segment/segment-store.ts';
import { Recorder } from './recorder.ts';
import { RecordingThread, type ThreadParts } from './recording-thread.ts';
import type { StreamedServing } from './stream.ts';
import type { FromWorker, RecordDoubt } from './worker.ts';
import type { WriterFigures } from './writer.ts';

const tickEveryMs = 1_000;
const checkEveryMs = 30_000;
/** A clock that is off by so much more or less is recorded. */
const offsetStepMs = 250;

export interface RecordingParts extends Omit<ThreadParts, 'heard' | 'ended'> {
  /** The version of this software. */
  readonly version: string;
  readonly market: FeedTarget & { readonly service: Pick<ServiceBoard, 'announced'> };
  /** Its part in the feed that several processes have together; `undefined` where it shares none. */
  readonly sharing: (() => { readonly isLeading: boolean; readonly isAlone: boolean }) | undefined;
  readonly audit: Pick<Store['audit'], 'record'>;
  /** Ends of the chains, kept outside of the record. */
  readonly heads: {
    load(): Promise<readonly ExpectedHead[]>;
    keep(ends: readonly ExpectedHead[]): Promise<void>;
  };
  /** How far the wall clock is ahead of that of each source that tells its own, in milliseconds. */
  readonly readClock: () => { readonly bySource: ReadonlyMap<string, number> };
  /** Counts in Redis, and says how far the wall clock is ahead of that of Redis. */
  readonly shared: { figures(): { readonly clockSkewMs: number | undefined } } | undefined;
  /** A day is over, and all of it is stored. */
  readonly daySealed: (seal: DaySeal) => void;
}

type Heard = Exclude<FromWorker, { readonly kind: 'failed' }>;
/** By the kind of the message. */
type MessageHandlers = {
  readonly [Kind in Heard['kind']]: (message: Extract<Heard, { readonly kind: Kind }>) => void;
};

/**
 * Joins the recorder on this thread, the recording thread and what is reported of both. What is published without that
 * thread is a gap.
 */
export class Recording {
  readonly #parts: RecordingParts;
  readonly #recorder: Recorder;
  readonly #thread: RecordingThread;
  #timer: Timer | undefined;
  #recorded: { windows?: unknown; path?: unknown; publishing?: PublishingFact } = {};
  #offsets: ReadonlyMap<string, number> = new Map();
  #checkedAt = 0;
  #doubt: RecordDoubt | undefined;
  #keeping: Promise<void> = Promise.resolve();
  #gaps = 0;
  /** Left by the process before; recorded with the first flush. */
  #leftGap: GapFact | undefined;
  #gapSince: EpochMs | undefined;
  #lastError: string | undefined;
  #figures: WriterFigures | undefined;

  constructor(parts: RecordingParts) {
    const { market, clock, log } = parts;
    this.#parts = parts;
    const ended = () => this.#recorder.channelLost();
    const heard = (message: Heard) => (this.#heard[message.kind] as (message: Heard) => void)(message);
    this.#thread = new RecordingThread({ ...parts, heard, ended });
    this.#recorder = new Recorder({
      markets: market.markets,
      clock,
      channel: { send: (piece) => this.#thread.post({ kind: 'piece', piece }, [piece.buffer as ArrayBuffer]) },
      onFlush: () => this.#recordFacts(),
      onStandstill: () => {
        this.#recorded.publishing = false;
      },
      onGap: (since, error) => {
        if (since !== undefined && this.#gapSince === undefined) {
          this.#gaps++;
          log.error({ err: error, trouble: this.#lastError }, 'the record of quotes and answers has a gap');
        }
        if (since === undefined) {
          this.#recorded = {};
          this.#offsets = new Map();
          log.warn({}, 'the record of quotes and answers goes on after a gap');
        }
        this.#gapSince = since;
      },
    });
  }

  /**
   * `backlogBytes` are on their way to the journal; `gaps` are those since the start, with one left before; `silent`
   * are other processes; `doubt` is why the record is no longer the one it was. `clockOffsetMs` is how far the wall
   * clock is ahead of that of the record's database.
   */
  figures() {
    const { quotes = 0, servings = 0, segmentBytes = 0, silent = [], clockOffsetMs } = this.#figures ?? {};
    const { backlogBytes } = this.#recorder;
    const gap = { gaps: this.#gaps, gapSince: this.#gapSince, silent, doubt: this.#doubt };
    return { quotes, servings, segmentBytes, backlogBytes, ...gap, clockOffsetMs, trouble: this.#lastError };
  }

  /** Starts the recording thread. Rejects with `StoreError` (`cannot_open`) where its file cannot be opened. */
  start(): Promise<void> {
    return this.#thread.start();
  }

  /** From here on everything is recorded. Before the first request. */
  begin(errorsUrl: string): void {
    const { clock, version } = this.#parts;
    const process: ProcessFact = { version, errorsUrl };
    this.#recorder.start([['process', JSON.stringify(process)]]);
    this.#timer = clock.every(tickEveryMs, () => this.#tick());
  }

  served(serving: StreamedServing): void {
    this.#recorder.served(serving);
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#recorder.stop();
    await this.#thread.stop();
    await this.#keeping;
  }

  readonly #heard: MessageHandlers = {
    open: ({ gap }) => {
      this.#recorder.channelRestored();
      if (gap === undefined) return;
      this.#gaps++;
      this.#leftGap = gap;
      const fields = { from: isoInstant(gap.from) };
      this.#parts.log.warn(fields, 'the process before was killed: the record has a gap until now');
    },
    written: ({ bytes }) => this.#recorder.written(bytes),
    state: ({ figures, lastError }) => {
      const { log } = this.#parts;
      this.#figures = figures;
      if (lastError === this.#lastError) return;
      this.#lastError = lastError;
      if (lastError === undefined) log.warn({}, 'the record of quotes and answers can be written again');
      else log.error({ trouble: lastError }, 'the record of quotes and answers cannot be written');
    },
    checked: ({ finding, ends }) => {
      const { log, heads } = this.#parts;
      if (finding !== undefined && this.#doubt === undefined)
        log.error({ finding }, 'the record is no longer what it was: a part was cut off or exchanged, or it was moved');
      if (finding === undefined && this.#doubt !== undefined) log.warn({}, 'the record is what the store knows again');
      this.#doubt = finding;
      if (ends.length === 0) return;
      this.#keeping = heads.keep(ends).catch((error) => log.warn({ err: error }, 'the end of the record was not kept'));
    },
    sealed: ({ seal }) => {
      this.#parts.log.info(seal, 'the record up to this day ends with this hash');
      this.#parts.daySealed(seal);
    },
    deleted: ({ deletion: { chain, first, last, until } }) => {
      const summary = `deleted the record before ${isoInstant(until)}: segments ${first} to ${last}`;
      const subject = { kind: 'history', id: String(chain) } as const;
      const { audit, log } = this.#parts;
      audit
        .record({ action: 'history.deleted', subject, summary, details: { first, last, untilMs: until } })
        .catch((error) => log.error({ err: error }, 'the deletion of a part of the record could not be audited'));
    },
  };

  #tick(): void {
    const now = this.#parts.clock.now();
    // What was noted before goes first, so that all of it is stored once this is.
    this.#recorder.flush();
    this.#thread.post({ kind: 'tick', now, until: this.#gapSince ?? now });
    if (Math.abs(now - this.#checkedAt) < checkEveryMs) return;
    this.#checkedAt = now;
    const check = (kept: readonly ExpectedHead[]) => this.#thread.post({ kind: 'check', kept });
    // Readiness and the log report a store that cannot be read.
    this.#parts.heads.load().then(check, () => {});
  }

  #recordFacts(): void {
    const { market, sharing, clock } = this.#parts;
    const { feedStatus } = market;
    const { announced } = market.service;
    if (this.#leftGap !== undefined) this.#note('gap', this.#leftGap);
    this.#leftGap = undefined;
    if (announced !== this.#recorded.windows) this.#note('windows', announced);
    if (feedStatus.path !== this.#recorded.path) this.#note('feed', { path: feedStatus.path });
    const { isLeading = true, isAlone = false } = sharing?.() ?? {};
    const isFed = feedStatus.flow(clock.now(), clock.monotonicMs()).state !== 'silent';
    const publishing = isFed && (isLeading || (isAlone && 'alone'));
    if (publishing !== (this.#recorded.publishing ?? false)) this.#note('publishing', publishing);
    this.#recordOffsets();
    this.#recorded = { windows: announced, path: feedStatus.path, publishing };
  }

  #recordOffsets(): void {
    const { readClock, shared } = this.#parts;
    const databases = { redis: shared?.figures().clockSkewMs, postgres: this.#figures?.clockOffsetMs };
    const told = [...readClock().bySource, ...Object.entries(databases)];
    const offsets = told.flatMap(([other, offsetMs]) => (offsetMs === undefined ? [] : [[other, offsetMs] as const]));
    const isOff = ([other, offsetMs]: readonly [string, number]) =>
      Math.abs(offsetMs - (this.#offsets.get(other) ?? Infinity)) >= offsetStepMs;
    if (!offsets.some(isOff)) return;
    this.#offsets = new Map(offsets);
    this.#note('clock', Object.fromEntries(offsets.map(([other, offsetMs]) => [other, Math.round(offsetMs)])));
  }

  #note(kind: FactKind, value: unknown): void {
    this.#recorder.fact(kind, '', JSON.stringify(value));
  }
}

/** Without a value where nothing is recorded. */
export const recordMetrics: MetricGroup<{
  readonly figures: ReturnType<Recording['figures']> | undefined;
  readonly now: EpochMs;
}> = {
  title: 'Record',
  metrics: [
    { name: 'record_quotes_total', help: 'Published prices recorded.', read: ({ figures }) => figures?.quotes },
    { name: 'record_answers_total', help: 'Answers to keys recorded.', read: ({ figures }) => figures?.servings },
    { name: 'record_bytes_total', help: 'Bytes of sealed segments.', read: ({ figures }) => figures?.segmentBytes },
    {
      name: 'record_backlog_bytes',
      help: 'Bytes noted and not in the journal yet.',
      read: ({ figures }) => figures?.backlogBytes,
    },
    {
      name: 'record_write_failing',
      help: '1 while the record cannot be written and waits in memory.',
      read: ({ figures }) => figures && Number(figures.trouble !== undefined),
    },
    { name: 'record_gaps_total', help: 'Gaps in the record.', read: ({ figures }) => figures?.gaps },
    {
      name: 'record_gap_seconds',
      help: 'How long nothing has been recorded; 0 while all is.',
      read: ({ figures, now }) => figures && (figures.gapSince === undefined ? 0 : (now - figures.gapSince) / 1000),
    },
    {
      name: 'record_silent_processes',
      help: 'Processes whose record ended without a stop.',
      read: ({ figures }) => figures?.silent.length,
    },
    {
      name: 'postgres_clock_skew_seconds',
      help: 'Wall clock of this process minus that of the PostgreSQL server of its record.',
      read: ({ figures }) => (figures?.clockOffsetMs === undefined ? undefined : figures.clockOffsetMs / 1000),
    },
  ],
};
