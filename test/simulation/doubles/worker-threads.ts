import { EventEmitter } from 'node:events';
import type { Lane } from '../scheduler.ts';
import { theWorld } from '../world.ts';

export const isMainThread = true;
export const parentPort = null;
export const workerData = undefined;

const startMs = 5;
const messageMs = 0.05;
/** Over all worlds: a module is loaded once. */
let threadsMade = 0;

/** The end that a thread has of its channel. */
class Port extends EventEmitter {
  readonly #worker: Worker;

  constructor(worker: Worker) {
    super();
    this.#worker = worker;
  }

  postMessage(message: unknown): void {
    this.#worker.heard(message);
  }

  close(): void {
    void this.#worker.terminate();
  }
}

/**
 * A thread of a process: its module, loaded once more, in a lane of its own that dies with the process. Messages are
 * handed over without a copy, which would take a tenth of the run: what the service posts it does not touch again.
 */
export class Worker extends EventEmitter {
  readonly #owner: Lane;
  readonly #lane: Lane;
  readonly #port = new Port(this);
  readonly #waiting: unknown[] = [];
  #isOpen = false;

  constructor(url: URL, options: { readonly workerData?: unknown } = {}) {
    super();
    const world = theWorld();
    this.#owner = world.lane;
    this.#lane = world.scheduler.lane(`${this.#owner.name} thread`, this.#owner);
    this.#owner.own(() => this.#lane.kill());
    const id = String(++threadsMade);
    world.threads.set(id, { data: structuredClone(options.workerData), port: this.#port });
    this.#lane.later(startMs, () => {
      const loaded = import(`${url.href}?thread=${id}`).then(() => this.#opened());
      world.scheduler.hold(loaded.catch((error) => world.failed(error, this.#lane)));
    });
  }

  unref(): void {}

  postMessage(message: unknown): void {
    if (this.#isOpen) this.#lane.later(messageMs, () => void this.#port.emit('message', message));
    else this.#waiting.push(message);
  }

  heard(message: unknown): void {
    this.#owner.later(messageMs, () => void this.emit('message', message));
  }

  async terminate(): Promise<number> {
    if (this.#lane.isDead) return 0;
    this.#lane.kill();
    this.#owner.later(messageMs, () => void this.emit('exit', 0));
    return 0;
  }

  #opened(): void {
    this.#isOpen = true;
    for (const message of this.#waiting.splice(0))
      this.#lane.later(messageMs, () => void this.#port.emit('message', message));
  }
}
