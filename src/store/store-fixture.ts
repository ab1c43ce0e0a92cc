import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { openStore, type Store } from './store.ts';

/** For tests: a store on a real file in a directory of its own, with a clock that stands still. */
export interface StoreFixture {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly path: string;
  /** Another connection to the same file, as another program has it. Runs SQL as it stands. */
  readonly outside: DatabaseSync;
  /** A second store on the same file, as the command line has it beside the server. */
  openAnother(): Promise<Store>;
}

export function temporaryDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function openFixture(test: TestContext): Promise<StoreFixture> {
  const path = join(temporaryDirectory(test), 'test.sqlite');
  const clock = new FakeClock();
  let seed = 1;
  const openAnother = async () => {
    const store = await openStore({ url: `sqlite:${path}`, clock, randomness: seededRandomness(seed++) });
    test.after(() => store.close());
    return store;
  };
  const store = await openAnother();
  const outside = new DatabaseSync(path);
  test.after(() => outside.close());
  return { store, clock, path, outside, openAnother };
}

/** 32 bytes that stand for a key's digest. */
export function digestNumber(number: number): Uint8Array {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(28, number);
  return digest;
}

/** For `assert.rejects`: a `StoreError` with this reason and a message of one clear sentence or two. */
export function refusal(reason: string) {
  return (error: unknown): boolean => {
    const { name, reason: found, message } = error as { name: string; reason: string; message: string };
    return name === 'StoreError' && found === reason && message.endsWith('.');
  };
}
