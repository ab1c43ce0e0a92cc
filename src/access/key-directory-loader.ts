import type { KeyDirectory, KeyEntry } from './key-directory.ts';

/** Where keys come from. `Cursor` is a place in its sequence of changes, only ever handed back. */
export interface KeySource<Cursor> {
  /** About as many keys as `pages` can give at most: room is made for so many at once. */
  countMax(): Promise<number>;
  /** Every key that is not gone for good. */
  pages(): AsyncIterable<readonly KeyEntry[]>;
  /** The place after the latest change. */
  latest(): Promise<Cursor>;
  /** Changes after a place, oldest first, each with the key as it is now; `gap` when they are no longer known. */
  since(cursor: Cursor): Promise<KeyChanges<Cursor> | { readonly kind: 'gap' }>;
}

export interface KeyChanges<Cursor> {
  readonly kind: 'changes';
  readonly changes: readonly { readonly digest: Uint8Array; readonly entry: KeyEntry | undefined }[];
  readonly cursor: Cursor;
  readonly more: boolean;
}

/**
 * Brings a directory up to date with its source: everything once, then changes only, and everything
 * again should changes be missing. Runs one after another however often it is called. After a failure the directory
 * serves on as it is, and the next call begins where the failed one did.
 */
export class KeyDirectoryLoader<Cursor> {
  readonly #directory: KeyDirectory;
  readonly #source: KeySource<Cursor>;
  #cursor: Cursor | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(directory: KeyDirectory, source: KeySource<Cursor>) {
    this.#directory = directory;
    this.#source = source;
  }

  /** Resolves once every change made before the call holds. Rejects with what the source threw. */
  refresh(): Promise<void> {
    const run = this.#running.then(() => this.#refresh());
    this.#running = run.catch(() => {});
    return run;
  }

  async #refresh(): Promise<void> {
    if (this.#cursor !== undefined) {
      this.#cursor = await this.#applyChanges(this.#cursor);
    }
    while (this.#cursor === undefined) this.#cursor = await this.#loadAll();
  }

  /** The place up to which the directory is complete; `undefined` when changes were lost under way: all of it must be done again. */
  async #loadAll(): Promise<Cursor | undefined> {
    let cursor = await this.#source.latest();
    this.#directory.reserve(await this.#source.countMax());
    this.#directory.beginReload();
    for await (const page of this.#source.pages()) {
      for (const entry of page) this.#directory.upsert(entry);
      // A revocation must not wait for the end of a long load.
      const next = await this.#applyChanges(cursor);
      if (next === undefined) return undefined;
      cursor = next;
    }
    this.#directory.endReload();
    return this.#applyChanges(cursor);
  }

  /** The place after the last change applied; `undefined` when some are missing. */
  async #applyChanges(from: Cursor): Promise<Cursor | undefined> {
    for (let cursor = from; ; ) {
      const found = await this.#source.since(cursor);
      if (found.kind === 'gap') return undefined;
      for (const { digest, entry } of found.changes) {
        if (entry === undefined) this.#directory.remove(digest);
        else this.#directory.upsert(entry);
      }
      cursor = found.cursor;
      if (!found.more) return cursor;
    }
  }
}
