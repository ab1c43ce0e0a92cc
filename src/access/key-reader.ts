import type { EpochMs } from '../clock.ts';
import { hasKeyShape } from './api-key.ts';
import { DigestIndex } from './digest-index.ts';
import { digestPresented } from './key-digest-words.ts';
import type { KeyFinder, KeyGrowth, KeyMatch, KeyMemory } from './key-directory.ts';
import { digestWords, KeyEntries } from './key-entries.ts';
import { WriteSequence } from './write-sequence.ts';

/**
 * Finds keys in the memory of another thread's `KeyDirectory`, while that one changes it. What was read while something
 * changed is read again, so that a valid key is found whatever happens to others around it.
 */
export class KeyReader implements KeyFinder {
  readonly #entries: KeyEntries;
  readonly #index: DigestIndex;
  readonly #sequence: WriteSequence;
  readonly #wanted = new Uint32Array(digestWords);

  constructor({ segments, places, otherIds, sequence }: KeyMemory) {
    this.#entries = new KeyEntries(segments, otherIds);
    this.#index = new DigestIndex(this.#entries, places);
    this.#sequence = new WriteSequence(sequence);
  }

  /** Takes over what the memory gained since this reader was given it. To be told all of it, in its order. */
  grow(growth: KeyGrowth): void {
    if (growth.kind === 'segment') this.#entries.adopt(growth.index, growth.segment);
    else if (growth.kind === 'places') this.#index.adopt(growth.places);
    else this.#entries.setOtherId(growth.slot, growth.otherId);
  }

  find(rawKey: string, now: EpochMs): KeyMatch | undefined {
    const hasShape = hasKeyShape(rawKey);
    digestPresented(rawKey, this.#wanted);
    for (;;) {
      const state = this.#sequence.settled();
      const slot = this.#index.find(this.#wanted);
      const isUsable = this.#entries.isUsable(slot, now);
      const limitPerMinute = this.#entries.limitOf(slot);
      if (this.#sequence.isStill(state)) return hasShape && isUsable ? { slot, limitPerMinute } : undefined;
    }
  }

  keyIdOf(slot: number): string {
    for (;;) {
      const state = this.#sequence.settled();
      const id = this.#entries.idOf(slot);
      if (this.#sequence.isStill(state)) return id;
    }
  }
}
