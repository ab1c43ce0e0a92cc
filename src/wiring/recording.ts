import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Backoff } from '../backoff.ts';
import { asEpochMs, type EpochMs, type Timer } from '../clock.ts';
import type { HistoryConfiguration } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import type { AskRecord } from '../feed/recorded-references.ts';
import { RecordAsking } from '../history/query/asking.ts';
import { Recorder } from '../history/record/recorder.ts';
import type { FromWorker, ToWorker, WorkerSettings } from '../history/record/worker.ts';
import type { WriterFigures } from '../history/record/writer.ts';
import type { GapFact, ProcessFact } from '../history/segment/rows.ts';
import type { Deletion } from '../history/segment/segment-store.ts';
import type { ServedRequest } from '../http/answered-request.ts';
import { queryValues } from '../http/request-target.ts';
import { parseSymbol } from '../market/symbol.ts';
import { SealMailer } from '../notices/seal-mail.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { MarketRoom } from './market-room.ts';
import type { ServiceOptions } from './service-options.ts';

const tickEveryMs = 1_000;
const dayMs = 86_400_000;
/** A stop waits so long for the last minute to be sealed; the journal has it anyway. */
const stopTimeoutMs = 10_000;
const restartRange = { minMs: 1_000, maxMs: 60_000, jitter: 'equal' } as const;

/**
 * The record as configured; `undefined` where it is off, and in a process without a public listener.
 *
 * @param requestKey asked for at the start, see `RequestIds`
 */
export function recordingOf(
  options: ServiceOptions,
  market: MarketRoom,
  store: Store,
  requestKey: () => Uint8Array,
): Recording | undefined {
  const { history } = options.configuration;
  if (history === undefined || options.only === 'feed') return undefined;
  return new Recording(options, history, market, store, requestKey);
}

/**
 * The record as the feed asks it, in a thread of its own, because what operators ask can take minutes. `undefined` where the record is
 * off. A process that records nothing makes no file: it has nothing to read until another has made it.
 */
export function pastPricesOf({ configuration: { history }, only }: Pick<ServiceOptions, 'configuration' | 'only'>) {
  if (history === undefined) return undefined;
  const { location } = history;
  const asking = new RecordAsking(location);
  const isThere = () => only !== 'feed' || location.kind !== 'sqlite' || existsSync(location.path);
  const ask: AskRecord = async (source, at) => (isThere() ? asking.ask('middlesAt', source, at) : undefined);
  return { ask, stop: () => asking.stop() };
}

/**
 * Joins the recorder on this thread, the recording thread and what is reported of both. A recording thread that ends is
 * started again; what is published meanwhile is a gap.
 */
export class Recording {
  readonly #options: ServiceOptions;
  /** Looks things up in what is recorded. */
  readonly asking: RecordAsking;
  readonly #history: HistoryConfiguration;
  readonly #market: MarketRoom;
  readonly #audit: Store['audit'];
  readonly #recorder: Recorder;
  readonly #restart: Backoff;
  readonly #sealMailer: SealMailer | undefined;
  /** The part of the record that this process writes. */
  #chain = 0;
  readonly #requestKey: () => Uint8Array;
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

  constructor(
    options: ServiceOptions,
    history: HistoryConfiguration,
    market: MarketRoom,
    store: Store,
    requestKey: () => Uint8Array,
  ) {
    const { clock, randomness, log } = options;
    this.#options = options;
    this.#requestKey = requestKey;
    this.#history = history;
    this.asking = new RecordAsking(history.location);
    this.#market = market;
    this.#audit = store.audit;
    this.#restart = new Backoff(randomness, restartRange);
    this.#sealMailer = sealMailerOf(options, history);
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
    const { clock, version } = this.#options;
    const process: ProcessFact = { version, errorsUrl };
    this.#day = Math.floor(clock.now() / dayMs);
    this.#recorder.start([['process', JSON.stringify(process)]]);
    this.#timers.push(clock.every(tickEveryMs, () => this.#tick()));
  }

  served({ request, keyId, now: askedAt, route, query, status, answer }: ServedRequest): void {
    let text = '';
    if (answer.kind === 'problem') text = `${answer.code} ${answer.detail}`;
    else if (answer.kind === 'text' && route === '/v1/status') text = answer.text;
    const symbol = answer.kind === 'page' ? answer.symbol : route === '/v1/ticker' ? symbolAsked(query) : undefined;
    this.#recorder.served({ keyId, askedAt, route, symbol: symbol ?? '', status, text, request });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    this.#recorder.stop();
    await this.#sealMailer?.stop();
    await this.asking.stop();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    this.#post({ kind: 'stop' });
    const late = this.#options.clock.after(stopTimeoutMs, () => void worker.terminate());
    await exited;
    late.cancel();
  }

  #startWorker(): Worker {
    const { location, keepForMs } = this.#history;
    const startedAt = this.#options.clock.now();
    const settings: WorkerSettings = { location, requestKey: this.#requestKey(), startedAt, keepForMs };
    const worker = new Worker(new URL('../history/record/worker.ts', import.meta.url), { workerData: settings });
    worker.on('message', (message: FromWorker) => this.#hear(message));
    worker.on('error', (error) => this.#options.log.error({ err: error }, 'the recording thread failed'));
    worker.once('exit', () => this.#workerEnded());
    this.#worker = worker;
    return worker;
  }

  #workerEnded(): void {
    this.#worker = undefined;
    if (this.#isStopping) return;
    this.#recorder.channelLost();
    const { clock } = this.#options;
    this.#timers.push(clock.after(this.#restart.nextMs(), () => !this.#isStopping && this.#startWorker()));
  }

  #post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #hear(message: FromWorker): void {
    const { log } = this.#options;
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
    this.#audit.record({ action: 'history.deleted', subject, summary, details: { first, last } }).catch((error) => {
      this.#options.log.error({ err: error }, 'the deletion of a part of the record could not be audited');
    });
  }

  #tick(): void {
    const now = this.#options.clock.now();
    this.#post({ kind: 'tick', now });
    const day = Math.floor(now / dayMs);
    if (day === this.#day || this.#figures === undefined) return;
    const ended = isoInstant(asEpochMs(this.#day * dayMs)).slice(0, 10);
    this.#day = day;
    const { number, hash } = this.#figures.head;
    const seal = { day: ended, chain: this.#chain, segment: number, head: Buffer.from(hash).toString('hex') };
    this.#options.log.info(seal, 'the record up to this day ends with this hash');
    this.#sealMailer?.send(seal);
  }

  #recordFacts(): void {
    if (this.#leftGap !== undefined) this.#recorder.fact('gap', '', JSON.stringify(this.#leftGap));
    this.#leftGap = undefined;
    const { service, feedStatus } = this.#market;
    const { announced } = service;
    if (announced !== this.#recorded.windows) this.#recorder.fact('windows', '', JSON.stringify(announced));
    if (feedStatus.path !== this.#recorded.path)
      this.#recorder.fact('feed', '', JSON.stringify({ path: feedStatus.path }));
    this.#recorded = { windows: announced, path: feedStatus.path };
  }
}

/** `undefined` where no address is configured. */
function sealMailerOf(options: ServiceOptions, { sealTo }: HistoryConfiguration): SealMailer | undefined {
  const { mail } = options.configuration;
  if (mail === undefined || sealTo === undefined) return undefined;
  return new SealMailer({ ...options, server: mail.smtp, from: mail.from, to: sealTo });
}

function symbolAsked(query: string): string | undefined {
  return parseSymbol(queryValues(query, 'symbol')[0] ?? '');
}
