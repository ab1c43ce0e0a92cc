import type { ExpectedHead } from '../history/segment/expected-heads.ts';
import type { Store } from '../store/store.ts';

const snapshotName = 'record-heads';

/**
 * The first and the last known segment of each chain of the record, in the store: so that a record that was cut off or
 * exchanged shows.
 */
export function recordHeads(snapshots: Store['snapshots']) {
  async function kept() {
    const { payload = '[]', savedAt } = (await snapshots.load(snapshotName)) ?? {};
    return { heads: JSON.parse(payload) as readonly ExpectedHead[], savedAt };
  }
  return {
    load: async () => (await kept()).heads,
    /** Replaces those of a chain. Where another process saved meanwhile nothing is kept: the next time comes soon. */
    async keep(ends: readonly ExpectedHead[]): Promise<void> {
      const { heads, savedAt } = await kept();
      const others = heads.filter(({ chain }) => chain !== ends[0]?.chain);
      const seen = savedAt ?? (0 as NonNullable<typeof savedAt>);
      await snapshots.save(snapshotName, JSON.stringify([...others, ...ends]), seen);
    },
    /** From now on these are what the record is compared with. */
    replace: (heads: readonly ExpectedHead[]) => snapshots.save(snapshotName, JSON.stringify(heads)),
  };
}
