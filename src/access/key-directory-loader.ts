import { lossesToHold, someEntries } from '../ground/loss-hold.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { KeyEntry } from './key-records.ts';

/** Where keys come from: the store. `Cursor` is a place in its sequence of changes, opaque to the loader. */
export interface KeySource<Cursor> {
  readonly keys: {
    /** About as many keys as `accessPages` can give at most: room is made for this many at once. */
    countAccessMax(): Promise<number>;
    /** Every key that is not gone for good. */
    accessPages(): AsyncIterable<readonly KeyEntry[]>;
  };
  readonly accessChanges: {
    /** The place after the latest change. */
    latest(): Promise<Cursor>;
    /** Changes after a place, oldest first, each with the key as it is now; `gap` when they are no longer known. */
    since(cursor: Cursor): Promise<KeyChanges<Cursor> | { readonly kind: 'gap' }>;
  };
  readonly audit: {
    /** Finds which of the keys an operator took away. */
    namedOf(keyIds: readonly string[]): Promise<ReadonlySet<string>>;
  };
}

export interface KeyChanges<Cursor> {
  readonly kind: 'changes';
  readonly changes: readonly { readonly digest: Uint8Array; readonly entry: KeyEntry | undefined }[];
  readonly cursor: Cursor;
  readonly more: boolean;
}

/** Active keys that are to vanish, by slot: with what is left of each, or `undefined` when nothing is. */
type Losses = Map<number, KeyEntry | undefined>;

/**
 * Brings a directory up to date with its source: everything once, then changes only, and everything again should
 * changes be missing. Runs one after another however often it is called. After a failure the directory keeps serving as
 * it is, and the next call begins where the failed one did.
 *
 * A database that fails over to an empty replica must not lock every client out: a mass loss of active keys that no
 * operator made is held back, and the directory keeps serving them, until they are back or the operator accepts the
 * loss.
 */
export class KeyDirectoryLoader<Cursor> {
  readonly #directory: KeyDirectory;
  readonly #source: KeySource<Cursor>;
  readonly #held: Losses = new Map();
  #cursor: Cursor | undefined;
  readonly #queue = new SerialQueue();

  constructor(directory: KeyDirectory, source: KeySource<Cursor>) {
    this.#directory = directory;
    this.#source = source;
  }

  /** Keys that vanished from the source and are kept. */
  get held(): number {
    return this.#held.size;
  }

  /** Resolves once every change made before the call holds. Rejects with what the source threw. */
  refresh(): Promise<void> {
    return this.#queue.run(() => this.#refresh());
  }

  /** Loads everything again and takes what is held back as the source has it. */
  acceptLosses(): Promise<void> {
    return this.#queue.run(async () => {
      this.#cursor = undefined;
      await this.#refresh();
      for (const [slot, entry] of this.#held) this.#lose(slot, entry);
      this.#held.clear();
    });
  }

  async #refresh(): Promise<void> {
    if (this.#cursor !== undefined) {
      this.#cursor = await this.#applyChanges(this.#cursor);
    }
    while (this.#cursor === undefined) this.#cursor = await this.#loadAll();
  }

  /**
   * The place up to which the directory is complete; `undefined` when changes were lost under way: all of it must be
   * done again.
   */
  async #loadAll(): Promise<Cursor | undefined> {
    let cursor = await this.#source.accessChanges.latest();
    const losses: Losses = new Map();
    this.#directory.reserve(await this.#source.keys.countAccessMax());
    this.#directory.beginReload();
    for await (const page of this.#source.keys.accessPages()) {
      for (const entry of page) this.#take(entry.digest, entry, losses);
      // A revocation must not wait for the end of a long load.
      const next = await this.#applyChanges(cursor);
      if (next === undefined) return undefined;
      cursor = next;
    }
    for (const slot of this.#directory.absent()) if (!losses.has(slot)) losses.set(slot, undefined);
    await this.#settle(losses);
    return this.#applyChanges(cursor);
  }

  /** The place after the last change applied; `undefined` when some are missing. */
  async #applyChanges(from: Cursor): Promise<Cursor | undefined> {
    const losses: Losses = new Map();
    for (let cursor = from; ; ) {
      const found = await this.#source.accessChanges.since(cursor);
      if (found.kind === 'gap') return undefined;
      for (const { digest, entry } of found.changes) this.#take(digest, entry, losses);
      cursor = found.cursor;
      if (found.more) continue;
      await this.#settle(losses);
      return cursor;
    }
  }

  #take(digest: Uint8Array, entry: KeyEntry | undefined, losses: Losses): void {
    const slot = this.#directory.activeSlotOf(digest);
    if (slot !== 0 && !entry?.usable) {
      losses.set(slot, entry);
      return;
    }
    losses.delete(slot);
    this.#held.delete(slot);
    if (entry === undefined) this.#directory.remove(digest);
    else this.#directory.upsert(entry);
  }

  async #settle(losses: Losses): Promise<void> {
    const fresh = [...losses.keys()].filter((slot) => !this.#held.has(slot));
    const held = new Set(await this.#massLossOf(fresh));
    for (const [slot, entry] of losses) {
      if (held.has(slot) || this.#held.has(slot)) this.#held.set(slot, entry);
      else this.#lose(slot, entry);
    }
  }

  /** The slots to hold back: those that no operator took away, should they be many. */
  async #massLossOf(slots: readonly number[]): Promise<readonly number[]> {
    const of = this.#directory.size - this.#held.size;
    // The audit log is asked only of a mass.
    if (slots.length <= someEntries(of)) return [];
    const named = await this.#source.audit.namedOf(slots.map((slot) => this.#directory.keyIdOf(slot)));
    const explained = new Set(slots.filter((slot) => named.has(this.#directory.keyIdOf(slot))));
    return lossesToHold(slots, of, explained, someEntries);
  }

  #lose(slot: number, entry: KeyEntry | undefined): void {
    if (entry === undefined) this.#directory.drop(slot);
    else this.#directory.upsert(entry);
  }
}
