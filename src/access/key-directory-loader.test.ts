import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeyDirectory } from './key-directory.ts';
import { type KeyChanges, KeyDirectoryLoader, type KeySource } from './key-directory-loader.ts';
import type { KeyEntry } from './key-records.ts';

function entry(number: number): KeyEntry {
  const digest = new Uint8Array(32).fill(number);
  return { digest, keyId: `${number}`, usable: true, expiresAt: undefined, limitPerMinute: undefined };
}

/** A source in memory, with the log of changes that a database keeps. */
class MemorySource {
  readonly keys = new Map<number, KeyEntry>();
  readonly #log: number[] = [];
  pruned = 0;
  loads = 0;
  pageSize = 2;
  failures = 0;
  /** Taken away by an operator. */
  readonly audited = new Set<string>();
  /** Runs before a page is given. */
  beforePage: (first: number) => void = () => {};

  put(...numbers: number[]): void {
    for (const number of numbers) this.keys.set(number, entry(number));
    this.#log.push(...numbers);
  }

  disable(...numbers: number[]): void {
    for (const number of numbers) this.keys.set(number, { ...entry(number), usable: false });
    this.#log.push(...numbers);
  }

  take(...numbers: number[]): void {
    for (const number of numbers) this.keys.delete(number);
    this.#log.push(...numbers);
  }

  /** Gives the keys in the form that a loader reads. */
  get source(): KeySource<number> {
    return {
      keys: { countAccessMax: async () => this.keys.size, accessPages: () => this.pages() },
      accessChanges: { latest: async () => this.#log.length, since: (cursor) => this.since(cursor) },
      audit: { namedOf: (keyIds) => this.explained(keyIds) },
    };
  }

  async explained(keyIds: readonly string[]) {
    return new Set(keyIds.filter((id) => this.audited.has(id)));
  }

  async *pages() {
    this.loads++;
    for (let first = 0; first < 100; first += this.pageSize) {
      const page = [...this.keys].filter(([number]) => number >= first && number < first + this.pageSize);
      this.beforePage(first);
      if (this.failures > 0) {
        this.failures--;
        throw new Error('source failed');
      }
      yield page.map(([, found]) => found);
    }
  }

  async since(cursor: number): Promise<KeyChanges<number> | { readonly kind: 'gap' }> {
    if (cursor < this.pruned) return { kind: 'gap' };
    const numbers = this.#log.slice(cursor, cursor + 2);
    const changes = numbers.map((number) => ({ digest: entry(number).digest, entry: this.keys.get(number) }));
    return { kind: 'changes', changes, cursor: cursor + numbers.length, more: numbers.length === 2 };
  }
}

function setup() {
  const source = new MemorySource();
  const directory = new KeyDirectory();
  const loader = new KeyDirectoryLoader(directory, source.source);
  const holds = (...numbers: number[]) => {
    assert.equal(directory.size, numbers.length);
    for (const number of numbers) assert.ok(directory.remove(entry(number).digest), `key ${number}`);
    for (const number of numbers) directory.upsert(entry(number));
  };
  return { source, directory, loader, holds };
}

test('the first refresh loads everything, the next ones only changes', async () => {
  const { source, loader, holds } = setup();
  source.put(1, 2, 3, 4, 5);
  await loader.refresh();
  holds(1, 2, 3, 4, 5);
  source.put(6, 7, 8);
  source.take(1, 6);
  await loader.refresh();
  holds(2, 3, 4, 5, 7, 8);
  assert.equal(source.loads, 1);
});

test('an empty source is complete after one refresh', async () => {
  const { source, loader, holds } = setup();
  await loader.refresh();
  source.put(1);
  await loader.refresh();
  holds(1);
  assert.equal(source.loads, 1);
});

test('when changes are missing everything is loaded again and what is gone is forgotten', async () => {
  const { source, loader, holds } = setup();
  source.put(1, 2, 3);
  await loader.refresh();
  source.take(2);
  source.put(4);
  source.pruned = 5;
  await loader.refresh();
  holds(1, 3, 4);
  assert.equal(source.loads, 2);
});

test('a revocation during a long load holds before the load ends', async () => {
  const { source, directory, loader, holds } = setup();
  source.put(1, 2, 50);
  let sizeAtEnd = -1;
  source.beforePage = (first) => {
    if (first === 10) source.take(1);
    if (first === 14) sizeAtEnd = directory.size;
  };
  await loader.refresh();
  assert.equal(sizeAtEnd, 1);
  holds(2, 50);
});

test('changes lost during a load make it begin again', async () => {
  const { source, loader, holds } = setup();
  source.put(1, 2, 3);
  source.beforePage = (first) => {
    if (first !== 10 || source.loads > 1) return;
    source.take(1);
    source.pruned = 4;
  };
  await loader.refresh();
  holds(2, 3);
  assert.equal(source.loads, 2);
});

test('after a failure the directory keeps serving as it is and the next refresh corrects it', async () => {
  const { source, loader, holds } = setup();
  source.put(1, 2, 3);
  await loader.refresh();
  source.take(2);
  source.pruned = 4;
  source.failures = 300;
  for (let attempt = 0; attempt < 300; attempt++) await assert.rejects(loader.refresh(), /source failed/);
  holds(1, 2, 3);
  await loader.refresh();
  holds(1, 3);
});

test('refreshes asked for at once run one after another and each sees what was written before it', async () => {
  const { source, loader, holds } = setup();
  source.put(1);
  const first = loader.refresh();
  source.put(2);
  const second = loader.refresh();
  await Promise.all([first, second]);
  holds(1, 2);
  assert.equal(source.loads, 1);
});

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a mass loss of keys (fault row 59)', () => {
  async function loaded() {
    const made = setup();
    made.source.put(...range(1, 60));
    await made.loader.refresh();
    return made;
  }

  test('in a reload, as of an empty replica, is held back, and new keys are taken all the same', async () => {
    const { source, loader, holds } = await loaded();
    source.keys.clear();
    source.pruned = Number.POSITIVE_INFINITY;
    source.beforePage = () => {
      source.pruned = 0;
    };
    await loader.refresh();
    holds(...range(1, 60));
    assert.equal(loader.held, 60);
    source.put(61);
    await loader.refresh();
    holds(...range(1, 61));
  });

  test('in changes is held back, whether keys are gone or only out of use', async () => {
    const { source, directory, loader } = await loaded();
    source.take(...range(1, 6));
    source.disable(...range(7, 12));
    await loader.refresh();
    assert.equal(loader.held, 12);
    for (const number of range(1, 60)) assert.notEqual(directory.activeSlotOf(entry(number).digest), 0, `${number}`);
  });

  test('is taken when an operator made it, and so is a small one', async () => {
    const { source, loader, holds } = await loaded();
    for (const number of range(1, 20)) source.audited.add(`${number}`);
    source.take(...range(1, 25));
    await loader.refresh();
    source.take(...range(26, 35));
    await loader.refresh();
    holds(...range(36, 60));
    assert.equal(loader.held, 0);
  });

  test('is over when the keys are back', async () => {
    const { source, loader, holds } = await loaded();
    source.take(...range(1, 30));
    await loader.refresh();
    source.put(...range(1, 30));
    await loader.refresh();
    assert.equal(loader.held, 0);
    source.take(1);
    await loader.refresh();
    holds(...range(2, 60));
  });

  test('is accepted when the operator says so, as it is by then', async () => {
    const { source, loader, holds } = await loaded();
    source.take(...range(1, 30));
    await loader.refresh();
    source.keys.set(1, entry(1));
    await loader.acceptLosses();
    holds(1, ...range(31, 60));
    assert.equal(loader.held, 0);
  });
});
