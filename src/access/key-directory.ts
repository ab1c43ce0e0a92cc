import { hash } from 'node:crypto';
import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { apiKeyLength } from './api-key.ts';
import { DigestTable, grown } from './digest-table.ts';
import type { KeyEntry } from './key-records.ts';

/** A key that may be used now. */
export interface KeyMatch {
  /** The key's own small number while it stays in the directory: what its counter is kept under. */
  readonly slot: number;
  /** `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
}

const idLength = 16;
/** Cached texts of the ids of keys in use, so that not every request makes one. */
const askedIdsMax = 10_000;
/** Ids as the store makes them are kept as their 16 bytes; any other id, from another program, as a string. */
const ownId = /^key_([\x20-\x7e]{16})$/;

/**
 * The digests of all keys, in memory: no request waits for the database. About 75 bytes a key. Its owner keeps it
 * current (`KeyDirectoryLoader`).
 */
export class KeyDirectory {
  readonly #table = new DigestTable();
  /** By slot. Slot 0, where a look-up that finds nothing ends, is never usable. */
  #usable = new Uint8Array(0);
  #expiresAt = new Float64Array(0);
  #limits = new Uint32Array(0);
  #rounds = new Uint32Array(0);
  #ids = new Uint8Array(0);
  readonly #otherIds = new Map<number, string>();
  readonly #askedIds = new Map<number, string>();
  readonly #slotTaken: (slot: number) => void;
  #round = 0;

  /** @param slotTaken called whenever a slot goes to a key, so that whatever was kept under it can be forgotten */
  constructor(slotTaken: (slot: number) => void = () => {}) {
    this.#slotTaken = slotTaken;
    this.#growTo(0);
  }

  /** Keys held, also disabled and expired ones; the loader leaves revoked ones out. */
  get size(): number {
    return this.#table.size;
  }

  /**
   * The key, if it may be used at `now`. Whatever is wrong with it (its form, unknown, disabled, revoked, expired, an
   * account that is not active), the same work is done: one digest of at most 42 characters and one look-up.
   */
  find(rawKey: string, now: EpochMs): KeyMatch | undefined {
    const slot = this.#table.find(hash('sha256', rawKey.slice(0, apiKeyLength), 'latin1'));
    const isUsable = this.#usable[slot] === 1 && now < this.#expiresAt[slot]!;
    return isUsable && rawKey.length === apiKeyLength ? this.#match(slot) : undefined;
  }

  /** The id of the key in a slot, for logs and breaches. Ask in the same turn as `find`. */
  keyIdOf(slot: number): string {
    const known = this.#otherIds.get(slot) ?? this.#askedIds.get(slot);
    if (known !== undefined) return known;
    const id = `key_${Buffer.from(this.#ids.buffer, slot * idLength, idLength).toString('latin1')}`;
    if (this.#askedIds.size === askedIdsMax) this.#askedIds.clear();
    this.#askedIds.set(slot, id);
    return id;
  }

  /** The key of a digest, usable or not, as a request would find it; `undefined` for one that is not held. */
  matchOf(digest: Uint8Array): KeyMatch | undefined {
    const slot = this.#table.find(digest);
    return slot === 0 ? undefined : this.#match(slot);
  }

  /** Adds a key or replaces what is known of it; a known digest keeps its slot. Returns the slot. */
  upsert({ digest, keyId, usable, expiresAt, limitPerMinute }: KeyEntry): number {
    const slot = this.#table.find(digest) || this.#add(digest);
    this.#usable[slot] = usable ? 1 : 0;
    this.#expiresAt[slot] = expiresAt ?? Number.POSITIVE_INFINITY;
    this.#limits[slot] = limitPerMinute ?? 0;
    this.#rounds[slot] = this.#round;
    this.#writeId(slot, keyId);
    return slot;
  }

  /** Forgets a digest. Returns whether it was there. */
  remove(digest: Uint8Array): boolean {
    const slot = this.#table.find(digest);
    if (slot === 0) return false;
    this.drop(slot);
    return true;
  }

  /** Forgets the key in a slot that holds one. */
  drop(slot: number): void {
    this.#table.remove(slot);
    this.#usable[slot] = 0;
    this.#otherIds.delete(slot);
  }

  /** Makes room for this many keys in one go. */
  reserve(count: number): void {
    this.#table.reserve(count);
    this.#growTo(count);
  }

  /** Begins a complete load: every key that exists is now upserted once more. All keys stay usable meanwhile. */
  beginReload(): void {
    this.#round++;
  }

  /** The slots of the keys that were not upserted since the last `beginReload`. */
  absent(): number[] {
    const absent: number[] = [];
    for (const slot of this.#table.slots()) if (this.#rounds[slot] !== this.#round) absent.push(slot);
    return absent;
  }

  /** The slot of a digest whose key and account are active, expired or not; 0 for any other. */
  activeSlotOf(digest: Uint8Array): number {
    const slot = this.#table.find(digest);
    return this.#usable[slot] === 1 ? slot : 0;
  }

  #match(slot: number): KeyMatch {
    return { slot, limitPerMinute: this.#limits[slot] || undefined };
  }

  #add(digest: Uint8Array): number {
    const slot = this.#table.add(digest);
    this.#growTo(slot);
    this.#slotTaken(slot);
    return slot;
  }

  #writeId(slot: number, keyId: string): void {
    this.#askedIds.delete(slot);
    const own = ownId.exec(keyId)?.[1];
    if (own === undefined) {
      this.#otherIds.set(slot, keyId);
      return;
    }
    this.#otherIds.delete(slot);
    for (let at = 0; at < idLength; at++) this.#ids[slot * idLength + at] = own.charCodeAt(at);
  }

  #growTo(slot: number): void {
    this.#usable = grown(this.#usable, slot + 1);
    this.#expiresAt = grown(this.#expiresAt, slot + 1);
    this.#limits = grown(this.#limits, slot + 1);
    this.#rounds = grown(this.#rounds, slot + 1);
    this.#ids = grown(this.#ids, (slot + 1) * idLength);
  }
}

export const keyMetrics: MetricGroup<Pick<KeyDirectory, 'size'>> = {
  title: 'Keys',
  metrics: [{ name: 'api_keys', help: 'API keys held in memory: all but revoked ones.', read: ({ size }) => size }],
};
