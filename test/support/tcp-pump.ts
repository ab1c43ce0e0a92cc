import type { Socket } from 'node:net';
import { type Clock, type Randomness, sleep } from '../../src/ground/clock.ts';

/** What the wire does to the bytes of one direction. */
export interface Toxics {
  readonly latencyMs: number;
  /** Either way around the latency. The order of bytes stays. */
  readonly jitterMs: number;
  readonly bytesPerSecond: number;
  /** So many bytes at a time, `sliceDelayMs` apart. */
  readonly sliceBytes: number;
  readonly sliceDelayMs: number;
  /** The connection is closed once this many bytes have gone through. */
  readonly limitBytes: number;
  /** How much later the other side learns that this one has closed. */
  readonly slowCloseMs: number;
}

export const noToxics: Toxics = {
  latencyMs: 0,
  jitterMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  sliceBytes: Number.POSITIVE_INFINITY,
  sliceDelayMs: 0,
  limitBytes: Number.POSITIVE_INFINITY,
  slowCloseMs: 0,
};

export interface TcpPumpOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** As they are now. */
  readonly toxics: () => Toxics;
  /** Whether the connection loses everything. */
  readonly isLost: () => boolean;
  readonly limitReached: () => void;
  /** Aborted when the connection has ended. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly bytes: Buffer | 'end';
  readonly dueMs: number;
}

/** A reader that is slower than its writer holds it back beyond this. */
const heldBytesMax = 256 * 1024;
/** A bandwidth is kept in steps of this part of a second. */
const stepsPerSecond = 20;

/** Carries the bytes of one direction of one connection, in order, as slowly as the toxics say. */
export class TcpPump {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #options: TcpPumpOptions;
  readonly #queue: Waiting[] = [];
  #heldBytes = 0;
  #passedBytes = 0;
  #lastDueMs = 0;
  #isRunning = false;

  constructor(from: Socket, to: Socket, options: TcpPumpOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  take(bytes: Buffer | 'end'): void {
    const { clock, randomness, toxics, isLost } = this.#options;
    if (isLost()) return;
    const { latencyMs, jitterMs } = toxics();
    const delayMs = Math.max(0, latencyMs + (randomness.fraction() * 2 - 1) * jitterMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, clock.monotonicMs() + delayMs);
    this.#queue.push({ bytes, dueMs: this.#lastDueMs });
    this.#heldBytes += bytes === 'end' ? 0 : bytes.length;
    if (this.#heldBytes > heldBytesMax) this.#from.pause();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#wait(next.dueMs - this.#options.clock.monotonicMs());
      if (next.bytes === 'end') await this.#passEnd();
      else await this.#passBytes(next.bytes);
      if (this.#options.signal.aborted) return;
      this.#heldBytes -= next.bytes === 'end' ? 0 : next.bytes.length;
      if (this.#heldBytes <= heldBytesMax) this.#from.resume();
    }
    this.#isRunning = false;
  }

  async #passEnd(): Promise<void> {
    await this.#wait(this.#options.toxics().slowCloseMs);
    if (!this.#isOver) this.#to.end();
  }

  async #passBytes(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length && !this.#isOver; ) {
      const { bytesPerSecond, sliceBytes, sliceDelayMs, limitBytes } = this.#options.toxics();
      const step = Math.min(sliceBytes, Math.ceil(bytesPerSecond / stepsPerSecond), limitBytes - this.#passedBytes);
      const slice = bytes.subarray(from, from + Math.max(0, step));
      from += slice.length;
      this.#passedBytes += slice.length;
      await this.#write(slice);
      if (this.#passedBytes >= limitBytes) this.#endAtLimit();
      await this.#wait(Math.max(sliceDelayMs, (slice.length / bytesPerSecond) * 1000));
    }
  }

  async #write(slice: Buffer): Promise<void> {
    if (slice.length === 0 || this.#to.write(slice)) return;
    await new Promise<void>((resolve) => {
      const over = () => {
        this.#to.removeListener('drain', over);
        this.#to.removeListener('close', over);
        resolve();
      };
      this.#to.once('drain', over).once('close', over);
    });
  }

  /** What was let through still arrives: the reader is sent its end first. */
  #endAtLimit(): void {
    this.#to.end(() => this.#options.limitReached());
  }

  /** Whether nothing may go on from here: the connection has ended, or the wire is gone. */
  get #isOver(): boolean {
    return this.#options.signal.aborted || this.#options.isLost() || this.#to.writableEnded || this.#to.destroyed;
  }

  async #wait(delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(this.#options.clock, delayMs, this.#options.signal);
  }
}
