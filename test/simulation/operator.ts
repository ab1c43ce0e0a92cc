import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import { openStore as openOwnStore, type Store } from '../../src/store/store.ts';

import { epochMs, type Lane } from './scheduler.ts';
import { storeIn, storeUrlOf } from './seed-kind.ts';
import type { ServiceProcess } from './service-process.ts';
import type { ToldQuotes } from './told-quotes.ts';
import type { World } from './world.ts';

interface Key {
  readonly id: string;
  readonly key: ApiKey;
}

/** What the store holds, as far as the witnesses have to know of it. */
interface Known {
  readonly accountId: string;
  readonly keys: readonly Key[];
  readonly revokedAtMs: ReadonlyMap<string, number>;
  readonly feePercent: DecimalString;
}

export const feeAtFirst = '0.5' as DecimalString;
const keysMade = 2;
/** A process ends in order within it. */
const stopsWithinMs = 15_000;
/** After the processes, so that they find the store as it was restored. */
const opensAgainAfterMs = 30_000;
/** A client goes on with the key that it had for a while, as clients do. */
const clientChangesKeyAfterMs = 20_000;
/** A store of the release before, whose accounts and keys are none of this world. */
const storeOfFormerRelease = new URL('../golden/store-4.zst', import.meta.url);

/**
 * Whoever runs the service: works on the store in a process of their own, makes and ends keys, keeps copies and
 * restores them.
 */
export class Operator {
  readonly lane: Lane;
  readonly #world: World;
  readonly #openStore: typeof openOwnStore;
  readonly #path: string;
  readonly #quotes: ToldQuotes;
  readonly #keyChanged: (old: string, replacement: string) => void;
  #revokedAtMs = new Map<string, number>();
  #store!: Store;
  #accountId = '';
  #keys: Key[] = [];
  #feePercent = feeAtFirst;
  #kept: Known | undefined;
  readonly #url: string;
  /** When it last put an older store in the place of the one there was, with the prices known then. */
  restoredAtMs = Number.NEGATIVE_INFINITY;
  #restored: Promise<unknown> = Promise.resolve();

  /**
   * @param keyChanged a client that has the one key has the other from now on @param openStore as whoever runs the
   * former release does
   */
  constructor(
    world: World,
    directory: string,
    quotes: ToldQuotes,
    keyChanged: (old: string, replacement: string) => void,
    openStore = openOwnStore,
  ) {
    this.#world = world;
    this.#openStore = openStore;
    this.#path = storeIn(directory);
    this.#url = storeUrlOf(directory);
    this.#quotes = quotes;
    this.#keyChanged = keyChanged;
    this.lane = world.scheduler.lane('operator');
  }

  get now(): EpochMs {
    return this.lane.clock.now();
  }

  get keys(): readonly string[] {
    return this.#keys.map(({ key }) => key);
  }

  revokedAtMs(key: string): number | undefined {
    return this.#revokedAtMs.get(key);
  }

  /** Opens the store and makes the account of the clients with their keys. */
  async prepare(): Promise<void> {
    await this.#open();
    await this.#makeAccount();
  }

  /** Does something in a process of their own, as soon as there is a store. */
  operate(work: (store: Store) => Promise<unknown>): Promise<unknown> {
    const done = Promise.withResolvers<unknown>();
    const restored = this.#restored;
    this.lane.later(0, () => void restored.then(() => work(this.#store)).then(done.resolve, done.reject));
    return done.promise;
  }

  get #known(): Known {
    return {
      accountId: this.#accountId,
      keys: [...this.#keys],
      revokedAtMs: new Map(this.#revokedAtMs),
      feePercent: this.#feePercent,
    };
  }

  setFee(feePercent: DecimalString): Promise<unknown> {
    return this.operate(async ({ terms }) => {
      const { from } = await terms.add({ from: 0 as EpochMs, scope: 'service', subject: undefined, feePercent });
      this.#feePercent = feePercent;
      this.#quotes.feeFrom(feePercent, from - epochMs);
    });
  }

  /** Gives a client another key, and ends the one it had: `rotated`, in one go. */
  changeKey(how: 'new' | 'rotated'): Promise<unknown> {
    return this.operate(async (store) => {
      const old = this.#keys.shift()!;
      let replacement: Key;
      if (how === 'new') {
        replacement = await this.#makeKey();
        await store.keys.setStatus(old.id, 'revoked');
      } else {
        const key = generateApiKey(this.#world.operatorRandomness);
        const values = { digest: digestOf(key), lastFour: lastFourOf(key), overlapMs: 0 };
        replacement = { id: (await store.keys.rotate(old.id, values)).replacement.id, key };
      }
      this.#keys.push(replacement);
      this.#revokedAtMs.set(old.key, this.#world.nowMs);
      this.lane.later(clientChangesKeyAfterMs, () => this.#keyChanged(old.key, replacement.key));
    });
  }

  /** Keeps a copy of the store as it is. */
  keepCopy(): Promise<unknown> {
    return this.operate(async () => {
      this.#kept = this.#known;
      rmSync(this.#copy, { force: true });
      using database = new DatabaseSync(this.#path);
      database.prepare('vacuum into ?').run(this.#copy);
    });
  }

  /**
   * Stops the service, puts another file in the place of its store, and starts it again: the copy that was kept, or a
   * store of the former release, which the processes then bring up to date, all at once.
   */
  restore(what: 'copy' | 'former', processes: readonly ServiceProcess[]): Promise<unknown> {
    const restored = this.operate(async () => {
      const kept = what === 'copy' ? this.#kept : undefined;
      if (what === 'former' || kept !== undefined) await this.#replace(kept, processes);
    });
    this.#restored = restored.catch(() => {});
    return restored;
  }

  async #replace(kept: Known | undefined, processes: readonly ServiceProcess[]): Promise<void> {
    for (const process of processes) process.stop();
    await this.#wait(stopsWithinMs);
    await this.#store.close();
    for (const process of processes) process.kill();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.#path}${suffix}`, { force: true });
    if (kept === undefined) this.#takeFormerStore();
    else copyFileSync(this.#copy, this.#path);
    this.#remember(kept);
    this.restoredAtMs = this.#world.nowMs;
    for (const process of processes) process.start();
    await this.#wait(opensAgainAfterMs);
    await this.#openAgain(kept);
  }

  /** Without its last known prices, which no exchange of this world had. */
  #takeFormerStore(): void {
    writeFileSync(this.#path, zstdDecompressSync(readFileSync(storeOfFormerRelease)));
    using database = new DatabaseSync(this.#path);
    database.exec('delete from snapshots');
  }

  async #openAgain(kept: Known | undefined): Promise<void> {
    const { keys } = this;
    await this.#open();
    if (kept === undefined) await this.#makeAccount();
    else this.#keys = [...kept.keys];
    for (const [index, key] of keys.entries()) this.#keyChanged(key, this.#keys[index]!.key);
  }

  #wait(forMs: number): Promise<void> {
    return new Promise((resolve) => this.lane.later(forMs, resolve));
  }

  /** What was revoked since the copy is valid again, as the operators' documents say, and terms since then are gone. */
  #remember(kept: Known | undefined): void {
    this.#feePercent = kept?.feePercent ?? feeAtFirst;
    this.#quotes.feeFrom(this.#feePercent, this.#world.nowMs);
    this.#revokedAtMs = new Map(kept?.revokedAtMs);
    this.#accountId = kept?.accountId ?? '';
  }

  get #copy(): string {
    return `${this.#path}.copy`;
  }

  async #open(): Promise<void> {
    const { clock } = this.lane;
    this.#store = await this.#openStore({ url: this.#url, clock, randomness: this.#world.operatorRandomness });
  }

  async #makeAccount(): Promise<void> {
    this.#accountId = (await this.#store.accounts.create({ email: 'polls@example.com' })).id;
    this.#keys = [];
    for (let index = 0; index < keysMade; index++) this.#keys.push(await this.#makeKey());
  }

  async #makeKey(): Promise<Key> {
    const key = generateApiKey(this.#world.operatorRandomness);
    const { id } = await this.#store.keys.insert({
      accountId: this.#accountId,
      digest: digestOf(key),
      lastFour: lastFourOf(key),
      label: '',
      expiresAt: undefined,
      limitPerMinute: undefined,
    });
    return { id, key };
  }
}
