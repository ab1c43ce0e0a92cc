import { type Clock, sleep } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import type { PushConnector } from './connector.ts';
import { isRefusal, readMessage, type ServiceMessage } from './messages.ts';
import type { PushSession } from './push-session.ts';

/** One entry of the stream that an engine writes. */
export interface StreamEntry {
  /** `milliseconds-number`, by the clock of the server. */
  readonly id: string;
  /** The run of the engine that wrote it; `NaN` where the field is missing or no whole number. */
  readonly epoch: number;
  readonly message: string;
}

/** How far the stream was read, and what the messages after that refer to. */
export interface StreamPosition {
  readonly id: string;
  readonly epoch: number;
  /** The last catalogue message of that run, as it was written; empty before the first. */
  readonly catalogue: string;
}

/** The two streams of a source, as far as a reader uses them. Every method rejects while the server is away. */
export interface EngineStream {
  start(): void;
  stop(): void;
  /** The next entries, oldest first. Waits a second for one; empty when none came. */
  read(after: string): Promise<readonly StreamEntry[]>;
  has(id: string): Promise<boolean>;
  /** `undefined` when the stream is empty or gone. */
  lastId(): Promise<string | undefined>;
  /** Milliseconds since the Unix epoch by the clock of the server, which makes the ids. */
  now(): Promise<number>;
  answer(epoch: number, message: ServiceMessage): Promise<void>;
  position(): Promise<StreamPosition | undefined>;
  /** Leaves what is not given as it is. */
  keep(position: Partial<StreamPosition>): Promise<void>;
}

interface StreamReaderParts {
  readonly connector: PushConnector;
  readonly stream: EngineStream;
  readonly clock: Clock;
  readonly log: Log;
}

const beginning = '0-0';
/** Older entries prove no price when reading begins: an engine that wrote nothing since is silent. */
const replayedAfterMs = 3_000;
const checkEveryMs = 1_000;
const retryAfterMs = 500;
/** A connection that is being made fails a call or two. */
const failuresUntilLog = 3;

interface Session {
  readonly epoch: number;
  readonly accepted: PushSession;
  isMuted: boolean;
  hasEnded: boolean;
}

/**
 * Reads what an engine writes to a stream, in place of a connection: each `hello` begins a session, and every entry
 * carries its epoch, so that two engines never mix. Goes on after a restart where it stopped; where entries were lost,
 * the engine starts over.
 */
export class StreamReader {
  readonly #parts: StreamReaderParts;
  #session: Session | undefined;
  #epoch = 0;
  /** The last entry that was read; `undefined`: the kept position was not asked for yet. */
  #readTo: string | undefined;
  /** Changes of the position beside its id. */
  #unsaved: Partial<StreamPosition> = {};
  #replayBefore = 0;
  #checkedAtMs: number | undefined;
  #helloAskedAtMs: number | undefined;
  #failures = 0;
  #stopped: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: StreamReaderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = new AbortController();
    this.#parts.stream.start();
    this.#running = this.#follow(this.#stopped.signal);
  }

  /** Resolves when nothing more is read. */
  async stop(): Promise<void> {
    this.#stopped?.abort();
    this.#end();
    await this.#keep().catch(() => {});
    this.#parts.stream.stop();
    await this.#running;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#step(signal);
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#checkedAtMs = undefined;
        if (++this.#failures === failuresUntilLog) log.warn({ err: error }, 'the stream of the engine cannot be read');
        await sleep(clock, retryAfterMs, signal);
      }
    }
  }

  async #step(signal: AbortSignal): Promise<void> {
    const { clock, stream } = this.#parts;
    if (this.#checkedAtMs === undefined) this.#replayBefore = (await stream.now()) - replayedAfterMs;
    if (this.#readTo === undefined) await this.#resume(signal);
    if (this.#checkedAtMs === undefined || clock.monotonicMs() - this.#checkedAtMs >= checkEveryMs) {
      await this.#findLoss();
      await this.#keep();
      this.#checkedAtMs = clock.monotonicMs();
    }
    const entries = await stream.read(this.#readTo!);
    for (const entry of entries) {
      if (signal.aborted) return;
      this.#take(entry);
      this.#readTo = entry.id;
    }
  }

  /** Takes the place of the process that read before. */
  async #resume(signal: AbortSignal): Promise<void> {
    const kept = await this.#parts.stream.position();
    if (signal.aborted) return;
    this.#readTo = kept?.id ?? beginning;
    if (kept === undefined || kept.epoch === 0) return;
    const { epoch, catalogue } = kept;
    this.#open(epoch, JSON.stringify({ type: 'hello', protocol: 1, epoch }));
    if (catalogue !== '') this.#session?.accepted.received(catalogue);
    this.#unsaved = {};
  }

  /** A trimmed or deleted entry may have been a catalogue, or a later engine's hello: the session cannot go on. */
  async #findLoss(): Promise<void> {
    const { stream, log } = this.#parts;
    const readTo = this.#readTo!;
    if (readTo === beginning || (await stream.has(readTo))) return;
    const last = await stream.lastId();
    // A new stream can have lower ids than the one before.
    if (last === undefined || isBefore(last, readTo)) this.#readTo = beginning;
    log.warn({ position: readTo }, 'entries of the stream were lost; the engine is asked to start over');
    this.#unsaved = { ...this.#unsaved, catalogue: '' };
    this.#end();
  }

  #take({ id, epoch, message }: StreamEntry): void {
    const opening = openingOf(message);
    if (!Number.isSafeInteger(epoch) || (opening?.type === 'hello' && opening.epoch !== epoch)) {
      const what = 'epoch: every entry has a field epoch, the number of the hello.';
      this.#answer(0, { type: 'error', code: 'MALFORMED', message: what, fatal: false });
    } else if (opening?.type === 'hello') {
      this.#open(epoch, message);
    } else if (epoch >= this.#epoch && (opening !== undefined || Number.parseInt(id, 10) >= this.#replayBefore)) {
      if (this.#session?.epoch !== epoch) this.#askForHello(epoch, message);
      else {
        if (opening !== undefined) this.#unsaved = { ...this.#unsaved, catalogue: message };
        this.#session.accepted.received(message);
      }
    }
  }

  #open(epoch: number, hello: string): void {
    // The same run repeats its hello: being fenced would make it end.
    if (this.#session?.epoch === epoch) this.#session.isMuted = true;
    const session = this.#accept(epoch);
    session.accepted.received(hello);
    if (session.hasEnded) return;
    this.#session = session;
    this.#epoch = epoch;
    this.#unsaved = { epoch, catalogue: '' };
  }

  /** The session refuses what does not begin with hello; once a second is enough. */
  #askForHello(epoch: number, message: string): void {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#helloAskedAtMs !== undefined && nowMs - this.#helloAskedAtMs < checkEveryMs) return;
    this.#helloAskedAtMs = nowMs;
    this.#accept(epoch).accepted.received(message);
  }

  #accept(epoch: number): Session {
    const accepted = this.#parts.connector.accept({
      send: (message) => {
        // A lost answer, possibly a resync, would be waited for indefinitely.
        if (!session.isMuted) this.#answer(epoch, message, () => this.#end(session));
      },
      close: () => {
        session.hasEnded = true;
        if (this.#session === session) this.#session = undefined;
      },
      unsentBytes: () => 0,
    });
    const session: Session = { epoch, accepted, isMuted: false, hasEnded: false };
    return session;
  }

  #answer(epoch: number, message: ServiceMessage, failed: () => void = () => {}): void {
    this.#parts.stream.answer(epoch, message).catch(failed);
  }

  #end(session = this.#session): void {
    if (session === undefined) return;
    if (this.#session === session) this.#session = undefined;
    session.hasEnded = true;
    session.accepted.closed();
  }

  async #keep(): Promise<void> {
    if (this.#readTo === undefined) return;
    const unsaved = this.#unsaved;
    await this.#parts.stream.keep({ id: this.#readTo, ...unsaved });
    if (this.#unsaved === unsaved) this.#unsaved = {};
  }
}

/** A message that those after it refer to. The others are read once, by the session. */
function openingOf(text: string) {
  if (!text.includes('"hello"') && !text.includes('"catalogue"')) return undefined;
  const read = readMessage(text);
  return !isRefusal(read) && (read.type === 'hello' || read.type === 'catalogue') ? read : undefined;
}

function isBefore(one: string, other: string): boolean {
  const [oneMs = 0n, oneNumber = 0n] = one.split('-').map(BigInt);
  const [otherMs = 0n, otherNumber = 0n] = other.split('-').map(BigInt);
  return oneMs < otherMs || (oneMs === otherMs && oneNumber < otherNumber);
}
