import type { ServerResponse } from 'node:http';
import type { PriceChangelog, PriceUpdate } from '../board/price-changelog.ts';
import { isoInstant } from '../contract/instant.ts';
import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';

const streamsMax = 100;
const heartbeatEveryMs = 5_000;
/** Changes within this time make one event. */
const gatherMs = 50;
const lookEveryMs = 1_000;
/** A reader that has taken nothing for this long is cut. */
const stalledMaxMs = 10_000;
/** How soon a browser's `EventSource` connects again. */
const retryMs = 1_000;

interface Stream {
  readonly response: ServerResponse;
  /** The version of the last event. */
  version: string | undefined;
  /** Since when the reader has not taken what was written; `undefined` while it keeps up. */
  stalledSinceMs: number | undefined;
  heartbeatDueMs: number;
  /** Whether the reader may read on. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** An event of prices. */
interface Update {
  readonly version: string;
  readonly text: string;
}

/**
 * Server-sent events of prices: a snapshot, then changes. For a slow reader at most one event waits, which collects all
 * changes since; a reader that takes nothing is disconnected.
 */
export class PriceStreams {
  readonly #prices: PriceChangelog;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #streams = new Set<Stream>();
  #gathering: Timer | undefined;
  #looking: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(prices: PriceChangelog, clock: Clock, log: Log) {
    this.#prices = prices;
    this.#clock = clock;
    this.#log = log;
  }

  get isFull(): boolean {
    return this.#streams.size >= streamsMax;
  }

  /**
   * Streams to a response whose head was written.
   *
   * @param version the last that the reader has
   * @param isStillAllowed whether the reader may read on, asked with every heartbeat
   */
  open(response: ServerResponse, version: string | undefined, isStillAllowed: () => Promise<boolean>): void {
    const heartbeatDueMs = this.#clock.monotonicMs() + heartbeatEveryMs;
    const stream: Stream = { response, version, stalledSinceMs: undefined, heartbeatDueMs, isStillAllowed };
    this.#streams.add(stream);
    response.on('drain', () => {
      stream.stalledSinceMs = undefined;
      const update = this.#updateSince(stream.version);
      if (update.version !== stream.version) this.#send(stream, update);
    });
    response.on('error', () => response.destroy());
    response.on('close', () => this.#closed(stream));
    if (this.#streams.size === 1) this.#start();
    this.#prices.refresh(this.#clock.now());
    response.write(`retry: ${retryMs}\n\n`);
    // Also where nothing has changed: the reader then knows that it has everything.
    this.#send(stream, this.#updateSince(version));
  }

  /** Ends every stream. */
  stop(): void {
    for (const { response } of this.#streams) response.end();
  }

  #start(): void {
    this.#stopListening = this.#prices.onChange(() => {
      this.#gathering ??= this.#clock.after(gatherMs, () => this.#flush());
    });
    this.#looking = this.#clock.every(lookEveryMs, () => this.#look());
  }

  #closed(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stopListening?.();
    this.#looking?.cancel();
    this.#gathering?.cancel();
    this.#gathering = undefined;
  }

  #flush(): void {
    this.#gathering = undefined;
    this.#prices.refresh(this.#clock.now());
    // Readers that keep up have the same version, and get the same event.
    const made = new Map<string | undefined, Update>();
    for (const stream of this.#streams) {
      const update = made.get(stream.version) ?? this.#updateSince(stream.version);
      made.set(stream.version, update);
      if (update.version !== stream.version) this.#send(stream, update);
    }
  }

  #updateSince(version: string | undefined): Update {
    const update = this.#prices.since(version);
    return { version: update.version, text: eventText(update) };
  }

  #send(stream: Stream, { version, text }: Update): void {
    if (stream.stalledSinceMs !== undefined) return;
    stream.version = version;
    this.#write(stream, text);
  }

  #write(stream: Stream, text: string): void {
    if (!stream.response.write(text)) stream.stalledSinceMs ??= this.#clock.monotonicMs();
  }

  /** Prices can change by the passing of time alone, which no event announces. */
  #look(): void {
    this.#flush();
    const nowMs = this.#clock.monotonicMs();
    for (const stream of this.#streams) {
      const { stalledSinceMs, response } = stream;
      if (stalledSinceMs !== undefined && nowMs - stalledSinceMs >= stalledMaxMs) {
        this.#log.warn(
          { stalledMs: Math.round(nowMs - stalledSinceMs) },
          'a price stream was cut: its reader takes nothing',
        );
        response.destroy();
      } else if (nowMs >= stream.heartbeatDueMs) {
        stream.heartbeatDueMs = nowMs + heartbeatEveryMs;
        void this.#heartbeat(stream);
      }
    }
  }

  async #heartbeat(stream: Stream): Promise<void> {
    const { response, isStillAllowed } = stream;
    if (!(await isStillAllowed())) {
      response.end();
      return;
    }
    if (stream.stalledSinceMs !== undefined || response.writableEnded) return;
    const now = this.#clock.now();
    const data = { version: stream.version, serverTime: isoInstant(now), serverTimeMs: now };
    this.#write(stream, `event: heartbeat\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

function eventText({ version, isComplete, prices, removed }: PriceUpdate): string {
  const more = isComplete ? '' : `,"removed":${JSON.stringify(removed)}`;
  const data = `{"version":${JSON.stringify(version)},"prices":[${prices.join(',')}]${more}}`;
  return `id: ${version}\nevent: ${isComplete ? 'snapshot' : 'change'}\ndata: ${data}\n\n`;
}
