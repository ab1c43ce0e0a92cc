import { useEffect, useState } from 'preact/hooks';
import type { Stop } from './clock.ts';

/** A value that components follow. */
export class Store<T> {
  #value: T;
  readonly #followers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follow of [...this.#followers]) follow(value);
  }

  follow(follow: (value: T) => void): Stop {
    this.#followers.add(follow);
    return () => this.#followers.delete(follow);
  }
}

/** The store's value, and a new render with each that follows. */
export function useStore<T>(store: Store<T>): T {
  const [, setValue] = useState<T>(store.value);
  useEffect(() => {
    setValue(() => store.value);
    return store.follow((value) => setValue(() => value));
  }, [store]);
  return store.value;
}
