import { yieldToEvents } from '../store/store-context.ts';
import type { SettledAttempt, Subscriptions } from '../store/subscriptions.ts';

interface Queued {
  readonly attempt: SettledAttempt;
  readonly written: PromiseWithResolvers<void>;
}

/** Writes down attempts that end at about the same time together: a thousand at once are a few transactions. */
export class Settling {
  readonly #subscriptions: Pick<Subscriptions, 'settle'>;
  readonly #disabled: (id: string) => void;
  #queued: Queued[] = [];
  #isWriting = false;

  /** @param disabled is told of each that gets nothing more */
  constructor(subscriptions: Pick<Subscriptions, 'settle'>, disabled: (id: string) => void) {
    this.#subscriptions = subscriptions;
    this.#disabled = disabled;
  }

  /** Resolves once it is written; rejects as the store does. */
  settle(attempt: SettledAttempt): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#queued.push({ attempt, written });
    if (!this.#isWriting) void this.#write();
    return written.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#queued.length > 0) {
      await yieldToEvents();
      const batch = this.#queued;
      this.#queued = [];
      try {
        const disabled = await this.#subscriptions.settle(batch.map(({ attempt }) => attempt));
        for (const id of disabled) this.#disabled(id);
        for (const { written } of batch) written.resolve();
      } catch (error) {
        for (const { written } of batch) written.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
