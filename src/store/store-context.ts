import { randomBase62 } from '../base62.ts';
import type { Clock, Randomness } from '../clock.ts';
import type { Journal } from './audit.ts';
import type { Database } from './schema.ts';

/** What every part of a store works with. */
export interface StoreContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Records a change in the audit log, under the name of the store's actor. */
  readonly journal: Journal;
}

/** A part of a store: one kind of thing that it keeps. */
export abstract class StorePart<Context = StoreContext> {
  protected readonly context: Context;

  constructor(context: Context) {
    this.context = context;
  }
}

const randomLength = 16;

type IdPrefix = 'acc' | 'key' | 'win' | 'ntc' | 'aud' | 'tok' | 'inc' | 'trm';

/** A new id: the prefix, `_` and 16 random base62 characters (95 bits). */
export function newId(prefix: IdPrefix, randomness: Randomness): string {
  return `${prefix}_${randomBase62(randomLength, randomness)}`;
}
