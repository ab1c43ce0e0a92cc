import type { SegmentStore } from '../segment/segment-store.ts';

/** The store as a question has it: when nobody waits for the answer, the next thing that it reads throws. */
export function whileAsked(store: SegmentStore, isAsked: () => boolean): SegmentStore {
  return new Proxy(store, {
    get(target, name) {
      if (!isAsked()) throw new Error('nobody waits for the answer');
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
