import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { SourceBans } from './source-bans.ts';

const at = (clock: FakeClock, inMs: number) => (clock.now() + inMs) as EpochMs;

function saved(payload?: string) {
  const kept = { payload };
  const snapshots = {
    load: async () => (kept.payload === undefined ? undefined : { payload: kept.payload, savedAtMs: 0 }),
    async save(_: string, next: string) {
      kept.payload = next;
    },
  };
  return { kept, store: { snapshots } as unknown as ConstructorParameters<typeof SourceBans>[0] };
}

test('a ban outlives a restart, one that is over does not, and what cannot be read is no ban (fault row 94)', async () => {
  const clock = new FakeClock();
  const { kept, store } = saved();
  const bans = new SourceBans(store, clock, silentLog);
  await bans.restore();
  bans.note('bitvavo', at(clock, 60_000));
  bans.note('kraken', at(clock, 1_000));
  await turns(5);
  await clock.advance(2_000);
  const again = new SourceBans(store, clock, silentLog);
  await again.restore();
  assert.deepEqual([again.until('bitvavo'), again.until('kraken')], [at(clock, 58_000), undefined]);
  for (const broken of ['{', 'null', '[]', '{"bitvavo":"soon"}']) {
    kept.payload = broken;
    const none = new SourceBans(store, clock, silentLog);
    await none.restore();
    assert.equal(none.until('bitvavo'), undefined);
  }
});
