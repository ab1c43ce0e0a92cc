import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Backoff } from '../../backoff.ts';
import type { ServiceBoard } from '../../board/service-board.ts';
import { asEpochMs, type Clock, type EpochMs, type Randomness, type Timer } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { Log } from '../../log.ts';
import type { FeedTarget } from '../../market/feed-target.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { GapFact, ProcessFact } from '../segment/rows.ts';
import type { Deletion, RecordLocation } from '../segment/segment-store.ts';
import { Recorder } from './recorder.ts';
import type { StreamedServing } from './stream.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker.ts';
import type { WriterFigures } from './writer.ts';

const tickEveryMs = 1_000;
const dayMs = 86_400_000;
/** A stop waits so long for the last minute to be sealed; the journal has it anyway. */
const stopTimeoutMs = 10_000;
const restartRange = { minMs: 1_000, maxMs: 60_000, jitter: 'equal' } as const;

/** The hash that the record ended with when a day was over. */
export interface DaySeal {
  /** The day, such as `2026-11-22`, in UTC. */
  readonly day: string;
  readonly chain: number;
  readonly segment: number;
  /** SHA-256 in hexadecimal digits. */
  readonly head: string;
}

export interface RecordingParts {
  readonly location: RecordLocation;
  readonly keepForMs: number;
  /** Of this software. */
  readonly version: string;
  readonly market: FeedTarget & { readonly service: Pick<ServiceBoard, 'announced'> };
  /** Asked for at the start, see `RequestNumbers`. */
  readonly requestKey: () => Uint8Array;
  readonly audit: Pick<Store['audit'], 'record'>;
  readonly daySealed: (seal: DaySeal) => void;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/**
 * Joins the recorder on this thread, the recording thread and what is reported of both. A recording thread that ends is
 * started again; what is published meanwhile is a gap.
 */
export class Recording {
  readonly #parts: RecordingParts;
  readonly #recorder: Recorder;
  readonly #restart: Backoff;
  /** The part of the record that this process writes. */
  #chain = 0;
  #worker: Worker | undefined;
  #timers: Timer[] = [];
  #isStopping = false;
  #day = 0;
  #recorded: { windows?: unknown; path?: unknown } = {};
  #gaps = 0;
  /** Left by the process before; recorded with the first flush. */
  #leftGap: GapFact | undefined;
  #gapSince: EpochMs | undefined;
  #trouble: string | undefined;
  #figures: WriterFigures | undefined;

  constructor(parts: RecordingParts) {
    const { market, clock, randomness, log } = parts;
    this.#parts = parts;
    this.#restart = new Backoff(randomness, restartRange);
    this.#recorder = new Recorder({
      book: market.book,
      clock,
      channel: { send: (piece) => this.#post({ kind: 'piece', piece }, [piece.buffer as ArrayBuffer]) },
      onFlush: () => this.#recordFacts(),
      onGap: (since, error) => {
        if (since !== undefined && this.#gapSince === undefined) {
          this.#gaps++;
          log.error({ err: error, trouble: this.#trouble }, 'the record of quotes and answers has a gap');
        }
        if (since === undefined) {
          this.#recorded = {};
          log.warn({}, 'the record of quotes and answers goes on after a gap');
        }
        this.#gapSince = since;
      },
    });
  }

  figures() {
    const { quotes = 0, servings = 0, segmentBytes = 0 } = this.#figures ?? {};
    const { backlogBytes } = this.#recorder;
    const gap = { gaps: this.#gaps, gapSince: this.#gapSince };
    return { quotes, servings, segmentBytes, backlogBytes, ...gap, trouble: this.#trouble };
  }

  /** Starts the recording thread. Rejects with `StoreError` (`cannot_open`) where its file cannot be opened. */
  async start(): Promise<void> {
    const worker = this.#startWorker();
    const [first] = (await once(worker, 'message')) as [FromWorker];
    if (first.kind === 'failed')
      throw new StoreError('cannot_open', `${first.message} It is for the record: history.url.`);
  }

  /** From here on everything is recorded. Before the first request. */
  begin(errorsUrl: string): void {
    const { clock, version } = this.#parts;
    const process: ProcessFact = { version, errorsUrl };
    this.#day = Math.floor(clock.now() / dayMs);
    this.#recorder.start([['process', JSON.stringify(process)]]);
    this.#timers.push(clock.every(tickEveryMs, () => this.#tick()));
  }

  served(serving: StreamedServing): void {
    this.#recorder.served(serving);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    this.#recorder.stop();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    this.#post({ kind: 'stop' });
    const late = this.#parts.clock.after(stopTimeoutMs, () => void worker.terminate());
    await exited;
    late.cancel();
  }

  #startWorker(): Worker {
    const { location, keepForMs, requestKey, clock } = this.#parts;
    const settings: WorkerSettings = { location, requestKey: requestKey(), startedAt: clock.now(), keepForMs };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: settings });
    worker.on('message', (message: FromWorker) => this.#hear(message));
    worker.on('error', (error) => this.#parts.log.error({ err: error }, 'the recording thread failed'));
    worker.once('exit', () => this.#workerEnded());
    this.#worker = worker;
    return worker;
  }

  #workerEnded(): void {
    this.#worker = undefined;
    if (this.#isStopping) return;
    this.#recorder.channelLost();
    const { clock } = this.#parts;
    this.#timers.push(clock.after(this.#restart.nextMs(), () => !this.#isStopping && this.#startWorker()));
  }

  #post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #hear(message: FromWorker): void {
    const { log } = this.#parts;
    switch (message.kind) {
      case 'open':
        this.#recorder.channelRestored();
        this.#chain = message.chain;
        if (message.gap === undefined) return;
        this.#gaps++;
        log.warn(
          { from: isoInstant(message.gap.from) },
          'the process before was killed: the record has a gap until now',
        );
        this.#leftGap = message.gap;
        return;
      case 'failed':
        log.error({ message: message.message }, 'the record cannot be opened');
        void this.#worker?.terminate();
        return;
      case 'written':
        this.#recorder.written(message.bytes);
        return;
      case 'state':
        this.#figures = message.figures;
        if (message.trouble === this.#trouble) return;
        this.#trouble = message.trouble;
        if (this.#trouble === undefined) log.warn({}, 'the record of quotes and answers can be written again');
        else log.error({ trouble: this.#trouble }, 'the record of quotes and answers cannot be written');
        return;
      case 'deleted':
        this.#deleted(message.deletion);
    }
  }

  #deleted({ chain, first, last, until }: Deletion): void {
    const summary = `deleted the record before ${isoInstant(until)}: segments ${first} to ${last}`;
    const subject = { kind: 'history', id: String(chain) } as const;
    this.#parts.audit
      .record({ action: 'history.deleted', subject, summary, details: { first, last } })
      .catch((error) => {
        this.#parts.log.error({ err: error }, 'the deletion of a part of the record could not be audited');
      });
  }

  #tick(): void {
    const now = this.#parts.clock.now();
    this.#post({ kind: 'tick', now });
    const day = Math.floor(now / dayMs);
    if (day === this.#day || this.#figures === undefined) return;
    const ended = isoInstant(asEpochMs(this.#day * dayMs)).slice(0, 10);
    this.#day = day;
    const { number, hash } = this.#figures.head;
    const seal: DaySeal = { day: ended, chain: this.#chain, segment: number, head: Buffer.from(hash).toString('hex') };
    this.#parts.log.info({ ...seal }, 'the record up to this day ends with this hash');
    this.#parts.daySealed(seal);
  }

  #recordFacts(): void {
    if (this.#leftGap !== undefined) this.#recorder.fact('gap', '', JSON.stringify(this.#leftGap));
    this.#leftGap = undefined;
    const { service, feedStatus } = this.#parts.market;
    const { announced } = service;
    if (announced !== this.#recorded.windows) this.#recorder.fact('windows', '', JSON.stringify(announced));
    if (feedStatus.path !== this.#recorded.path)
      this.#recorder.fact('feed', '', JSON.stringify({ path: feedStatus.path }));
    this.#recorded = { windows: announced, path: feedStatus.path };
  }
}
