import type { KeySource } from '../access/key-directory-loader.ts';
import type { ChangeCursor } from '../store/access-changes.ts';
import type { Store } from '../store/store.ts';

/** The store's keys, as the directory in memory asks for them. */
export function keySource({ keys, accessChanges }: Pick<Store, 'keys' | 'accessChanges'>): KeySource<ChangeCursor> {
  return {
    countMax: () => keys.countAccessMax(),
    pages: () => keys.accessPages(),
    latest: () => accessChanges.latest(),
    since: (cursor) => accessChanges.since(cursor),
  };
}
