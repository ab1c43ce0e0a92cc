import { hash } from 'node:crypto';
import type { EpochMs } from '../clock.ts';
import { apiKeyLength, hasKeyShape } from './api-key.ts';
import { DigestIndex } from './digest-index.ts';
import { digestWords, KeyEntries, type KeyEntry } from './key-entries.ts';

export type { KeyEntry } from './key-entries.ts';

/** A key that may be used now. */
export interface KeyMatch {
  /** The key's own small number while it stays in the directory: what its counter is kept under. */
  readonly slot: number;
  /** `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
}

/** The part of the directory that a request needs. */
export interface KeyFinder {
  /**
   * The key, if it may be used at `now`. Whatever is wrong with it (its form, its checksum, unknown, disabled, revoked,
   * expired, an account that is not active), the same work is done: one digest of at most 42 characters and one look-up.
   */
  find(rawKey: string, now: EpochMs): KeyMatch | undefined;
  /** The id of the key in a slot, for logs and breaches. Ask in the same turn as `find`. */
  keyIdOf(slot: number): string;
}

/**
 * The digests of all keys, in memory: some 75 bytes a key (a `Map` takes 250), no database behind a
 * request. Its owner keeps it current (`KeyDirectoryLoader`).
 */
export class KeyDirectory implements KeyFinder {
  readonly #entries = new KeyEntries();
  readonly #index = new DigestIndex(this.#entries);
  readonly #slotTaken: (slot: number) => void;
  readonly #wanted = new Uint32Array(digestWords);
  #round = 0;

  /** @param slotTaken told whenever a slot goes to a key, so that whatever was kept under it can be forgotten */
  constructor(slotTaken: (slot: number) => void = () => {}) {
    this.#slotTaken = slotTaken;
  }

  /** Keys held, usable or not. */
  get size(): number {
    return this.#index.size;
  }

  find(rawKey: string, now: EpochMs): KeyMatch | undefined {
    const hasShape = hasKeyShape(rawKey);
    // A longer text is cut: it is refused for its shape anyway, and must not cost more than a key does.
    readText(hash('sha256', rawKey.slice(0, apiKeyLength), 'latin1'), this.#wanted);
    const slot = this.#index.find(this.#wanted);
    const isUsable = this.#entries.isUsable(slot, now);
    return hasShape && isUsable ? { slot, limitPerMinute: this.#entries.limitOf(slot) } : undefined;
  }

  keyIdOf(slot: number): string {
    return this.#entries.idOf(slot);
  }

  /** The key of a digest, usable or not, as a request would find it; `undefined` for one that is not held. */
  matchOf(digest: Uint8Array): KeyMatch | undefined {
    readBytes(digest, this.#wanted);
    const slot = this.#index.find(this.#wanted);
    return slot === 0 ? undefined : { slot, limitPerMinute: this.#entries.limitOf(slot) };
  }

  /** Adds a key or replaces what is known of it; a known digest keeps its slot. Returns the slot. */
  upsert(entry: KeyEntry): number {
    readBytes(entry.digest, this.#wanted);
    let slot = this.#index.find(this.#wanted);
    if (slot === 0) {
      slot = this.#entries.allocate();
      this.#entries.writeDigest(slot, this.#wanted);
      this.#slotTaken(slot);
      this.#entries.write(slot, entry, this.#round);
      this.#index.add(slot);
    } else {
      this.#entries.write(slot, entry, this.#round);
    }
    return slot;
  }

  /** Forgets a digest. Returns whether it was there. */
  remove(digest: Uint8Array): boolean {
    readBytes(digest, this.#wanted);
    const slot = this.#index.find(this.#wanted);
    if (slot === 0) return false;
    this.#drop(slot);
    return true;
  }

  /** Makes room for so many keys in one go. */
  reserve(count: number): void {
    this.#index.reserve(count);
  }

  /** Begins a complete load: every key that exists is now upserted once more. All keys stay usable meanwhile. */
  beginReload(): void {
    this.#round = (this.#round + 1) >>> 0;
  }

  /** Ends a complete load: forgets the keys that did not come up in it. */
  endReload(): void {
    for (const slot of this.#index.slots()) {
      if (this.#entries.roundOf(slot) !== this.#round) this.#drop(slot);
    }
  }

  #drop(slot: number): void {
    this.#index.remove(slot);
    this.#entries.release(slot);
  }
}

/** 32 characters, a byte each, into eight words. (`crypto.hash` gives text three times faster than bytes.) */
function readText(digest: string, words: Uint32Array): void {
  for (let index = 0; index < digestWords; index++) {
    const at = index * 4;
    const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
    words[index] = high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
  }
}

/** 32 bytes into the same eight words. */
function readBytes(digest: Uint8Array, words: Uint32Array): void {
  for (let index = 0; index < digestWords; index++) {
    const at = index * 4;
    words[index] = (digest[at]! << 24) | (digest[at + 1]! << 16) | (digest[at + 2]! << 8) | digest[at + 3]!;
  }
}
